"""What objects of one version have in any case."""

from generated.addons.v1beta1 import storage as addons
from generated.bootstrap.v1beta1 import storage as bootstrap
from generated.controlplane.v1beta1 import storage as controlplane
from generated.core.v1beta1 import storage as core
from generated.infrastructure.v1beta1 import storage as infrastructure
from generated.ipam.v1alpha1 import storage as ipam_alpha
from generated.ipam.v1beta1 import storage as ipam
from holdall import Always, Composed, Given

NAMESPACE = Given("object:namespace")


class ReplicaStatuses(
    Composed,
    controlplane.AssignableKubeadmControlPlane,
    core.AssignableMachineDeployment,
    core.AssignableMachinePool,
    core.AssignableMachineSet,
):
    """Counters, and a place for deprecated ones (R-DEPALWAYS)."""

    parts = (Always(newer={"status/deprecated/v1beta1": {}, "status/replicas": 0}),)


class ConfigStatuses(Composed, bootstrap.AssignableKubeadmConfig):
    """A place for what is deprecated (R-DEPALWAYS)."""

    parts = (Always(newer={"status/deprecated/v1beta1": {}}),)


class Remediations(Composed, controlplane.AssignableLastRemediation):
    """How often a machine was tried again (R-LASTREM)."""

    parts = (Always(newer={"retryCount": 0}),)


class Classes(Composed, core.AssignableClusterClass):
    """References to templates, in the namespace of the class (R-REFT)."""

    _references = ("spec/infrastructure/ref", "spec/controlPlane/ref")
    parts = (Always(older={f"{one}/namespace": NAMESPACE for one in _references}),)


class ClassTemplates(
    Composed,
    core.AssignableClusterClassSpecWorkersMachineDeployment,
    core.AssignableClusterClassSpecWorkersMachinePool,
):
    """References to templates of machines (R-REFT)."""

    _references = ("template/bootstrap/ref", "template/infrastructure/ref")
    parts = (Always(older={f"{one}/namespace": NAMESPACE for one in _references}),)


class Variables(
    Composed,
    core.AssignableClusterClassSpecVariable,
    core.AssignableClusterClassStatusVariableDefinition,
):
    """Whether a variable is required (R-BOOLPTR)."""

    parts = (Always(newer={"required": False}),)


class Partitions(Composed, bootstrap.AssignablePartition, controlplane.AssignablePartition):
    """Whether a disk gets partitions (R-BOOLPTR)."""

    parts = (Always(newer={"layout": False}),)


class Resources(Composed, addons.AssignableBindingResource):
    """Whether a resource was applied (R-BOOLPTR)."""

    parts = (Always(newer={"applied": False}),)


class Addresses(Composed, ipam.AssignableIPAddress, ipam_alpha.AssignableIPAddress):
    """The prefix of an address (R-PREFIX)."""

    parts = (Always(newer={"spec/prefix": 0}),)


class UnhealthyConditions(
    Composed, core.AssignableUnhealthyCondition, core.AssignableUnhealthyMachineCondition
):
    """When a condition begins to count (R-MHC)."""

    parts = (Always(newer={"timeoutSeconds": 0}),)


class FailureDomains(
    Composed, core.AssignableFailureDomain, infrastructure.AssignableFailureDomain
):
    """Whether a failure domain is for control planes (R-FD)."""

    parts = (Always(newer={"controlPlane": False}),)
