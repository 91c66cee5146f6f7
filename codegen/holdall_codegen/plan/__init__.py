"""plan: what happens to every property on every edge, decided once, as data."""

from holdall_codegen.plan.build import plan_group
from holdall_codegen.plan.model import GroupPlan

__all__ = ["GroupPlan", "plan_group"]
