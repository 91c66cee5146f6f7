"""The members of root objects that say their version and kind, and what schemas say about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from holdall.objects.heads import MemberHead
from holdall.text import json as _json
from holdall.types import JsonValue, json_kind
from holdall_codegen.config.model import GroupConfig, HeadConfig
from holdall_codegen.model import Location, Opaque, Property
from holdall_codegen.read.drafts import Draft
from holdall_codegen.read.problems import CONTRADICTION, OTHER_GROUP, Findings
from holdall_codegen.read.shape import (
    Shape,
    ShapeReader,
    enum_values,
    properties_of,
    required_names,
)


@dataclass(frozen=True, slots=True)
class RootHead:
    """The members of the roots of one version that are not properties.

    `version_at` says the version, and is a property if nothing `has_to_say` it.
    """

    names: frozenset[str] = frozenset({"apiVersion", "kind"})
    version_at: str = ""
    has_to_say: bool = True


ROOT_HEAD: Final = RootHead()


@dataclass(frozen=True, slots=True)
class Said:
    """The schema of the member with the version, of one kind: the allowed values, if they are
    listed, and the JSON kinds, if they are named.
    """

    kind: str
    location: Location
    values: tuple[JsonValue, ...]
    kinds: frozenset[str] | None
    is_required: bool


def hear(head: RootHead, draft: Draft, shape: Shape, shapes: ShapeReader) -> Iterator[Said]:
    """Yield what the schema of a kind says about the member with the version.

    If nothing has to say the version, documents may have the member, whatever the schema declares.
    """
    name = head.version_at
    if nodes := properties_of(shape).get(name):
        own = shapes.gather(nodes)
        kinds, values = shapes.kinds(own), enum_values(own)
        is_required = name in required_names(shape)
        yield Said(draft.id, nodes[0].location, values, kinds, is_required)
    elif not head.has_to_say:
        draft.properties.append(Property(name, Opaque(), False, location=draft.location))


def root_head(config: HeadConfig | None, version: str) -> RootHead:
    """Return the members of a version's roots that are not properties."""
    if config is None:
        return ROOT_HEAD
    has_to_say = version != config.default and version not in config.others
    names = {config.kind_at, config.member if has_to_say else ""} - {""}
    return RootHead(frozenset(names), config.member, has_to_say)


def find_head(
    group: GroupConfig, said: Mapping[str, Sequence[Said]], api_group: str, findings: Findings
) -> MemberHead | None:
    """Return how the documents of a group say their version: what the configuration says, else
    what the schemas allow, else the name of the version."""
    config = group.head
    if config is None:
        return None
    if api_group and not group.api_group:
        text = f"`version_at` is for documents without an API group, but the CRDs have {api_group}"
        findings.add(OTHER_GROUP, config.location, text, "remove `version_at`")
    values: dict[str, JsonValue] = {}
    for version in group.versions:
        # An internal version has no documents, but its twins can be written as such.
        is_internal = version.internal
        values[version.name] = (
            version.name if is_internal else _value(config, version.name, said, findings)
        )
    found = MemberHead(config.member, values, config.default, config.kind_at, config.others)
    _check_distinct(config, found, findings)
    return found


def _value(
    config: HeadConfig, version: str, said: Mapping[str, Sequence[Said]], findings: Findings
) -> JsonValue:
    own = said.get(version, ())
    allowed = next((item.values for item in own if item.values), ())
    if version in config.values:
        value = config.values[version]
    else:
        value = allowed[0] if len(allowed) == 1 else version
    for item in own:
        what = f"`{config.member}` of {item.kind} {version}"
        if item.is_required and version == config.default:
            text = f"{what} is required, so documents without it cannot be {version}"
            fix = f"remove it from `required`, or remove `default` ({config.location})"
            findings.add(CONTRADICTION, item.location, text, fix)
        for one in (value, *config.others.get(version, ())):
            _check_said(config, item, what, one, findings)
    return value


def _check_said(
    config: HeadConfig, item: Said, what: str, value: JsonValue, findings: Findings
) -> None:
    if item.values and not any(_json.same(value, one) for one in item.values):
        allows = " or ".join(map(_shown, item.values))
        text = f"{what} is {allows}, so it cannot be {_shown(value)}"
        fix = f"give the value below `values` ({config.location}), or correct the schema"
        findings.add(CONTRADICTION, item.location, text, fix)
    elif item.kinds is not None and not {json_kind(value), _wider(value)} & item.kinds:
        text = f"{what} is {' or '.join(sorted(item.kinds))}, so it cannot be {_shown(value)}"
        fix = f"give the value below `values` ({config.location})"
        findings.add(CONTRADICTION, item.location, text, fix)


def _check_distinct(config: HeadConfig, head: MemberHead, findings: Findings) -> None:
    seen: dict[str, str] = {}
    for version in head.values:
        for value in head.said_in(version):
            other = seen.setdefault(_shown(value), version)
            if other != version:
                text = f"`{config.member}` is {_shown(value)} in both {other} and {version}"
                fix = "give each version its own value below `values`"
                findings.add(CONTRADICTION, config.location, text, fix)


def _wider(value: JsonValue) -> str:
    return "number" if json_kind(value) == "integer" else ""


def _shown(value: JsonValue) -> str:
    return _json.encode(value).decode()
