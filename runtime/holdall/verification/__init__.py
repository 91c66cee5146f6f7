"""Verifying hooks from their source text, before anything is imported or run.

`find_sources` gives the modules of a hooks package, `verify_hooks` the hooks in them and every
mistake, `verify_composed` what only the made hook can tell. `python_files` gives the files.
"""

from holdall.verification.files import python_files
from holdall.verification.sources import (
    HookClass,
    HookSource,
    find_sources,
    verify_composed,
    verify_hooks,
)

__all__ = [
    "HookClass",
    "HookSource",
    "find_sources",
    "python_files",
    "verify_composed",
    "verify_hooks",
]
