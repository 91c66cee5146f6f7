"""Holders with inner documents, for laws: texts in all the places that a project declares."""

from __future__ import annotations

from typing import Any

from holdall.inner.declared import InnerDocuments
from holdall.inner.folding import fold
from holdall.scheme.scheme import Scheme
from holdall.testing.laws.choices import Choices, pick
from holdall.testing.laws.documents import Documents
from holdall.text import json as _json
from holdall.text import yaml
from holdall.types import JsonObject

_MOST = 2


def with_texts(
    choices: Choices, documents: Documents, scheme: Scheme, document: JsonObject
) -> JsonObject:
    """Return an object with texts in its places for inner documents, now and then."""
    for declared in scheme.inner:
        api_version, kind = scheme.names_of(document)
        version = api_version.rpartition("/")[2]
        if kind in declared.holders and choices.below(2):
            text = _text(choices, documents, scheme, declared, declared.version_in(version))
            document = _put(document, declared.path, text)
    return document


def _text(
    choices: Choices,
    documents: Documents,
    scheme: Scheme,
    declared: InnerDocuments,
    version: str,
) -> str:
    """Return a text with documents, mostly of one version; some are of a kind that it lacks."""
    kinds = [kind for kind in scheme.kinds if scheme.served(kind)]
    drawn: list[JsonObject] = []
    for _ in range(1 + choices.below(_MOST)):
        kind = pick(choices, kinds)
        served = scheme.served(kind)
        own = version if version in served and choices.below(4) else pick(choices, served)
        document = documents.root(choices, kind.name, own)
        drawn.append(fold(document, {"name": ""}) if declared.folded else document)
    if declared.format == "json":
        is_pretty = choices.below(2)
        return _json.encode_pretty(drawn[0]) if is_pretty else _json.encode(drawn[0]).decode()
    return "# drawn\n" + "".join(f"---  # {n}\n{yaml.dump(it)}" for n, it in enumerate(drawn))


def _put(document: JsonObject, path: tuple[str, ...], text: str) -> JsonObject:
    """Return an object with a text at a path; as it is, if something else is on the way there."""
    name, *rest = path
    inner: Any = document.get(name)
    if not rest:
        return {**document, name: text}
    if inner is not None and type(inner) is not dict:
        return document
    return {**document, name: _put(inner or {}, tuple(rest), text)}
