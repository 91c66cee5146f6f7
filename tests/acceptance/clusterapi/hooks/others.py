"""Which hooks the kinds of the other groups have."""

from typing import Any, Final

from generated.addons.v1beta1 import storage as addons
from generated.core.v1beta1 import storage as core
from generated.infrastructure.v1beta1 import storage as infrastructure
from generated.ipam.v1alpha1 import storage as ipam_alpha
from generated.ipam.v1beta1 import storage as ipam
from holdall import Completing, Composed, Members
from hooks.forms import SET_BEFORE, WHOLE, Form
from hooks.keyed import Keyed
from hooks.moved import Moved
from hooks.paths import pruned, put, taken


def _bindings(older: Any, _: Any) -> Any:
    for resource in (one for binding in older for one in (binding or {}).get("resources") or ()):
        if resource is not None:
            resource["applied"] = resource.get("applied") or False
    return older


BINDINGS: Final = Form(
    _bindings, lambda newer, _: [None if pruned(one, "") is None else one for one in newer]
)
"""Bindings, which are null where they hold nothing (R-RSB), and say whether they are applied."""


class Bindings(Composed, addons.AssignableClusterResourceSetBindingSpec):
    parts = (Moved({"bindings": ("bindings", BINDINGS)}),)


class Addresses(Composed, ipam.AssignableIPAddress, ipam_alpha.AssignableIPAddress):
    """An address has a prefix in any case (R-PREFIX)."""

    parts = (
        Moved(
            {
                "spec": ("spec", WHOLE),
                "spec/poolRef/apiGroup": ("spec/poolRef/apiGroup", SET_BEFORE),
            },
            always={"spec/prefix": 0},
        ),
    )


class ClusterLabel(Completing):
    """The name of a cluster is a label in v1alpha1, and an annotation tells that it was none.

    Where annotations have no room for that, the label stays.
    """

    older = newer = ("metadata", "spec")
    _label: Final = ["metadata", "labels", "cluster.x-k8s.io/cluster-name"]
    _note: Final = ["metadata", "annotations", "conversion.cluster.x-k8s.io/cluster-name-label-set"]

    def complete_newer(self, older: Members, newer: Members) -> Members:
        newer |= {name: value for name, value in older.items() if name == "metadata"}
        if labels := (older.get("metadata") or {}).get("labels"):
            is_set = taken(newer, self._note) != "false"
            name = labels.get(self._label[-1]) if is_set else taken(newer, self._label)
            put(newer, ["spec", "clusterName"], name or None)
        return newer

    def complete_older(self, newer: Members, older: Members) -> Members:
        older |= {name: value for name, value in newer.items() if name == "metadata"}
        if name := taken(newer, ["spec", "clusterName"]):
            notes = (older.get("metadata") or {}).get("annotations") or {}
            room = 262144 - sum(len(f"{key}{text}".encode()) for key, text in notes.items())
            if taken(older, self._label) is None and room >= len(f"{self._note[-1]}false"):
                put(older, self._note, "false")
            put(older, self._label, name)
        return older


class Claims(Composed, ipam_alpha.AssignableIPAddressClaim):
    parts = (ClusterLabel(),)


class FailureDomains(
    Composed,
    core.AssignableClusterStatus,
    infrastructure.AssignableDevClusterStatus,
    infrastructure.AssignableDevClusterSpecBackendDocker,
    infrastructure.AssignableDevClusterTemplateSpecTemplateSpecBackendDocker,
):
    parts = (Keyed("failureDomains", filled={"controlPlane": False}),)
