"""Which hooks the kinds of kubeadm have: bootstrap and control planes."""

from typing import ClassVar

from generated.bootstrap.v1beta1 import storage as bootstrap
from generated.controlplane.v1beta1 import storage as controlplane
from holdall import Composed, Members
from hooks import forms, rules
from hooks.filled import Always, Filled
from hooks.keyed import Keyed
from hooks.moved import Moved
from hooks.paths import taken
from hooks.timeouts import Timeouts


class Configurations(
    Composed,
    bootstrap.AssignableKubeadmConfigSpec,
    bootstrap.AssignableSpec,
    controlplane.AssignableKubeadmConfigSpec,
):
    parts = (Timeouts(),)


class Components(
    Composed,
    bootstrap.AssignableApiServer,
    bootstrap.AssignableControllerManager,
    bootstrap.AssignableScheduler,
    bootstrap.AssignableLocal,
    controlplane.AssignableApiServer,
    controlplane.AssignableControllerManager,
    controlplane.AssignableScheduler,
    controlplane.AssignableLocal,
):
    parts = (Keyed("extraArgs", value="value"),)


class NodeRegistrations(
    Composed, bootstrap.AssignableNodeRegistration, controlplane.AssignableNodeRegistration
):
    parts = (Keyed("kubeletExtraArgs", value="value"),)


class Partitions(Composed, bootstrap.AssignablePartition, controlplane.AssignablePartition):
    parts = (Filled("layout", False),)


class KubeadmConfigs(Composed, bootstrap.AssignableKubeadmConfig):
    _status: ClassVar = {
        **rules.status(*rules.FAILURE, counts=False, ready="dataSecretCreated"),
        "status/dataSecretName": ("status/dataSecretName", forms.SET_BEFORE),
    }
    parts = (Moved(_status, always=rules.DEPRECATED, empty_texts=True),)


class ControlPlaneSpecs(Composed, controlplane.AssignableKubeadmControlPlaneSpec):
    parts = (Moved(rules.control_plane()),)


class TemplateSpecs(Composed, controlplane.AssignableSpec):
    _spec: ClassVar = {
        **rules.control_plane(),
        "rolloutStrategy": ("rollout/strategy", forms.ROLLING),
    }
    parts = (Moved(_spec),)


class Templates(Composed, controlplane.AssignableKubeadmControlPlaneTemplate):
    """A template says something of machines in any case (R-KCPMT)."""

    parts = (Always("spec/template/spec/machineTemplate"),)


class ControlPlaneStatus(Moved):
    """A control plane is ready if a machine is; later nobody says so."""

    def to_newer(self, older: Members) -> Members:
        taken(older, ["status", "ready"])
        return super().to_newer(older)

    def to_older(self, newer: Members) -> Members:
        made = super().to_older(newer)
        if (made.get("status", {}).get("readyReplicas") or 0) > 0:
            made["status"]["ready"] = True
        return made


class ControlPlanes(Composed, controlplane.AssignableKubeadmControlPlane):
    _deprecated = (*rules.FAILURE, "readyReplicas", "unavailableReplicas", "updatedReplicas")
    _status: ClassVar = {
        **rules.status(*_deprecated, initialized="controlPlaneInitialized"),
        "status/lastRemediation": ("status/lastRemediation", forms.LAST_REMEDIATION),
        "status/version": ("status/version", forms.SET_BEFORE),
    }
    parts = (ControlPlaneStatus(_status, always=rules.REPLICATED, empty_texts=True),)
