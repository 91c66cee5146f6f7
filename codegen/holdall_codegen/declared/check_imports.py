"""Rules for `imports`: a replaced import path that no generated module names is a mistake."""

from __future__ import annotations

from collections.abc import Iterator

from holdall_codegen.declared.problems import Findings
from holdall_codegen.declared.raw import RawContainer, RawDeclaration
from holdall_codegen.declared.read_versions import K8S_PARTS, OVERRIDES, read_skip
from holdall_codegen.model import Location


def check_imports(declaration: RawDeclaration, location: Location, findings: Findings) -> None:
    """Report what `imports` replaces though nothing is imported from there."""
    given = declaration.options.imports
    if not set(given) <= {*OVERRIDES} or ("k8s" in given and {*K8S_PARTS} & {*given}):
        return  # It is wrong in itself, and what it means is not known.
    for name, reason in _unused(declaration):
        if name in given:
            findings.add(
                "crate_override_unknown",
                location,
                f"`{name}` changes nothing here: {reason}",
                f"remove {name}",
            )


def _unused(declaration: RawDeclaration) -> Iterator[tuple[str, str]]:
    """Yield what generated code does not import, and why."""
    skips = [
        read_skip(container.bound) | declaration.options.skip
        for container in declaration.containers
        if container.word == "resource"
    ]
    if not skips:
        for name in ("k8s", "k8s_core", "k8s_types"):
            yield name, "there is no resource"
    if all({"merged_crd", "try_convert"} <= skip for skip in skips):
        yield "k8s_client", "no kind has merged_crd or try_convert"
    if not any(map(_is_type, declaration.containers)):
        for name in ("schema", "serialization", "json"):
            yield name, "there are no types"
    if not declaration.options.tracing:
        yield "otel", "nothing is traced without tracing=True"
    elif all("try_convert" in skip for skip in skips):
        yield "otel", "no kind has try_convert"


def _is_type(container: RawContainer) -> bool:
    return container.form == "object" or any(item.type is not None for item in container.items)
