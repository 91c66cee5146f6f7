"""install: let a cluster convert by a webhook that is served, checked and trusted already."""

from holdall.kubernetes.install.cluster import Answer, Cluster, InstallError
from holdall.kubernetes.install.plan import CrdChange, plan_changes
from holdall.kubernetes.install.target import Target

__all__ = ["Answer", "Cluster", "CrdChange", "InstallError", "Target", "plan_changes"]
