"""Hidden data of list elements on a real API server, which fills in defaults and prunes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import StartProduct
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import Resource
from tests.e2e.harness.product import Product, Project
from tests.support.crds import crd_of, struct

GROUP = "elements.example.com"
CONFIG = f"""
groups:
  elements:
    api_group: {GROUP}
    sources:
      - crds: crd.json
    versions: [v1, v2]
"""
TEXT: dict[str, Any] = {"type": "string"}


def listed(keys: list[str] | None, **members: Any) -> dict[str, Any]:
    """Return the schema of a list of objects, of type map if it has keys."""
    found: dict[str, Any] = {"type": "array", "items": {"type": "object", "properties": members}}
    if keys is not None:
        found |= {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys}
        found["items"]["required"] = keys[:1]
    return found


SPECS = {
    "v1": {
        "routes": listed(None, host=TEXT, mode=TEXT, secret=TEXT),
        "ports": listed(None, port={"type": "integer"}, protocol=TEXT, secret=TEXT),
    },
    "v2": {
        "routes": listed(None, host=TEXT, mode={**TEXT, "default": "rw"}),
        "ports": listed(
            ["port", "protocol"], port={"type": "integer"}, protocol={**TEXT, "default": "TCP"}
        ),
    },
}


@pytest.fixture(scope="module")
def product(start_product: StartProduct, tmp_path_factory: pytest.TempPathFactory) -> Product:
    """A project whose newer version has defaults in the elements of its lists."""
    root: Path = tmp_path_factory.mktemp("elements")
    schemas = {name: struct(spec=struct(**lists)) for name, lists in SPECS.items()}
    crd = crd_of("Gate", schemas, group=GROUP)
    (root / "crd.json").write_text(json.dumps(crd))
    (root / "holdall.yaml").write_text(CONFIG)
    project = Project(root, GROUP)
    project.succeed("generate")
    return start_product(project)


@pytest.fixture(scope="module", params=["v1", "v2"])
def gates(product: Product, cluster: Cluster, request: pytest.FixtureRequest) -> Any:
    """Gates, stored at the version that has the secrets, and at the other one."""
    found = product.create(cluster.api, "Gate", storage=request.param)
    yield found
    cluster.kubectl("delete", "crd", found.crd)


def hosts(items: list[Any]) -> list[tuple[str, str | None]]:
    return [(item["host"], item.get("secret")) for item in items]


def patch(cluster: Cluster, gates: Resource, name: str, member: str, items: list[Any]) -> None:
    text = json.dumps({"spec": {member: items}})
    cluster.kubectl("patch", gates.argument("v2"), name, "--type", "merge", "-p", text)


def routes(cluster: Cluster, gates: Resource, name: str, version: str) -> list[Any]:
    found: list[Any] = cluster.kubectl.json("get", gates.argument(version), name)["spec"]["routes"]
    return found


EDITS: dict[str, tuple[Callable[[list[Any]], list[Any]], list[tuple[str, str | None]]]] = {
    "sorted": (
        lambda now: [now[2], now[0], now[1]],
        [("c", "S-c"), ("a", "S-a"), ("b", "S-b")],
    ),
    "shortened": (lambda now: now[:2], [("a", "S-a"), ("b", "S-b")]),
    "replaced": (
        lambda now: [now[1], now[2], {"host": "new"}],
        [("b", "S-b"), ("c", "S-c"), ("new", None)],
    ),
    "edited": (
        lambda now: [now[0], {**now[1], "host": "x"}, now[2], {"host": "new"}],
        [("a", "S-a"), ("x", "S-b"), ("c", "S-c"), ("new", None)],
    ),
    "copied": (
        lambda now: [*now, now[0]],
        [("a", "S-a"), ("b", "S-b"), ("c", "S-c"), ("a", None)],
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_what_an_element_hides_stays_with_it(cluster: Cluster, gates: Resource, name: str) -> None:
    """The server fills `mode` in where the version of the defaults is the one that is stored."""
    edit, expected = EDITS[name]
    given = [{"host": host, "secret": f"S-{host}"} for host in "abc"]
    cluster.kubectl("create", "-f", "-", given=gates.new("v1", name, spec={"routes": given}))
    shown = routes(cluster, gates, name, "v2")
    assert hosts(shown) == [("a", None), ("b", None), ("c", None)]
    patch(cluster, gates, name, "routes", edit(shown))
    assert {item["mode"] for item in routes(cluster, gates, name, "v1")} == {"rw"}
    assert hosts(routes(cluster, gates, name, "v1")) == expected


def test_a_list_key_may_be_left_to_its_default(cluster: Cluster, gates: Resource) -> None:
    """`protocol` is a key; the older version does not know its default."""
    given = [{"port": 80, "secret": "S"}, {"port": 80, "protocol": "UDP", "secret": "U"}]
    cluster.kubectl("create", "-f", "-", given=gates.new("v1", "keyed", spec={"ports": given}))
    shown = cluster.kubectl.json("get", gates.argument("v2"), "keyed")["spec"]["ports"]
    patch(cluster, gates, "keyed", "ports", [*reversed(shown), {"port": 81}])
    found = cluster.kubectl.json("get", gates.argument("v1"), "keyed")["spec"]["ports"]
    assert [(item["port"], item["protocol"], item.get("secret")) for item in found] == [
        (80, "UDP", "U"),
        (80, "TCP", "S"),
        (81, "TCP", None),
    ]
