"""Timeouts of kubeadm, which go from one configuration into others (R-TIMEOUTS)."""

from typing import Any, Final

from holdall import Completing, Members
from hooks.forms import duration, seconds
from hooks.paths import put, taken

OF_CONTROL_PLANE: Final = ["clusterConfiguration", "apiServer", "timeoutForControlPlane"]
OF_DISCOVERY: Final = ["joinConfiguration", "discovery", "timeout"]
TLS: Final = ["joinConfiguration", "timeouts", "tlsBootstrapSeconds"]
_POINTERS: Final = ("controlPlane", "featureGates", "config")
HEALTH: Final = "controlPlaneComponentHealthCheckSeconds"


class Timeouts(Completing):
    """The control plane's timeout becomes one of init and one of join, discovery's one of join."""

    older = newer = ("clusterConfiguration", "initConfiguration", "joinConfiguration")

    def complete_newer(self, older: Members, newer: Members) -> Members:
        control_plane, discovery = taken(older, OF_CONTROL_PLANE), taken(older, OF_DISCOVERY)
        for name in ("initConfiguration", "joinConfiguration"):
            put(newer, [name, "timeouts", HEALTH], _converted(seconds, control_plane))
        put(newer, TLS, _converted(seconds, discovery))
        return newer

    def complete_older(self, newer: Members, older: Members) -> Members:
        health = taken(newer, ["initConfiguration", "timeouts", HEALTH])
        put(older, OF_CONTROL_PLANE, _converted(duration, health))
        put(older, OF_DISCOVERY, _converted(duration, taken(newer, TLS)))
        return {name: one for name, one in older.items() if _is_said(one)}


def _is_said(value: Any) -> bool:
    """Tell whether an object holds anything; a pointer or map in it counts (R-STRUCTPTR)."""
    if isinstance(value, dict):
        return any(k in _POINTERS or _is_said(one) for k, one in value.items() if one is not None)
    return value != ""


def _converted(form: Any, value: Any) -> Any:
    return None if value is None else form(value, {})
