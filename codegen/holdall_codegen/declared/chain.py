"""The chain of one item: what it is in every version, walked from the newest to the oldest.

Source: declared-versions reference, section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from holdall_codegen.declared.grammar import VersionName
from holdall_codegen.declared.model import Form, Item
from holdall_codegen.declared.names import DEPRECATION_PREFIXES, camel_case, has_deprecation_prefix
from holdall_codegen.declared.raw import ItemType, RawItem


@dataclass(frozen=True, slots=True)
class _Cursor:
    name: str
    type: ItemType
    present: bool
    json_name: str | None
    doc: str


def walk(
    item: RawItem, form: Form, rename_all: str | None, versions: Sequence[VersionName]
) -> dict[VersionName, Item | None]:
    """Return an item as every version has it, None where it is absent.

    `versions` ascend. Actions of versions that are not declared are left out.
    """
    changes = {change.since: change for change in item.changes_in_order() if change.since}
    added = item.added.since if item.added else None
    removed = item.removed.since if item.removed else None
    deprecated = item.deprecated.since if item.deprecated else None
    cursor = _Cursor(item.name, item.type, item.removed is None, item.json_name, item.doc)
    found: dict[VersionName, Item | None] = {}
    for version in reversed(versions):
        if version == removed:
            found[version] = None
            cursor = replace(cursor, present=True)
            continue
        if not cursor.present:
            found[version] = None
            continue
        found[version] = _item(item, cursor, form, rename_all, version)
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


def _item(
    item: RawItem, cursor: _Cursor, form: Form, rename_all: str | None, version: VersionName
) -> Item:
    ruled = camel_case(cursor.name, form) if rename_all else cursor.name
    deprecated: str | bool = False
    since = item.deprecated.since if item.deprecated else None
    if item.deprecated is not None and since is not None and version >= since:
        deprecated = _text(item.deprecated.bound.value("note")) or True
    has_default = item.has_default_of(cursor.type)
    factory = item.default_factory if has_default else None
    return Item(
        cursor.name,
        cursor.json_name or ruled,
        item.name,
        cursor.type,
        item.location,
        doc=cursor.doc,
        deprecated=deprecated,
        deprecated_since=str(since) if deprecated else "",
        has_default=has_default,
        default=item.default if has_default else None,
        default_factory=factory.ref if factory else None,
        list_keys=item.list_keys,
        metadata=item.metadata,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
