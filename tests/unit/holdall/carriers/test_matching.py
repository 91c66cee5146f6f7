"""Hidden data stays with its list element, whatever clients and API servers do in between."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdall.carriers.annotations import SPEC_ANNOTATION
from holdall.carriers.matching import Known, resolve
from holdall.carriers.reports import Dropped
from holdall.scheme.scheme import Scheme
from tests.support.crds import crd_of, struct
from tests.support.notation import schema_of
from tests.support.objects import resource
from tests.support.projects import build_project, scheme_of
from tests.support.work import steps_of

CONFIG = """
groups:
  shop:
    sources: [{crds: crd.json}]
    versions: [v1, v2]
"""
SPECS = {
    "v1": """
items: [{host: string, secret: string, mode: string}]
named: [{name: string, host: string, secret: string}]
ports: [{port: integer, protocol: string, secret: string}]
rules: [{note: string~, secret: string}]
table: [[{host: string, secret: string}]]
pools: {"*": [{host: string, secret: string}]}
rows: [[{host: string, secret: string}]]
""",
    "v2": """
items: [{host: string, mode: {$: string, $default: rw}}]
named: [{name: string, host: string}]
ports:
  $: [{port!: integer, protocol: {$: string, $default: TCP}}]
  $x-kubernetes-list-type: map
  $x-kubernetes-list-map-keys: [port, protocol]
rules: [{note: {$: string~, $default: none}}]
table: [[{host: string}]]
pools:
  "*": {$: [{host!: string}], $x-kubernetes-list-type: map, $x-kubernetes-list-map-keys: [host]}
rows:
  - {$: [{host!: string}], $x-kubernetes-list-type: map, $x-kubernetes-list-map-keys: [host]}
""",
}
VERSIONS = {version: struct(spec=schema_of(spec)) for version, spec in SPECS.items()}
FILES = {"crd.json": json.dumps(crd_of("Route", VERSIONS, group="shop.example.com"))}

Items = list[Any]
Report = list[Any]


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> Scheme:
    return scheme_of(build_project(tmp_path_factory.mktemp("routes"), CONFIG, FILES))


def route(version: str, member: str, items: Any) -> dict[str, Any]:
    return resource(f"shop.example.com/{version}", "Route", "r", spec={member: items})


def edited(
    scheme: Scheme, member: str, items: Items, edit: Callable[[Items], Items | None]
) -> tuple[Items, Report]:
    """Return v1's list after an edit at v2, with what was reported."""
    document: Any = scheme.convert(route("v1", member, items), to="v2")
    changed = edit(document["spec"][member])
    if changed is not None:
        document["spec"][member] = changed
    report: Report = []
    back = json.loads(scheme.convert_bytes(json.dumps(document), to="v1", report=report))
    assert back == scheme.convert(document, to="v1")
    return back["spec"][member], report


def lost(report: Report) -> list[Any]:
    assert all(isinstance(item, Dropped) and item.key == "secret" for item in report)
    assert all(item.reason.startswith("it lost its owner") for item in report)
    return [item.address for item in report]


def hosts(*names: str) -> Items:
    """Return elements with these hosts, each with a secret of its own, named after the place."""
    return [{"host": name, "secret": f"S{index}"} for index, name in enumerate(names)]


def test_an_appended_element_does_not_inherit_from_a_deleted_one(scheme: Scheme) -> None:
    items = [{"host": "a", "secret": "S-of-a"}, {"host": "b"}]
    found, report = edited(scheme, "items", items, lambda now: [now[1], {"host": "new"}])
    assert found == [{"host": "b"}, {"host": "new"}]
    assert lost(report) == ["/spec/items/[0]"]


@pytest.mark.parametrize("at", [0, 1])
def test_an_element_edited_beside_an_equal_one_keeps_its_own(scheme: Scheme, at: int) -> None:
    items = [{"host": "a"}, {"host": "a"}]
    items[at]["secret"] = "S"
    found, report = edited(scheme, "items", items, lambda now: now[at].update(host="x"))
    assert found[at] == {"host": "x", "secret": "S"}
    assert found[1 - at] == {"host": "a"}
    assert report == []


