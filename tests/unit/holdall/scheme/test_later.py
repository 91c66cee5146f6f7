"""Packages of API types are imported when someone asks for a type, and then whole."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from holdall.scheme.scheme import Scheme
from tests.support.commands import python
from tests.support.projects import THING_CONFIG, THING_FILES, build_project, scheme_of


@pytest.fixture
def scheme(tmp_path: Path) -> Scheme:
    return scheme_of(build_project(tmp_path, THING_CONFIG, THING_FILES))


def package(scheme: Scheme) -> ModuleType:
    """Return the package of v1 as the import system has it, after all converters are loaded."""
    assert scheme.convert({"apiVersion": "example.com/v1", "kind": "Thing"}, to="v2")
    return sys.modules[f"{scheme.package}.v1"]


def is_loaded(module: ModuleType) -> bool:
    return "Thing" in object.__getattribute__(module, "__dict__")


def by_star(name: str) -> Any:
    found: dict[str, Any] = {}
    exec(f"from {name} import *", found)
    return found["Thing"]


ASKING: dict[str, Callable[[str], Any]] = {
    "attribute": lambda name: importlib.import_module(name).Thing,
    "star": by_star,
    "vars": lambda name: vars(importlib.import_module(name))["Thing"],
    "parent": lambda name: importlib.import_module(name.rpartition(".")[0]).v1.Thing,
}


@pytest.mark.parametrize("ask", ASKING.values(), ids=ASKING)
def test_who_asks_gets_the_type(scheme: Scheme, ask: Callable[[str], Any]) -> None:
    """However it is asked for; importing the storage module does not ask."""
    module = package(scheme)
    assert not is_loaded(module)
    assert importlib.import_module(f"{module.__name__}.storage").Thing.VERSION == "v1"
    assert not is_loaded(module)
    thing = ask(module.__name__)
    assert thing is module.Thing
    assert type(module) is ModuleType
    assert module.__doc__ and "Thing" in dir(module)
    red = {"spec": {"color": "red"}}
    assert thing.from_dict(red).to_dict() == red


def test_threads_get_the_same_type(scheme: Scheme) -> None:
    """Nobody sees a package that is half loaded."""
    module = package(scheme)
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: module.Thing, range(64)))
    assert len(found) == 1


def test_a_package_that_cannot_be_imported_says_so_each_time(scheme: Scheme) -> None:
    """As an import does; and it can be imported once it is right again."""
    module = package(scheme)
    place = Path(module.__file__ or "")
    source = place.read_text()
    place.write_text(source + "\nimport nothing_of_this_name\n")
    for _ in range(2):
        with pytest.raises(ModuleNotFoundError, match="nothing_of_this_name"):
            assert module.Thing
    place.write_text(source)
    assert module.Thing.__name__ == "Thing"


def test_what_was_imported_stays(scheme: Scheme) -> None:
    """Types that exist before the converters are loaded are the types of the package."""
    thing = importlib.import_module(f"{scheme.package}.v1").Thing
    assert package(scheme).Thing is thing
    document = {"apiVersion": "example.com/v1", "kind": "Thing"}
    newer = importlib.import_module(f"{scheme.package}.v2").Thing
    assert type(scheme.convert(thing.from_dict(document), to="v2")) is newer


def test_converting_documents_needs_no_dataclasses_json(project_root: Path) -> None:
    """The server of the sample project loads neither the library nor an API type."""
    code = (
        "import sys; from generated.batch import SCHEME; SCHEME.load();"
        "print(*sorted({'dataclasses_json', 'marshmallow', 'cryptography'} & {*sys.modules}));"
        "import dataclasses_json; from generated.batch.v20240701 import Pool;"
        "print(issubclass(Pool, dataclasses_json.DataClassJsonMixin))"
    )
    done = python("-c", code, cwd=project_root)
    assert done.stdout.splitlines() == ["", "True"]
