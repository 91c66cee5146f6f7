"""`holdall install` on a real cluster: what it leaves, whose it is, and how it refuses to begin.

The same steps on the cluster in memory, which the unit tests use, must end alike.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from holdall.kubernetes.install.client import KubernetesCluster
from holdall.kubernetes.install.cluster import Cluster as Installed
from holdall.kubernetes.install.cluster import InstallError, crd_path, get, merge
from holdall.kubernetes.install.procedure import Installation, Options
from holdall.kubernetes.install.rescue import rescue
from holdall.kubernetes.install.target import Target
from holdall.scheme.scheme import Scheme
from tests.e2e.harness.certificates import Authority
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.webhooks import Answer, Webhook
from tests.support.crds import crd_of
from tests.support.fake_cluster import FakeCluster
from tests.support.projects import THING_CONFIG, THING_FILES, build_project, scheme_of

SCHEMA: dict[str, Any] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
OURS = ("holdall", "holdall-ca")


@dataclass(frozen=True)
class Place:
    """A cluster with the CRD of the project's kind, and the webhook for it."""

    cluster: Installed
    name: str
    scheme: Scheme
    target: Target

    def install(self, **options: Any) -> list[str]:
        """Install, and return what was changed."""
        chosen = Options(**{"seconds": 20.0, "way": "none", "crds": (self.name,), **options})
        run = Installation(self.cluster, self.target, [self.scheme], chosen)
        run.install()
        return run.installed

    def state(self) -> tuple[Any, Any]:
        """Return the stanza, and the fields of our two managers."""
        crd: Any = get(self.cluster, crd_path(self.name))
        owned = {
            entry["manager"]: entry["fieldsV1"]["f:spec"]["f:conversion"]
            for entry in crd["metadata"].get("managedFields", [])
            if entry["manager"] in OURS and entry["operation"] == "Apply"
        }
        return crd["spec"]["conversion"], owned


def thing_crd(group: str) -> dict[str, Any]:
    """Return the CRD of the kind Thing."""
    return crd_of("Thing", {"v2": SCHEMA, "v1": SCHEMA}, group=group, stored="v2")


@pytest.fixture
def place(cluster: Cluster, webhook: Webhook, group: str, tmp_path: Path) -> Place:
    """The real cluster."""
    config = THING_CONFIG.replace("api_group: example.com", f"api_group: {group}")
    scheme = scheme_of(build_project(tmp_path / "project", config, THING_FILES))
    webhook.behave = lambda review: Answer(scheme.review(_encoded(review)))
    cluster.api.post(
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", thing_crd(group)
    ).expect(201)
    target = Target(url=webhook.url, ca=base64.b64decode(webhook.bundle))
    return Place(KubernetesCluster(cluster.kubeconfig), f"things.{group}", scheme, target)


def _encoded(review: Any) -> bytes:
    from holdall.text.json import encode

    return encode(review)


def in_memory(place: Place) -> Place:
    """Return the same, in memory."""
    fake = FakeCluster([thing_crd(place.scheme.group)], place.scheme.review)
    return Place(fake, place.name, place.scheme, place.target)


def again(place: Place) -> None:
    """Install twice."""
    assert place.install() == [place.name]
    assert place.install() == []


def rotated(place: Place) -> None:
    """Install, then rotate the CA."""
    place.install()
    both = place.target.ca + Authority().pem
    turned = Place(place.cluster, place.name, place.scheme, Target(ca=both))
    assert turned.install(scope="ca") == [place.name]


def moved(place: Place) -> None:
    """Install behind another URL than before."""
    place.install()
    url = place.target.url + "/below"
    Place(place.cluster, place.name, place.scheme, Target(url=url, ca=place.target.ca)).install()


def injected(place: Place) -> None:
    """Let somebody else set the CA, and install without one."""
    place.install()
    both = base64.b64encode(place.target.ca + Authority().pem).decode()
    patch: Any = {"spec": {"conversion": {"webhook": {"clientConfig": {"caBundle": both}}}}}
    merge(place.cluster, crd_path(place.name), patch)
    url = place.target.url + "/below"
    Place(place.cluster, place.name, place.scheme, Target(url=url)).install()


def rescued(place: Place) -> None:
    """Install, and turn conversion off."""
    place.install()
    rescue(place.cluster, place.name)


def back(place: Place) -> None:
    """Install, turn conversion off, and install again."""
    rescued(place)
    assert place.install() == [place.name]


STEPS: tuple[Callable[[Place], None], ...] = (again, rotated, moved, injected, rescued, back)


@pytest.mark.parametrize("steps", STEPS, ids=lambda steps: steps.__name__)
def test_the_cluster_in_memory_is_true(place: Place, steps: Callable[[Place], None]) -> None:
    """The same steps leave the same stanza and the same ownership in both clusters."""
    steps(place)
    fake = in_memory(place)
    steps(fake)
    stanza, owned = place.state()
    expected, expected_owned = fake.state()
    for value in (stanza, expected):  # other authorities are made in each run
        value.get("webhook", {}).get("clientConfig", {}).pop("caBundle", None)
    assert (stanza, owned) == (expected, expected_owned)


def test_objects_are_converted(place: Place, cluster: Cluster) -> None:
    """After the installation an object of one version is read at the other."""
    place.install(way="direct")
    root = f"/apis/{place.scheme.group}"
    thing = {
        "apiVersion": f"{place.scheme.group}/v1",
        "kind": "Thing",
        "metadata": {"name": "one"},
        "spec": {"size": 3, "color": "red"},
    }
    cluster.api.post(f"{root}/v1/namespaces/default/things", thing).expect(201)
    newer = cluster.api.get(f"{root}/v2/namespaces/default/things/one").expect(200)
    assert newer["spec"] == {"size": 3}
    older = cluster.api.get(f"{root}/v1/namespaces/default/things/one").expect(200)
    assert older["spec"] == thing["spec"]


@pytest.mark.parametrize("way", ["direct", "none"])
def test_a_wrong_ca(place: Place, way: str) -> None:
    """A CA that does not vouch for the webhook ends it, seen from here or by the API server."""
    wrong = Target(url=place.target.url, ca=Authority().pem)
    with pytest.raises(InstallError) as error:
        Place(place.cluster, place.name, place.scheme, wrong).install(way=way)
    assert [problem.code for problem in error.value.problems] == [
        "HA885" if way == "direct" else "HA886"
    ]
    assert place.state()[0] == {"strategy": "None"}
    assert get(place.cluster, crd_path("probes.install.holdall.dev")) is None


def test_a_server_that_is_none(place: Place) -> None:
    """A webhook that answers something else is seen by the probe."""
    url = place.target.url.replace("https://127.0.0.1", "https://localhost")
    with pytest.raises(InstallError, match="HA886"):
        Place(
            place.cluster, place.name, place.scheme, Target(url=url, ca=place.target.ca)
        ).install()
    assert place.state()[0] == {"strategy": "None"}
