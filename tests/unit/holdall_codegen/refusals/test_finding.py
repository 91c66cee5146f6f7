"""What is said to be refused, against a JSON Schema validator that is given a converted object."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from holdall.objects.bag import BAG_MEMBER
from holdall.scheme.scheme import Scheme
from holdall_codegen.project import plan_project, read_project
from holdall_codegen.refusals.finding import refusals_of
from holdall_codegen.refusals.model import Refusal
from holdall_codegen.views.hook_report import report_hooks
from tests.support.projects import build_project, scheme_of
from tests.support.proposing import FLAG, NUMBER, TEXT, many, mapped, thing, words

Schema = dict[str, Any]


@dataclass
class Case:
    """One kind in two versions, what is declared, and a valid object of v1 or v2.

    `found` is what is said of the way of the object: rule and place; none if it stays valid.
    """

    older: Schema
    newer: Schema
    value: dict[str, Any]
    found: list[str]
    between: dict[str, Any] = field(default_factory=dict)
    start: str = "v1"


def _needed(schema: Schema, *names: str) -> Schema:
    return {**schema, "required": [*names]}


SIZE = {"type": "integer", "minimum": 1}
ITEMS = many(_needed(thing(name=TEXT, size=NUMBER), "name"))
# As controller-gen writes it.
QUANTITY = {
    "anyOf": [{"type": "integer"}, {"type": "string"}],
    "x-kubernetes-int-or-string": True,
    "pattern": r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]"
    r"|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$",
}
REFUSED = {
    "a number that becomes a quantity of another pattern": Case(
        thing(sizeMi=NUMBER),
        thing(size={**TEXT, "pattern": "Gi$"}),
        {"sizeMi": 512},
        ["pattern-changed Box/size"],
        {"sizeMi": {"rename": "size", "unit": "Mi"}},
    ),
    "an enum": Case(
        thing(mode=words("on", "off", "auto")),
        thing(mode=words("on", "off")),
        {"mode": "auto"},
        ["enum-narrowed Box/mode"],
    ),
    "an enum, backwards": Case(
        thing(mode=words("on", "off")),
        thing(mode=words("on", "off", "auto")),
        {"mode": "auto"},
        ["enum-narrowed Box/mode"],
        start="v2",
    ),
    "an enum where there was none": Case(
        thing(mode=TEXT), thing(mode=words("on")), {"mode": "off"}, ["enum-narrowed Box/mode"]
    ),
    "an enum whose values differ in case": Case(
        thing(power=words("poweredOn")),
        thing(power=words("PoweredOn")),
        {"power": "poweredOn"},
        ["enum-narrowed Box/power"],
    ),
    "an enum in a list of a map": Case(
        thing(modes=mapped(many(words("on", "off")))),
        thing(modes=mapped(many(words("on")))),
        {"modes": {"a": ["on", "off"]}},
        ["enum-narrowed Box/modes/*/*"],
    ),
    "one value that is left out of those declared": Case(
        thing(mode=words("a", "b")),
        thing(mode=words("A", "B")),
        {"mode": "b"},
        ["enum-narrowed Box/mode"],
        {"mode": {"values": {"a": "A"}}},
    ),
    "a minimum": Case(
        thing(size=NUMBER), thing(size=SIZE), {"size": 0}, ["range-narrowed Box/size"]
    ),
    "an excluded maximum": Case(
        thing(size={**NUMBER, "maximum": 5}),
        thing(size={**NUMBER, "exclusiveMaximum": 5}),
        {"size": 5},
        ["range-narrowed Box/size"],
    ),
    "a length": Case(
        thing(name=TEXT),
        thing(name={**TEXT, "maxLength": 2}),
        {"name": "abc"},
        ["length-narrowed Box/name"],
    ),
    "a number of elements": Case(
        thing(names=many(TEXT)),
        thing(names={**many(TEXT), "minItems": 1}),
        {"names": []},
        ["length-narrowed Box/names"],
    ),
    "equal elements": Case(
        thing(names=many(TEXT)),
        thing(names={**many(TEXT), "uniqueItems": True}),
        {"names": ["a", "a"]},
        ["length-narrowed Box/names"],
    ),
    "a pattern": Case(
        thing(name=TEXT),
        thing(name={**TEXT, "pattern": "^a"}),
        {"name": "b"},
        ["pattern-changed Box/name"],
    ),
    "an integer of 32 bits": Case(
        thing(at=mapped({"type": "integer", "format": "int64", "maximum": 9})),
        thing(at=mapped({"type": "integer", "format": "int32", "maximum": 8})),
        {"at": {"a": 9}},
        ["format-changed Box/at/*", "range-narrowed Box/at/*"],
    ),
    "a format": Case(
        thing(name=TEXT),
        thing(name={**TEXT, "format": "ipv4"}),
        {"name": "b"},
        ["format-changed Box/name"],
    ),
    "null": Case(
        thing(name={"type": ["string", "null"]}),
        thing(name=TEXT),
        {"name": None},
        ["nullable-removed Box/name"],
    ),
    "an alternative": Case(
        thing(name=TEXT),
        thing(name={**TEXT, "anyOf": [{"minLength": 2}, {"maxLength": 0}]}),
        {"name": "b"},
        ["schema-changed Box/name"],
    ),
    "what is not": Case(
        thing(name=TEXT),
        thing(name={**TEXT, "not": {"const": "b"}}),
        {"name": "b"},
        ["schema-changed Box/name"],
    ),
    "a member that is required now": Case(
        thing(size=NUMBER),
        _needed(thing(size=NUMBER), "size"),
        {},
        ["required-added Box/size"],
    ),
    "a new member that is required": Case(
        thing(size=NUMBER),
        _needed(thing(size=NUMBER, color=TEXT), "color"),
        {"size": 1},
        ["required-added Box/color"],
    ),
    "a member of elements that is required": Case(
        thing(parts=ITEMS),
        thing(parts=many(_needed(thing(name=TEXT, size=NUMBER), "name", "size"))),
        {"parts": [{"name": "a"}]},
        ["required-added Box/parts/*/size"],
    ),
    "a default that nobody fills in": Case(
        thing(size={**NUMBER, "default": 3}),
        _needed(thing(size=NUMBER), "size"),
        {},
        ["required-added Box/size"],
    ),
    "a renamed property": Case(
        thing(size=NUMBER),
        thing(weight=SIZE),
        {"size": 0},
        ["range-narrowed Box/weight"],
        {"size": "weight"},
    ),
    "a renamed property, which is required": Case(
        thing(size=NUMBER),
        _needed(thing(weight=NUMBER), "weight"),
        {},
        ["required-added Box/weight"],
        {"size": "weight"},
    ),
    "a moved property": Case(
        thing(size=NUMBER),
        thing(limits=thing(size=SIZE)),
        {"size": 0},
        ["range-narrowed Box/limits/size"],
        {"size": {"move": "limits/size"}},
    ),
    "one of two moved properties": Case(
        thing(size=NUMBER, height=NUMBER),
        thing(limits=_needed(thing(size=NUMBER, height=NUMBER), "size")),
        {"height": 1},
        ["required-added Box/limits/size"],
        {"size": {"move": "limits/size"}, "height": {"move": "limits/height"}},
    ),
    "a moved property, backwards": Case(
        _needed(thing(size=NUMBER), "size"),
        thing(limits=_needed(thing(size=NUMBER), "size")),
        {},
        ["required-added Box/size"],
        {"size": {"move": "limits/size"}},
        start="v2",
    ),
    "an object that something moves into": Case(
        thing(size=NUMBER, limits=_needed(thing(height=NUMBER), "height")),
        thing(limits=_needed(thing(height=NUMBER, size=NUMBER), "height", "size")),
        {"limits": {"height": 2}},
        ["required-added Box/limits/height", "required-added Box/limits/size"],
        {"size": {"move": "limits/size"}},
    ),
    "an object that is made by what moves into it": Case(
        thing(size=NUMBER, limits=_needed(thing(height=NUMBER), "height")),
        thing(limits=_needed(thing(height=NUMBER, size=NUMBER), "height")),
        {"size": 2},
        ["required-added Box/limits/height"],
        {"size": {"move": "limits/size"}},
    ),
    "a list of one": Case(
        thing(name=TEXT),
        thing(name={**many(TEXT), "minItems": 2}),
        {"name": "a"},
        ["length-narrowed Box/name"],
        {"name": {"wrap": True}},
    ),
    "the element of a list": Case(
        thing(name=TEXT),
        thing(name={**many(words("a", "b"))}),
        {"name": "c"},
        ["enum-narrowed Box/name/*"],
        {"name": {"wrap": True}},
    ),
    "the first of a list, which may be empty": Case(
        _needed(thing(name=TEXT), "name"),
        _needed(thing(name=many(TEXT)), "name"),
        {"name": []},
        ["required-added Box/name"],
        {"name": {"wrap": True}},
        start="v2",
    ),
    "a reference": Case(
        thing(owner=TEXT),
        thing(owner=_needed(thing(id=TEXT, kind=TEXT), "id", "kind")),
        {"owner": "a"},
        ["required-added Box/owner/kind"],
        {"owner": {"reference": "id"}},
    ),
    "what a text refers to": Case(
        thing(owner=TEXT),
        thing(owner=thing(id={**TEXT, "minLength": 3})),
        {"owner": "a"},
        ["length-narrowed Box/owner/id"],
        {"owner": {"reference": "id"}},
    ),
    "a duration": Case(
        thing(wait=TEXT),
        thing(wait={**NUMBER, "minimum": 5}),
        {"wait": "3s"},
        ["range-narrowed Box/wait"],
        {"wait": {"duration": "seconds"}},
    ),
    "a map that became a list": Case(
        thing(labels=mapped(TEXT)),
        thing(labels={**many(thing(name=TEXT, value=words("a"))), "maxItems": 1}),
        {"labels": {"x": "a", "y": "b"}},
        ["enum-narrowed Box/labels/*/value", "length-narrowed Box/labels"],
        {"labels": {"keyed": "name/value"}},
    ),
    "the keys of a map that became a list": Case(
        thing(labels=mapped(thing(size=NUMBER))),
        thing(labels=many(_needed(thing(name={**TEXT, "maxLength": 1}, size=NUMBER), "size"))),
        {"labels": {"xx": {}}},
        ["length-narrowed Box/labels/*/name", "required-added Box/labels/*/size"],
        {"labels": {"keyed": "name"}},
    ),
    "any JSON that became an object": Case(
        thing(rest={}),
        thing(rest=_needed(thing(name=words("a")), "name")),
        {"rest": {"name": "b"}},
        ["enum-narrowed Box/rest/name", "required-added Box/rest/name"],
    ),
    "a fraction where there are none": Case(
        _needed(thing(size={"type": "number"}), "size"),
        _needed(thing(size=NUMBER), "size"),
        {"size": 1.5},
        ["required-added Box/size"],
    ),
    "fewer members": Case(
        {**thing(size=NUMBER, color=TEXT), "minProperties": 2},
        {**thing(size=NUMBER), "minProperties": 2},
        {"size": 1, "color": "a"},
        ["length-narrowed Box"],
    ),
    "an object without what it has": Case(
        thing(box={**thing(a=TEXT, b=TEXT), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        thing(box={**thing(a=TEXT), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        {"box": {"b": "x"}},
        ["schema-changed Box/box"],
    ),
    "members that are not declared": Case(
        thing(box=thing(a=TEXT)),
        thing(box={**thing(a=TEXT), "additionalProperties": False}),
        {"box": {"c": 1}},
        ["members-closed Box/box"],
    ),
    "a default of another kind": Case(
        thing(size=NUMBER),
        _needed(thing(size=NUMBER, color=words("red")), "color"),
        {},
        ["enum-narrowed Box/color"],
        {"color": {"default": "blue"}},
    ),
}
FINE = {
    "a number that becomes a quantity of Kubernetes": Case(
        thing(sizeMi=NUMBER),
        thing(size=QUANTITY),
        {"sizeMi": 512},
        [],
        {"sizeMi": {"rename": "size", "unit": "Mi"}},
    ),
    "the same": Case(thing(size=SIZE), thing(size=SIZE), {"size": 2}, []),
    "more than before": Case(
        _needed(thing(size=SIZE, mode=words("a")), "size"),
        thing(size=NUMBER, mode=words("a", "b"), color=TEXT),
        {"size": 1, "mode": "a"},
        [],
    ),
    "an enum that has values already": Case(
        thing(power=words("poweredOn")),
        thing(power=words("PoweredOn")),
        {"power": "poweredOn"},
        [],
        {"power": {"values": {"poweredOn": "PoweredOn"}}},
    ),
    "an enum within a pattern": Case(
        thing(mode=words("on", "off")),
        thing(mode={**TEXT, "pattern": "^o", "maxLength": 3}),
        {"mode": "on"},
        [],
    ),
    "what all objects have, under another name": Case(
        _needed(thing(size=NUMBER), "size"),
        _needed(thing(weight=NUMBER), "weight"),
        {"size": 1},
        [],
        {"size": "weight"},
    ),
    "what all objects have, moved": Case(
        _needed(thing(size=NUMBER), "size"),
        _needed(thing(limits=_needed(thing(size=NUMBER), "size")), "limits"),
        {"size": 1},
        [],
        {"size": {"move": "limits/size"}},
    ),
    "an object of one that is moved": Case(
        thing(size=NUMBER),
        thing(limits=_needed(thing(size=NUMBER), "size")),
        {},
        [],
        {"size": {"move": "limits/size"}},
    ),
    "a declared default": Case(
        thing(size=NUMBER),
        _needed(thing(size=NUMBER, color=words("red")), "color"),
        {},
        [],
        {"color": {"default": "red"}},
    ),
    "a declared default with a member that is required": Case(
        thing(size=NUMBER),
        thing(size=NUMBER, limits=_needed(thing(size=NUMBER), "size")),
        {},
        [],
        {"limits": {"default": {"size": 1}}},
    ),
    "a property that only one version has": Case(
        thing(size=NUMBER, color={**TEXT, "pattern": "x"}), thing(size=NUMBER), {"size": 1}, []
    ),
    "formats of numbers": Case(
        thing(at={**NUMBER, "format": "int32"}, size={**NUMBER, "format": "uint8"}),
        thing(at={**NUMBER, "format": "int64"}, size={**NUMBER, "format": "int32"}),
        {"at": 5, "size": 7},
        [],
    ),
    "flags": Case(thing(on=FLAG), thing(on=FLAG), {"on": True}, []),
}


@pytest.mark.parametrize("name", [*REFUSED, *FINE])
def test_what_is_found(name: str, tmp_path: Path) -> None:
    """What the validator refuses of a converted object is found before, and nothing else is."""
    case = {**REFUSED, **FINE}[name]
    assert _findings(case, tmp_path) == case.found
    scheme = _scheme(case, tmp_path)
    end = "v2" if case.start == "v1" else "v1"
    schemas = {"v1": case.older, "v2": case.newer}
    assert _errors(schemas[case.start], case.value) == set(), "the case starts with a valid object"
    head = {"apiVersion": case.start, "kind": "Box"}
    converted = scheme.convert({**head, **case.value}, to=end)
    own = {key: item for key, item in converted.items() if key not in (*head, BAG_MEMBER)}
    refused = _errors(schemas[end], own)
    assert all(any(_is_at(place, found) for found in case.found) for place in refused), refused
    assert bool(refused) == bool(case.found)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_offered(name: str, tmp_path: Path) -> None:
    """A line that is offered can be declared, and its finding is gone; a hook's line plans, too."""
    case = REFUSED[name]
    for item in _refusals(case, tmp_path):
        assert item.fix, item
        if not item.fix.startswith("between: "):
            assert item.fix.startswith("a hook: `holdall hooks scaffold "), item.fix
            continue
        type_, name, text = item.fix.removeprefix("between: v1 -> v2: ").split(": ", 2)
        members = {name: yaml.safe_load(text)}
        between = {**case.between, **members} if type_ == "Box" else case.between
        more = {} if type_ == "Box" else {type_: members}
        folder = tmp_path / "declared"
        folder.mkdir(exist_ok=True)
        _write(case, folder, between, more)
        after = [(one.rule, one.subject) for one in _refusals_in(folder)]
        assert (item.rule, item.subject) not in after


