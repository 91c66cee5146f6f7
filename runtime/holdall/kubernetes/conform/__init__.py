"""The conformance suite: black-box tests of the whole contract, for any conversion webhook.

They do not depend on the webhook's language or toolkit, and need only a URL, the CRDs and perhaps
some objects. Source: docs/conform.md, "The checks".
"""

from holdall.kubernetes.conform.client import ConnectError, Endpoint
from holdall.kubernetes.conform.exchanges import Exchange, keep_exchanges
from holdall.kubernetes.conform.expected import Expected, read_expected
from holdall.kubernetes.conform.listing import CHECKS, Check
from holdall.kubernetes.conform.run import run_checks, select_checks
from holdall.kubernetes.conform.subjects import Kind, Version, read_kinds, read_subjects
from holdall.kubernetes.conform.trial import Options, Trial
from holdall.kubernetes.conform.verdicts import LEVELS, Level, Verdict

__all__ = [
    "CHECKS",
    "LEVELS",
    "Check",
    "ConnectError",
    "Endpoint",
    "Exchange",
    "Expected",
    "Kind",
    "Level",
    "Options",
    "Trial",
    "Verdict",
    "Version",
    "keep_exchanges",
    "read_expected",
    "read_kinds",
    "read_subjects",
    "run_checks",
    "select_checks",
]
