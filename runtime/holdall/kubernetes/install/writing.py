"""Writing the stanza into CRDs, by server-side apply, each field under the manager that owns it."""

from __future__ import annotations

from dataclasses import replace

from holdall.kubernetes.install.cluster import (
    CA_MANAGER,
    CRDS,
    MANAGER,
    Cluster,
    apply,
    crd_path,
    merge,
)
from holdall.kubernetes.install.plan import CrdChange
from holdall.kubernetes.install.target import Target
from holdall.types import JsonObject, JsonValue, get, members

_ADDRESSES = ("url", "service")


def write_change(cluster: Cluster, change: CrdChange, target: Target) -> None:
    """Make one planned change. Raises InstallError; a CRD that changed meanwhile is refused.

    Conflicts were judged by the plan, so `force`; the resource version guards that judgement.
    The CA comes with the rest in one request, for there is no valid state between them; then it
    goes over to its own manager, so that a rotation later touches nothing else.
    """
    path = crd_path(change.name)
    bundle = get(change.after, "webhook", "clientConfig", "caBundle")
    ca: JsonObject = {"webhook": {"clientConfig": {"caBundle": bundle}}}
    if change.is_ca_only:
        _apply(cluster, change.name, ca, CA_MANAGER, change.resource_version)
        return
    before = members(change.before, "webhook", "clientConfig")
    after = members(change.after, "webhook", "clientConfig")
    gone: JsonObject = {name: None for name in _ADDRESSES if name in before and name not in after}
    if gone:
        # Applying cannot remove what another manager set, and both together are refused.
        patch: JsonValue = {
            "metadata": {"resourceVersion": change.resource_version},
            "spec": {
                "conversion": {"webhook": {"clientConfig": {**gone, **after}}},
            },
        }
        merge(cluster, path, patch)
        change = replace(change, resource_version="")
    elif change.has_loose_bundle:
        _apply(cluster, change.name, ca, CA_MANAGER, change.resource_version)
        change = replace(change, resource_version="")
    _apply(cluster, change.name, target.stanza(), MANAGER, change.resource_version)
    if target.ca:
        _apply(cluster, change.name, ca, CA_MANAGER, "")
        _apply(cluster, change.name, target.stanza(with_ca=False), MANAGER, "")


def _apply(
    cluster: Cluster, name: str, stanza: JsonObject, manager: str, resource_version: str
) -> None:
    metadata: JsonObject = {"name": name}
    if resource_version:
        metadata["resourceVersion"] = resource_version
    value: JsonObject = {
        "apiVersion": CRDS.removeprefix("/apis/").rpartition("/")[0],
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": {"conversion": stanza},
    }
    apply(cluster, crd_path(name), value, manager=manager, force=True)
