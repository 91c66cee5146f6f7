"""The head of a document: the members with its version and its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

from holdall.errors import ConversionError
from holdall.suggest import nearest
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, json_kind
from holdall.words import printable


class Names(NamedTuple):
    """The apiVersion and kind of documents: `example.com/v1` and `Order`, or `v1` and `Order` in a
    group without an API group."""

    api_version: str
    kind: str


KindsIn = Callable[[str], Sequence[str]]
"""Returns the names of a group's kinds in a version."""


def head_members(head: Head) -> set[str]:
    """Return the members with a document's version and kind."""
    return {name for name in (head.version_at, head.kind_at) if name}


class ApiHead:
    """`apiVersion` and `kind`, as in all Kubernetes documents."""

    version_at = "apiVersion"
    kind_at = "kind"

    def names(
        self, document: Mapping[str, Any], kinds: KindsIn, kind: str = "", version: str = ""
    ) -> Names:
        """Return the names in a document, known or not, except those given beside it. Raises
        ConversionError if one is missing.
        """
        return Names(version or _text(document, "apiVersion"), kind or _text(document, "kind"))

    def of(self, api_version: str, kind: str) -> JsonObject:
        """Return the head of documents of a version and kind."""
        return {"apiVersion": api_version, "kind": kind}

    def members_in(self, version: str) -> tuple[str, ...]:
        """Return the members of that head."""
        return self.version_at, self.kind_at

    def varies_in(self, version: str) -> str:
        """Return the member of that head that may also have other values; "" without one."""
        return ""

    def check(self, version: str, members: Mapping[str, Any]) -> None:
        """Raise ConversionError if members that become a document of a version say another one.

        Members of an object never have the names of this head.
        """


API_HEAD: Final = ApiHead()


@dataclass(frozen=True)
class MemberHead:
    """A member with the version, and perhaps another one with the kind.

    `values` are the usual values of `version_at`, by version, `others` further ones: a document
    with one of these keeps it as its own property. A document without the member has the version
    `default`, whose documents do not get it: if one has it, it is its own property. Without
    `kind_at`, a document has the only kind of its version.
    """

    version_at: str
    values: Mapping[str, JsonValue]
    default: str = ""
    kind_at: str = ""
    others: Mapping[str, Sequence[JsonValue]] = field(default_factory=dict)
    _versions: dict[Any, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        known = {_key(value): version for version in self.values for value in self.said_in(version)}
        object.__setattr__(self, "_versions", known)

    def names(
        self, document: Mapping[str, Any], kinds: KindsIn, kind: str = "", version: str = ""
    ) -> Names:
        version = version or self.version_of(document)
        return Names(version, kind or self.kind_of(document, version, kinds))

    def of(self, api_version: str, kind: str) -> JsonObject:
        said = {self.version_at: self.values[api_version], self.kind_at: kind}
        return {name: said[name] for name in self.members_in(api_version)}

    def members_in(self, version: str) -> tuple[str, ...]:
        version_at = "" if version == self.default else self.version_at
        return tuple(filter(None, (version_at, self.kind_at)))

    def varies_in(self, version: str) -> str:
        return self.version_at if version in self.others else ""

    def check(self, version: str, members: Mapping[str, Any]) -> None:
        # A bag keeps what a document of that version said, and bags can be edited.
        name, said = self.version_at, self.said_in(version)
        if name in members and _key(members[name]) not in map(_key, said):
            known = " or ".join(map(_shown, said))
            text = f"{_shown(members[name])}, from the bag or a hook, is not {version}: {known}"
            raise ConversionError(text, path=join("", name))

    def said_in(self, version: str) -> tuple[JsonValue, ...]:
        """Return all values for documents of a version, the usual one first."""
        return self.values[version], *self.others.get(version, ())

    def version_of(self, document: Mapping[str, Any]) -> str:
        """Return the version in a document. Raises ConversionError if it has none."""
        value = document.get(self.version_at)
        try:
            return self._versions[_key(value)]
        except (KeyError, TypeError):
            if self.default and self.version_at not in document:
                return self.default
        said = [value for version in self.values for value in self.said_in(version)]
        known = ", ".join(map(_shown, said))
        if self.version_at not in document:
            text = f'the document has no "{self.version_at}", which gives its version'
            raise ConversionError(f"{text}; known: {known}", path=join("", self.version_at))
        texts = [one for one in said if isinstance(one, str)]
        close = nearest(value, texts) if isinstance(value, str) else ""
        text = f"{_shown(value)} is not a version{close}; known: {known}"
        raise ConversionError(text, path=join("", self.version_at))

    def kind_of(self, document: Mapping[str, Any], version: str, kinds: KindsIn) -> str:
        """Return the kind of a document of a version. Raises ConversionError if it is unknown."""
        if self.kind_at:
            return _text(document, self.kind_at)
        known = kinds(version)
        if len(known) == 1:
            return known[0]
        text = f"the document does not give its kind, and {version} has {len(known)}"
        raise ConversionError(f"{text}: {', '.join(known)}")


Head: TypeAlias = ApiHead | MemberHead
"""How the documents of a group give their version and kind: in the members `version_at` and
`kind_at`, if there are any."""


def subject_of(kind: str, metadata: Any) -> str:
    """Return `kind namespace/name`, without unknown parts."""
    named = _json.named_members(metadata, "namespace", "name")
    name = "/".join(str(value) for value in named.values() if value)
    return printable(" ".join(filter(None, (kind, name))))


def _key(value: Any) -> Any:
    # True is equal to 1 in Python, not in JSON.
    return value is True or value is False, value


def _shown(value: Any) -> str:
    return _json.encode(value).decode()


def _text(document: Mapping[str, Any], name: str) -> str:
    value = document.get(name)
    if isinstance(value, str):
        return value
    is_there = name in document
    text = f"expected string, found {json_kind(value)}" if is_there else f"the object has no {name}"
    raise ConversionError(text, path=join("", name))
