"""The public surface is locked: a change of it is a change of these lists."""

from __future__ import annotations

import ast
import pkgutil
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import holdall
from holdall import generated


def _words(text: str) -> list[str]:
    return text.split()


GENERATED_CODE_CALLS = _words(
    """
    api_version_member assign chain close_tuple close_union complete computed constant
    convert convert_deep convert_each convert_values Defaulted deprecated duration each
    EachForm end finish flipped function generated_by hides_zero keep keyed kinds member
    Move MovePath Moves ObjectForm open_bag opened Pair pull pull_linked put quantity
    recurse reference renamed_values require_hook same scalar start stash Steps take
    through tuple_members union_members UnionEdge values variants wrap
    """
)

GENERATED_CODE_NAMES = _words(
    """
    BAG BagLimits BagView ConvertOptions FAIL InnerDocuments JsonObject Kind Member
    MemberHead Members Object ORIGINAL_VERSION PLAIN RecordedVersion Scheme StorageObject
    StorageRoot StorageTuple StorageUnion Tracking Tuple Union UnknownMembers Version Way
    """
)

PEOPLE_USE = _words(
    """
    __version__ Always audit BagView batches Claims claims Completing Composed ConversionError
    DecodeError EachValue Finding Given HoldallError HookError HookFailure is_null JsonObject
    JsonValue Members nested Object override Problem PropertyBag RefusedError Scheme SchemeError
    set_absent set_null SharedHook StorageObject StorageRoot TwoWay UnknownKindError
    """
)

MODULES = _words(
    """
    bulk carriers cli databases declare engine errors explain generated inner kubernetes objects
    plan review scheme suggest testing text types verification version webhook words
    """
)


def test_the_exports_are_locked() -> None:
    """What `import holdall` offers changes only together with this test."""
    assert set(holdall.__all__) == {*PEOPLE_USE}


def test_what_generated_code_gets_is_locked() -> None:
    """What `holdall.generated` offers changes only together with this test."""
    assert set(generated.__all__) == {*GENERATED_CODE_CALLS, *GENERATED_CODE_NAMES}


def test_the_exports_are_unique() -> None:
    """No name is exported twice."""
    for names in (holdall.__all__, generated.__all__):
        assert len({*names}) == len(names)


def test_type_checkers_see_what_is_there() -> None:
    """What the imports for them name is found where they say, and nothing else."""
    known = {"__version__": holdall.__version__}
    for node in ast.walk(ast.parse(Path(holdall.__file__).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.names[0].asname:
            (alias,) = node.names
            assert alias.asname == alias.name
            known[alias.name] = getattr(import_module(node.module), alias.name)
    assert known == {name: getattr(holdall, name) for name in holdall.__all__}


@pytest.mark.parametrize(
    ("module", "name"),
    [(module, name) for module in (holdall, generated) for name in module.__all__],
)
def test_every_export_exists_and_is_documented(module: ModuleType, name: str) -> None:
    """Every exported class and function says what it is for."""
    found = getattr(module, name)
    if (getattr(found, "__module__", None) or "").startswith("holdall.") and callable(found):
        assert found.__doc__


def test_the_public_modules_are_locked() -> None:
    """A new module without an underscore is public, and has to be listed."""
    found = {module.name for module in pkgutil.iter_modules(holdall.__path__)}
    assert {name for name in found if not name.startswith("_")} == set(MODULES)


def test_the_package_is_marked_as_typed() -> None:
    """Type checkers of users read our annotations."""
    assert (Path(holdall.__path__[0]) / "py.typed").is_file()


def test_generated_code_uses_exports_only(project_root: Path) -> None:
    """Every `h.` name of the sample project's generated modules is exported, and used as listed."""
    files = sorted((project_root / "generated").rglob("*.py"))
    assert files
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "h":
                assert node.attr in {*GENERATED_CODE_CALLS, *GENERATED_CODE_NAMES}, file
