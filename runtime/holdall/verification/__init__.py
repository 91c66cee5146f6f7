"""Verifying hooks where they are defined: imported, and inspected.

`import_hooks` imports a package of hooks, `verify_hooks` gives the hooks in it and every mistake.
`look_at_sources` finds what an import does not see.
"""

from holdall.verification.functions import check_function, check_functions
from holdall.verification.hooks import HookClass, verify_hooks
from holdall.verification.look import look_at_sources
from holdall.verification.mistakes import mistake
from holdall.verification.modules import ImportedHooks, import_hooks, stand_in
from holdall.verification.protocols import NAMES, WAYS, Way
from holdall.verification.sources import (
    HookSource,
    check_package,
    find_sources,
    python_files,
)

__all__ = [
    "NAMES",
    "WAYS",
    "HookClass",
    "HookSource",
    "ImportedHooks",
    "Way",
    "check_function",
    "check_functions",
    "check_package",
    "find_sources",
    "import_hooks",
    "look_at_sources",
    "mistake",
    "python_files",
    "stand_in",
    "verify_hooks",
]
