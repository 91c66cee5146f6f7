"""install: let a cluster convert by a webhook that is served, checked and trusted already."""

from holdall.install.cluster import Answer, Cluster, InstallError
from holdall.install.plan import CrdChange, plan_changes
from holdall.install.target import Target

__all__ = ["Answer", "Cluster", "CrdChange", "InstallError", "Target", "plan_changes"]
