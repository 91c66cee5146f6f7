"""Elements of kept lists are known again with undeclared members, and without where these came."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import holdall as h
from tests.support.projects import build_project, config_of, scheme_of

CONFIG = config_of(
    "Thing",
    more="""\
between:
  v1 -> v2: {Thing: {items: {wrap: true}}}
""",
)
_ITEM = "{type: object, properties: {host: {type: string}}}"
_SCHEMA = "type: object\nproperties: {items: {type: array, items: %s}}\n"
FILES = {
    "v1.yaml": _SCHEMA % _ITEM,
    "v2.yaml": _SCHEMA % f"{{type: array, items: {_ITEM}}}",
}


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> h.Scheme:
    return scheme_of(build_project(tmp_path_factory.mktemp("merging"), CONFIG, FILES))


def item(text: str) -> dict[str, str]:
    """Return an element of a text as `a` or `a+x`: its host, and what it does not declare."""
    host, *undeclared = text.split("+")
    return {"host": host} | dict(zip("x", undeclared, strict=False))


@pytest.mark.parametrize(
    ("before", "after", "tails", "lost"),
    [
        pytest.param("a b", "n a+1", "- 0", 1, id="moved, and one replaced"),
        pytest.param("a b c", "c+1 a+1 b+1", "2 0 1", 0, id="all have moved"),
        pytest.param("a b", "b+1 n a", "1 - 0", 0, id="one of two"),
        pytest.param("a+1 a+2", "a+2 a+3", "1 -", 1, id="they told elements apart"),
        pytest.param("a b", "n+1 m+1", "- -", 2, id="nothing is known again"),
    ],
)
def test_what_a_client_adds_to_an_element_makes_it_no_other(
    scheme: h.Scheme, before: str, after: str, tails: str, lost: int
) -> None:
    lists = [[item(text), {"host": str(at)}] for at, text in enumerate(before.split())]
    document = {"apiVersion": "v2", "kind": "Thing", "items": lists}
    there: Any = copy.deepcopy(scheme.convert(document, to="v1"))
    there["items"] = [item(text) for text in after.split()]
    report: list[Any] = []
    back: Any = scheme.convert(there, to="v2", report=report)
    assert [one[0] for one in back["items"]] == there["items"]
    assert [[held["host"] for held in one[1:]] for one in back["items"]] == [
        [] if at == "-" else [at] for at in tails.split()
    ]
    assert len(report) == lost