def defaulted(items: Items) -> Items:
    """Fill in defaults as an API server does."""
    for item in items:
        item.setdefault("mode", "rw")
    return items


def test_a_default_that_a_server_fills_in_does_not_swap_elements(scheme: Scheme) -> None:
    found, report = edited(
        scheme, "items", hosts("a", "b"), lambda now: list(reversed(defaulted(now)))
    )
    assert [(item["host"], item["secret"]) for item in found] == [("b", "S1"), ("a", "S0")]
    assert report == []


def test_a_default_that_a_server_fills_in_costs_no_data_after_a_deletion(scheme: Scheme) -> None:
    found, report = edited(scheme, "items", hosts("a", "b", "c"), lambda now: defaulted(now)[:2])
    assert [item.get("secret") for item in found] == ["S0", "S1"]
    assert lost(report) == ["/spec/items/[2]"]


def test_a_null_that_a_server_keeps_is_not_the_default(scheme: Scheme) -> None:
    """A server replaces null by the default only if the member is not nullable."""
    rules = [{"note": None, "secret": "S0"}, {"note": "none", "secret": "S1"}]
    found, report = edited(scheme, "rules", rules, lambda now: list(reversed(now)))
    assert found == [rules[1], rules[0]]
    assert report == []


def test_an_absent_list_key_counts_as_its_default(scheme: Scheme) -> None:
    ports = [{"port": 80, "secret": "S"}, {"port": 80, "protocol": "UDP", "secret": "U"}]

    def edit(now: Items) -> Items:
        now[0]["protocol"] = "TCP"
        return list(reversed(now))

    found, report = edited(scheme, "ports", ports, edit)
    assert found == [ports[1], {"port": 80, "protocol": "TCP", "secret": "S"}]
    assert report == []


def test_a_copy_of_an_element_takes_nothing_from_it(scheme: Scheme) -> None:
    for member in ("items", "named"):
        items = hosts("a", "b")
        if member == "named":
            items = [{"name": item["host"], **item} for item in items]
        found, report = edited(scheme, member, items, lambda now: [*now, dict(now[0])])
        assert [item.get("secret") for item in found] == ["S0", "S1", None]
        assert report == []


def test_an_element_that_a_copy_replaces_gives_nothing_to_one_that_stayed(scheme: Scheme) -> None:
    items = [{"host": "a", "secret": "S"}, {"host": "b"}, {"host": "a"}, {"host": "c"}]
    found, report = edited(scheme, "items", items, lambda now: [now[1], *now[1:]])
    assert found == [{"host": "b"}, {"host": "b"}, {"host": "a"}, {"host": "c"}]
    assert lost(report) == ["/spec/items/[0]"]


def test_an_element_whose_name_is_edited_keeps_its_own(scheme: Scheme) -> None:
    items = [{"name": "a", "secret": "S"}, {"name": "b", "secret": "T"}]
    found, report = edited(scheme, "named", items, lambda now: now[0].update(name="c"))
    assert found == [{"name": "c", "secret": "S"}, {"name": "b", "secret": "T"}]
    assert report == []


def test_a_name_of_another_element_is_no_new_name(scheme: Scheme) -> None:
    """One element went to the front, two are gone, and the last one was edited: it is not `d`."""
    items = [{"name": name, "secret": f"S-{name}"} for name in "abcd"]
    del items[0]["secret"], items[1]["secret"]
    found, report = edited(
        scheme, "named", items, lambda now: [now[2], {"name": "a", "host": "edited"}]
    )
    assert [item.get("secret") for item in found] == ["S-c", None]
    assert lost(report) == ['/spec/named/[3:name="d"]']


def test_a_name_identifies_an_element_that_was_edited_and_moved(scheme: Scheme) -> None:
    items = [{"name": name, "host": name, "secret": f"S-{name}"} for name in "abc"]

    def edit(now: Items) -> Items:
        now[0]["host"] = "other"
        return [now[2], {"name": "new"}, now[0]]

    found, report = edited(scheme, "named", items, edit)
    assert [item.get("secret") for item in found] == ["S-c", None, "S-a"]
    assert lost(report) == ['/spec/named/[1:name="b"]']


