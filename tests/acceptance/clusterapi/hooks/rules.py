"""Where members stand in both versions, as several kinds have them."""

from collections.abc import Mapping
from typing import Final

from hooks import forms
from hooks.forms import Form

Places = Mapping[str, str | tuple[str, Form]]

NODE_TIMEOUTS: Final = ("nodeDrainTimeout", "nodeVolumeDetachTimeout", "nodeDeletionTimeout")
FAILURE: Final = ("failureReason", "failureMessage")
DEPRECATED: Final = {"status/deprecated/v1beta1": {}}
"""What five kinds have in any case (R-DEPALWAYS)."""
REPLICATED: Final = {**DEPRECATED, "status/replicas": 0}
_COUNTERS: Final = ("readyReplicas", "availableReplicas", "upToDateReplicas")


def deletion(older: str = "", newer: str = "") -> Places:
    """The timeouts of nodes, in `deletion` later (R-DUR)."""
    return {f"{older}{name}": f"{newer}deletion/{name}Seconds" for name in NODE_TIMEOUTS}


def health_check(older: str = "", newer: str = "") -> Places:
    """A health check (R-MHC)."""
    nodes, machines = "unhealthyNodeConditions", "unhealthyMachineConditions"
    trigger, template = f"{newer}remediation/triggerIf", f"{newer}remediation/templateRef"
    return {
        f"{older}unhealthyConditions": (f"{newer}checks/{nodes}", forms.UNHEALTHY),
        f"{older}{machines}": (f"{newer}checks/{machines}", forms.UNHEALTHY),
        f"{older}nodeStartupTimeout": f"{newer}checks/nodeStartupTimeoutSeconds",
        f"{older}maxUnhealthy": f"{trigger}/unhealthyLessThanOrEqualTo",
        f"{older}unhealthyRange": f"{trigger}/unhealthyInRange",
        f"{older}remediationTemplate": (template, forms.TEMPLATE),
    }


MACHINES: Final = {**health_check("machineHealthCheck/", "healthCheck/"), **deletion()}
TOPOLOGY: Final = {**MACHINES, "machineHealthCheck/enable": "healthCheck/enabled"}


def rollout(remediation: str = "healthCheck/remediation") -> Places:
    """The strategy of a MachineDeployment (R-ROLLOUT)."""
    return {
        "strategy": "rollout/strategy",
        "strategy/rollingUpdate/deletePolicy": "deletion/order",
        "strategy/remediation/maxInFlight": f"{remediation}/maxInFlight",
    }


CLASS_TEMPLATE: Final[Places] = {
    "template/metadata": ("metadata", forms.SET._replace(whole=True)),
    "template/bootstrap/ref": ("bootstrap/templateRef", forms.TEMPLATE_ALWAYS),
    "template/infrastructure/ref": ("infrastructure/templateRef", forms.TEMPLATE_ALWAYS),
    "namingStrategy": "naming",
}
"""The template of machines in a ClusterClass (R-CCTPL)."""
CLASS: Final[Places] = {
    "infrastructure/ref": ("infrastructure/templateRef", forms.TEMPLATE_ALWAYS),
    "infrastructureNamingStrategy": "infrastructure/naming",
    "controlPlane": ("controlPlane", forms.WHOLE),
    "controlPlane/ref": ("controlPlane/templateRef", forms.TEMPLATE_ALWAYS),
    "controlPlane/machineInfrastructure/ref": (
        "controlPlane/machineInfrastructure/templateRef",
        forms.TEMPLATE,
    ),
    "controlPlane/namingStrategy": "controlPlane/naming",
    **health_check("controlPlane/machineHealthCheck/", "controlPlane/healthCheck/"),
    **deletion("controlPlane/", "controlPlane/"),
}


def status(*deprecated: str, counts: bool = True, **initialization: str) -> Places:
    """A status: conditions of both kinds (R-COND), failures (R-FAIL), counters whose meaning has
    changed (R-CNT), and booleans that tell what is done (R-INIT)."""
    places: dict[str, str | tuple[str, Form]] = {"status": ("status", forms.WHOLE)}
    for name in ("conditions", *deprecated):
        places[f"status/{name}"] = f"status/deprecated/v1beta1/{name}"
    for name in ("conditions", *(_COUNTERS if counts else ())):
        places[f"status/v1beta2/{name}"] = f"status/{name}"
    for older, newer in initialization.items():
        places[f"status/{older}"] = (f"status/initialization/{newer}", forms.SET)
    return places


def control_plane() -> Places:
    """What a control plane does about machines and rollouts (R-KCPROLL, R-KCPREM, R-KCPMT)."""
    days, machines = "before/certificatesExpiryDays", "machineTemplate/spec"
    return {
        "rolloutBefore/certificatesExpiryDays": (f"rollout/{days}", forms.SET_BEFORE),
        "rolloutAfter": "rollout/after",
        "rolloutStrategy": "rollout/strategy",
        "remediationStrategy": "remediation",
        "remediationStrategy/minHealthyPeriod": "remediation/minHealthyPeriodSeconds",
        "remediationStrategy/retryPeriod": ("remediation/retryPeriodSeconds", forms.RETRY),
        "machineNamingStrategy": "machineNaming",
        "machineTemplate/metadata": ("machineTemplate/metadata", forms.SET._replace(whole=True)),
        "machineTemplate/infrastructureRef": (f"{machines}/infrastructureRef", forms.REFERENCE),
        "machineTemplate/readinessGates": f"{machines}/readinessGates",
        "machineTemplate/taints": f"{machines}/taints",
        **deletion("machineTemplate/", f"{machines}/"),
    }
