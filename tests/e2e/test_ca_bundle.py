"""The scenario `CABundle`: the webhook's certificate and the bundle of the CRD do not fit."""

from __future__ import annotations

import pytest

from tests.e2e.harness.certificates import Authority
from tests.e2e.harness.cluster import Cluster
from tests.e2e.harness.crds import change_crd, conversion, create_crd
from tests.e2e.harness.multiversion import multiversion_crd
from tests.e2e.harness.processes import wait_for
from tests.e2e.harness.webhooks import Webhook


@pytest.mark.parametrize("bundle", ["foreign", "none", "whitespace"])
def test_a_wrong_bundle_breaks_conversions_only(
    server: Cluster, webhook: Webhook, group: str, bundle: str
) -> None:
    """1.20 accepts any bundle; conversions fail, objects at the storage version are untouched."""
    given = {"foreign": Authority("another").bundle, "none": "", "whitespace": "Cg=="}[bundle]
    crd = multiversion_crd(group, conversion(webhook.url, given))
    resource = create_crd(server.api, crd)
    resource.create(resource.new("v1beta1", "thing", num={"num1": 7}))
    assert resource.read("v1beta1", "thing")["num"] == {"num1": 7}
    reply = server.api.get(resource.path("v1beta2", "thing"))
    assert reply.status == 500
    assert "x509: certificate signed by unknown authority" in reply.message
    assert not webhook.reviews

    change_crd(
        server.api,
        resource.crd,
        lambda spec: spec.update(conversion=conversion(webhook.url, webhook.bundle)),
    )
    path = resource.path("v1alpha1", "thing")
    found = wait_for("the repaired bundle", lambda: _object(server.api.get(path).json))
    assert found["num"] == {"num1": 7}


def _object(found: dict[str, object]) -> dict[str, object] | None:
    return found if found["kind"] == "MultiVersion" else None
