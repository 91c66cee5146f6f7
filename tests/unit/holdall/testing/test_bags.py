"""The assertions about property bags, and the pytest plugin that offers them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdall.scheme.scheme import Scheme
from holdall.testing import assert_bags, assert_no_residue
from holdall.testing.bags import Expected
from holdall.types import JsonObject
from tests.support.objects import resource

STORED: JsonObject = {
    "$propertyBag": {"v1": {"a": {"b": [1, 2], "c": "x"}}},
    "spec": {"$propertyBag": {"v1": {"size": 1}, "v2": {"size": "S"}}},
}
ONE: JsonObject = {"spec": {"$propertyBag": {"v1": {"size": 1}}}}


def message(obj: JsonObject, expected: Expected) -> list[str]:
    """Return the lines of the failure that comparing bags gives."""
    with pytest.raises(AssertionError) as caught:
        assert_bags(obj, expected)
    return str(caught.value).splitlines()


def test_bags_by_path() -> None:
    """The bags of all holders are compared by their paths."""
    assert_bags(
        STORED,
        {
            "": {"v1": {"a": {"b": [1, 2], "c": "x"}}},
            "/spec": {"v1": {"size": 1}, "v2": {"size": "S"}},
        },
    )


def test_the_bag_of_the_only_holder() -> None:
    """Where one object has a bag, the bag alone is enough."""
    assert_bags(ONE, {"v1": {"size": 1}})


def test_a_single_bag_is_not_enough_for_several_holders() -> None:
    """Where several objects have bags, the message names them."""
    assert message(STORED, {"v1": {"size": 1}}) == [
        'several objects have bags ("", /spec): expect them by path, {"": {...}, "/spec": {...}}'
    ]


@pytest.mark.parametrize(
    ("expected", "line"),
    [
        ({"v1": {"size": 2}}, "/spec v1/size: found 1, expected 2"),
        ({"v1": {"size": True}}, "/spec v1/size: found 1, expected true"),
        ({"v1": {"size": 1.0}}, "/spec v1/size: found 1, expected 1.0"),
        ({"v1": {"size": None}}, "/spec v1/size: found 1, expected null"),
        ({}, "/spec v1/size: unexpected, found 1"),
        ({"/spec": {}}, "/spec v1/size: unexpected, found 1"),
    ],
)
def test_a_difference_is_one_line(expected: Expected, line: str) -> None:
    """A value that differs or is unexpected is shown with its path, exact in its type."""
    assert message(ONE, expected) == ["the property bags are not as expected:", f"  {line}"]


def test_all_differences_are_shown() -> None:
    """Missing, unexpected and different values are listed together, by JSON path."""
    expected: Expected = {
        "": {"v1": {"a": {"b": [1, 3], "d": 1}}},
        "/status": {"v1": {"n": 1}},
        "/spec": {"v1": {"size": 1}},
    }
    assert message(STORED, expected)[1:] == [
        "  / v1/a/b/1: found 2, expected 3",
        '  / v1/a/c: unexpected, found "x"',
        "  / v1/a/d: missing, expected 1",
        '  /spec v2/size: unexpected, found "S"',
        "  /status v1/n: missing, expected 1",
    ]


def test_entries_that_are_missing_altogether() -> None:
    """An object without bags lacks what is expected."""
    assert message({}, {"v1": {"a": 1}})[1:] == ["  / v1/a: missing, expected 1"]
    assert_bags({}, {})


def test_typed_objects_and_api_documents(scheme: Scheme) -> None:
    """Twins, stored documents, API types and API documents are all compared."""
    document: JsonObject = resource("example.com/v1", "Thing", spec={"color": "red"})
    twin = scheme.convert(scheme.twin("Thing", "v1").from_dict(document), to="v2")
    api = scheme.convert(document, to="v2")
    for obj in (twin, twin.to_dict(), api, scheme.api_type("Thing", "v2").from_dict(api)):
        assert_bags(obj, {"/spec": {"v1": {"color": "red"}}})


def test_no_residue(scheme: Scheme) -> None:
    """Residue is listed with its reason; an object without any passes."""
    document: JsonObject = resource("example.com/v1", "Thing", spec={"color": "red"})
    assert_no_residue(document)
    twin = scheme.convert(scheme.twin("Thing", "v1").from_dict(document), to="v2")
    with pytest.raises(AssertionError) as caught:
        assert_no_residue(twin)
    assert str(caught.value) == (
        "the property bags are not empty:\n"
        '  /spec v1/color: "red" (stashed: v2.ThingSpec has no such property)'
    )


def _python(project_root: Path, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join(str(project_root / source) for source in ("runtime", "codegen"))
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": paths, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )


def test_the_plugin_offers_fixtures(project_root: Path, tmp_path: Path) -> None:
    """With the plugin, tests take the assertions as fixtures."""
    (tmp_path / "test_it.py").write_text(
        "def test_it(assert_bags, assert_no_residue):\n"
        "    assert_no_residue({})\n"
        "    assert_bags({'$propertyBag': {'v1': {'a': 1}}}, {'v1': {'a': 2}})\n"
    )
    options = ("-p", "holdall.testing.plugin", "-p", "no:cacheprovider", "-q")
    done = _python(project_root, "-m", "pytest", *options, cwd=tmp_path)
    assert done.returncode == 1
    assert "/ v1/a: found 1, expected 2" in done.stdout


@pytest.mark.parametrize("folder", [".", "tests", "tests/deep"])
def test_tests_import_what_is_generated(project_root: Path, tmp_path: Path, folder: str) -> None:
    """Also by `pytest` instead of `python -m pytest`, from any folder, and in conftest.py."""
    (tmp_path / "holdall.yaml").write_text("groups: {}\n")
    (tmp_path / "generated").mkdir()
    (tmp_path / "generated/__init__.py").write_text("SCHEME = 1\n")
    tests = tmp_path / "tests/deep"
    tests.mkdir(parents=True)
    (tests / "conftest.py").write_text("from generated import SCHEME as SCHEME\n")
    (tests / "test_it.py").write_text(
        "from generated import SCHEME\ndef test_it():\n    assert SCHEME == 1\n"
    )
    options = ("-p", "holdall.testing.plugin", "-p", "no:cacheprovider", "-q")
    code = f"import sys, pytest; sys.path.remove(''); sys.exit(pytest.main([*{options}]))"
    done = _python(project_root, "-c", code, cwd=tmp_path / folder)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_assertions_need_no_pytest(project_root: Path, tmp_path: Path) -> None:
    """holdall.testing works where pytest is not installed."""
    code = (
        "import sys; sys.modules['pytest'] = None\n"
        "from holdall.testing import assert_no_residue; assert_no_residue({})"
    )
    done = _python(project_root, "-c", code, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
