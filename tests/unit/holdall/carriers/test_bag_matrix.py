"""What becomes of bags when clients do what clients do: the matrix of the webhook contract.

v1 is stored; v2 has `spec.extra` and `status.detail`, which v1 does not know. The bag of the
spec travels in an annotation, that of the status in a slot or in a second annotation.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from holdall.carriers.annotations import SPEC_ANNOTATION, STATUS_ANNOTATION
from holdall.kubernetes.conform.storage import Store
from holdall.kubernetes.conform.subjects import Version
from holdall.scheme.scheme import Scheme
from tests.support.crds import crd_of, struct
from tests.support.fake_apiserver import store_of
from tests.support.projects import build_project, scheme_of

GROUP = "matrix.example.com"
CONFIG = f"""
groups:
  matrix:
    api_group: {GROUP}
    sources:
      - crds: crd.json
    versions: [v1, v2]
    hub: v1
"""
SLOT = {
    "type": "object",
    "x-kubernetes-preserve-unknown-fields": True,
    "x-kubernetes-map-type": "atomic",
}


def _crd(*, slot: bool) -> Any:
    text = {"type": "string"}
    schemas = {}
    for name in ("v1", "v2"):
        more = name == "v2"
        spec = {"size": {"type": "integer"}, **({"extra": text} if more else {})}
        status: dict[str, Any] = {"phase": text, **({"detail": text} if more else {})}
        if slot:
            status["$propertyBag"] = SLOT
        schemas[name] = struct(spec=struct(**spec), status=struct(**status))
    return crd_of("Box", schemas, group=GROUP, stored="v1", subresources={"status": {}})


CRDS = {place: _crd(slot=place == "slot") for place in ("slot", "annotation")}


@pytest.fixture(scope="module")
def schemes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Scheme]:
    return {
        place: scheme_of(
            build_project(tmp_path_factory.mktemp(place), CONFIG, {"crd.json": json.dumps(crd)})
        )
        for place, crd in CRDS.items()
    }


def box(version: str = "v2", **members: Any) -> dict[str, Any]:
    metadata = {"name": "a", "namespace": "b"}
    return {"apiVersion": f"{GROUP}/{version}", "kind": "Box", "metadata": metadata, **members}


class Client:
    """A store with one box, made at v2, whose status was set at v2."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.v1, self.v2 = store.kind.versions
        store.create(box(spec={"size": 1, "extra": "x"}, status={"detail": "never stored"}))
        store.update_status(box(status={"phase": "p", "detail": "d"}))

    def read(self, version: Version, name: str = "a") -> Any:
        """Read a box at a version."""
        return self.store.get(name, version)

    def at_v1(self) -> Any:
        """Read the box at v1, as a client that drops what it does not know."""
        seen = self.read(self.v1)
        seen["status"].pop("$propertyBag", None)
        return seen

    def kept(self) -> tuple[bool, bool]:
        """Tell whether `extra` and `detail` are there at v2, as they were."""
        seen = self.read(self.v2)
        return (
            seen.get("spec", {}).get("extra") == "x",
            (seen.get("status") or {}).get("detail") == "d",
        )


def nothing(_: Client) -> None:
    """Do nothing."""


def status_patch(client: Client) -> None:
    """A controller at v2 writes the status again."""
    seen = client.read(client.v2)
    seen["status"]["phase"] = "q"
    client.store.update_status(seen)


def typed_status_update(client: Client) -> None:
    """A typed client at v1 writes the status."""
    seen = client.at_v1()
    seen["status"]["phase"] = "q"
    client.store.update_status(seen)


def typed_update(client: Client) -> None:
    """A typed client at v1 writes the spec and keeps the metadata."""
    seen = client.at_v1()
    seen["spec"]["size"] = 2
    client.store.update(seen)


def replace_from_file(client: Client) -> None:
    """Somebody replaces the object by a file that never had our annotations."""
    client.store.update(box("v1", spec={"size": 2}))


def merge_patch(client: Client) -> None:
    """A merge patch at v1."""
    client.store.patch("a", client.v1, {"spec": {"size": 2}})


def restore(client: Client) -> None:
    """A backup at v1 is restored under a new uid; the API server drops its status."""
    backup = client.read(client.v1)
    client.store.stored.clear()
    client.store.create(backup)


EVENTS: list[tuple[Callable[[Client], None], dict[str, tuple[bool, bool]]]] = [
    (nothing, {"slot": (True, True), "annotation": (True, True)}),
    (status_patch, {"slot": (True, True), "annotation": (True, True)}),
    (typed_status_update, {"slot": (True, False), "annotation": (True, True)}),
    (typed_update, {"slot": (True, True), "annotation": (True, True)}),
    (replace_from_file, {"slot": (False, True), "annotation": (False, False)}),
    (merge_patch, {"slot": (True, True), "annotation": (True, True)}),
    (restore, {"slot": (True, False), "annotation": (True, False)}),
]


@pytest.mark.parametrize("place", ["slot", "annotation"])
@pytest.mark.parametrize(
    ("event", "expected"), EVENTS, ids=lambda item: getattr(item, "__name__", "")
)
def test_the_matrix(
    schemes: dict[str, Scheme],
    place: str,
    event: Callable[[Client], None],
    expected: dict[str, tuple[bool, bool]],
) -> None:
    """Each cell is as the contract measured it on a real API server."""
    client = Client(store_of(CRDS[place], schemes[place]))
    event(client)
    assert client.kept() == expected[place]


