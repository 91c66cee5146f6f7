"""migrate: objects of the cluster are stored in the storage version, and in no other.

Source: webhook contract, section 10.
"""

from holdall.kubernetes.migrate.codes import MigrateError
from holdall.kubernetes.migrate.paced import PacedCluster
from holdall.kubernetes.migrate.procedure import Settings, Tally, examine, migrate
from holdall.kubernetes.migrate.resources import Resource, find_obstacles, select
from holdall.kubernetes.migrate.returning import checks_of
from holdall.kubernetes.migrate.state import State

__all__ = [
    "MigrateError",
    "PacedCluster",
    "Resource",
    "Settings",
    "State",
    "Tally",
    "checks_of",
    "examine",
    "find_obstacles",
    "migrate",
    "select",
]
