"""The documents that a holder has as text, for those who only look at them."""

from __future__ import annotations

from collections.abc import Iterator

from holdall.errors import HoldallError
from holdall.inner.declared import InnerDocuments
from holdall.inner.folding import unfold
from holdall.text import json as _json
from holdall.text import yaml
from holdall.types import JsonObject, get, is_json_object
from holdall.types import text as text_at


def documents_in(holder: JsonObject, declared: InnerDocuments, group: str) -> Iterator[JsonObject]:
    """Yield the documents at one declared place, unfolded, with the own name of their group.

    A text that cannot be read has none: no conversion changes it.
    """
    text = get(holder, *declared.path)
    if not isinstance(text, str) or not text.strip():
        return
    try:
        if declared.format == "json":
            values = [_json.load(text, "").value]
        else:
            values = [document.value for document in yaml.load_all(text, "")]
    except HoldallError:
        return
    for value in values:
        if is_json_object(value):
            document = unfold(value) if declared.folded else value
            given, slash, version = text_at(document, "apiVersion").rpartition("/")
            own = group if given in declared.aliases else given
            yield {**document, "apiVersion": f"{own}{slash}{version}"}