@pytest.mark.parametrize("places", [("slot", "annotation"), ("annotation", "slot")])
def test_releases_with_and_without_a_slot_answer_in_turn(
    schemes: dict[str, Scheme], places: tuple[str, str]
) -> None:
    """As in a rollout, and in its rollback: what one of them kept, the other one shows."""
    client = Client(store_of(CRDS["slot"], schemes[places[0]]))
    other = store_of(CRDS["slot"], schemes[places[1]])
    other.stored = client.store.stored
    for size, store in enumerate([other, client.store, other]):
        client.store = store
        assert client.kept() == (True, True)
        store.patch("a", client.v2, {"spec": {"size": size}})
        assert client.kept() == (True, True)


def test_a_slot_is_read_in_text_without_annotations(schemes: dict[str, Scheme]) -> None:
    """Metadata that has nothing of ours stays text; the slot is found all the same."""
    new = box(status={"detail": "d"}, note="x" * 10_000)
    document: Any = schemes["slot"].convert(new, to="v1")
    assert "annotations" not in document["metadata"]
    found = schemes["annotation"].convert_bytes(json.dumps(document).encode(), to="v2")
    assert json.loads(found)["status"] == {"detail": "d"}


def test_a_slot_of_another_kind_is_ignored(schemes: dict[str, Scheme]) -> None:
    """Like an annotation: what is in the slot of a kind that has one is never user data."""
    new = box(status={"phase": "p", "detail": "d"})
    document: Any = schemes["slot"].convert(new, to="v1")
    document["status"]["$propertyBag"]["kind"] = "Crate"
    found: Any = schemes["slot"].convert(document, to="v2")
    assert found["status"] == {"phase": "p"}


@pytest.mark.parametrize("place", ["slot", "annotation"])
def test_a_restore_does_not_bring_the_status_back(schemes: dict[str, Scheme], place: str) -> None:
    """Neither at v1 nor at v2."""
    client = Client(store_of(CRDS[place], schemes[place]))
    restore(client)
    for version in (client.v1, client.v2):
        assert "status" not in client.read(version)


@pytest.mark.parametrize("place", ["slot", "annotation"])
def test_a_copy_on_another_kind_is_ignored(schemes: dict[str, Scheme], place: str) -> None:
    """A controller that copies annotations to what it makes does no harm."""
    client = Client(store_of(CRDS[place], schemes[place]))
    annotations = client.read(client.v1)["metadata"]["annotations"]
    stranger = {
        key: text.replace('"kind":"Box"', '"kind":"Crate"') for key, text in annotations.items()
    }
    copied = box("v1", spec={"size": 9}, status={"phase": "n"})
    copied["metadata"] = {"name": "child", "namespace": "b", "annotations": stranger}
    client.store.create(copied)
    seen = client.read(client.v2, "child")
    assert seen["spec"] == {"size": 9}
    assert "annotations" not in seen["metadata"]


@pytest.mark.parametrize("place", ["slot", "annotation"])
def test_who_writes_one_half_does_not_reach_the_other(
    schemes: dict[str, Scheme], place: str
) -> None:
    """A forged status bag changes no spec, and a forged spec bag no status."""
    client = Client(store_of(CRDS[place], schemes[place]))
    seen = client.read(client.v1)
    bag = json.loads(seen["metadata"]["annotations"][SPEC_ANNOTATION])
    bag["bags"]["/status"] = {"v2": {"detail": "forged"}}
    forged = copy.deepcopy(seen)
    forged["metadata"]["annotations"][SPEC_ANNOTATION] = json.dumps(bag)
    client.store.update(forged)
    assert client.kept() == (True, True)

    envelope = {**bag, "bags": {"/spec": {"v2": {"extra": "forged"}}}}
    forged = copy.deepcopy(seen)
    if place == "slot":
        forged["status"]["$propertyBag"] = envelope
        client.store.update_status(forged)
    else:
        forged["metadata"]["annotations"][STATUS_ANNOTATION] = json.dumps(envelope)
        client.store.update(forged)
    assert client.read(client.v2)["spec"] == {"size": 1, "extra": "x"}


def test_an_edit_wins_and_a_deletion_stays(schemes: dict[str, Scheme]) -> None:
    """What a client of v1 writes is seen at v2, and what it deletes is gone."""
    client = Client(store_of(CRDS["slot"], schemes["slot"]))
    client.store.patch("a", client.v1, {"spec": {"size": None}})
    assert client.read(client.v2)["spec"] == {"extra": "x"}
    client.store.patch("a", client.v2, {"spec": {"extra": None}})
    assert SPEC_ANNOTATION not in json.dumps(client.store.stored["a"])


def test_a_slot_that_the_stored_version_lacks_is_pruned(tmp_path: Any) -> None:
    """What waits in it is lost silently: that is why the linter looks for it."""
    crd = _crd(slot=True)
    status = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]
    config = CONFIG + "    crd: {kinds: {Box: {status_slot: true}}}\n"
    scheme = scheme_of(build_project(tmp_path, config, {"crd.json": json.dumps(crd)}))
    pruned = copy.deepcopy(crd)
    del pruned["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"][
        "properties"
    ]["$propertyBag"]
    assert "$propertyBag" in status["properties"]
    assert Client(store_of(pruned, scheme)).kept() == (True, False)
