"""What a hook makes and JSON cannot say is one error, on every way and every time."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from holdall.cli.root import root as holdall_command
from holdall.errors import ConversionError
from holdall.scheme.json_lines import answer
from holdall.scheme.scheme import Scheme
from holdall.scheme.schemes import Schemes
from tests.support.projects import build_project, scheme_of, written_hook
from tests.support.reviews import answer_of, body_of

CONFIG = """
groups:
  things:
    api_group: example.com
    sources:
      - {schemas: v1.yaml, version: v1, kinds: {Thing: /Thing, Way: /Way, Far: /Far}}
      - {schemas: v2.yaml, version: v2, kinds: {Thing: /Thing, Way: /Way, Far: /Far}}
      - {schemas: v3.yaml, version: v3, kinds: {Far: /Far}}
    versions: [v1, v2, v3]
    between:
      v1 -> v2:
        Way: {$hook: [some, rows, part, each]}
      v1 -> v3:
        Far: {far: {strategy: hook}}
"""
FAR = "Far: {type: object, properties: {metadata: {type: object}, far: {type: string}}}\n"
NEAR = "Far: {type: object, properties: {metadata: {type: object}}}\n"
SCHEMA = """
Thing:
  type: object
  properties:
    metadata: {type: object, additionalProperties: true}
    by: {type: string}
    free: {x-kubernetes-preserve-unknown-fields: true}
    some: {x-kubernetes-preserve-unknown-fields: true}
    rows: {type: array, items: {x-kubernetes-preserve-unknown-fields: true}}
    part: {$ref: "#/Part"}
    parts: {type: array, items: {$ref: "#/Part"}}
    named: {type: object, additionalProperties: {$ref: "#/Part"}}
Part:
  type: object
  properties: {value: {x-kubernetes-preserve-unknown-fields: true}}
Way:
  type: object
  properties:
    metadata: {type: object, additionalProperties: true}
    some: {x-kubernetes-preserve-unknown-fields: true}
    rows: {type: array, items: {x-kubernetes-preserve-unknown-fields: true}}
    part: {$ref: "#/Part"}
    each: {x-kubernetes-preserve-unknown-fields: true}
"""
BAD = """
import dataclasses
import datetime
import decimal
import enum
import math


@dataclasses.dataclass
class Point:
    x: int = 1


class Mode(enum.StrEnum):
    RW = "rw"


class Level(enum.IntEnum):
    LOW = 1


class Text(str):
    pass


class Number(float):
    pass


class Map(dict):
    pass


CYCLE: list[object] = []
CYCLE.append(CYCLE)

