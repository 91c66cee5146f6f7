"""Members of open JSON that a closed type does not declare survive an API server's pruning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdall.carriers.annotations import SPEC_ANNOTATION
from holdall.carriers.pruning import hide_extras, pruned_places
from holdall.carriers.reports import Report
from holdall.explain.audit import audit
from holdall.explain.fates import fates
from holdall.kubernetes.conform.storage import Store
from holdall.kubernetes.conform.trial import annotations_of
from holdall.objects.bag import MARKS
from holdall.scheme.scheme import Scheme
from holdall.text.json import copy
from tests.support.crds import crd_of, struct
from tests.support.fake_apiserver import store_of
from tests.support.objects import resource
from tests.support.projects import build_project, config_of, scheme_of
from tests.support.tables import named

GROUP = "open.example.com"
CONFIG = f"""
groups:
  opened:
    api_group: {GROUP}
    sources:
      - crds: crds/*.json
    versions: [v1, v2, v3]
    carrier: {{Member: field, Bare: none}}
"""
BAG = "holdall.dev/bag"
STATUS_BAG = "holdall.dev/status-bag"

OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
TEXT = {"type": "string"}


def many(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def mapped(values: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values}


PART = struct(name=TEXT, inner=struct(x=TEXT))
OLD = {
    "one": OPEN,
    "list": many(OPEN),
    "map": mapped(OPEN),
    "half": {**struct(a=TEXT), **OPEN},
    "closed": struct(a=TEXT),
}
NEW = {
    "one": PART,
    "list": many(PART),
    "map": mapped(PART),
    "half": struct(a=TEXT),
    "closed": struct(a=TEXT),
}
NEWEST = {**NEW, "one": struct(name=TEXT, inner=struct(x=TEXT), late=TEXT)}


def crd(kind: str, *specs: dict[str, Any], storage: str = "v1") -> dict[str, Any]:
    schemas = {
        f"v{number}": struct(spec=struct(**spec), status=struct(**spec))
        for number, spec in enumerate(specs, 1)
    }
    return crd_of(kind, schemas, group=GROUP, stored=storage, subresources={"status": {}})


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> Scheme:
    """Four kinds of one shape, with the carriers there are; and one that is closed everywhere."""
    files = {
        f"crds/{kind}.json": json.dumps(crd(kind, OLD, NEW, NEWEST))
        for kind in ("Thing", "Other", "Member", "Bare")
    }
    part = {"part": struct(name=TEXT, size=TEXT)}  # objects of one shape share their type
    files["crds/Closed.json"] = json.dumps(crd("Closed", part, part, {**part, "late": TEXT}))
    return scheme_of(build_project(tmp_path_factory.mktemp("opened"), CONFIG, files))


def carried(document: Any) -> Any:
    return json.loads(document["metadata"]["annotations"][SPEC_ANNOTATION])


def thing(version: str = "v1", kind: str = "Thing", **spec: Any) -> dict[str, Any]:
    return resource(f"{GROUP}/{version}", kind, "a", "b", spec=spec)


@pytest.fixture(params=["v1", "v2", "v3"])
def store(request: pytest.FixtureRequest, scheme: Any) -> Store:
    """An API server whose storage version is each of the three."""
    return store_of(crd("Thing", OLD, NEW, NEWEST, storage=request.param), scheme)


FREE = {"name": "n", "free": {"deep": [1, None]}, "none": None}
SHOWN = {"name": "n"}


@pytest.mark.parametrize(
    ("spec", "shown", "edit", "wanted"),
    named("""
an object: [{one: {name: n, free: {deep: [1, null]}, none: null}}, {one: {name: n}},
  {one: {name: m}}, {one: {name: m, free: {deep: [1, null]}, none: null}}]
an object within: [{one: {inner: {x: y, free: 1}}}, {one: {inner: {x: y}}}, {one: {name: m}},
  {one: {inner: {x: y, free: 1}, name: m}}]
a member that another version declares: [{one: {name: n, late: v3 declares it}},
  {one: {name: n}}, {one: {name: m}}, {one: {name: m, late: v3 declares it}}]
"elements of a list, by name":
  - {list: [{name: n, free: {deep: [1, null]}, none: null}, {name: o, other: 1}]}
  - {list: [{name: n}, {name: o}]}
  - {list: [{name: o}, {name: p}, {name: n, inner: {}}]}
  - list: [{name: o, other: 1}, {name: p},
      {name: n, free: {deep: [1, null]}, none: null, inner: {}}]
"elements of a list, by what they show": [
  {list: [{inner: {x: a}, free: 1}, {inner: {x: b}, free: 2}]},
  {list: [{inner: {x: a}}, {inner: {x: b}}]}, {list: [{inner: {x: b}}, {inner: {x: c}}]},
  {list: [{inner: {x: b}, free: 2}, {inner: {x: c}}]}]
"values of a map, one of them deleted": [
  {map: {k/1: {name: n, free: {deep: [1, null]}, none: null}, l: {free: 2}}},
  {map: {k/1: {name: n}, l: {}}}, {map: {l: null, m: {name: new}}},
  {map: {k/1: {name: n, free: {deep: [1, null]}, none: null}, m: {name: new}}}]
an object that declares some and keeps all: [{half: {a: b, free: 1}}, {half: {a: b}},
  {half: {a: c}}, {half: {a: c, free: 1}}]
a deleted parent: [{one: {name: n, free: {deep: [1, null]}, none: null}, closed: {a: b}},
  {one: {name: n}, closed: {a: b}}, {one: null}, {closed: {a: b}}]
"""),
)
def test_an_edit_at_a_closed_version_keeps_what_it_cannot_show(
    store: Store, spec: Any, shown: Any, edit: Any, wanted: Any
) -> None:
    """Created at v1, pruned, edited and pruned again at v2, read at v1 and at v3."""
    v1, v2, v3 = store.kind.versions
    name = store.create(thing(**spec))
    assert store.get(name, v1)["spec"] == spec
    assert store.get(name, v2)["spec"] == shown
    store.patch(name, v2, {"spec": edit})
    assert store.get(name, v1)["spec"] == wanted
    store.update(store.get(name, v3))
    store.update(store.get(name, v2))
    assert store.get(name, v1)["spec"] == wanted
    store.patch(name, v1, {"spec": dict.fromkeys(spec)})
    assert BAG not in json.dumps(store.stored)


RESERVED_NAMES = {
    f"{dollars}{name}": [name]
    for name in ("$propertyBag", "$originalVersion", "$created", *sorted(MARKS), "residue:a")
    for dollars in ("", "$", "$$")
}


def test_members_whose_names_are_reserved_are_kept(store: Store) -> None:
    """They are data of their user as any others."""
    v1, v2, v3 = store.kind.versions
    spec: dict[str, Any] = {
        "one": {"name": "n", **RESERVED_NAMES},
        "list": [{"name": "o", **RESERVED_NAMES}],
    }
    name = store.create(thing(**spec))
    assert store.get(name, v2)["spec"] == {"one": {"name": "n"}, "list": [{"name": "o"}]}
    store.patch(name, v2, {"spec": {"one": {"name": "m"}}})
    store.update(store.get(name, v3))
    assert store.get(name, v1)["spec"] == {**spec, "one": {"name": "m", **RESERVED_NAMES}}
    store.patch(name, v1, {"spec": {"one": {"$$value": None, "$value": 2, "$created": 3}}})
    store.update(store.get(name, v2))
    edited: dict[str, Any] = {**RESERVED_NAMES, "$value": 2, "$created": 3, "name": "m"}
    del edited["$$value"]
    found: Any = store.get(name, v1)
    assert found["spec"]["one"] == edited


@pytest.mark.parametrize("reserved", ["$propertyBag", "$originalVersion", "$created"])
def test_a_reserved_name_is_hidden_without_another_extra_beside_it(
    reserved: str, store: Store
) -> None:
    """It is in the bag already, but a document would show it, and a server would prune it."""
    v1, v2, _ = store.kind.versions
    spec: Any = {"one": {"name": "n", reserved: ["mine"]}}
    name = store.create(thing(**spec))
    store.update(store.get(name, v2))
    assert store.get(name, v1)["spec"] == spec


@pytest.mark.parametrize("reserved", RESERVED_NAMES)
def test_what_stands_in_the_document_wins_under_any_name(scheme: Any, reserved: str) -> None:
    """The one that is hidden is stale; and nobody prunes what stood there."""
    there = scheme.convert(thing(one={"name": "n", **RESERVED_NAMES}), to="v2")
    assert there["spec"] == {"one": {"name": "n"}}
    there["spec"]["one"][reserved] = "live"
    back = scheme.convert(there, to="v1")
    assert back["spec"]["one"] == {"name": "n", **RESERVED_NAMES, reserved: "live"}
    stood = thing("v2", list=[{reserved: "stood there"}, {"name": "n"}])
    for other in ("v1", "v3"):
        assert scheme.convert(scheme.convert(stood, to=other), to="v2") == stood


def test_spec_and_status_are_apart(store: Store) -> None:
    """Each has its own annotation; that of the status goes with the status."""
    v1, v2, _ = store.kind.versions
    name = store.create(thing(one=FREE))
    status: Any = {"map": {"k": FREE}}
    store.update_status({**thing(), "status": status})
    seen = store.get(name, v2)
    assert {BAG, STATUS_BAG} <= annotations_of(seen).keys()
    store.update_status({**seen, "status": {"map": {"k": {"name": "m"}}}})
    assert store.get(name, v1)["status"] == {"map": {"k": {**FREE, "name": "m"}}}
    store.update_status({**seen, "status": {}})
    assert store.get(name, v1).get("status") in (None, {})
    assert store.get(name, v1)["spec"] == {"one": FREE}


def test_what_stands_in_the_document_wins(scheme: Any) -> None:
    """So where nobody prunes: an extra that was written at v2 is not overwritten."""
    there = scheme.convert(thing(one={"free": 1, "other": 2}), to="v2")
    there["spec"]["one"]["free"] = "live"
    assert scheme.convert(there, to="v1")["spec"] == {"one": {"free": "live", "other": 2}}


def test_a_bag_of_another_kind_is_ignored(scheme: Any) -> None:
    """A controller copied the annotations to another kind."""
    there = scheme.convert(thing(one=FREE), to="v2")
    report: Report = []
    back = scheme.convert({**there, "kind": "Other"}, to="v1", report=report)
    assert back["spec"] == {"one": SHOWN}
    assert "annotations" not in back["metadata"]
    assert {item.key for item in report} == {"free", "none"}


def test_a_forged_bag_sets_nothing_that_is_declared(scheme: Any) -> None:
    """An entry of a declared name is no extra, neither in a pruned type nor in any other."""
    bag = {"name": "forged", "free": 1}
    bags = {"/spec/one": {"v2": bag}, "/spec/closed": {"v2": {"a": "forged", "free": 1}}}
    envelope = {"v": 1, "group": GROUP, "kind": "Thing", "version": "v2", "bags": bags}
    obj = thing("v2", one={"name": "live"}, closed={"a": "live"})
    obj["metadata"]["annotations"] = {BAG: json.dumps(envelope)}
    back = scheme.convert(obj, to="v1")
    assert back["spec"] == {"one": {"name": "live", "free": 1}, "closed": {"a": "live"}}


def test_garbage_stays_where_it_is(scheme: Any) -> None:
    """What both versions would prune is not kept: documents from files show it as before."""
    obj = thing(closed={"a": "b", "junk": 1}, junk=2)
    there = scheme.convert(obj, to="v2")
    assert there == {**obj, "apiVersion": f"{GROUP}/v2"}
    closed = thing(kind="Closed", part={"name": "n", "junk": 1}, junk=2)
    assert scheme.convert(closed, to="v3") == {**closed, "apiVersion": f"{GROUP}/v3"}


@pytest.mark.parametrize(("kind", "shown"), [("Member", SHOWN), ("Bare", FREE)])
def test_other_carriers(scheme: Any, kind: str, shown: Any) -> None:
    """A member carries them as an annotation does; without a carrier they stay in the document."""
    obj = thing(kind=kind, one=FREE)
    there = scheme.convert(obj, to="v2")
    assert there["spec"] == {"one": shown}
    assert ("$propertyBag" in there) is (kind == "Member")
    assert scheme.convert(there, to="v1") == obj


def test_texts_and_objects_agree(scheme: Any) -> None:
    """On routes between closed versions too: with extras, with bags, with neither."""
    there = scheme.convert(thing(one=FREE, list=[FREE], map={"k": FREE}), to="v2")
    objects = [
        there,
        thing("v2", one=SHOWN, list=[SHOWN], map={"k": SHOWN}),
        thing("v2", one=FREE),
        thing("v2", list=[None, FREE]),
        thing("v2", map={"k": FREE, "l": None}),
        thing("v2", one={"late": "v3 declares it"}),
        thing("v2", half={"free": 1}, closed={"free": 1}, free=1),
    ]
    found = [scheme.convert(obj, to="v3") for obj in objects]
    texts = [json.loads(scheme.convert_bytes(json.dumps(obj), to="v3")) for obj in objects]
    assert found == texts


def test_other_kinds_are_not_slower(scheme: Any) -> None:
    """What is hidden is decided with the route: a kind without open places has nothing to do."""
    for start in ("v1", "v2", "v3"):
        for end in {"v1", "v2", "v3"} - {start}:
            route = scheme.route(f"{GROUP}/{start}", "Closed", end)
            assert route.pruned is None
            assert route.pruned_source is None
    assert scheme.route(f"{GROUP}/v2", "Thing", "v1").pruned is None
    assert scheme.route(f"{GROUP}/v1", "Thing", "v2").pruned is not None


def test_reports_tell_where_they_are(scheme: Any) -> None:
    """The fate of such a member names its entry, and the entry's reason names the version."""
    obj = thing(one={"name": "n", "free": 1})
    found = {item.path: item for item in fates(obj, scheme, "v3")}
    assert found["/spec/one/name"].shown == ("/spec/one/name",)
    hidden = found["/spec/one/free"]
    assert hidden.shown == ()
    assert [(item.path, str(item)) for item in hidden.waiting] == [("/spec/one", "v3/free")]
    assert hidden.lost == ""
    entries = audit(scheme.convert(obj, to="v3"), scheme)
    assert [(item.property, item.why) for item in entries] == [
        ("free", "extra: an API server would prune it at v3")
    ]


@pytest.mark.parametrize("over", ["v1", "v2"])
def test_documents_that_nobody_prunes_come_back_as_they_were(scheme: Any, over: str) -> None:
    """What stood in a document stands there again, beside what is hidden."""
    hidden = scheme.convert(thing(one=FREE, list=[FREE], half={"free": 1}), to="v3")
    hidden["spec"]["one"]["shown"] = 1
    hidden["spec"]["list"][0]["shown"] = None
    hidden["spec"]["half"]["shown"] = []
    there = scheme.convert(hidden, to=over)
    back = scheme.convert(there, to="v3")
    # The carrier has new fingerprints of the list, as one of its elements shows something else.
    assert carried(back)["bags"] == carried(hidden)["bags"]
    back["metadata"] = hidden["metadata"]
    assert back == hidden
    assert "shown" not in there["spec"]["one"] or over == "v1"


# --- an object without properties ----------------------------------------------------------------

EMPTY = {"type": "object"}
VAGUE = {"x-kubernetes-preserve-unknown-fields": True}
OPENED = {
    "one": OPEN,
    "vague": VAGUE,
    "list": many(OPEN),
    "lists": many(many(OPEN)),
    "map": mapped(OPEN),
    "deep": struct(x=struct(y=OPEN)),
    "texts": mapped(TEXT),
    "any": {"type": "object", "additionalProperties": True},
    "typed": PART,
    "half": {**struct(name=TEXT), **OPEN},
    "parts": many(PART),
}
CLOSED = {
    "one": EMPTY,
    "vague": EMPTY,
    "list": many(EMPTY),
    "lists": many(many(EMPTY)),
    "map": mapped(EMPTY),
    "deep": struct(x=struct(y=EMPTY)),
    "texts": EMPTY,
    "any": {**EMPTY, "properties": {}},
    "typed": EMPTY,
    "half": EMPTY,
    "parts": many(EMPTY),
}
CONTENT: dict[str, Any] = {
    "one": FREE,
    "vague": {"a": [1, {"b": None}]},
    "list": [FREE, {"z": 1}],
    "lists": [[FREE], [{"z": 1}, {}]],
    "map": {"k/1": FREE, "l": {"free": 2}},
    "deep": {"x": {"y": FREE}},
    "texts": {"a": "b", "name": ""},
    "any": {"a": [1], "b": {"c": {}}},
    "typed": {"name": "n", "inner": {"x": "y"}},
    "half": {"name": "n", "free": 1},
    "parts": [{"name": "n"}, {"inner": {"x": "y"}}],
}
EMPTIED: dict[str, Any] = {
    "one": {},
    "vague": {},
    "list": [{}, {}],
    "lists": [[{}], [{}, {}]],
    "map": {"k/1": {}, "l": {}},
    "deep": {"x": {"y": {}}},
    "texts": {},
    "any": {},
    "typed": {},
    "half": {},
    "parts": [{}, {}],
}
ORDERS = [
    pytest.param((OPENED, CLOSED, CLOSED), id="closed later"),
    pytest.param((CLOSED, OPENED, OPENED), id="closed at first"),
    pytest.param((OPENED, CLOSED, OPENED), id="closed in the middle"),
    pytest.param((CLOSED, OPENED, CLOSED), id="open in the middle"),
]


def thing_crd(*specs: dict[str, Any], storage: str = "v1", **members: Any) -> dict[str, Any]:
    found = crd("Thing", *specs, storage=storage)
    return {**found, "spec": {**found["spec"], **members}}


@pytest.fixture(scope="module", params=ORDERS)
def order(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The specs of three versions, and a scheme for them."""
    files = {"crds/Thing.json": json.dumps(thing_crd(*request.param))}
    config = CONFIG.partition("    carrier")[0]
    return request.param, scheme_of(build_project(tmp_path_factory.mktemp("order"), config, files))


@pytest.mark.parametrize("storage", ["v1", "v2", "v3"])
def test_what_an_object_without_properties_cannot_hold_travels_in_the_bag(
    order: Any, storage: str
) -> None:
    """In spec and status, lists and maps: it is there again wherever it can be, after updates at
    every version; and what a client deletes at a closed version is gone.
    """
    specs, scheme = order
    store = store_of(thing_crd(*specs, storage=storage), scheme)
    for at, spec in zip(store.kind.versions, specs, strict=True):
        if spec is CLOSED:
            continue
        name = store.create(thing(at.name, **CONTENT))
        store.update_status({**thing(at.name), "status": CONTENT})
        for _ in range(2):
            for version, shown in zip(store.kind.versions, specs, strict=True):
                found = store.get(name, version)
                wanted = EMPTIED if shown is CLOSED else CONTENT
                assert found["spec"] == found["status"] == wanted
                store.update(found)
                store.update_status(found)
        closed = next(
            version
            for version, shown in zip(store.kind.versions, specs, strict=True)
            if shown is CLOSED
        )
        gone = ("one", "map", "texts", "half")
        store.patch(name, closed, {"spec": dict.fromkeys(gone)})
        rest = {member: item for member, item in CONTENT.items() if member not in gone}
        assert store.get(name, at)["spec"] == rest
        store.stored.clear()


def test_an_object_without_properties_is_open_where_nobody_prunes(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """In plain JSON Schema, in a CRD that preserves unknown fields, and by default in v1beta1."""
    cases: tuple[Any, ...] = (
        {"apiVersion": "apiextensions.k8s.io/v1", "spec": {"preserveUnknownFields": True}},
        {"apiVersion": "apiextensions.k8s.io/v1beta1", "spec": {}},
    )
    for members in cases:
        found = thing_crd({"one": EMPTY}, {"one": OPEN}, {"one": EMPTY}, **members["spec"])
        files = {"crds/Thing.json": json.dumps({**found, "apiVersion": members["apiVersion"]})}
        config = CONFIG.partition("    carrier")[0]
        scheme = scheme_of(build_project(tmp_path_factory.mktemp("open"), config, files))
        obj = thing(one=FREE)
        assert scheme.convert(obj, to="v2") == {**obj, "apiVersion": f"{GROUP}/v2"}
        assert scheme.convert(obj, to="v3") == {**obj, "apiVersion": f"{GROUP}/v3"}


def test_documents_that_nobody_prunes_keep_what_stands_in_an_empty_object(order: Any) -> None:
    """Files may hold what a schema does not declare: it comes back as it was."""
    specs, scheme = order
    for number, spec in enumerate(specs, 1):
        if spec is CLOSED:
            obj = thing(f"v{number}", one=FREE, list=[FREE], map={"k": FREE}, any=FREE)
            for other in {"v1", "v2", "v3"} - {f"v{number}"}:
                assert scheme.convert(scheme.convert(obj, to=other), to=f"v{number}") == obj


def test_an_entry_never_changes_the_head_of_a_document(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Where the root itself is pruned, a forged entry might take the place of its apiVersion."""
    found = thing_crd({"one": TEXT}, {"one": TEXT})
    root = found["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    root["x-kubernetes-preserve-unknown-fields"] = True
    config = CONFIG.partition("    carrier")[0].replace("v1, v2, v3", "v1, v2")
    files = {"crds/Thing.json": json.dumps(found)}
    scheme = scheme_of(build_project(tmp_path_factory.mktemp("root"), config, files))
    obj = {**thing(one="x"), "free": 1}
    there: Any = scheme.convert(obj, to="v2")
    assert "free" not in there
    assert scheme.convert(there, to="v1") == obj
    annotations = there["metadata"]["annotations"]
    forged = '"apiVersion":"x/v9","kind":"Other","metadata":{},"free"'
    annotations[BAG] = annotations[BAG].replace('"free"', forged)
    back: Any = scheme.convert(there, to="v1")
    del back["metadata"]["annotations"]
    assert back == obj


def test_what_is_hidden_leaves_other_bags_as_they_are(scheme: Scheme) -> None:
    """The bag of an object may be that of the object it was made of."""
    twin = scheme.twin("Thing", "v2")
    places = pruned_places(twin)
    assert places is not None
    shared = {"v2": {"$shown": ["free"], "$$created": 1}, "v1": {"x": 1}}
    members: Any = {"spec": {"one": {"name": "n", "free": 1, "more": 2, "$propertyBag": shared}}}
    before = copy(shared)
    assert places.may_hold_extras(members)
    hidden = hide_extras(places, twin, members)
    assert [bag for _, bag in hidden] == [{"v2": {"more": 2, "$$created": 1}}]
    assert members["spec"]["one"] == {"name": "n", "free": 1, "$propertyBag": {"v1": {"x": 1}}}
    assert shared == before


def test_extras_are_looked_for_where_types_are_closed(scheme: Scheme) -> None:
    """What is elsewhere costs nothing, whatever it is."""
    places = pruned_places(scheme.twin("Thing", "v2"))
    assert places is not None
    assert not places.may_hold_extras({"spec": {"closed": {"a": "x", "free": 1}, "list": [None]}})
    assert places.may_hold_extras({"spec": {"list": [{"name": "n"}, {"inner": {"free": 1}}]}})


def test_an_entry_of_a_property_that_is_no_more_is_no_extra(tmp_path: Path) -> None:
    """Also where objects of another version leave extras that are hidden in the same bag."""

    def build(name: str, o2: Any) -> Any:
        versions = struct(a=TEXT), o2, struct(a=TEXT, m=many(struct(x=TEXT, t=TEXT))), OPEN
        files = {"crds/Thing.json": json.dumps(crd("Thing", *({"o": o} for o in versions)))}
        config = CONFIG.replace("v3]", "v3, v4]").partition("    carrier")[0]
        return scheme_of(build_project(tmp_path / name, config, files))

    yesterday = build("old", struct(a=TEXT, m=many(struct(x=TEXT))))
    free = thing("v4", o={"a": "A", "m": [{"x": "X", "t": "T"}], "free": 1})
    stored = yesterday.convert(free, to="v1")
    waiting = carried(stored)["bags"]["/spec/o"]["v2"]["m"]
    assert waiting == [{"x": "X", "$propertyBag": {"v3": {"t": "T"}}}]
    today, found = build("new", struct(a=TEXT)), stored
    for to in ("v3", "v2", "v1", "v2", "v3"):
        found = today.convert(found, to=to)
        assert found["spec"] == {"o": {"a": "A"}}
        assert carried(found)["bags"]["/spec/o"]["v2"]["m"] == waiting
        reasons = {(item.origin, item.property): item.why for item in audit(found, today)}
        assert reasons["v2", "m"] == "unknown property"
    assert today.convert(found, to="v4")["spec"] == {"o": {"a": "A", "free": 1}}


PARTS = config_of(
    "Thing",
    {"v1": "v1.json", "v2": "v2.json", "v3": "v3.json"},
    group="parts.example.com",
)


@pytest.mark.parametrize("names", [("free", "free"), ("$propertyBag", "$created")])
def test_extras_in_a_document_do_not_make_its_elements_others(
    names: tuple[str, str], tmp_path: Path
) -> None:
    """What is noted of them in bags while a document is read is nothing that the elements show."""
    files = {
        "v1.json": json.dumps(struct(parts=many(struct(title=TEXT, size=TEXT)))),
        "v2.json": json.dumps(struct(parts=many(struct(title=TEXT)))),
        "v3.json": json.dumps(struct(parts={})),
    }
    found = scheme_of(build_project(tmp_path, PARTS, files))
    parts = [{"title": "a", "size": "1"}, {"title": "b", "size": "2"}]
    kind = {"apiVersion": "parts.example.com/v1", "kind": "Thing", "metadata": {"name": "a"}}
    there: Any = found.convert({**kind, "parts": parts}, to="v2")
    for part, name in zip(there["parts"], names, strict=True):
        part[name] = "x"
    report: Report = []
    back: Any = found.convert(found.convert(there, to="v1"), to="v2", report=report)
    assert back["parts"] == there["parts"]
    home: Any = found.convert(back, to="v1", report=report)
    assert [part["size"] for part in home["parts"]] == ["1", "2"]
    assert not report


HOOK = """
from {generated}.opened.v1 import storage as v1
from holdall import Composed, EachValue, TwoWay

def same(value):
    return value

class Parsed(TwoWay):
    older, newer = ("raw",), ("parsed",)

    def to_newer(self, members):
        return {"parsed": members["raw"]} if "raw" in members else {}

    def to_older(self, members):
        return {"raw": members["parsed"]} if "parsed" in members else {}

class Spec(Composed, v1.AssignableThingSpec):
    parts = (PART,)
"""


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize(
    ("names", "part", "facts"),
    [
        (("map", "map"), 'EachValue("map", same, same, depth=1)', {"$hook": ["map"]}),
        (("raw", "parsed"), "Parsed()", {}),
    ],
    ids=["left to it", "without partners"],
)
def test_what_a_hook_makes_of_open_json(
    tmp_path: Path, names: tuple[str, str], part: str, facts: Any, edited: bool
) -> None:
    """Objects that a hook hands over may have members that their closed type does not declare."""
    held = {"v1": OPEN, "v2": struct(name=TEXT)}
    schemas = {
        version: struct(spec=struct(**{name: mapped(held[version])}))
        for version, name in zip(held, names, strict=True)
    }
    found = crd_of("Thing", schemas, group=GROUP, stored="v1")
    config = CONFIG.partition("    carrier")[0].replace("v1, v2, v3", "v1, v2")
    config += f"    between: {json.dumps({'v1 -> v2': {'ThingSpec': facts}})}\n" if facts else ""
    hook = HOOK.replace("PART", part)
    files = {"crds/Thing.json": json.dumps(found), "hooks/spec.py": hook}
    scheme = scheme_of(build_project(tmp_path, config, files))
    spec: dict[str, Any] = {names[0]: {"k": FREE}}
    there: Any = scheme.convert(thing(**spec), to="v2")
    assert there["spec"] == {names[1]: {"k": SHOWN}}
    wanted = copy(FREE)
    if edited:
        there["spec"][names[1]]["k"]["name"] = wanted["name"] = "edited"
    assert scheme.convert(there, to="v1")["spec"] == {names[0]: {"k": wanted}}
