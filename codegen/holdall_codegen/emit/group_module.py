"""Emitting the package of a group: its scheme and its version enum."""

from __future__ import annotations

from holdall.inner.declared import InnerDocuments
from holdall.objects.heads import MemberHead
from holdall.plan.bag_limits import BagLimits
from holdall.plan.tracking import Tracking
from holdall.review.tracer import OPENTELEMETRY
from holdall.version import VERSION
from holdall_codegen.config.model import SchemeConfig
from holdall_codegen.emit.lines import (
    Call,
    CodeLines,
    Expression,
    Keyword,
    keywords,
    literal,
    prose,
    quoted,
    texts,
)
from holdall_codegen.emit.runtime_module import import_runtime
from holdall_codegen.emit.typed_module import TYPED_MODULE, version_enum
from holdall_codegen.plan.model import GroupPlan, PlannedKind, PlannedVersion
from holdall_codegen.plan.serialize import plan_digest


def emit_group(group: GroupPlan, hooks: str, config: SchemeConfig, *, is_typed: bool) -> str:
    """Return the body of the group's package, without its header.

    `hooks` is the dotted name of the package with the group's hooks. A group `is_typed` if its
    scheme has a more precise type: see `typed_module`.
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
    out.apart()
    with out.block(f"class {enum}(StrEnum):"):
        out.docstring(f"The versions of {group.name}, oldest first.")
        out.line()
        for version in group.versions:
            out.line(f"{version.enum_member} = {quoted(version.name)}")
    out.apart()
    # The first argument: it is checked before others that another release may not know.
    release = Call("h.generated_by(", [quoted(VERSION), "__name__"])
    items: list[Expression] = [
        Keyword("release", release),
        Keyword("package", "__name__"),
        Keyword("hooks", quoted(hooks)),
        Keyword("group", quoted(group.api_group)),
        Keyword("versions", Call("(", [*map(_version, group.versions)])),
        Keyword("hub", quoted(group.hub)),
        Keyword("kinds", Call("(", [_kind(group, kind) for kind in group.kinds])),
    ]
    inner = [_inner(item) for item in group.inner]
    otel = group.imports("otel")
    items += keywords(
        head=_head(group.head) if group.head is not None else None,
        inner=Call("(", inner) if inner else None,
        plan=quoted(plan_digest(group)),
        settings=literal({**config.settings}) if config.settings else None,
        takes_over=config.takes_over and quoted(config.takes_over),
        otel=quoted(otel) if otel != OPENTELEMETRY else None,
    )
    out.expression("SCHEME = ", Call(f"{scheme}(", items))
    return out.text()


def _head(head: MemberHead) -> Expression:
    named = keywords(
        default=head.default and quoted(head.default),
        kind_at=head.kind_at and quoted(head.kind_at),
        others=literal({version: [*said] for version, said in head.others.items()})
        if head.others
        else None,
    )
    return Call("h.MemberHead(", [quoted(head.version_at), literal({**head.values}), *named])


def _version(version: PlannedVersion) -> Expression:
    named = keywords(
        module=quoted(version.module),
        internal=version.internal,
        deprecated=version.deprecated and prose(version.deprecated),
    )
    return Call("h.Version(", [quoted(version.name), *named])


def _kind(group: GroupPlan, kind: PlannedKind) -> Expression:
    edges: list[Expression] = [f"({quoted(a)}, {quoted(b)})" for a, b in kind.edges]
    own = group.group_of(kind.name)
    limits, tracking = _limits(kind.limits), _tracking(kind.tracking)
    is_tracked = kind.carrier == "changed-values" or kind.tracking.carrier == "bag"
    named = keywords(
        types=literal({**kind.types}),
        edges=Call("(", edges),
        carrier=quoted(kind.carrier),
        group=quoted(own) if own != group.api_group else None,
        names=literal({**kind.names}) if kind.names else None,
        limits=Call("h.BagLimits(", limits) if limits else None,
        tracking=Call("h.Tracking(", tracking) if is_tracked and tracking else None,
    )
    return Call("h.Kind(", [quoted(kind.name), *named])


def _inner(declared: InnerDocuments) -> Expression:
    named = keywords(
        holders=texts(declared.holders),
        path=texts(declared.path),
        format=quoted(declared.format),
        versions=literal({**declared.versions}) if declared.versions else None,
        folded=declared.folded,
        aliases=texts(declared.aliases) if declared.aliases else None,
    )
    return Call("h.InnerDocuments(", named)


def _limits(limits: BagLimits) -> list[Expression]:
    """Return what differs from the default limits."""
    return keywords(
        budget=str(limits.budget) if limits.budget != BagLimits().budget else None,
        drop_first=texts(limits.drop_first) if limits.drop_first else None,
        status_slots=texts(limits.status_slots) if limits.status_slots else None,
        strict=texts(limits.strict) if limits.strict else None,
    )


def _tracking(tracking: Tracking) -> list[Expression]:
    """Return what differs from the default tracking."""
    usual = Tracking()
    return keywords(
        carrier=quoted(tracking.carrier) if tracking.carrier != usual.carrier else None,
        track=texts(tracking.track) if tracking.track != usual.track else None,
        tolerant=tracking.tolerant,
    )
