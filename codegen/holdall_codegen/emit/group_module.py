"""Emitting the package of a group: its scheme and its version enum."""

from __future__ import annotations

from holdall.inner.declared import InnerDocuments
from holdall.objects.heads import MemberHead
from holdall.plan.bag_limits import BagLimits
from holdall.plan.tracking import Tracking
from holdall.review.tracer import OPENTELEMETRY
from holdall_codegen.config.model import ToldConfig
from holdall_codegen.emit.conversions import name_map
from holdall_codegen.emit.lines import Call, CodeLines, Expression, Keyword
from holdall_codegen.emit.literals import literal, quoted, texts
from holdall_codegen.emit.runtime_module import import_runtime
from holdall_codegen.emit.typed_module import TYPED_MODULE, version_enum
from holdall_codegen.plan.model import GroupPlan, PlannedKind, PlannedVersion
from holdall_codegen.plan.serialize import plan_digest


def emit_group(group: GroupPlan, hooks: str, told: ToldConfig, *, is_typed: bool) -> str:
    """Return the body of the group's package, without its header.

    `hooks` is the dotted name of the package that holds the group's hooks. A group `is_typed` if
    type checkers know more of its scheme: see `typed_module`.
    """
    out = CodeLines()
    enum, scheme = version_enum(group), "Scheme" if is_typed else "h.Scheme"
    out.line("from enum import StrEnum")
    if is_typed:
        out.line("from typing import TYPE_CHECKING")
    out.line()
    out.line(import_runtime(group, "."))
    out.line()
    if is_typed:
        with out.block("if TYPE_CHECKING:"):
            out.line(f"from .{TYPED_MODULE} import Scheme")
        with out.block("else:"):
            out.line("Scheme = h.Scheme")
        out.line()
    out.line(f'__all__ = ["SCHEME", {quoted(enum)}]')
    out.line()
    out.line()
    with out.block(f"class {enum}(StrEnum):"):
        out.docstring(f"The versions of {group.name}, oldest first.")
        out.line()
        for version in group.versions:
            out.line(f"{version.enum_member} = {quoted(version.name)}")
    out.line()
    out.line()
    items: list[Expression] = [
        Keyword("package", "__name__"),
        Keyword("hooks", quoted(hooks)),
        Keyword("group", quoted(group.api_group)),
        Keyword("versions", Call("(", [_version(version) for version in group.versions])),
        Keyword("hub", quoted(group.hub)),
        Keyword("kinds", Call("(", [_kind(group, kind) for kind in group.kinds])),
    ]
    if group.head is not None:
        items.append(Keyword("head", _head(group.head)))
    if group.inner:
        items.append(Keyword("inner", Call("(", [_inner(item) for item in group.inner])))
    items.append(Keyword("plan", quoted(plan_digest(group))))
    if told.settings:
        items.append(Keyword("settings", name_map(told.settings)))
    if told.takes_over:
        items.append(Keyword("takes_over", quoted(told.takes_over)))
    if (otel := group.imports("otel")) != OPENTELEMETRY:
        items.append(Keyword("otel", quoted(otel)))
    out.expression("SCHEME = ", Call(f"{scheme}(", items))
    return out.text()


def _head(head: MemberHead) -> Expression:
    items: list[Expression] = [
        quoted(head.version_at),
        literal({**head.values}),
    ]
    if head.default:
        items.append(Keyword("default", quoted(head.default)))
    if head.kind_at:
        items.append(Keyword("kind_at", quoted(head.kind_at)))
    return Call("h.MemberHead(", items)


def _version(version: PlannedVersion) -> Expression:
    items: list[Expression] = [quoted(version.name), Keyword("module", quoted(version.module))]
    if version.internal:
        items.append(Keyword("internal", "True"))
    if version.deprecated:
        items.append(Keyword("deprecated", quoted(version.deprecated)))
    return Call("h.Version(", items)


def _kind(group: GroupPlan, kind: PlannedKind) -> Expression:
    edges: list[Expression] = [f"({quoted(a)}, {quoted(b)})" for a, b in kind.edges]
    items: list[Expression] = [
        quoted(kind.name),
        Keyword("types", name_map(kind.types)),
        Keyword("edges", Call("(", edges)),
        Keyword("carrier", quoted(kind.carrier)),
    ]
    if group.group_of(kind.name) != group.api_group:
        items.append(Keyword("group", quoted(group.group_of(kind.name))))
    if kind.names:
        items.append(Keyword("names", name_map(kind.names)))
    if kind.limits != BagLimits():
        items.append(Keyword("limits", Call("h.BagLimits(", _limits(kind.limits))))
    is_tracked = kind.carrier == "changed-values" or kind.tracking.carrier == "bag"
    if is_tracked and kind.tracking != Tracking():
        items.append(Keyword("tracking", Call("h.Tracking(", _tracking(kind.tracking))))
    return Call("h.Kind(", items)


def _inner(declared: InnerDocuments) -> Expression:
    items: list[Expression] = [
        Keyword("holders", texts(declared.holders)),
        Keyword("path", texts(declared.path)),
        Keyword("format", quoted(declared.format)),
    ]
    if declared.versions:
        items.append(Keyword("versions", name_map(declared.versions)))
    if declared.folded:
        items.append(Keyword("folded", "True"))
    if declared.aliases:
        items.append(Keyword("aliases", texts(declared.aliases)))
    return Call("h.InnerDocuments(", items)


def _limits(limits: BagLimits) -> list[Expression]:
    items: list[Expression] = []
    if limits.budget != BagLimits().budget:
        items.append(Keyword("budget", str(limits.budget)))
    for name in ("drop_first", "status_slots", "strict"):
        values: tuple[str, ...] = getattr(limits, name)
        if values:
            items.append(Keyword(name, texts(values)))
    return items


def _tracking(tracking: Tracking) -> list[Expression]:
    items: list[Expression] = []
    usual = Tracking()
    if tracking.carrier != usual.carrier:
        items.append(Keyword("carrier", quoted(tracking.carrier)))
    if tracking.track != usual.track:
        items.append(Keyword("track", texts(tracking.track)))
    if tracking.tolerant:
        items.append(Keyword("tolerant", "True"))
    return items
