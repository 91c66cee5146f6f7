"""The conformance suite: the whole contract, tried on any conversion webhook from outside.

It knows nothing of the webhook's language or toolkit; a URL, the CRDs and perhaps some objects
are enough. Source: webhook contract, section 5.
"""

from holdall.kubernetes.conform.client import ConnectError, Endpoint
from holdall.kubernetes.conform.listing import CHECKS, Check
from holdall.kubernetes.conform.run import run_checks, select_checks
from holdall.kubernetes.conform.subjects import Kind, Version, read_kinds
from holdall.kubernetes.conform.trial import Options, Trial
from holdall.kubernetes.conform.verdicts import Verdict

__all__ = [
    "CHECKS",
    "Check",
    "ConnectError",
    "Endpoint",
    "Kind",
    "Options",
    "Trial",
    "Verdict",
    "Version",
    "read_kinds",
    "run_checks",
    "select_checks",
]
