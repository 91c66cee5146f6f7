"""Documents that say their version in a member of their own, or not at all."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import holdall
from holdall import audit
from holdall.errors import ConversionError, DecodeError, UnknownKindError
from holdall.explain.fates import fates
from holdall.objects.bag import BAG_MEMBER
from holdall.scheme.scheme import Scheme
from holdall.scheme.schemes import Schemes
from holdall.testing.laws.cases import given_case
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.running import Outcome, check_case, check_kind
from holdall.testing.laws.subjects import Subject
from holdall.types import JsonObject
from tests.support.checkers import mypy_says, ruff_says
from tests.support.plain_documents import CONFIG, FILES
from tests.support.projects import THING_CONFIG, THING_FILES, build_project, scheme_of


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scheme]:
    kept = [*sys.path]
    yield scheme_of(build_project(tmp_path_factory.mktemp("shop"), CONFIG, FILES))
    sys.path[:] = kept


OLD: JsonObject = {
    "type": "Order",
    "id": "a",
    "total": 3,
    "kind": "rush",
    "metadata": {"clerk": "Eve"},
}


def bag(kind: str, version: str, scheme: Scheme, **bags: Any) -> dict[str, Any]:
    head = {"v": 2, "group": "", "kind": kind, "version": version, "plan": scheme.plan}
    return {"$propertyBag": {"spec": {**head, "bags": bags}}}


def test_there_and_back(scheme: Scheme) -> None:
    """`kind` and `apiVersion` are properties; what says the version is neither copied nor kept."""
    there = scheme.convert(OLD, to="v3")
    kept = {"v2": {"kind": "rush"}}, {"v2": {"clerk": "Eve"}}
    assert there == {
        "schemaVersion": 3,
        "type": "Order",
        "id": "a",
        "price": 3,
        "metadata": {},
        **bag("Order", "v3", scheme, **{"": kept[0], "/metadata": kept[1]}),
    }
    assert scheme.convert(there, to="v1") == OLD
    middle = scheme.convert(there, to="v2")
    assert middle["schemaVersion"] == 2
    assert scheme.convert(middle, to="v1") == OLD
    assert json.loads(scheme.convert_bytes(json.dumps(OLD), to="v3")) == there
    assert [*there][:2] == ["schemaVersion", "type"]


def test_data_that_look_like_a_head(scheme: Scheme) -> None:
    """Not even a document that says the apiVersion and kind of another one is taken for it."""
    new = {"schemaVersion": 2, "type": "Bill", "id": "a", "apiVersion": "v1", "kind": "Order"}
    scheme.convert({**OLD}, to="v3")  # the way from there is known
    there = scheme.convert(new, to="v1")
    assert there == {"type": "Bill", "id": "a", "apiVersion": "v1", "kind": "Order"}
    assert scheme.convert(there, to="v2") == new
    assert json.loads(scheme.convert_bytes(json.dumps(new), to="v1")) == there


@pytest.mark.parametrize("said", [{}, {"schemaVersion": "v1"}])
def test_what_need_not_be_said_comes_back_as_it_was(scheme: Scheme, said: dict[str, str]) -> None:
    """A document of the default version may say it, or not: both return exactly."""
    old = {**said, **OLD}
    there = scheme.convert(old, to="v2")
    assert there["schemaVersion"] == 2
    assert scheme.convert(there, to="v1") == old
    assert "schemaVersion" not in scheme.convert({"schemaVersion": 2, "type": "Bill"}, to="v1")


@pytest.mark.parametrize(
    ("document", "error", "message"),
    [
        (
            {"schemaVersion": 4, "type": "Order"},
            ConversionError,
            '/schemaVersion: 4 is not a version; known: "v1", 2, 3',
        ),
        ({"schemaVersion": True}, ConversionError, "/schemaVersion: true is not a version"),
        ({"schemaVersion": "2"}, ConversionError, '/schemaVersion: "2" is not a version; known'),
        ({"schemaVersion": None}, ConversionError, "/schemaVersion: null is not a version"),
        ({"schemaVersion": [2]}, ConversionError, "/schemaVersion: [2] is not a version"),
        ({"schemaVersion": 2}, ConversionError, "/type: the object has no type"),
        ({"schemaVersion": 2, "type": 1}, ConversionError, "/type: expected string, found integer"),
        ({"schemaVersion": 2, "type": "Odrer"}, UnknownKindError, 'did you mean "Order"'),
        ({"schemaVersion": 3, "type": "Bill"}, UnknownKindError, "unknown kind 'Bill'"),
        (
            {"schemaVersion": 2, "type": "Order", "metadata": 1},
            ConversionError,
            "/metadata: expected object, found integer",
        ),
        ([], ConversionError, "/: expected object, found list"),
    ],
)
def test_bad_heads(scheme: Scheme, document: Any, error: type[Exception], message: str) -> None:
    """Text and bytes are refused alike, with place and reason; nothing is guessed."""
    for convert in (
        lambda: scheme.convert(document, to="v1"),
        lambda: scheme.convert_bytes(json.dumps(document), to="v1"),
        lambda: Schemes([scheme]).convert(json.loads(json.dumps(document)), to="v1"),
    ):
        with pytest.raises(error) as caught:
            convert()
        assert message in str(caught.value)


@pytest.mark.parametrize(
    ("said", "shown"), [(2, "2"), (None, "null"), (["v1"], '["v1"]')], ids=["v2", "null", "list"]
)
def test_no_bag_makes_a_document_say_another_version(scheme: Scheme, said: Any, shown: str) -> None:
    """An edited entry is an error, or is kept and reported; the document says what it is."""
    why = f'/schemaVersion: {shown}, from the bag or a hook, is not v1: "v1"'
    forged = {
        "schemaVersion": 2,
        "type": "Order",
        "id": "a",
        **bag("Order", "v2", scheme, **{"": {"v1": {"schemaVersion": said}}}),
    }
    with pytest.raises(ConversionError) as caught:
        scheme.convert(forged, to="v1")
    assert why in str(caught.value)
    report: list[Any] = []
    there = scheme.convert(forged, to="v1", tolerant=True, report=report)
    assert "schemaVersion" not in there
    assert [*map(str, report)] == [f"/: v1/schemaVersion is kept, but not used: {why}"]
    assert scheme.convert(there, to="v2", tolerant=True) == forged


def test_typed_objects(scheme: Scheme) -> None:
    """API types and storage twins have the member, too; those of the default version need not."""
    v1, v3, twins = (importlib.import_module(f"{scheme.package}.{it}") for it in ("v1", "v3", "v2"))
    made = v3.Order(id_="a")
    assert made.to_dict() == {"schemaVersion": 3, "type": "Order", "id": "a"}
    old = scheme.convert(made, to="v1")
    assert isinstance(old, v1.Order)
    assert old.to_dict() == {"type": "Order", "id": "a"}
    assert scheme.convert(old, to="v3") == made
    storage = importlib.import_module(f"{twins.__name__}.storage")
    twin = storage.Order.from_dict({"schemaVersion": 2, "type": "Order", "id": "a"})
    assert twin.to_dict() == {"schemaVersion": 2, "type": "Order", "id": "a"}
    with pytest.raises(DecodeError, match="expected 2 Order, found 3 Order"):
        storage.Order.from_dict({"schemaVersion": 3, "type": "Order"})


@pytest.mark.parametrize("said", [2, 3, "v2", True, None])
def test_what_the_default_version_does_not_read(scheme: Scheme, said: Any) -> None:
    """Its documents need not say what they are; one that says otherwise is of another version."""
    v1 = importlib.import_module(f"{scheme.package}.v1")
    storage = importlib.import_module(f"{scheme.package}.v1.storage")
    for readable in (OLD, {**OLD, "schemaVersion": "v1"}):
        assert v1.Order.from_dict(readable).to_dict() == readable
        assert v1.Order.from_json(json.dumps(readable)).to_dict() == readable
        assert storage.Order.from_dict(readable).to_dict() == readable
    other = {**OLD, "schemaVersion": said}
    for read in (v1.Order.from_dict, lambda it: v1.Order.from_json(json.dumps(it))):
        with pytest.raises(DecodeError, match='/schemaVersion: expected "v1", found'):
            read(other)
    with pytest.raises(DecodeError, match=f"expected v1 Order, found {said} Order"):
        storage.Order.from_dict(other)


def test_what_is_said_beside_a_document(scheme: Scheme) -> None:
    """`convert_plain` takes and gives documents without a head, as values and as text."""
    body = {name: value for name, value in OLD.items() if name != "type"}
    report: list[Any] = []
    there = scheme.convert_plain(body, "Order", "v1", to="v3", report=report)
    assert not report
    assert "schemaVersion" not in there and "type" not in there
    assert scheme.convert_plain(there, "Order", "v3", to="v1") == body
    text = scheme.convert_plain(json.dumps(body), "Order", "v1", to="v3")
    assert json.loads(text) == there
    assert json.loads(scheme.convert_plain(text, "Order", "v3", to="v1")) == body
    deep = '{"id":"a","x":%s}' % ("[" * 700 + "]" * 700)
    with pytest.raises(DecodeError, match="nested deeper than 500 levels"):
        scheme.convert_plain(deep, "Order", "v1", to="v3")
    with pytest.raises(ConversionError, match="expected object, found list"):
        scheme.convert_plain(b"[]", "Order", "v1", to="v3")
    with pytest.raises(DecodeError, match="a member 'type', which is given beside it as 'Order'"):
        scheme.convert_plain({**body, "type": "mine"}, "Order", "v1", to="v3")


def test_tools_know_them(scheme: Scheme) -> None:
    """The audit gives reasons, and fates name what holdall sets."""
    there = scheme.convert(OLD, to="v3")
    reasons = {(entry.path, entry.property): entry.why for entry in audit(there, scheme)}
    assert reasons["/metadata", "clerk"] == "stashed: v3.OrderMetadata has no such property"
    found = {field.path: field.fate for field in fates(there, scheme, "v1")}
    assert found["/schemaVersion"] == found["/type"] == "set by holdall"
    assert found["/price"] == "v1: renamed to /total"


def test_laws_hold(scheme: Scheme) -> None:
    """All laws, on drawn documents of all kinds and versions."""
    subject, outcome = Subject(scheme), Outcome()
    for kind in subject.kinds():
        for start in subject.versions(kind):
            outcome.merge(check_kind(Tools.of(subject), kind, start, range(150)))
    assert outcome.findings == {}


def test_groups_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents of Kubernetes and those that say their version elsewhere share a project; a
    document that may be of two groups has to say more."""
    monkeypatch.syspath_prepend(str(tmp_path))
    second = CONFIG.partition("groups:")[2].replace("  shop:", "  store:")
    things = THING_CONFIG.partition("groups:")[2]
    files = {**FILES, **THING_FILES}
    clash = {name for name in FILES if name in THING_FILES}
    assert not clash
    root = build_project(tmp_path / "both", CONFIG + things, files)
    from holdall.scheme.projects import load_schemes

    schemes = Schemes(load_schemes(root))
    thing: JsonObject = {"apiVersion": "example.com/v1", "kind": "Thing", "spec": {}}
    assert schemes.convert({**thing}, to="v2")["apiVersion"] == "example.com/v2"
    assert schemes.convert({**OLD}, to="v2")["schemaVersion"] == 2
    assert schemes.subject_of(OLD) == "Order"
    assert schemes.subject_of({"schemaVersion": 9, "kind": "rush"}) == ""
    with pytest.raises(ConversionError, match="has no type"):
        schemes.convert({"schemaVersion": 2, "kind": "Thing"}, to="v2")
    # A group that needs nothing to be said does not take what others say about themselves.
    silent = CONFIG.replace(", kind_at: type", "").replace(", Bill: /bill", "")
    schemes = Schemes(load_schemes(build_project(tmp_path / "silent", silent + things, files)))
    assert schemes.convert({"id": "a"}, to="v2") == {"schemaVersion": 2, "id": "a"}
    assert schemes.convert({**thing}, to="v2")["apiVersion"] == "example.com/v2"
    foreign: JsonObject = {"apiVersion": "v1", "kind": "Pod", "metadata": {}}
    assert not schemes.knows(foreign)
    assert schemes.convert({**foreign, "schemaVersion": 2}, to="v3")["schemaVersion"] == 3
    plain = CONFIG.partition("groups:")[2].replace("  shop:", "  plain:").splitlines()
    kept = "\n".join(line for line in plain if "version_at" not in line) + "\n"
    schemes = Schemes(load_schemes(build_project(tmp_path / "alike", CONFIG + kept, FILES)))
    plain_order: JsonObject = {"apiVersion": "v1", "kind": "Order", "type": "Order", "id": "a"}
    for document in (OLD, plain_order):
        with pytest.raises(UnknownKindError, match="may be any of Order v1 of"):
            schemes.convert({**document}, to="v2")
    root = build_project(tmp_path / "twice", CONFIG + second, FILES)
    schemes = Schemes(load_schemes(root))
    with pytest.raises(UnknownKindError, match="may be any of Order v1 of shop, Order v1 of store"):
        schemes.convert({**OLD}, to="v2")