def test_a_hook_takes_no_declaration_its_effect(tmp_path: Path) -> None:
    """A pair whose elements have declarations is offered the start of a hook, and no line."""
    element = thing(old=NUMBER)
    older, newer = thing(parts=many(element)), thing(parts=many(thing(new=NUMBER)))
    newer["properties"]["parts"]["maxItems"] = 2
    case = Case(older, newer, {}, [])
    _write(case, tmp_path, {}, {"Part": {"old": {"rename": "new"}}})
    (item,) = _refusals_in(tmp_path)
    assert item.fix == "a hook: `holdall hooks scaffold Box v1..v2`"


def _findings(case: Case, root: Path) -> list[str]:
    return sorted(
        f"{item.rule} {place}"
        for item in _refusals(case, root)
        if item.subject.way[0] == case.start
        for place in item.places
    )


def _refusals(case: Case, root: Path) -> tuple[Refusal, ...]:
    _write(case, root, case.between, {})
    return _refusals_in(root)


def _refusals_in(root: Path) -> tuple[Refusal, ...]:
    reading = read_project(root)
    project = plan_project(reading)
    (found,) = refusals_of(reading, project, report_hooks(project))[0].values()
    return found


def _config(between: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    group: dict[str, Any] = {
        "sources": [
            {"schemas": f"{name}.yaml", "version": name, "kinds": {"Box": ""}}
            for name in ("v1", "v2")
        ],
        "versions": ["v1", "v2"],
    }
    types = {**({"Box": between} if between else {}), **more}
    if types:
        group["between"] = {"v1 -> v2": types}
    return {"groups": {"boxes": group}}


def _write(case: Case, root: Path, between: dict[str, Any], more: dict[str, Any]) -> None:
    (root / "holdall.yaml").write_text(yaml.safe_dump(_config(between, more)), "utf-8")
    for name, schema in (("v1", case.older), ("v2", case.newer)):
        (root / f"{name}.yaml").write_text(yaml.safe_dump(schema), "utf-8")


def _scheme(case: Case, root: Path) -> Scheme:
    files = {"v1.yaml": yaml.safe_dump(case.older), "v2.yaml": yaml.safe_dump(case.newer)}
    folder = root / "generated_project"
    config = yaml.safe_dump(_config(case.between, {}))
    return scheme_of(build_project(folder, config, files))


def _errors(schema: Schema, value: Any) -> set[str]:
    """Return the places of what a validator refuses."""
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return {_place(error) for error in validator.iter_errors(value)}


def _place(error: ValidationError) -> str:
    lacking = [error.message.split("'")[1]] if error.validator == "required" else []
    return "/".join(["Box", *map(str, error.absolute_path), *lacking])


def _is_at(place: str, found: str) -> bool:
    """Tell whether a finding names a place; `*` stands for any element or value."""
    wanted = found.partition(" ")[2].split("/")
    steps = place.split("/")
    return len(steps) == len(wanted) and all(
        one in ("*", other) for one, other in zip(wanted, steps, strict=True)
    )
