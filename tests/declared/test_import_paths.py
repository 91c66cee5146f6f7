"""Every key of `imports` changes where generated code imports from; one that cannot is refused."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from holdall_codegen.declared.problems import DeclarationError
from tests.support.checkers import mypy_says, ruff_says
from tests.support.declared import Declared, Declaring

TEXT = """
VERSIONS = Versions(Version("v1"), Version("v2"), tracing=True, imports=IMPORTS)


@obj
class Part:
    size: U8
    tags: list[str]


@union
class Kind:
    Plain: Unit
    Held: Part
    Pair: tuple[Part, int]


@resource(group="i.example.com"MORE)
class ThingSpec:
    name: str
    kind: Kind | None
    parts: Annotated[list[Part], added("v2")]
"""
THING = {
    "apiVersion": "i.example.com/v1",
    "kind": "Thing",
    "metadata": {"name": "t"},
    "spec": {"name": "n", "kind": {"Pair": [{"size": 1, "tags": ["x"]}, 2]}},
}
KEYS = ("runtime", "k8s", "k8s_core", "k8s_client", "k8s_types", "schema", "serialization", "json")


def text(imports: dict[str, str], more: str = "") -> str:
    return TEXT.replace("IMPORTS", repr(imports)).replace("MORE", more)


@pytest.fixture(scope="module")
def vendor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Packages that hand on what holdall has, one for each key."""
    folder = tmp_path_factory.mktemp("vendor")
    for key in KEYS:
        source = (
            "holdall.kubernetes.kinds"
            if key.startswith("k8s") and key != "k8s_types"
            else "holdall.generated"
        )
        source = "holdall" if key == "runtime" else source
        (folder / f"vendored_{key}.py").write_text(
            f"import {source} as _all\nSEEN = []\n"
            "def __getattr__(name):\n    SEEN.append(name)\n    return getattr(_all, name)\n"
        )
    sys.path.insert(0, str(folder))
    return folder


def sources(group: Declared) -> str:
    folder = group.root / group.package.replace(".", "/")
    return "".join(path.read_text() for path in folder.rglob("*.py"))


@pytest.mark.parametrize("key", KEYS)
def test_each_key_changes_imports(declared: Declaring, vendor: Path, key: str) -> None:
    """Generated code imports from there, and does what it does otherwise."""
    group = declared(text({key: f"vendored_{key}"}))
    assert f"vendored_{key} import" in sources(group) or f"import vendored_{key}" in sources(group)
    plain = declared(text({}))
    there = group.convert(THING, to="v2")
    assert there == plain.convert(THING, to="v2")
    assert group.convert(there, to="v1") == THING
    assert group.kinds.Thing.merged_crd(group.kinds.ThingVersion.V1)
    assert sys.modules[f"vendored_{key}"].SEEN


def test_all_parts_at_once(declared: Declaring, vendor: Path) -> None:
    """Nothing is left that comes from holdall itself, and type checkers accept it."""
    parts = {key: f"vendored_{key}" for key in KEYS if key != "k8s"}
    group = declared(text(parts))
    assert "import holdall" not in sources(group)
    assert "from holdall" not in sources(group)
    assert group.convert(group.convert(THING, to="v2"), to="v1") == THING
    same = declared(
        text(
            dict.fromkeys(KEYS[2:], "holdall.generated")
            | {"k8s_core": "holdall.kubernetes.kinds", "k8s_client": "holdall.kubernetes.kinds"}
        ),
    )
    package = same.package.partition(".")[0]
    assert mypy_says(same.root, package, silent=True) == ""
    assert ruff_says(same.root, package) == ""


NO_TYPES = """
VERSIONS = Versions(Version("v1"), Version("v2"), imports=IMPORTS)


@union
class Kind:
    Plain: Unit
"""
UNUSED: list[tuple[str, Any, str]] = [
    (
        "otel",
        text({"otel": "a"}).replace("tracing=True, ", ""),
        "nothing is traced without tracing=True",
    ),
    ("otel", text({"otel": "a"}, ", skip=(Skip.TRY_CONVERT,)"), "no kind has try_convert"),
    (
        "k8s_client",
        text({"k8s_client": "a"}, ", skip=(Skip.TRY_CONVERT, Skip.MERGED_CRD)"),
        "no kind has merged_crd or try_convert",
    ),
    *(
        (key, NO_TYPES.replace("IMPORTS", repr({key: "a"})), "there is no resource")
        for key in ("k8s", "k8s_core", "k8s_types")
    ),
    *(
        (key, NO_TYPES.replace("IMPORTS", repr({key: "a"})), "there are no types")
        for key in ("schema", "serialization", "json")
    ),
]


@pytest.mark.parametrize(("key", "module", "why"), UNUSED)
def test_a_key_that_changes_nothing_is_refused(
    declared: Declaring, key: str, module: str, why: str
) -> None:
    """With its place in the declaration, and why."""
    with pytest.raises(DeclarationError) as caught:
        declared(module)
    (problem,) = caught.value.problems
    assert problem.code == "crate_override_unknown"
    assert f"options.imports: `{key}` changes nothing here: {why}" in str(caught.value)
    line = 1 + next(number for number, line in enumerate(module.splitlines()) if "VERSIONS" in line)
    assert f".py:{line + 6}:" in str(caught.value)
