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
from holdall_codegen.breaking.schema_changes import compare_places
from holdall_codegen.project import plan_project, read_project
from holdall_codegen.refusals import walk
from holdall_codegen.refusals.finding import refusals_of
from holdall_codegen.refusals.model import Refusal
from holdall_codegen.views.hook_report import report_hooks
from tests.support.declared import HEAD
from tests.support.notation import Schema, expanded, schema_of
from tests.support.projects import build_project, scheme_of


@dataclass
class Case:
    """One kind in two versions, what is declared, and a valid object of v1 or v2.

    `found` is what is said of the way of the object: rule and place; none if it stays valid.
    """

    older: Schema
    newer: Schema
    value: dict[str, Any]
    found: list[str] = field(default_factory=list[str])
    between: dict[str, Any] = field(default_factory=dict)
    start: str = "v1"


def _cases(text: str) -> dict[str, Case]:
    """Return cases by their names; members of both versions are in the notation of schemas."""
    rows = {**yaml.safe_load(text)}
    for parts in rows.values():
        parts["older"], parts["newer"] = expanded(parts["older"]), expanded(parts["newer"])
    return {name: Case(**parts) for name, parts in rows.items()}


# As controller-gen writes it.
QUANTITY = {
    "anyOf": [{"type": "integer"}, {"type": "string"}],
    "x-kubernetes-int-or-string": True,
    "pattern": r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]"
    r"|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$",
}
REFUSED = _cases("""
a number that becomes a quantity of another pattern: {older: {sizeMi: integer},
  newer: {size: {$: string, $pattern: Gi$}}, value: {sizeMi: 512},
  found: [pattern-changed Box/size], between: {sizeMi: {rename: size, unit: Mi}}}
an enum: {older: {mode: on|off|auto}, newer: {mode: on|off}, value: {mode: auto},
  found: [enum-narrowed Box/mode]}
"an enum, backwards": {older: {mode: on|off}, newer: {mode: on|off|auto}, value: {mode: auto},
  found: [enum-narrowed Box/mode], start: v2}
an enum where there was none: {older: {mode: string}, newer: {mode: on|}, value: {mode: "off"},
  found: [enum-narrowed Box/mode]}
an enum whose values differ in case: {older: {power: poweredOn|}, newer: {power: PoweredOn|},
  value: {power: poweredOn}, found: [enum-narrowed Box/power]}
an enum in a list of a map: {older: {modes: {"*": [on|off]}}, newer: {modes: {"*": [on|]}},
  value: {modes: {a: ["on", "off"]}}, found: [enum-narrowed Box/modes/*/*]}
one value that is left out of those declared: {older: {mode: a|b}, newer: {mode: A|B},
  value: {mode: b}, found: [enum-narrowed Box/mode], between: {mode: {values: {a: A}}}}
a minimum: {older: {size: integer}, newer: {size: {$: integer, $minimum: 1}}, value: {size: 0},
  found: [range-narrowed Box/size]}
an excluded maximum: {older: {size: {$: integer, $maximum: 5}},
  newer: {size: {$: integer, $exclusiveMaximum: 5}}, value: {size: 5},
  found: [range-narrowed Box/size]}
a length: {older: {name: string}, newer: {name: {$: string, $maxLength: 2}}, value: {name: abc},
  found: [length-narrowed Box/name]}
a number of elements: {older: {names: [string]}, newer: {names: {$: [string], $minItems: 1}},
  value: {names: []}, found: [length-narrowed Box/names]}
equal elements: {older: {names: [string]}, newer: {names: {$: [string], $uniqueItems: true}},
  value: {names: [a, a]}, found: [length-narrowed Box/names]}
a pattern: {older: {name: string}, newer: {name: {$: string, $pattern: ^a}}, value: {name: b},
  found: [pattern-changed Box/name]}
an integer of 32 bits: {older: {at: {"*": {$: integer, $format: int64, $maximum: 9}}},
  newer: {at: {"*": {$: integer, $format: int32, $maximum: 8}}}, value: {at: {a: 9}},
  found: [format-changed Box/at/*, range-narrowed Box/at/*]}
a format: {older: {name: string}, newer: {name: {$: string, $format: ipv4}}, value: {name: b},
  found: [format-changed Box/name]}
"null": {older: {name: {$type: [string, "null"]}}, newer: {name: string}, value: {name: null},
  found: [nullable-removed Box/name]}
an alternative: {older: {name: string},
  newer: {name: {$: string, $anyOf: [{minLength: 2}, {maxLength: 0}]}}, value: {name: b},
  found: [schema-changed Box/name]}
what is not: {older: {name: string}, newer: {name: {$: string, $not: {const: b}}},
  value: {name: b}, found: [schema-changed Box/name]}
a member that is required now: {older: {size: integer}, newer: {size!: integer}, value: {},
  found: [required-added Box/size]}
a new member that is required: {older: {size: integer}, newer: {size: integer, color!: string},
  value: {size: 1}, found: [required-added Box/color]}
a member of elements that is required: {older: {parts: [{name!: string, size: integer}]},
  newer: {parts: [{name!: string, size!: integer}]}, value: {parts: [{name: a}]},
  found: [required-added Box/parts/*/size]}
a default that nobody fills in: {older: {size: {$: integer, $default: 3}},
  newer: {size!: integer}, value: {}, found: [required-added Box/size]}
a renamed property: {older: {size: integer}, newer: {weight: {$: integer, $minimum: 1}},
  value: {size: 0}, found: [range-narrowed Box/weight], between: {size: weight}}
"a renamed property, which is required": {older: {size: integer}, newer: {weight!: integer},
  value: {}, found: [required-added Box/weight], between: {size: weight}}
a moved property: {older: {size: integer}, newer: {limits: {size: {$: integer, $minimum: 1}}},
  value: {size: 0}, found: [range-narrowed Box/limits/size], between: {size: {move: limits/size}}}
one of two moved properties: {older: {size: integer, height: integer},
  newer: {limits: {size!: integer, height: integer}}, value: {height: 1},
  found: [required-added Box/limits/size],
  between: {size: {move: limits/size}, height: {move: limits/height}}}
"a moved property, backwards": {older: {size!: integer}, newer: {limits: {size!: integer}},
  value: {}, found: [required-added Box/size], between: {size: {move: limits/size}}, start: v2}
an object that something moves into: {older: {size: integer, limits: {height!: integer}},
  newer: {limits: {height!: integer, size!: integer}}, value: {limits: {height: 2}},
  found: [required-added Box/limits/height, required-added Box/limits/size],
  between: {size: {move: limits/size}}}
an object that is made by what moves into it: {
  older: {size: integer, limits: {height!: integer}},
  newer: {limits: {height!: integer, size: integer}}, value: {size: 2},
  found: [required-added Box/limits/height], between: {size: {move: limits/size}}}
a list of one: {older: {name: string}, newer: {name: {$: [string], $minItems: 2}},
  value: {name: a}, found: [length-narrowed Box/name], between: {name: {wrap: true}}}
the element of a list: {older: {name: string}, newer: {name: [a|b]}, value: {name: c},
  found: [enum-narrowed Box/name/*], between: {name: {wrap: true}}}
"the first of a list, which may be empty": {older: {name!: string}, newer: {name!: [string]},
  value: {name: []}, found: [required-added Box/name], between: {name: {wrap: true}}, start: v2}
a reference: {older: {owner: string}, newer: {owner: {id!: string, kind!: string}},
  value: {owner: a}, found: [required-added Box/owner/kind], between: {owner: {reference: id}}}
what a text refers to: {older: {owner: string},
  newer: {owner: {id: {$: string, $minLength: 3}}}, value: {owner: a},
  found: [length-narrowed Box/owner/id], between: {owner: {reference: id}}}
a duration: {older: {wait: string}, newer: {wait: {$: integer, $minimum: 5}}, value: {wait: 3s},
  found: [range-narrowed Box/wait], between: {wait: {duration: seconds}}}
a map that became a list: {older: {labels: {"*": string}},
  newer: {labels: {$: [{name: string, value: a|}], $maxItems: 1}}, value: {labels: {x: a, y: b}},
  found: [enum-narrowed Box/labels/*/value, length-narrowed Box/labels],
  between: {labels: {keyed: name/value}}}
the keys of a map that became a list: {older: {labels: {"*": {size: integer}}},
  newer: {labels: [{name: {$: string, $maxLength: 1}, size!: integer}]},
  value: {labels: {xx: {}}},
  found: [length-narrowed Box/labels/*/name, required-added Box/labels/*/size],
  between: {labels: {keyed: name}}}
any JSON that became an object: {older: {rest: anything}, newer: {rest: {name!: a|}},
  value: {rest: {name: b}}, found: [enum-narrowed Box/rest/name, required-added Box/rest/name]}
a fraction where there are none: {older: {size!: number}, newer: {size!: integer},
  value: {size: 1.5}, found: [required-added Box/size]}
fewer members: {older: {size: integer, color: string, $minProperties: 2},
  newer: {size: integer, $minProperties: 2}, value: {size: 1, color: a},
  found: [length-narrowed Box]}
an object without what it has: {
  older: {box: {a: string, b: string, $anyOf: [{required: [a]}, {required: [b]}]}},
  newer: {box: {a: string, $anyOf: [{required: [a]}, {required: [b]}]}}, value: {box: {b: x}},
  found: [schema-changed Box/box]}
members that are not declared: {older: {box: {a: string}},
  newer: {box: {a: string, "*": false}}, value: {box: {c: 1}}, found: [members-closed Box/box]}
a default of another kind: {older: {size: integer}, newer: {size: integer, color!: red|},
  value: {}, found: [enum-narrowed Box/color], between: {color: {default: blue}}}
""")
FINE = _cases("""
the same:
  older: {size: {$: integer, $minimum: 1}}
  newer: {size: {$: integer, $minimum: 1}}
  value: {size: 2}
more than before:
  older: {size!: {$: integer, $minimum: 1}, mode: a|}
  newer: {size: integer, mode: a|b, color: string}
  value: {size: 1, mode: a}
an enum that has values already: {older: {power: poweredOn|}, newer: {power: PoweredOn|},
  value: {power: poweredOn}, between: {power: {values: {poweredOn: PoweredOn}}}}
an enum within a pattern:
  older: {mode: on|off}
  newer: {mode: {$: string, $pattern: ^o, $maxLength: 3}}
  value: {mode: "on"}
"what all objects have, under another name": {older: {size!: integer},
  newer: {weight!: integer}, value: {size: 1}, between: {size: weight}}
"what all objects have, moved": {older: {size!: integer}, newer: {limits!: {size!: integer}},
  value: {size: 1}, between: {size: {move: limits/size}}}
an object of one that is moved: {older: {size: integer}, newer: {limits: {size!: integer}},
  value: {}, between: {size: {move: limits/size}}}
a declared default: {older: {size: integer}, newer: {size: integer, color!: red|}, value: {},
  between: {color: {default: red}}}
a declared default with a member that is required: {older: {size: integer},
  newer: {size: integer, limits: {size!: integer}}, value: {},
  between: {limits: {default: {size: 1}}}}
a property that only one version has:
  older: {size: integer, color: {$: string, $pattern: x}}
  newer: {size: integer}
  value: {size: 1}
formats of numbers:
  older: {at: {$: integer, $format: int32}, size: {$: integer, $format: uint8}}
  newer: {at: {$: integer, $format: int64}, size: {$: integer, $format: int32}}
  value: {at: 5, size: 7}
a wider format of texts:
  older: {at: {$: string, $format: uri}, mail: {$: string, $format: email}}
  newer: {at: {$: string, $format: uri-reference}, mail: {$: string, $format: idn-email}}
  value: {at: "https://example.com/a", mail: a@example.com}
flags: {older: {"on": boolean}, newer: {"on": boolean}, value: {"on": true}}
""")
FINE["a number that becomes a quantity of Kubernetes"] = Case(
    schema_of("{sizeMi: integer}"),
    {"type": "object", "properties": {"size": QUANTITY}},
    {"sizeMi": 512},
    between={"sizeMi": {"rename": "size", "unit": "Mi"}},
)


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
    older = schema_of("{parts: [{old: integer}]}")
    newer = schema_of("{parts: {$: [{new: integer}], $maxItems: 2}}")
    case = Case(older, newer, {}, [])
    _write(case, tmp_path, {}, {"Part": {"old": {"rename": "new"}}})
    (item,) = _refusals_in(tmp_path)
    assert item.fix == "a hook: `holdall hooks scaffold Box v1..v2`"


