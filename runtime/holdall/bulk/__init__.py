"""Documents in bulk: record batches, files of lines, tables of files. One bad document is an
outcome of its own, and never ends a run."""

from holdall.bulk.documents import Documents, Outcome, Result
from holdall.scheme.batches import Fault

__all__ = ["Documents", "Fault", "Outcome", "Result"]