def test_columns_say_them(scheme: Scheme) -> None:
    """Record batches: what a column says is not in the document, before or after."""
    body = json.dumps({"id": "a", "price": 1})
    batch = pa.RecordBatch.from_pydict({"doc": [body], "v": ["v2"], "k": ["Order"]})
    (found,) = holdall.batches(
        scheme, [batch], column="doc", to="v1", version_column="v", kind_column="k"
    )
    assert found.to_pylist() == [
        {
            "doc": '{"id":"a","total":1}',
            "v": "v1",
            "k": "Order",
            "outcome": "converted",
            "error": None,
            "version_before": "v2",
        }
    ]
    plain = pa.RecordBatch.from_pydict({"doc": [json.dumps(OLD), '{"schemaVersion":8}']})
    (found,) = holdall.batches(scheme, [plain], column="doc", to="v2")
    assert found.column("outcome").to_pylist() == ["converted", "failed"]
    assert found.column("version_before").to_pylist() == ["v1", None]
    beside = pa.RecordBatch.from_pydict({"doc": ['{"schemaVersion":2,"metadata":1}']})
    (found,) = holdall.batches(scheme, [beside], column="doc", to="v1", kind="Order")
    assert found.column("outcome").to_pylist() == ["failed"]
    assert found.column("version_before").to_pylist() == ["v2"]


