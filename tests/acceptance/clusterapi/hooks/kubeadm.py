"""What kubeadm's configurations and control planes need beside declarations."""

from typing import Final

from generated.bootstrap.v1beta1 import storage as bootstrap
from generated.controlplane.v1beta1 import storage as controlplane
from holdall import Always, Completing, Composed, Members

HEALTH: Final = "controlPlaneComponentHealthCheckSeconds"


def within(members: Members, name: str) -> Members:
    """Return an object in another one, which is made where it is missing."""
    if members.get(name) is None:
        members[name] = {}
    found: Members = members[name]
    return found


class Timeouts(Completing):
    """The control plane's timeout, which moves to init, is one of join as well (R-TIMEOUTS)."""

    older = newer = ("clusterConfiguration", "initConfiguration", "joinConfiguration")

    def complete_newer(self, older: Members, newer: Members) -> Members:
        of_init = (newer.get("initConfiguration") or {}).get("timeouts") or {}
        if of_init.get(HEALTH) is not None:
            within(within(newer, "joinConfiguration"), "timeouts")[HEALTH] = of_init[HEALTH]
        return newer

    def complete_older(self, newer: Members, older: Members) -> Members:
        """A pointer that joining has says something, whatever it holds (R-STRUCTPTR)."""
        if (newer.get("joinConfiguration") or {}).get("controlPlane") is not None:
            within(within(older, "joinConfiguration"), "controlPlane")
        return older


class Configurations(
    Composed,
    bootstrap.AssignableKubeadmConfigSpec,
    bootstrap.AssignableSpec,
    controlplane.AssignableKubeadmConfigSpec,
):
    parts = (Timeouts(),)


class Strategy(Completing):
    """The strategy of a template has a type in any case (R-KCPROLL)."""

    older = ("rolloutAfter", "rolloutBefore", "rolloutStrategy")
    newer = ("rollout",)

    def complete_newer(self, older: Members, newer: Members) -> Members:
        if older.get("rolloutStrategy") is not None:
            strategy = within(within(newer, "rollout"), "strategy")
            strategy["type"] = strategy.get("type") or "RollingUpdate"
        return newer

    def complete_older(self, newer: Members, older: Members) -> Members:
        return older


class TemplateSpecs(Composed, controlplane.AssignableSpec):
    parts = (Strategy(),)


class Templates(Composed, controlplane.AssignableKubeadmControlPlaneTemplate):
    """A template says something about machines in any case (R-KCPMT)."""

    parts = (Always(older={"spec/template/spec/machineTemplate": {}}),)


class Ready(Completing):
    """A control plane is ready if a machine is; later nobody says so (R-INIT)."""

    older = ("conditions", "failureMessage", "failureReason", "ready", "readyReplicas",
        "unavailableReplicas", "updatedReplicas")  # fmt: skip
    newer = ("deprecated",)

    def complete_newer(self, older: Members, newer: Members) -> Members:
        return newer

    def complete_older(self, newer: Members, older: Members) -> Members:
        return {**older, "ready": True} if (older.get("readyReplicas") or 0) > 0 else older


class ControlPlaneStatuses(Composed, controlplane.AssignableKubeadmControlPlaneStatus):
    parts = (Ready(),)