def test_a_member_with_a_probable_partner_is_offered_it_and_no_default(tmp_path: Path) -> None:
    """A default of one that has the other's value would hide it."""
    older, newer = schema_of("{groupname!: string}"), schema_of("{groupName!: string, k!: string}")
    _write(Case(older, newer, {}, []), tmp_path, {}, {})
    rename = "between: v1 -> v2: Box: groupname: groupName"
    assert {item.subject.name: item.fix for item in _refusals_in(tmp_path)} == {
        "groupname": rename,
        "groupName": rename,
        "k": 'between: v1 -> v2: Box: k: {default: ""}',
    }


@pytest.mark.parametrize("text", ["string", {"$": "string", "$maxLength": 5}])
def test_what_holds_itself_twice_has_an_end(
    text: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tree has more places than can be looked at: each object is looked at once, and the places
    near the root are told first."""

    def tree(text: Any) -> Schema:
        node = {"left": "$Node", "right": "$Node", "text": text, "zone": "$Zone"}
        types = {"Node": expanded(node), "Zone": expanded({"inside": {"text": text}})}
        return {**expanded({"top": "$Node"}), "definitions": types}

    looks = iter(range(30))
    monkeypatch.setattr(
        walk, "compare_places", lambda *given: (next(looks), compare_places(*given))[1]
    )
    found = _refusals(Case(tree("string"), tree(text), {}), tmp_path)
    told = {place for item in found for place in item.places}
    near = {"Box/top/text", "Box/top/left/right/text", "Box/top/zone/inside/text"}
    assert near & told == (set() if text == "string" else near)
    first = {"Box/top/text", "Box/top/zone/inside/text"}
    assert {item.places[0] for item in found} == (set() if text == "string" else first)


@pytest.mark.parametrize("text", [{}, {"maxLength": 5}])
def test_open_json_that_holds_itself_twice_has_an_end(
    text: Schema, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A schema of schemas is open JSON, as it may be true or false: it is looked through once."""

    def schemas(text: Schema) -> Schema:
        text = {"type": "string", **text}
        inner = {"$ref": "#/definitions/Inner"}
        node = {"$ref": "#/definitions/Node"}
        parts = {"if": inner, "then": inner, "else": inner, "title": text}
        types = {
            "Node": {"type": ["object", "boolean"], "properties": parts},
            "Inner": {"allOf": [node, {"properties": {"not": node, "items": inner}}]},
        }
        return {"properties": {"one": node, "two": node}, "definitions": types}

    looks = iter(range(60))
    monkeypatch.setattr(
        walk, "compare_places", lambda *given: (next(looks), compare_places(*given))[1]
    )
    found = _refusals(Case(schemas({}), schemas(text), {}), tmp_path)
    told = {place for item in found for place in item.places}
    assert told == ({"Box/one/title", "Box/one/else/title"} if text else set())


@pytest.mark.parametrize("tracking", ["", ", tracking=Tracking()"])
def test_what_is_absent_by_default_is_refused_nothing(tracking: str, tmp_path: Path) -> None:
    """None is the default of what may be missing, and no value: only any JSON can be null."""
    text = f"""{HEAD}
VERSIONS = Versions(Version("v1"), Version("v2"){tracking})


@union
class Mode:
    On: Unit
    Off: Unit


@obj
class Part:
    name: str


@resource(group="boxes.example.com")
class BoxSpec:
    part: Annotated[Part | None, added("v2")]
    mode: Annotated[Mode | None, added("v2")]
    more: Annotated[Json, added("v2")]
    gone: Annotated[Part | None, removed("v2")]
"""
    (tmp_path / "boxes.py").write_text(text, "utf-8")
    config = "groups: {boxes: {sources: [{declared: boxes.py}]}}\n"
    (tmp_path / "holdall.yaml").write_text(config, "utf-8")
    assert _refusals_in(tmp_path) == ()


def test_what_is_accepted_gets_no_offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Proposals and trial plans take their time: they are made for what is still refused."""
    case = Case({"type": "object"}, expanded({"size!": "integer"}), {})
    _write(case, tmp_path, {}, {})
    (warned,) = _refusals_in(tmp_path)
    assert warned.fix
    config = yaml.safe_load((tmp_path / "holdall.yaml").read_text("utf-8"))
    entry = {"rule": warned.rule, "reason": "known"}
    config["groups"]["boxes"]["accept_refusals"] = [entry]
    (tmp_path / "holdall.yaml").write_text(yaml.safe_dump(config), "utf-8")
    for name in ("propose", "plan_group"):
        monkeypatch.delattr(f"holdall_codegen.refusals.offers.{name}")
    assert _refusals_in(tmp_path) == ()


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
