"""Verifying hooks by importing and inspecting them.

`import_hooks` imports a package of hooks, `verify_hooks` returns its hooks and all mistakes, and
`look_at_sources` finds mistakes that only the source shows.
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
