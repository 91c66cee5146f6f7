"""Settling rows: dropping what only a rollback would need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from holdall.bulk.documents import Documents
from holdall.carriers.boundary import unload
from holdall.carriers.envelope import names_of
from holdall.databases.rewriting import Conversions, Tally
from holdall.databases.rows import Change, Row
from holdall.errors import HoldallError
from holdall.scheme.batches import Fault, describe_failure
from holdall.text import json as _json
from holdall.types import JsonObject, members


@dataclass(slots=True)
class Bags:
    """The dropped entries: rows by origin and property, and total bytes."""

    entries: Counter[tuple[str, str]] = field(default_factory=Counter)
    rows: int = 0
    bytes: int = 0


def settling(
    conversions: Conversions, to: str, tally: Tally, bags: Bags
) -> Callable[[Row], Change | None]:
    """Return a function that removes a row's bags. Rows of other versions are refused."""

    def change(row: Row) -> Change | None:
        if row.document is None:
            tally.outcomes["empty"] += 1
            return None
        result = conversions.convert(row, to)
        tally.versions[result.before or "none"] += 1
        fault = result.fault
        if fault is None and result.outcome != "unchanged":
            text = f"its version is {result.before}" if result.before else "it has several versions"
            fault = Fault("HA430", "", text)
        if fault is None:
            try:
                return _settled(row, conversions.to(to), conversions.kind, bags, tally)
            except HoldallError as error:
                fault = describe_failure(error, "")
        tally.refuse(row, fault)
        return None

    return change


def _settled(
    row: Row, documents: Documents, place_kind: str, bags: Bags, tally: Tally
) -> Change | None:
    value = members(_json.decode_exactly(row.text()))
    api_version, kind = documents.names_of(value, row.kind or place_kind, row.version)
    stripped = _without_bags(documents, value, api_version, kind, bags)
    if stripped is None:
        tally.outcomes["unchanged"] += 1
        return None
    data = _json.encode(stripped)
    bags.rows += 1
    bags.bytes += max(len(_json.encode(value)) - len(data), 0)
    return Change(row, data, row.version, row.kind)


def _without_bags(
    documents: Documents, value: JsonObject, api_version: str, kind: str, bags: Bags
) -> JsonObject | None:
    """Return a document without the entries of its carrier; None if there are none to drop.

    Entries of newer versions stay, because later conversions need them. Inner documents keep
    theirs.
    """
    scheme = documents.schemes.find(api_version, kind)
    if scheme is None or scheme.is_foreign_holder(api_version, kind):
        return None
    route = scheme.route(api_version, kind, documents.to)
    if route.is_tracked:
        raise HoldallError(f"{kind} has tracked values, which cannot be settled")
    own = {**value}
    version = api_version.rpartition("/")[2]
    load = unload(route.envelope, version, own)
    if load is None or load.has_unused():
        return None
    rank = {one.name: index for index, one in enumerate(scheme.versions)}
    here = rank[version]
    entries = names_of(load.cargo.bags)
    if not entries or any(rank.get(origin, len(rank)) > here for _, origin, _ in entries):
        return None
    bags.entries.update({(origin, key) for _, origin, key in entries})
    return own
