"""migrate: objects of the cluster are stored in the storage version, and in no other.

Source: webhook contract, section 10.
"""

from holdall.migrate.codes import MigrateError
from holdall.migrate.paced import PacedCluster
from holdall.migrate.procedure import Settings, Tally, examine, migrate
from holdall.migrate.resources import Resource, find_obstacles, select
from holdall.migrate.returning import checks_of
from holdall.migrate.state import State

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
