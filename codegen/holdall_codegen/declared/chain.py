"""The chain of one item: what it is in every version, walked from the newest to the oldest.

Source: declared-versions reference, section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from holdall_codegen.declared.grammar import VersionName
from holdall_codegen.declared.model import Form
from holdall_codegen.declared.names import DEPRECATION_PREFIXES, camel_case, has_deprecation_prefix
from holdall_codegen.declared.raw import ItemType, RawItem


@dataclass(frozen=True, slots=True)
class State:
    """An item as one version has it. `deprecated` is the note, True without one, else False."""

    name: str
    json_name: str
    type: ItemType
    doc: str
    deprecated: str | bool
    deprecated_since: str


@dataclass(frozen=True, slots=True)
class _Cursor:
    name: str
    type: ItemType
    present: bool
    json_name: str | None
    doc: str


def walk(
    item: RawItem, form: Form, rename_all: str | None, versions: Sequence[VersionName]
) -> dict[VersionName, State | None]:
    """Return the state of an item in every version, None where it is absent.

    `versions` ascend. Actions of versions that are not declared are left out.
    """
    changes = {change.since: change for change in item.changes_in_order() if change.since}
    added = item.added.since if item.added else None
    removed = item.removed.since if item.removed else None
    deprecated = item.deprecated.since if item.deprecated else None
    cursor = _Cursor(item.name, item.type, item.removed is None, item.json_name, item.doc)
    found: dict[VersionName, State | None] = {}
    for version in reversed(versions):
        if version == removed:
            found[version] = None
            cursor = replace(cursor, present=True)
            continue
        if not cursor.present:
            found[version] = None
            continue
        found[version] = _state(item, cursor, form, rename_all, version)
        if version == added:
            cursor = replace(cursor, present=False)
        if version == deprecated and has_deprecation_prefix(cursor.name, form):
            name = cursor.name.removeprefix(DEPRECATION_PREFIXES[form])
            cursor = replace(cursor, name=name, json_name=None)
        if version in changes:
            change = changes[version]
            from_name = _text(change.bound.value("from_name"))
            from_json_name = _text(change.bound.value("from_json_name"))
            from_docs = _text(change.bound.value("from_docs"))
            cursor = replace(
                cursor,
                name=from_name or cursor.name,
                json_name=from_json_name or (None if from_name else cursor.json_name),
                type=change.from_type if change.has_from_type else cursor.type,
                doc=cursor.doc if from_docs is None else from_docs.strip(),
            )
    return dict(sorted(found.items()))


def _state(
    item: RawItem, cursor: _Cursor, form: Form, rename_all: str | None, version: VersionName
) -> State:
    ruled = camel_case(cursor.name, form) if rename_all else cursor.name
    deprecated: str | bool = False
    since = item.deprecated.since if item.deprecated else None
    if item.deprecated is not None and since is not None and version >= since:
        deprecated = _text(item.deprecated.bound.value("note")) or True
    return State(
        cursor.name,
        cursor.json_name or ruled,
        cursor.type,
        cursor.doc,
        deprecated,
        str(since) if deprecated else "",
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
