"""Documents in bulk: record batches, files of lines, table files. A bad document is an outcome, and
never ends a run."""

from holdall.bulk.documents import Documents, Outcome, Result
from holdall.scheme.batches import Fault

__all__ = ["Documents", "Fault", "Outcome", "Result"]
