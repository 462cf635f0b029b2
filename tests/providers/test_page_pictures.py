"""Pictures of pages lie beside the key of their file and go with it, or with age."""

import os
import time
from pathlib import Path

import pytest

from veraz import errors
from veraz.providers.files import pictures
from veraz.providers.files.pictures import PagePictures

KEY = "tenant/base/document"


async def test_a_picture_goes_with_its_file_and_with_its_tenant(tmp_path: Path) -> None:
    kept = PagePictures(tmp_path)
    await kept.keep(KEY, "a", b"1")
    await kept.keep("tenant/base/other", "a", b"2")
    await kept.forget(KEY)
    assert await kept.read(KEY, "a") is None
    assert await kept.read("tenant/base/other", "a") == b"2"
    await kept.forget("tenant")
    assert not [one for one in tmp_path.rglob("*") if one.is_file()]


async def test_another_tenant_s_picture_stays(tmp_path: Path) -> None:
    kept = PagePictures(tmp_path)
    await kept.keep("rival/base/document", "a", b"1")
    await kept.forget("tenant")
    assert await kept.read("rival/base/document", "a") == b"1"
    with pytest.raises(errors.Invalid):
        await kept.forget("tenant/../rival")


async def test_what_is_old_or_too_much_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = PagePictures(tmp_path)
    await kept.keep(KEY, "old", b"1")
    (old,) = (one for one in tmp_path.rglob("*.png"))
    day_before_yesterday = time.time() - 2 * 24 * 3600
    os.utime(old, (day_before_yesterday, day_before_yesterday))
    assert await kept.sweep() == 1
    assert not old.parent.exists()
    monkeypatch.setattr(pictures, "_KEPT_FILES", 2)
    for number in range(4):
        await kept.keep(KEY, str(number), b"1")
    assert len(list(tmp_path.rglob("*.png"))) == 2
