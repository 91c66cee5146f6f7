"""The version of holdall; the distribution takes it from here."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec

from holdall.errors import Problem, SchemeError

VERSION = "0.2.0"


def described() -> str:
    """Return the version, and whether the modules that a conversion runs are compiled."""
    engine = find_spec("holdall.engine.members")
    is_compiled = engine is not None and str(engine.origin).endswith((*EXTENSION_SUFFIXES,))
    return f"{VERSION} (compiled)" if is_compiled else VERSION


def generated_by(release: str, package: str) -> str:
    """Return the release that generated a package.

    Raises SchemeError (HA409) if its minor release is not that of this runtime: the interface
    between generated code and runtime may have changed.
    """
    if release.rpartition(".")[0] == VERSION.rpartition(".")[0]:
        return release
    said, other = f"holdall {release} generated it", f", or install holdall {release}"
    if not release:
        said, other = "it does not say which holdall generated it", ""
    text = f"{said}, and this is holdall {VERSION}"
    raise SchemeError([Problem("HA409", package, text, f"run `holdall generate`{other}")])
