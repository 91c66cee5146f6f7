"""Claims that no path handles: what a hook claims leaves the bag, and is lost if nobody uses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall_codegen.output.checking import check
from holdall_codegen.output.generation import generate
from tests.support.small_project import write_hook, write_project

HOOK = """\
from holdall import BagView, claims, is_null, set_absent, set_null

from generated.shop.v1 import storage as v1
from generated.shop.v2 import storage as v2


def helper(spec: v2.OrderSpec) -> None:
    spec.buyerName = "x"


class OrderSpecHooks(v1.AssignableOrderSpec):
    @claims(reads=["note", "buyer_name"], writes=["buyerName"])
    def assign_properties_to(
        self, source: v1.OrderSpec, destination: v2.OrderSpec, bag: BagView
    ) -> None:
        TO

    @claims(reads=["buyerName"], writes=["note", "buyer_name"])
    def assign_properties_from(
        self, source: v2.OrderSpec, destination: v1.OrderSpec, bag: BagView
    ) -> None:
        FROM
"""
TO = "destination.buyer_name = source.buyer_name"
FROM = "destination.buyer_name = source.buyer_name"
NOTE = [
    'hooks/order.py:12 HA350 OrderSpecHooks.assign_properties_to claims to read "note"',
    'hooks/order.py:18 HA350 OrderSpecHooks.assign_properties_from claims to write "note"',
]


def found(root: Path, to: str, back: str) -> list[str]:
    write_hook(root, HOOK.replace("TO", to).replace("FROM", back))
    return sorted(
        f"{problem.where} {problem.code} {problem.message.partition(',')[0]}"
        for problem in check(root).problems
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write_project(tmp_path_factory.mktemp("project"))
    generate(root)
    return root


@pytest.mark.parametrize(
    ("to", "back", "expected"),
    [
        (TO, FROM, NOTE),
        (TO, f"{FROM}; destination.note = 'n'", []),
        (TO, f"{FROM}; destination.note: str | None = None", []),
        (TO, f"{FROM}; set_absent(destination, 'note')", []),
        (TO, f"{FROM}; setattr(destination, 'note', 'n')", []),
        (f"{TO}; is_null(source, 'note')", FROM, NOTE[1:]),
        # Where an object goes as a whole, nobody can tell.
        (TO, "helper(destination)", []),
        (TO, "other = destination; other.note = ''", []),
        (TO, "raise NotImplementedError(self)", []),
    ],
)
def test_claims_that_nobody_handles(project: Path, to: str, back: str, expected: list[str]) -> None:
    """Each claim is handled by the text, or may be, or it is a finding of `check`."""
    problems = found(project, to, back)
    assert [text for text in problems if "HA352" not in text] == expected


def test_what_is_computed_need_not_be_read(project: Path) -> None:
    """A property that one way computes is nothing that the other way loses."""
    assert "buyerName" not in str(
        found(project, TO, "destination.note = destination.buyer_name = ''")
    )