def test_generated_code_is_clean(tmp_path: Path) -> None:
    """Types without open JSON need no `Any`; a constant of a version has its own type."""
    root = build_project(tmp_path, CONFIG, FILES)
    (package,) = root.glob("generated_*")
    assert ruff_says(root, package.name) == ""
    assert mypy_says(root, package.name) == ""


VARIED = CONFIG.replace(
    "default: v1,", 'default: v1, values: {v2: [2, "2.0", "2.1"], v3: [3, 3.5]},'
)
VARIED_FILES = {
    name: text.replace('{"const": 2}', '{"enum": [2, "2.0", "2.1"]}').replace('{"const": 3}', "{}")
    for name, text in FILES.items()
}


@pytest.fixture(scope="module")
def varied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scheme]:
    kept = [*sys.path]
    yield scheme_of(build_project(tmp_path_factory.mktemp("varied"), VARIED, VARIED_FILES))
    sys.path[:] = kept


@pytest.mark.parametrize("said", [2, "2.0", "2.1"])
def test_a_version_that_is_said_in_many_ways(said: Any, varied: Scheme) -> None:
    """Each is read; what others get is the first, and what a document said comes back."""
    old = {"schemaVersion": said, "type": "Order", "id": "a", "kind": "rush"}
    there = varied.convert({**old}, to="v3")
    assert next(iter(there.items())) == ("schemaVersion", 3)
    assert varied.convert(there, to="v2") == old
    assert json.loads(varied.convert_bytes(json.dumps(there), to="v2")) == old
    first = varied.convert(there, to="v1")
    assert "schemaVersion" not in first
    assert varied.convert(first, to="v2") == old
    back = varied.convert({**old, "schemaVersion": 2}, to="v3")
    assert "schemaVersion" not in str(back.get(BAG_MEMBER)), "the usual one needs no bag"
    new = {"schemaVersion": 3.5, "type": "Order", "id": "b"}
    middle = varied.convert({**new}, to="v2")
    assert middle["schemaVersion"] == 2
    assert varied.convert(middle, to="v3") == new
    plain = {"id": "a"}
    assert varied.convert_plain({**plain}, "Order", "v2", to="v3") == plain


