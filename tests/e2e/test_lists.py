"""Lists and watches of many objects, at versions other than the stored one."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from typing import Any

import pytest

from tests.e2e.conftest import StartProduct
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import Resource
from tests.e2e.harness.parcels import VERSIONS, spec

COUNT = 500


def _name(number: int) -> str:
    return f"parcel-{number:03}"


def _expected(number: int, version: str) -> dict[str, Any]:
    return {**spec(version), "grams" if version == "v2" else "weight": number}


@pytest.fixture(scope="module")
def parcels(start_product: StartProduct, cluster: Cluster) -> Resource:
    """500 parcels that were written at v2 and are stored at v1, each of another weight."""
    product = start_product("post.lists.example.com")
    found = product.create(cluster.api, "Parcel", storage="v1")
    with closing(cluster.api.connect()) as connection:
        for number in range(COUNT):
            item = found.new("v2", _name(number), spec=_expected(number, "v2"))
            item["metadata"]["labels"] = {"tens": str(number // 10)}
            cluster.api.request("POST", found.path("v2"), item, on=connection).expect(201)
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_a_list_shows_every_object_in_order(parcels: Resource, version: str) -> None:
    """500 objects in one list: all there, in order, each in the words of the version."""
    items = parcels.items(version)
    assert [item["metadata"]["name"] for item in items] == [_name(n) for n in range(COUNT)]
    for number, item in enumerate(items):
        assert item["apiVersion"].endswith(f"/{version}")
        assert item["spec"] == _expected(number, version)


def test_a_list_in_pieces_is_the_list(cluster: Cluster, parcels: Resource) -> None:
    """Piece by piece, with the server's continue tokens, it is the same list."""
    found: list[str] = []
    token = ""
    while True:
        path = f"{parcels.path('v2')}?limit=150&continue={token}"
        piece = cluster.api.get(path).expect(200)
        found += [item["metadata"]["name"] for item in piece["items"]]
        token = piece["metadata"].get("continue", "")
        if not token:
            break
    assert found == [_name(number) for number in range(COUNT)]


def test_a_selector_selects_and_the_cache_answers_alike(
    cluster: Cluster, parcels: Resource
) -> None:
    """With a label selector, and from the watch cache, the objects are those of a plain list."""
    whole = {item["metadata"]["name"]: item for item in parcels.items("v2")}
    for query in ("labelSelector=tens%3D7", "labelSelector=tens%3D7&resourceVersion=0"):
        found = cluster.api.get(f"{parcels.path('v2')}?{query}").expect(200)["items"]
        names = sorted(item["metadata"]["name"] for item in found)  # the cache has no order
        assert names == [_name(number) for number in range(70, 80)]
        assert all(item == whole[item["metadata"]["name"]] for item in found)


def test_kubectl_lists_at_the_version_asked_for(cluster: Cluster, parcels: Resource) -> None:
    """kubectl shows all of them at an old version."""
    lines = cluster.kubectl("get", parcels.argument("v1alpha1"), "-o", "name").splitlines()
    assert len(lines) == COUNT


@pytest.mark.parametrize("version", VERSIONS)
def test_a_watch_speaks_the_words_of_its_version(
    cluster: Cluster, watched: Resource, version: str
) -> None:
    """Added, modified and deleted through another version: every event is converted."""
    name = f"watched-{version}"
    start = cluster.api.get(watched.path(version)).expect(200)["metadata"]["resourceVersion"]
    events = _events(cluster, watched, version, name, start)
    with closing(events):
        watched.create(watched.new("v2", name, spec=spec("v2")))
        assert _next(events) == ("ADDED", spec(version))
        cluster.api.patch(watched.path("v1", name), {"spec": {"addressee": "Bob"}}).expect(200)
        assert _next(events) == ("MODIFIED", {**spec(version), "addressee": "Bob"})
        cluster.api.delete(watched.path("v1alpha1", name)).expect(200)
        assert _next(events) == ("DELETED", {**spec(version), "addressee": "Bob"})


@pytest.fixture(scope="module")
def watched(start_product: StartProduct, cluster: Cluster) -> Resource:
    """Parcels of a group of their own, stored at v1."""
    product = start_product("post-watched.lists.example.com")
    return product.create(cluster.api, "Parcel", storage="v1")


def _events(
    cluster: Cluster, resource: Resource, version: str, name: str, start: str
) -> Generator[Any]:
    query = f"resourceVersion={start}&fieldSelector=metadata.name%3D{name}"
    return cluster.api.watch(f"{resource.path(version)}?{query}")


def _next(events: Generator[Any]) -> tuple[str, Any]:
    event = next(events)
    return event["type"], event["object"].get("spec", event["object"])
