"""Moves whose end in an object is the place of another property, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from holdall.errors import PlanError
from tests.support.notation import expanded
from tests.support.proposing import TEXT, planned, thing, write_versions

INNER = thing(x=TEXT, z=TEXT)
REST = thing(z=TEXT)


@pytest.mark.parametrize(
    ("v1", "v2", "facts", "problem"),
    yaml.safe_load("""
- [{a: {x: string, z: string}, u: string}, {a: {x: string, z: string}}, {u: {move: a/x}},
  ["v2.Box a/x has two partners: v1.Box u and a/x", move a/x as well]]
- [{a: {x: string, z: string}}, {a: {x: string, z: string}, u: string}, {a/x: {move: u}},
  ["v1.Box a/x has two partners: v2.Box u and a/x", move a/x as well]]
- [{a: {b: {x: string, z: string}}, u: string}, {c: {b: {x: string, z: string}}},
  {u: {move: c/b/x}, a: c},
  ["v2.Box c/b/x has two partners: v1.Box u and a/b/x", move a/b/x as well]]
- [{a: {x: string, z: string}, u: string}, {b: {a: {x: string, z: string}}},
  {u: {move: b/a/x}, a: {move: b/a}},
  ["v2.Box b/a/x has two partners: v1.Box u and a/x", move a/x as well]]
- [{a: {x: string, z: string}, u: string}, {a: {x: string, z: string}},
  {u: {move: a/x}, a: {hides_zero: newer}},
  ["v2.Box a/x has two partners: v1.Box u and a/x", move a/x as well]]
- [{a: string, u: string}, {a: {x: string, z: string}}, {u: {move: a/x}, a: {reference: x}},
  ["v2.Box a/x has two partners: v1.Box u and a", let the reference of a name another]]
- [{a: {x: string, z: string}}, {b: string, u: string},
  {a/x: {move: u}, a: {rename: b, reference: x, hides_zero: both}},
  ["v1.Box a/x has two partners: v2.Box u and b", let the reference of b name another]]
- [{a: string, u: string}, {b: {a: {x: string, z: string}}},
  {u: {move: b/a/x}, a: {move: b/a, reference: x}},
  ["v2.Box b/a/x has two partners: v1.Box u and a", let the reference of a name another]]
"""),
)
def test_two_values_for_one_place(
    tmp_path: Path, v1: Any, v2: Any, facts: Any, problem: list[str]
) -> None:
    """One of them would be lost, so the declaration is refused, with what helps."""
    between = {"v1 -> v2": {"Box": facts}}
    with pytest.raises(PlanError) as error:
        planned(write_versions(tmp_path, between, v1=expanded(v1), v2=expanded(v2)))
    (found,) = error.value.problems
    assert (found.code, found.message) == ("HA213", problem[0])
    assert found.fix.startswith(problem[1])


@pytest.mark.parametrize(
    ("v1", "v2", "facts"),
    [
        (thing(a=INNER, u=TEXT), thing(a=INNER, w=TEXT), {"u": "a/x", "a/x": "w"}),
        (thing(a=REST, u=TEXT), thing(a=INNER), {"u": "a/x"}),
        (thing(b=INNER, u=TEXT), thing(a=INNER), {"u": "a/x"}),
    ],
)
def test_one_value_for_each_place(
    tmp_path: Path, v1: dict[str, Any], v2: dict[str, Any], facts: dict[str, str]
) -> None:
    """What was there moves away, or there was nothing, or it is another object."""
    moves = {path: {"move": to} for path, to in facts.items()}
    (edge, *_) = planned(write_versions(tmp_path, {"v1 -> v2": {"Box": moves}}, v1=v1, v2=v2)).edges
    assert len(edge.moves) == len(moves)


@pytest.mark.parametrize(
    ("v1", "v2", "moves", "taken"),
    [
        (thing(a=INNER, **{"a/x": TEXT}), thing(c=TEXT), {"a/x": "c"}, "v1.Box a/x"),
        (thing(a=INNER), thing(c=TEXT, **{"a/x": TEXT}), {"a/x": "c"}, "v1.Box a/x"),
        (thing(c=TEXT), thing(a=INNER, **{"a/x": TEXT}), {"c": "a/x"}, "v2.Box a/x"),
        (
            thing(a=thing(**{"b/x": TEXT, "z": TEXT}), **{"a/b": INNER}),
            thing(c=TEXT, d=TEXT),
            {"a/b~1x": "c", "a~1b/x": "d"},
            "v1.Box a~1b/x",
        ),
    ],
)
def test_a_move_has_a_key_of_its_own_in_bags(
    tmp_path: Path, v1: Any, v2: Any, moves: dict[str, str], taken: str
) -> None:
    """A name with a slash looks like the path to a member; one entry would replace the other."""
    facts = {path: {"move": to} for path, to in moves.items()}
    with pytest.raises(PlanError) as error:
        planned(write_versions(tmp_path, {"v1 -> v2": {"Box": facts}}, v1=v1, v2=v2))
    (found,) = error.value.problems
    assert found.code == "HA213"
    assert found.message.startswith(f"the key of {taken} in bags is taken: ")
    assert found.fix == "move it with a hook, or remove the move"


def test_a_reference_and_a_move_to_different_members(tmp_path: Path) -> None:
    """As the message offers it."""
    facts = {"u": {"move": "a/z"}, "a": {"reference": "x"}}
    v1, v2 = thing(a=TEXT, u=TEXT), thing(a=INNER)
    assert planned(write_versions(tmp_path, {"v1 -> v2": {"Box": facts}}, v1=v1, v2=v2)).edges


def test_it_helps_to_say_that_they_are_not_the_same(tmp_path: Path) -> None:
    """As the message offers it."""
    facts = {"Box": {"u": {"move": "a/x"}}, "BoxA": {"x": "not_same"}}
    v1, v2 = thing(a=INNER, u=TEXT), thing(a=INNER)
    assert planned(write_versions(tmp_path, {"v1 -> v2": facts}, v1=v1, v2=v2)).edges
