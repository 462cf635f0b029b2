"""What is installed with Veraz may be given on with it, and is listed."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def licences() -> ModuleType:
    """The script behind `make licences`."""
    spec = importlib.util.spec_from_file_location("licences", ROOT / "scripts" / "licences.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_dependency_has_a_licence_that_is_allowed(licences: ModuleType) -> None:
    found = licences.libraries()
    assert len(found) > 100
    assert not [one.name for one in found if one.licence == "unknown"]
    assert not [one.name for one in found if one.is_copyleft and one.name not in licences.REASONS]


def test_no_reason_is_given_for_what_is_not_here(licences: ModuleType) -> None:
    copyleft = {one.name for one in licences.libraries() if one.is_copyleft}
    assert set(licences.REASONS) <= copyleft


def test_every_dependency_is_listed(licences: ModuleType) -> None:
    listed = dict(
        re.findall(r"^\| (\S+) \| \S+ \| (.+) \|$", licences.TARGET.read_text(encoding="utf-8"), re.M)
    )
    missing = {one.name for one in licences.libraries() if listed.get(one.name) != one.licence}
    assert not missing, "run `make licences`"


@pytest.mark.parametrize(
    "name", ["GPL-3.0-only", "AGPL-3.0", "GNU General Public License v3", "LGPLv2+", "SSPL-1.0", "EUPL 1.2"]
)
def test_copyleft_is_known_by_its_names(licences: ModuleType, name: str) -> None:
    assert licences.Library(name="x", version="1", licence=name).is_copyleft


def test_permissive_licences_are_not_taken_for_it(licences: ModuleType) -> None:
    for name in ("MIT", "Apache-2.0", "BSD-3-Clause", "PSF-2.0", "ISC", "MIT-0", "CNRI-Python"):
        assert not licences.Library(name="x", version="1", licence=name).is_copyleft
