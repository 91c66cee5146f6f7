"""The client of docs/pinned-versions.md works at v1 while the storage version moves."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.harness.certificates import Authority
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import Resource, move_storage
from tests.e2e.harness.processes import Program, wait_for
from tests.e2e.harness.product import Product, Project, Server
from tests.support.pages import ROOT, files_of

_START = """
import json, sys
from kubernetes import client, config
import gardens_v1
config.load_kube_config(sys.argv[1])
api = client.CustomObjectsApi()
"""
_WATCH = f"""{_START}
for what, garden in gardens_v1.changes(api, "default"):
    shown = [what, garden.api_version, garden.metadata["name"], garden.spec.to_dict()]
    print(json.dumps(shown), flush=True)
"""
_EDIT = f"""{_START}
def change(spec):
    spec.minutes = int(sys.argv[3])
gardens_v1.edit(api, "default", sys.argv[2], change)
"""


@pytest.fixture(scope="module")
def product(authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """The project of the page, served."""
    root = tmp_path_factory.mktemp("pinned")
    for name, text in files_of(ROOT / "docs/pinned-versions.md").items():
        (root / name).write_text(text, encoding="utf-8")
    project = Project(root, "city.example.com")
    project.succeed("generate")
    server = Server(root, tmp_path_factory.mktemp("server"), authority)
    yield Product(project, server)
    server.stop()


@pytest.fixture(scope="module")
def gardens(product: Product, cluster: Cluster) -> Resource:
    """Its objects, stored at v1 in the beginning."""
    return product.create(cluster.api, "Garden", storage="v1")


def _command(cluster: Cluster, text: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", text, str(cluster.kubeconfig), *arguments]


class Watcher:
    """The client that watches, and what it has seen."""

    def __init__(self, product: Product, cluster: Cluster, log: Path) -> None:
        self.program = Program(
            "the watching client",
            _command(cluster, _WATCH),
            log=log,
            folder=product.project.root,
            environment={"PYTHONPATH": "."},
        )

    def seen(self) -> list[Any]:
        return [json.loads(line) for line in self.program.last_lines(1000).splitlines()]

    def wait_for(self, name: str, spec: Any) -> None:
        """Wait until it has seen an object as v1 shows it; it sees nothing but v1."""
        wait_for(f"{name} {spec}", lambda: [name, spec] in [item[2:] for item in self.seen()])
        assert {item[1] for item in self.seen()} == {"city.example.com/v1"}


def _edit(product: Product, cluster: Cluster, name: str, minutes: int) -> None:
    command = _command(cluster, _EDIT, name, str(minutes))
    environment = {"PYTHONPATH": ".", "PATH": ""}
    done = subprocess.run(
        command, cwd=product.project.root, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def _spec(gardens: Resource, version: str, name: str) -> Any:
    return gardens.read(version, name)["spec"]


def test_nothing_is_lost_and_nothing_is_missed(
    product: Product, gardens: Resource, cluster: Cluster, tmp_path: Path
) -> None:
    """At every storage version, while it moves: edits at v1 keep what only v2 has."""
    watcher = Watcher(product, cluster, tmp_path / "watch.log")
    rich = {"plants": ["roses", "herbs"], "minutes": 1, "paused": True}
    try:
        gardens.create(gardens.new("v2", "rich", spec=rich))
        watcher.wait_for("rich", {"plants": "roses", "minutes": 1})
        for minutes, storage in enumerate(("v1", "v2", "v1", "v2"), start=2):
            move_storage(cluster.api, gardens.crd, storage)
            _edit(product, cluster, "rich", minutes)
            watcher.wait_for("rich", {"plants": "roses", "minutes": minutes})
            assert _spec(gardens, "v2", "rich") == {**rich, "minutes": minutes}
            name = f"plain{minutes}"
            gardens.create(gardens.new("v1", name, spec={"plants": name}))
            watcher.wait_for(name, {"plants": name})
            assert _spec(gardens, "v2", name) == {"plants": [name]}
        patch = {"spec": {"minutes": 90}}
        cluster.api.patch(gardens.path("v1", "rich"), patch).expect(200)
        watcher.wait_for("rich", {"plants": "roses", "minutes": 90})
        assert _spec(gardens, "v2", "rich") == {**rich, "minutes": 90}
        assert watcher.program.is_running()
    finally:
        watcher.program.stop()


def test_a_write_at_one_version_conflicts_with_one_at_another(
    gardens: Resource, cluster: Cluster
) -> None:
    """`resourceVersion`, `uid` and `generation` are of the object, not of a version."""
    gardens.create(gardens.new("v1", "one", spec={"plants": "a", "minutes": 1}))
    old, new = (gardens.read(version, "one") for version in ("v1", "v2"))
    for key in ("resourceVersion", "uid", "generation"):
        assert old["metadata"][key] == new["metadata"][key]
    new["spec"]["paused"] = True
    cluster.api.put(gardens.path("v2", "one"), new).expect(200)
    old["spec"]["minutes"] = 2
    cluster.api.put(gardens.path("v1", "one"), old).expect(409)
