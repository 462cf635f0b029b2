"""From settings to the place where files live."""

from urllib.parse import urlsplit

from veraz.errors import Invalid, Phrase
from veraz.providers.files.base import FileStore
from veraz.providers.files.local import LocalFiles
from veraz.providers.files.s3 import Bucket, S3Files
from veraz.settings import Settings


def pick_file_store(settings: Settings) -> FileStore:
    """The folder under home, or the bucket that `storage_url` names."""
    if not settings.storage_url:
        return LocalFiles(settings.home / "files")
    return S3Files(_bucket(settings), scratch=settings.home / "tmp")


def _bucket(settings: Settings) -> Bucket:
    address, secret = urlsplit(settings.storage_url), settings.s3_secret_access_key
    if address.scheme != "s3" or not address.netloc:
        raise Invalid(
            field="VERAZ_STORAGE_URL",
            reason=Phrase(
                "it must look like s3://bucket/prefix", es="debe tener la forma s3://bucket/prefijo"
            ),
        )
    return Bucket(
        name=address.netloc,
        prefix=address.path.strip("/"),
        endpoint=settings.s3_endpoint,
        region=settings.s3_region,
        access_key_id=settings.s3_access_key_id,
        secret_access_key=secret.get_secret_value() if secret else None,
    )
