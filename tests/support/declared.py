"""Groups made from declarations, for tests: generated in a temporary folder and imported."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from holdall.scheme.projects import read_packages
from holdall.scheme.scheme import Scheme
from tests.support.projects import build_project, scheme_of

_COUNTER = itertools.count()

HEAD = """\
from __future__ import annotations

from typing import Annotated

from holdall.declare import *

"""


@dataclass(frozen=True, slots=True)
class Declared:
    """A generated group: its scheme, its module of kinds (None without kinds), its folder."""

    scheme: Scheme
    kinds: Any
    root: Path
    package: str

    def convert(self, document: Any, *, to: str, report: Any = None) -> Any:
        """Return a document in another version."""
        return self.scheme.convert(document, to=to, report=report)

    def storage(self, version: str) -> ModuleType:
        """Return the module of storage twins of a version."""
        return importlib.import_module(f"{self.package}.{version}.storage")

    def api(self, version: str) -> ModuleType:
        """Return the module of API types of a version."""
        return importlib.import_module(f"{self.package}.{version}")


Declaring = Callable[[str], Declared]
"""What makes the group of a declaring module."""


def declare(root: Path, text: str) -> Declared:
    """Generate the group that the text of a declaring module describes, and import it.

    All names are new ones, so that tests run in any order and side by side.
    """
    module = f"declaration_{next(_COUNTER)}"
    config = f"groups: {{things: {{sources: [{{declared: {module}.py}}]}}}}\n"
    scheme = scheme_of(build_project(root, config, {f"{module}.py": HEAD + text}))
    output = read_packages(root).output
    has_kinds = (root / output / "things" / "kinds.py").is_file()
    kinds = importlib.import_module(f"{output}.things.kinds") if has_kinds else None
    return Declared(scheme, kinds, root, f"{output}.things")
