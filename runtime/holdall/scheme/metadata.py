"""The metadata that a kind's hooks get: an API server takes labels and annotations from a
conversion, refuses another name, namespace or uid, and reverts everything else.
"""

from __future__ import annotations

from typing import Any, Final

from holdall.errors import HookFailure
from holdall.text import json as _json

_FREE: Final = ("labels", "annotations")


def check_metadata(hook: str, before: Any, after: Any) -> None:
    """Refuse metadata in which a hook changed more than labels and annotations."""
    if before is after:
        return
    one, other = (_fixed(metadata) for metadata in (before, after))
    if _json.same(one, other):
        return
    names = sorted({*one, *other}) if type(one) is dict is type(other) else []
    changed = [name for name in names if not _json.same(one.get(name), other.get(name))]
    raise HookFailure(
        f"{hook} changed {'/'.join(('metadata', *changed[:1]))}: a hook may change only the labels"
        " and annotations of metadata",
        None,
        hook,
    )


def _fixed(metadata: Any) -> Any:
    """Return the part of metadata that hooks must not change."""
    if type(metadata) is not dict:
        return {} if metadata is None else metadata
    return {name: value for name, value in metadata.items() if name not in _FREE}