BAD = {
    "nan": math.nan,
    "infinity": -math.inf,
    "tuple": ("x", 1),
    "set": {1},
    "bytes": b"x",
    "decimal": decimal.Decimal("1.5"),
    "date": datetime.date(2020, 1, 1),
    "dataclass": Point(),
    "member": Mode.RW,
    "level": Level.LOW,
    "text": Text("x"),
    "number": Number(1.5),
    "subclass": Map(x=1),
    "key": {1: "x"},
    "text key": {Mode.RW: "x"},
    "cycle": CYCLE,
    "surrogate": "\\ud800",
    "deep": {"a": [{"b": (1,)}]},
}
"""
HOOKS = '''
from {generated}.things.v1 import storage as v1
from {generated}.things.v2 import storage as v2
from {generated}.things.v3 import storage as v3
from {hooks}.bad import BAD
from holdall import BagView, Claims, Composed, EachValue, Members, SharedHook, TwoWay, claims


class Writer(SharedHook):
    """`by` says what is written, and how."""

    def claims_to(self) -> Claims:
        return Claims(
            reads=("some", "rows", "part", "parts", "named", "extra:extra"),
            writes=("some", "rows", "part", "parts", "named", "extra:extra", "bag:key"),
        )

    def claims_from(self) -> Claims:
        return Claims(
            reads=("some", "rows", "part", "parts", "named", "extra:extra", "bag:key"),
            writes=("some", "rows", "part", "parts", "named", "extra:extra"),
        )

    def assign_properties_to(self, source, destination, bag) -> None:
        self.write(v2, source, destination, bag)

    def assign_properties_from(self, source, destination, bag) -> None:
        self.write(v1, source, destination, bag)

    def write(self, types, source, destination, bag) -> None:
        how, _, what = (source.by or "").partition(" ")
        if not how:
            return
        value = BAD[what]
        match how:
            case "some" | "free":
                setattr(destination, how, value)
            case "rows":
                destination.rows = ["x", value]
            case "append":
                destination.rows.append(value)
            case "extra":
                destination.extra_["extra"] = value
            case "part":
                destination.part = types.Part(value=value)
            case "parts":
                destination.parts = [None, types.Part(value=[value])]
            case "named":
                destination.named = {"a/b": types.Part(value=value)}
            case "unknown":
                destination.part.extra_["unknown"] = value
            case "bag":
                bag.put("key", value)


class Things(Composed, v1.AssignableThing):
    parts = (Writer(),)


class Distant(v1.AssignableFarToV3Far):
    @claims(reads=["far"], writes=["far"])
    def assign_properties_to(self, source: v1.Far, destination: v3.Far, bag: BagView) -> None:
        if source.far in BAD:
            destination.far = BAD[source.far]

    @claims(reads=["far"], writes=["far"])
    def assign_properties_from(self, source: v3.Far, destination: v1.Far, bag: BagView) -> None:
        return


class Both(TwoWay):
    """`any` says which function returns what, and for which member."""

    older = newer = ("some", "rows", "part")

    def to_newer(self, older: Members) -> Members:
        return self.made("newer", older)

    def to_older(self, newer: Members) -> Members:
        return self.made("older", newer)

    def made(self, here: str, members: Members) -> Members:
        who, _, rest = (members.get("some") or "").partition(" ")
        how, _, what = rest.partition(" ")
        if who != here:
            return members
        value = BAD[what]
        return {
            "some": {"some": value},
            "rows": {"some": "x", "rows": ["x", value]},
            "part": {"some": "x", "part": {"value": value}},
            "all": value,
            "nothing": None,
        }[how]


def one(here: str):
    def act(value):
        who, _, what = (value if isinstance(value, str) else "").partition(" ")
        return BAD[what] if who == here else value

    return act


class Ways(Composed, v1.AssignableWay):
    parts = (Both(), EachValue("each", one("newer"), one("older"), depth=1))
'''
FILES = {
    "v1.yaml": SCHEMA + FAR,
    "v2.yaml": SCHEMA + NEAR,
    "v3.yaml": FAR,
}
HOOKED = {**FILES, "hooks/bad.py": BAD, "hooks/things.py": HOOKS}
NAMES = [line.split('"')[1] for line in BAD.splitlines() if line.startswith('    "')]
FAULTS = {
    "nan": "nan is not a JSON number",
    "infinity": "-inf is not a JSON number",
    "tuple": "tuple is not a JSON type",
    "set": "set is not a JSON type",
    "bytes": "bytes is not a JSON type",
    "decimal": "Decimal is not a JSON type",
    "date": "date is not a JSON type",
    "dataclass": "Point is not a JSON type",
    "member": "Mode is a subclass of str, not a JSON type",
    "level": "Level is a subclass of int, not a JSON type",
    "text": "Text is a subclass of str, not a JSON type",
    "number": "Number is a subclass of float, not a JSON type",
    "subclass": "Map is a subclass of dict, not a JSON type",
    "key": "the key 1 is not a string",
    "text key": "is not a string",
    "cycle": "the data is cyclic: a container contains itself",
    "surrogate": "the string contains a lone surrogate",
    "deep": "tuple is not a JSON type",
}
BELOW = {"cycle": "/0", "deep": "/a/0/b"}
"""Where in a value the fault is, if not in the value itself."""

Json = dict[str, Any]


@pytest.fixture(scope="module", params=["usual", "strict"])
def project(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose hooks run as usual, or strictly."""
    made = build_project(tmp_path_factory.mktemp("values"), CONFIG, HOOKED)
    scheme = scheme_of(made)
    scheme.load(strict_hooks=request.param == "strict")
    return made


def obj(kind: str, version: str = "v1", **members: Any) -> Json:
    head = {"apiVersion": f"example.com/{version}", "kind": kind, "metadata": {"name": "x"}}
    return {**head, **members}


def failure_of(act: Callable[[], object]) -> ConversionError:
    with pytest.raises(ConversionError) as caught:
        act()
    return caught.value


