"""Groups made from declarations, for tests: generated in a temporary folder and imported."""

from __future__ import annotations

import importlib
import itertools
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from holdall.scheme.scheme import Scheme
from holdall_codegen.project import emit_project, load_project

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


def declare(root: Path, text: str) -> Declared:
    """Generate the group that the text of a declaring module describes, and import it.

    All names are new ones, so that tests run in any order and side by side.
    """
    number = next(_COUNTER)
    module, output = f"declaration_{number}", f"declared_output_{number}"
    (root / f"{module}.py").write_text(HEAD + text)
    (root / "holdall.yaml").write_text(
        f"output: {output}\nhooks: declared_hooks_{number}\n"
        f"groups:\n  things:\n    sources:\n      - declared: {module}.py\n"
    )
    for path, content in emit_project(load_project(root)).items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    importlib.invalidate_caches()
    package = f"{output}.things"
    group = importlib.import_module(package)
    has_kinds = (root / output / "things" / "kinds.py").is_file()
    kinds = importlib.import_module(f"{package}.kinds") if has_kinds else None
    return Declared(group.SCHEME, kinds, root, package)