@pytest.mark.parametrize(
    ("said", "fate"), [(2, "set by holdall"), ("2.1", "stashed under v2/schemaVersion")]
)
def test_the_fate_of_a_version_that_is_said_in_many_ways(
    said: Any, fate: str, varied: Scheme
) -> None:
    """It has one: all but the usual value wait in the bag."""
    old = {"schemaVersion": said, "type": "Order", "id": "a"}
    found = fates(old, varied, "v3")
    assert sorted(one.path for one in found) == ["/id", "/schemaVersion", "/type"]
    assert [one.fate for one in found if one.path == "/schemaVersion"] == [fate]


def test_typed_objects_of_a_version_that_is_said_in_many_ways(varied: Scheme) -> None:
    """They say the first unless they say another one; no other is read."""
    v2, v3 = (importlib.import_module(f"{varied.package}.{it}") for it in ("v2", "v3"))
    storage = importlib.import_module(f"{v2.__name__}.storage")
    assert v2.Order(id_="a").to_dict() == {"schemaVersion": 2, "type": "Order", "id": "a"}
    for said in (2, "2.0"):
        old = {"schemaVersion": said, "type": "Order", "id": "a"}
        assert v2.Order.from_dict(old).to_dict() == old
        assert storage.Order.from_dict(old).to_dict() == old
        new = varied.convert(v2.Order.from_dict(old), to=v3.Order)
        assert new.schema_version == 3
        assert varied.convert(new, to=v2.Order).to_dict() == old
    for other in (3, "2.2", True):
        with pytest.raises(DecodeError, match=r'expected 2 or "2\.0" or "2\.1", found'):
            v2.Order.from_dict({**old, "schemaVersion": other})
        with pytest.raises(DecodeError, match=f"expected 2 Order, found {other} Order"):
            storage.Order.from_dict({**old, "schemaVersion": other})
    with pytest.raises(ConversionError, match=r'known: "v1", 2, "2\.0", "2\.1", 3, 3\.5'):
        varied.convert({**old, "schemaVersion": 4}, to="v3")


def test_laws_hold_where_a_version_is_said_in_many_ways(varied: Scheme) -> None:
    """On documents that say what is usual, and on those that do not."""
    subject, outcome = Subject(varied), Outcome()
    for kind in subject.kinds():
        for start in subject.versions(kind):
            outcome.merge(check_kind(Tools.of(subject), kind, start, range(60)))
    given: JsonObject = {"schemaVersion": "2.1", "type": "Order", "id": "a", "kind": "rush"}
    case = given_case("Order", "v2", {**given}, {**given})
    for violation in check_case(Tools.of(subject), case):
        outcome.add([violation], case, 0)
    assert outcome.findings == {}