def expect_one_failure(scheme: Scheme, project: Path, document: Json, to: str, rule: str) -> None:
    """Convert a document on every way, twice, and compare what each of them says."""
    version = document["apiVersion"].rpartition("/")[2]
    text = json.dumps(document)
    plain = {name: one for name, one in document.items() if name not in ("apiVersion", "kind")}
    typed = scheme.api_type(document["kind"], version).from_dict(document)
    twin = scheme.twin(document["kind"], version).from_dict(document)
    for _ in range(2):
        for act in (
            lambda: scheme.convert(document, to=to),
            lambda: scheme.convert_bytes(text, to=to),
            lambda: scheme.convert(typed, to=to),
            lambda: scheme.convert(twin, to=to),
            lambda: scheme.convert_plain(plain, document["kind"], version, to=to),
        ):
            error = failure_of(act)
            assert error.rule == rule
            assert error.edge == (version, to)
            assert error.direction == ("to" if version < to else "from")
            assert error.path == ""
            assert error.subject == f"{document['kind']} x"
        message = answer_of(scheme.review(body_of([document], f"example.com/{to}")))["result"]
        assert rule in message["message"]
        assert rule in json.loads(answer(Schemes([scheme]), line_of(document, to)))["error"]
    arguments = ["--project", str(project), "convert", "--to", to, "--json", "-"]
    result = CliRunner().invoke(holdall_command, arguments, input=text)
    assert result.exit_code == 1, result.output
    assert json.loads(result.stderr.splitlines()[0])["message"] == rule
    assert result.stdout == ""


def line_of(document: Json, to: str) -> bytes:
    return json.dumps({"to": to, "object": document}).encode()


PLACES = {
    "some": "/some",
    "rows": "/rows/1",
    "append": "/rows/1",
    "extra": "/extra",
    "part": "/part/value",
    "parts": "/parts/1/value/0",
    "named": "/named/a~1b/value",
    "unknown": "/part/unknown",
    "bag": "/bag:key",
}


@pytest.mark.parametrize(("version", "to"), [("v1", "v2"), ("v2", "v1")])
@pytest.mark.parametrize("how", PLACES)
@pytest.mark.parametrize("what", ["nan", "tuple", "member", "key", "cycle", "deep"])
def test_what_a_hook_on_twins_writes(
    scheme: Scheme, project: Path, how: str, what: str, version: str, to: str
) -> None:
    """The error names the hook and the member, wherever in it the value is."""
    if (how, to) == ("bag", "v1"):
        return  # not claimed in that direction
    document = obj("Thing", version, by=f"{how} {what}", rows=["a"], part={"value": 1})
    fault = failure_of(lambda: scheme.convert(document, to=to)).rule
    assert fault.startswith(f"Things: {PLACES[how]}{BELOW.get(what, '')}: ")
    assert fault.partition(" (hooks_")[0].endswith(FAULTS[what])
    expect_one_failure(scheme, project, document, to, fault)


@pytest.mark.parametrize("what", NAMES)
def test_no_value_is_taken_that_json_cannot_say(scheme: Scheme, what: str) -> None:
    """Subclasses of JSON types are refused, too: each encoder writes them its own way."""
    for kind, members, hook, place in (
        ("Thing", {"by": f"some {what}"}, "Things", "/some"),
        ("Thing", {"by": f"bag {what}"}, "Things", "/bag:key"),
        ("Way", {"some": f"newer some {what}"}, "Ways", "/some"),
        ("Way", {"some": f"older some {what}"}, "Ways", "/some"),
        ("Way", {"each": [f"newer {what}"]}, "Ways", "/each/0"),
        ("Way", {"each": {"x": f"older {what}"}}, "Ways", "/each/x"),
    ):
        error = failure_of(partial(scheme.convert, obj(kind, **members), to="v2"))
        assert error.rule.startswith(f"{hook}: {place}{BELOW.get(what, '')}: ")
        assert error.rule.partition(" (hooks_")[0].endswith(FAULTS[what])


def test_what_is_assigned_without_a_claim(scheme: Scheme, project: Path) -> None:
    """A claim that was forgotten does not let a value through that is not JSON."""
    document = obj("Thing", by="free tuple", free=1)
    expect_one_failure(scheme, project, document, "v2", "Things: /free: tuple is not a JSON type")