def test_an_edit_and_an_appended_element_in_one_write(scheme: Scheme) -> None:
    def first(now: Items) -> Items:
        now[0]["host"] = "x"
        return [*now, {"host": "new"}]

    found, report = edited(scheme, "items", hosts("a", "b"), first)
    assert [item.get("secret") for item in found] == ["S0", "S1", None]
    assert report == []

    def last(now: Items) -> Items:
        now[1]["host"] = "x"
        return [*now, {"host": "new"}]

    # Either of the last two may be the edited one: nothing is guessed.
    found, report = edited(scheme, "items", hosts("a", "b"), last)
    assert [item.get("secret") for item in found] == ["S0", None, None]
    assert lost(report) == ["/spec/items/[1]"]


def test_a_list_that_was_replaced_takes_nothing(scheme: Scheme) -> None:
    found, report = edited(scheme, "items", hosts("a", "b"), lambda now: [{"host": "x"}] * 2)
    assert found == [{"host": "x"}, {"host": "x"}]
    assert len(lost(report)) == 2


def test_an_only_element_may_be_edited(scheme: Scheme) -> None:
    found, report = edited(scheme, "items", hosts("a"), lambda now: now[0].update(host="x"))
    assert found == [{"host": "x", "secret": "S0"}]
    assert report == []


def test_elements_of_a_strict_list_are_not_guessed(tmp_path: Path) -> None:
    """Neither a place nor a name identifies them, only what they show."""
    config = f"{CONFIG}    carrier: {{Route: {{strict: [spec/items, spec/named, spec/ports]}}}}\n"
    strict = scheme_of(build_project(tmp_path, config, FILES))
    found, report = edited(strict, "items", hosts("a"), lambda now: now[0].update(host="x"))
    assert (found, lost(report)) == ([{"host": "x"}], ["/spec/items/[0]"])
    named = [{"name": "a", "host": "a", "secret": "S"}]
    found, report = edited(strict, "named", named, lambda now: now[0].update(host="x"))
    assert (found[0].get("secret"), len(report)) == (None, 1)
    found, report = edited(strict, "items", hosts("a", "b"), lambda now: list(reversed(now)))
    assert [item["secret"] for item in found] == ["S1", "S0"]
    ports = [{"port": 1, "protocol": "UDP", "secret": "S"}]
    found, _ = edited(strict, "ports", ports, lambda now: now.insert(0, {"port": 2}))
    assert found[1]["secret"] == "S"


def test_lists_in_lists_are_found_again(scheme: Scheme) -> None:
    rows = [hosts("a", "b"), hosts("c")]
    found, report = edited(
        scheme, "table", rows, lambda now: [now[1], [{"host": "new"}, *reversed(now[0])]]
    )
    assert found[0] == rows[1]
    # The first row was edited and moved: nothing says that it is the same.
    assert found[1] == [{"host": "new"}, {"host": "b"}, {"host": "a"}]
    assert len(lost(report)) == 2


@pytest.mark.parametrize("member", ["pools", "rows"])
def test_keys_tell_elements_apart_in_lists_that_are_in_maps_and_lists(
    scheme: Scheme, member: str
) -> None:
    at: Any = "a" if member == "pools" else 0

    def held(*items: Any) -> Any:
        return {"a": [*items]} if member == "pools" else [[*items]]

    def replace(now: Any) -> None:
        now[at][1]["host"] = "new"

    found, report = edited(scheme, member, held(*hosts("a", "b")), replace)
    assert found == held(*hosts("a"), {"host": "new"})
    assert len(lost(report)) == 1


def test_an_element_that_shows_more_than_before_takes_nothing_from_an_equal_one(
    scheme: Scheme,
) -> None:
    """Undeclared members that nothing had before tell new elements apart, too."""
    items = [{"host": "a", "secret": "S"}, {"host": "b", "secret": "T"}]
    found, report = edited(scheme, "items", items, lambda now: [now[1], now[0], {**now[1], "x": 1}])
    assert found == [items[1], items[0], {"host": "b", "x": 1}]
    assert report == []


