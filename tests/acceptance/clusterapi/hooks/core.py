"""Which hooks the kinds of cluster.x-k8s.io have."""

from typing import Final

from generated.core.v1beta1 import storage as core
from holdall import Composed, EachValue
from hooks import forms, rules
from hooks.filled import Always, Filled
from hooks.moved import Moved

_COUNTS: Final = ("readyReplicas", "availableReplicas")
_DONE: Final = {
    "bootstrapReady": "bootstrapDataSecretCreated",
    "infrastructureReady": "infrastructureProvisioned",
}
_INNER: Final = ("additionalProperties", "allOf", "anyOf", "items", "not", "oneOf", "properties")


def reference(name: str) -> Moved:
    """A reference of which the contract tells the version (R-REFV)."""
    return Moved({name: (name, forms.REFERENCE)})


class Clusters(Composed, core.AssignableClusterSpec):
    parts = (reference("controlPlaneRef"), reference("infrastructureRef"))


class TopologyControlPlanes(Composed, core.AssignableTopologyControlPlane):
    parts = (Moved(rules.TOPOLOGY),)


class TopologyDeployments(Composed, core.AssignableTopologyWorkersMachineDeployment):
    parts = (Moved({**rules.TOPOLOGY, **rules.rollout(), "rollout/after": "rollout/after"}),)


class TopologyPools(Composed, core.AssignableTopologyWorkersMachinePool):
    parts = (Moved(rules.deletion()),)


class ClassReferences(Composed, core.AssignableClusterClass):
    """A class has references to templates in any case (R-REFT)."""

    parts = (Always("spec/infrastructure/ref", "spec/controlPlane/ref", namespaced=True),)


class ClusterClasses(Composed, core.AssignableClusterClassSpec):
    parts = (Moved(rules.CLASS),)


class Schemas(Composed, core.AssignableOpenAPIV3Schema):
    """In schemas within a schema, too, `false` says nothing in the older version (R-BOOLPTR)."""

    parts = tuple(EachValue(one, forms.without_false, lambda same: same) for one in _INNER)


class ClassDeployments(Composed, core.AssignableClusterClassSpecWorkersMachineDeployment):
    parts = (Moved({**rules.CLASS_TEMPLATE, **rules.MACHINES, **rules.rollout()}),)


class ClassPools(Composed, core.AssignableClusterClassSpecWorkersMachinePool):
    parts = (Moved({**rules.CLASS_TEMPLATE, **rules.deletion()}),)


class ClassVariables(
    Composed,
    core.AssignableClusterClassSpecVariable,
    core.AssignableClusterClassStatusVariableDefinition,
):
    parts = (Filled("required", False),)


class Machines(Composed, core.AssignableMachineSpec, core.AssignableSpec):
    parts = (Moved(rules.deletion()), reference("infrastructureRef"))


class Bootstraps(Composed, core.AssignableMachineSpecBootstrap, core.AssignableSpecBootstrap):
    parts = (reference("configRef"),)


class MachineStatuses(Composed, core.AssignableMachineStatus):
    parts = (Moved({"nodeRef": ("nodeRef", forms.NODE)}),)


class MachineDeploymentSpecs(Composed, core.AssignableMachineDeploymentSpec):
    parts = (Moved({**rules.rollout("remediation"), "rolloutAfter": "rollout/after"}),)


class MachineDeployments(Composed, core.AssignableMachineDeployment):
    _status = rules.status(*_COUNTS, "unavailableReplicas", "updatedReplicas")
    parts = (Moved(_status, always=rules.REPLICATED),)


class MachineSets(Composed, core.AssignableMachineSet):
    _status = rules.status(*rules.FAILURE, *_COUNTS, "fullyLabeledReplicas")
    parts = (Moved(_status, always=rules.REPLICATED, empty_texts=True),)


class MachinePools(Composed, core.AssignableMachinePool):
    _status = rules.status(*rules.FAILURE, *_COUNTS, "unavailableReplicas", **_DONE)
    parts = (Moved(_status, always=rules.REPLICATED, empty_texts=True),)


class MachineHealthChecks(Composed, core.AssignableMachineHealthCheckSpec):
    parts = (Moved(rules.health_check()),)
