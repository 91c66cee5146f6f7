"""Skip links: their ends may be near to the version between them, or have defaults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holdall.errors import PlanError
from holdall.scheme.scheme import Scheme
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.running import Outcome, check_kind
from holdall.testing.laws.subjects import Subject
from tests.support.projects import build_project, config_of, scheme_of

CONFIG = config_of(
    "Box",
    "v1 v2 v3",
    group="boxes.example.com",
    more="""\
hub: %s
edges: star
""",
)
HEAD = """
type: object
properties:
  metadata: {type: object}
  spec: {type: object, properties: {%s}}
$defs:
  Part: {type: object, properties: {%s}}
"""


def build(root: Path, config: str, **specs: tuple[str, str]) -> Scheme:
    """Return the scheme of a kind by the members of its spec and of its parts."""
    files = {f"{version}.yaml": HEAD % members for version, members in specs.items()}
    return scheme_of(build_project(root, config, files))


def box(version: str, **spec: Any) -> Any:
    return {"apiVersion": f"boxes.example.com/{version}", "kind": "Box", "spec": spec}


def test_a_link_over_an_older_hub(tmp_path: Path) -> None:
    """The hub has no such list, but its objects elsewhere: each module imports only newer ones."""
    each = "{type: array, items: {$ref: '#/$defs/Part'}}"
    scheme = build(
        tmp_path,
        CONFIG % "v1",
        v1=(f"others: {each}", "a: {type: string}"),
        v2=(f"others: {each}, parts: {each}", "a: {type: string}, b: {type: string}"),
        v3=(f"others: {each}, parts: {each}", "a: {type: string}, b: {type: string}"),
    )
    given = box("v3", parts=[{"a": "A", "b": "B"}])
    hub = scheme.convert(given, to="v1")
    assert hub["spec"] == {}
    assert scheme.convert(hub, to="v2") == box("v2", parts=[{"a": "A", "b": "B"}])


def test_what_is_at_another_place_of_the_hub_needs_no_answer(tmp_path: Path) -> None:
    """It is there in between, though not under its name."""
    facts = """\
    between:
      v1 -> v3: {BoxSpec: {in/size: {move: size, unit: Mi}}}
      v2 -> v3: {BoxSpec: {in/size: {move: size}}}
"""
    inside = "in: {type: object, properties: {size: {%s}, name: {type: string}}}"
    scheme = build(
        tmp_path,
        CONFIG % "v3" + facts,
        v1=(inside % "type: integer", ""),
        v2=(inside % "type: string", ""),
        v3=("size: {type: string}, in: {type: object, properties: {name: {type: string}}}", ""),
    )
    there = scheme.convert(box("v1", **{"in": {"size": 5, "name": "n"}}), to="v2")
    assert there == box("v2", **{"in": {"size": "5Mi", "name": "n"}})


CHAIN = config_of("Box", "v1 v2 v3 v4", group="boxes.example.com", more="between: {%s}")


@pytest.mark.parametrize(
    ("facts", "names"),
    [
        ("v3 -> v4: {BoxSpec: {a: b}}", ("a", "c", "a", "a b")),
        ("v1 -> v2: {BoxSpec: {b: a}}", ("a b", "a", "c", "a")),
        ("v3 -> v4: {BoxSpec: {a: not_same}}", ("a", "c", "a", "a")),
    ],
)
def test_a_property_is_not_linked_with_one_that_came_back_before(
    tmp_path: Path, facts: str, names: tuple[str, ...]
) -> None:
    """A renamed property leaves its name to another one, which is at one end of the chain only."""
    specs = (", ".join(f"{name}: {{type: string}}" for name in text.split()) for text in names)
    versions = {f"v{index}": (spec, "") for index, spec in enumerate(specs, 1)}
    scheme = build(tmp_path, CHAIN % facts, **versions)
    for version, text in zip(versions, names, strict=True):
        whole = {name: name.upper() for name in text.split()}
        for spec in (whole, *({name: value} for name, value in whole.items())):
            for other in versions:
                there = scheme.convert(box(version, **spec), to=other)
                assert scheme.convert(there, to=version)["spec"] == spec
                for third in versions:
                    direct = scheme.convert(box(version, **spec), to=third)
                    assert scheme.convert(there, to=third)["spec"] == direct["spec"]


WITH = ("size: {type: integer}, name: {type: string}", "")
WITHOUT = ("name: {type: string}", "")


@pytest.mark.parametrize("names", [("v1", "v2", "v3", "v4"), ("v4", "v3", "v2", "v1")])
def test_a_property_that_is_linked_has_its_default(tmp_path: Path, names: tuple[str, ...]) -> None:
    """The default is for what neither end of the link has; what one has, or lacks, is kept."""
    edge = " -> ".join(sorted(names[:2]))
    specs = dict(zip(names, (WITHOUT, WITH, WITHOUT, WITH), strict=True))
    facts = CHAIN % f"{edge}: {{BoxSpec: {{size: {{default: 7}}}}}}"
    scheme = build(tmp_path, facts, **dict(sorted(specs.items())))
    first, second, between, last = names
    for there in (second, last):
        found = scheme.convert(box(first), to=there)
        assert found["spec"] == {"size": 7}
        assert scheme.convert(found, to=first)["spec"] == {}
        for spec in ({}, {"size": 7}, {"size": 8}):
            away = scheme.convert(box(there, **spec), to=first)
            assert away["spec"] == {}
            assert all(scheme.convert(away, to=one)["spec"] == spec for one in (second, last))
    assert scheme.convert(box(between), to=second)["spec"] == {}
    subject = Subject(scheme)
    outcome = Outcome()
    for version in names:
        outcome.merge(check_kind(Tools.of(subject), "Box", version, range(4)))
    assert outcome.findings == {}


@pytest.mark.parametrize("edge", ["v1 -> v2", "v2 -> v3"])
def test_a_default_within_a_gap_is_refused(tmp_path: Path, edge: str) -> None:
    """The other end says what the property is, absence included."""
    facts = CONFIG.replace("    edges: star\n", "") % "v3"
    facts += f"    between: {{{edge}: {{BoxSpec: {{size: {{default: 7}}}}}}}}\n"
    with pytest.raises(PlanError, match=r"a default has no effect here: v[13].BoxSpec has size"):
        build(tmp_path, facts, v1=WITH, v2=WITHOUT, v3=WITH)