def test_members_that_a_server_prunes_do_not_count(scheme: Scheme) -> None:
    """Undeclared members tell elements apart as long as they are there."""
    items = [{"host": "a", "x": 1, "secret": "S"}, {"host": "a", "x": 2, "secret": "T"}]
    found, _ = edited(scheme, "items", items, lambda now: list(reversed(now)))
    assert found == [items[1], items[0]]

    def pruned(now: Items) -> None:
        for item in now:
            del item["x"]

    found, report = edited(scheme, "items", items, pruned)
    assert [item["secret"] for item in found] == ["S", "T"]
    assert report == []


def test_data_of_another_format_is_read_as_carefully_as_it_allows(scheme: Scheme) -> None:
    """Format 1 knows an element's own fingerprint, index and length, and no other element."""

    def envelope(address: str) -> dict[str, Any]:
        contents = {
            "v": 1,
            "group": "shop.example.com",
            "kind": "Route",
            "version": "v2",
            "bags": {address: {"v1": {"secret": "S"}}},
        }
        return {"annotations": {SPEC_ANNOTATION: json.dumps(contents)}}

    # SHA-256 of {"host":"a"}
    address = "/spec/items/[0:2:f624db42c3ba28b3]"
    for items, wanted in (
        ([{"host": "a"}, {"host": "b"}], ["S", None]),
        ([{"host": "b"}, {"host": "a"}], [None, "S"]),
        ([{"host": "x"}, {"host": "b"}], [None, None]),
        ([{"host": "b"}, {"host": "new"}], [None, None]),
    ):
        document = {**route("v2", "items", items), "metadata": envelope(address)}
        report: Report = []
        back: Any = scheme.convert(document, to="v1", report=report)
        assert [item.get("secret") for item in back["spec"]["items"]] == wanted
        assert len(report) == (0 if "S" in wanted else 1)
    by_key = envelope('/spec/ports/[port=80,protocol="TCP"]')
    back = scheme.convert({**route("v2", "ports", [{"port": 80}]), "metadata": by_key}, to="v1")
    assert back["spec"]["ports"] == [{"port": 80, "secret": "S"}]


def test_an_index_that_no_list_has_is_a_lost_owner(scheme: Scheme) -> None:
    """Anyone may write an annotation; Python reads no number of so many digits."""
    document: Any = scheme.convert(route("v1", "items", hosts("a")), to="v2")
    annotations = document["metadata"]["annotations"]
    annotations[SPEC_ANNOTATION] = annotations[SPEC_ANNOTATION].replace("[0]", f"[{'9' * 5000}]")
    report: Report = []
    back: Any = scheme.convert(document, to="v1", report=report)
    assert back["spec"]["items"] == [{"host": "a"}]
    assert lost(report) == [f"/spec/items/[{'9' * 5000}]"]


def test_owners_are_those_of_what_is_in_the_tree(scheme: Scheme) -> None:
    """Not of views that are gone: another object may get their identity."""
    spec = {"items": [{"host": "a"}]}
    twin = scheme.twin("Route", "v1").view_({"spec": spec})
    known = Known()
    resolve(twin, {"/spec": 1, "/spec/items/[0]": 2}, known)
    assert {key: name for key, (_, name) in known.owners.items()} == {
        id(spec): "spec",
        id(spec["items"]): "items",
    }


def test_a_way_that_leads_nowhere_costs_nothing(scheme: Scheme) -> None:
    """However long it is: a packed bag has room for millions of names."""

    def steps(length: int) -> int:
        document: Any = scheme.convert(
            route("v1", "items", [{"host": "a", "secret": "s"}]), to="v2"
        )
        annotations = document["metadata"]["annotations"]
        address = "/spec/pools" + "/x" * length
        annotations[SPEC_ANNOTATION] = annotations[SPEC_ANNOTATION].replace(
            "/spec/items/[0]", address
        )
        return steps_of(lambda: scheme.convert(document, to="v1"))

    steps(10)
    assert steps(5_000) - steps(10) < 100
