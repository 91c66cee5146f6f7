"""Maps and lists with keys: where the declaration acts, and what it is refused for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdall.errors import PlanError, Problem
from holdall.plan.plans import TypeRef
from holdall_codegen.plan.model import Each, Flipped, Keyed, Recurse, Same
from tests.support.proposing import NUMBER, TEXT, many, mapped, planned, thing, write_versions

ARG = thing(name=TEXT, value=TEXT, count=NUMBER)
ELEMENT = TypeRef("v2", "Item")


def _root(folder: Path, older: Any, newer: Any, keyed: str | None) -> Path:
    facts = {"v1 -> v2": {"Box": {"item": {"keyed": keyed}}}} if keyed else None
    return write_versions(folder, facts, v1=thing(item=older), v2=thing(item=newer))


def _problems(root: Path) -> list[Problem]:
    with pytest.raises(PlanError) as error:
        planned(root)
    return list(error.value.problems)


@pytest.mark.parametrize(
    ("older", "newer", "keyed", "wanted"),
    [
        (mapped(TEXT), many(ARG), "name/value", Keyed(ELEMENT, "name", "value", Same())),
        (
            many(ARG),
            mapped(TEXT),
            "name/value",
            Flipped(Keyed(TypeRef("v1", "Item"), "name", "value", Same())),
        ),
        (
            many(mapped(TEXT)),
            many(many(ARG)),
            "value/name",
            Each("list", Keyed(ELEMENT, "value", "name", Same())),
        ),
        (
            mapped(many(TEXT)),
            many(thing(name=TEXT, texts=many(TEXT))),
            "name/texts",
            Keyed(ELEMENT, "name", "texts", Each("list", Same())),
        ),
        (
            mapped(thing(value=TEXT)),
            many(ARG),
            "name",
            Keyed(ELEMENT, "name", "", Recurse((TypeRef("v1", "Item"), ELEMENT))),
        ),
    ],
)
def test_where_it_acts(tmp_path: Path, older: Any, newer: Any, keyed: str, wanted: object) -> None:
    """On a map and a list of objects, whichever is the older, at any depth."""
    edge = next(
        e for e in planned(_root(tmp_path, older, newer, keyed)).edges if e.older.name == "Box"
    )
    assert [pair.conversion for pair in edge.pairs] == [wanted]


@pytest.mark.parametrize(
    ("older", "newer", "keyed", "code", "said"),
    [
        (mapped(TEXT), many(ARG), "id/value", "HA201", "no string member id"),
        (mapped(TEXT), many(ARG), "count/value", "HA201", "no string member count"),
        (mapped(TEXT), many(ARG), "name/values", "HA201", "no member values"),
        (mapped(TEXT), many(ARG), "name", "HA201", "are not objects"),
        (mapped(TEXT), many(ARG), "name/count", "HA201", "string cannot become integer"),
        (mapped(thing(name=TEXT)), many(ARG), "name", "HA201", "has a member name of its own"),
        (mapped(TEXT), many(TEXT), "name/value", "HA201", "cannot become list of string"),
        (mapped(TEXT), mapped(TEXT), "name/value", "HA213", "keyed has no effect here"),
        (mapped(TEXT), many(ARG), None, "HA201", "cannot become list of Item"),
    ],
)
def test_what_is_refused(
    tmp_path: Path, older: Any, newer: Any, keyed: str | None, code: str, said: str
) -> None:
    """The problem says where, what and how it is mended."""
    (problem,) = _problems(_root(tmp_path, older, newer, keyed))
    assert problem.code == code
    assert said in problem.message
    assert problem.where.startswith(("holdall.yaml:", "v1.yaml:"))
    assert problem.fix