@pytest.mark.parametrize("version", ["v1", "v2"])
@pytest.mark.parametrize("who", ["newer", "older"])
@pytest.mark.parametrize(
    ("how", "place"), [("some", "/some"), ("rows", "/rows/1"), ("part", "/part/value"), ("all", "")]
)
def test_what_a_two_way_hook_returns(
    scheme: Scheme, project: Path, who: str, how: str, place: str, version: str
) -> None:
    """Both functions are held to it in both directions, whatever they were asked before."""
    document = obj("Way", version, some=f"{who} {how} tuple")
    rule = f"Ways: {place}: tuple is not a JSON type" if place else "Ways: tuple is not a JSON type"
    expect_one_failure(scheme, project, document, "v2" if version == "v1" else "v1", rule)


@pytest.mark.parametrize("who", ["newer", "older"])
def test_a_two_way_hook_that_returns_nothing(scheme: Scheme, project: Path, who: str) -> None:
    """A forgotten `return` is named for what it is."""
    rule = f"Ways: expected a dict of members from Both.to_{who}, found NoneType"
    expect_one_failure(scheme, project, obj("Way", some=f"{who} nothing nan"), "v2", rule)


@pytest.mark.parametrize(
    ("each", "place"), [(["x", "newer nan"], "/each/1"), ({"k": "older nan"}, "/each/k")]
)
def test_what_the_functions_of_each_value_return(
    scheme: Scheme, project: Path, each: Any, place: str
) -> None:
    """A value is refused each time it comes, and those beside it are converted as before."""
    fine = obj("Way", each=["x", "y"])
    assert scheme.convert(fine, to="v2")["each"] == ["x", "y"]
    rule = f"Ways: {place}: nan is not a JSON number"
    expect_one_failure(scheme, project, obj("Way", each=each), "v2", rule)
    assert scheme.convert(fine, to="v2")["each"] == ["x", "y"]


def test_what_a_hook_of_a_skip_link_writes(scheme: Scheme) -> None:
    """It runs when its value is taken out of the bag, over the versions between."""
    document = obj("Far", far="tuple")
    there = scheme.convert(document, to="v2")
    texts = {
        failure_of(act).rule
        for act in (
            lambda: scheme.convert(document, to="v3"),
            lambda: scheme.convert_bytes(json.dumps(document), to="v3"),
            lambda: scheme.convert(there, to="v3"),
            lambda: scheme.convert_bytes(json.dumps(there), to="v3"),
        )
    }
    (text,) = texts
    assert text.endswith("Distant: /far: tuple is not a JSON type")


WRONG = written_hook(
    "VALUE", reads="MEMBER", writes="MEMBER", older="v1.Thing", newer="v2.Thing", name="Things"
)


@pytest.mark.parametrize(
    ("member", "line", "message"),
    [
        ("part", "destination.part = {}", "/part: expected {v2}.Part, found builtins.dict"),
        ("part", "destination.part = v1.Part()", "/part: expected {v2}.Part, found {v1}.Part"),
        ("parts", "destination.parts = {}", "/parts: expected list, found dict"),
        ("parts", "destination.parts = (v2.Part(),)", "/parts: expected list, found tuple"),
        ("parts", "destination.parts = [{}]", "/parts/0: expected {v2}.Part, found builtins.dict"),
        ("named", "destination.named = []", "/named: expected dict, found list"),
        ("named", "destination.named = {1: v2.Part()}", "/named: the key 1 is not a string"),
        ("rows", "destination.rows = {}", "/rows: expected list, found dict"),
        (
            "parts",
            "destination.parts = [v2.Part()]; destination.parts[0].value = destination.parts",
            "/parts/0/value/0: Part is not a JSON type",
        ),
    ],
)
def test_a_value_that_the_member_cannot_hold(
    tmp_path: Path, member: str, line: str, message: str
) -> None:
    """Objects are twins of the version that is entered; lists and maps are where they belong."""
    hook = WRONG.replace("MEMBER", member).replace("VALUE", line)
    config = CONFIG[: CONFIG.index("    between")]
    scheme = scheme_of(build_project(tmp_path, config, {**FILES, "hooks/things.py": hook}))
    document = obj("Thing")
    modules = {name: scheme.twin("Thing", name).__module__ for name in ("v1", "v2")}
    for act in (
        lambda: scheme.convert(document, to="v2"),
        lambda: scheme.convert_bytes(json.dumps(document), to="v2"),
    ):
        text = failure_of(act).rule
        assert (
            text
            == f"Things: {message.replace('{v1}', modules['v1']).replace('{v2}', modules['v2'])}"
        )
