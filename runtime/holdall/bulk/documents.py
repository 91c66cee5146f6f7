"""What happens to one document: bytes in, bytes out; a bad one is a result, not an exception."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from holdall.carriers import Lost
from holdall.carriers.reports import Report
from holdall.errors import DecodeError, HoldallError, Problem, UnknownKindError
from holdall.scheme.batches import FindFlaws, describe_failure, raise_if_invalid, subject_of
from holdall.scheme.scheme import Scheme
from holdall.scheme.schemes import Schemes
from holdall.suggest import nearest
from holdall.text import json as _json
from holdall.text.documents import Document
from holdall.types import JsonObject, JsonValue, is_json_object

Outcome: TypeAlias = Literal["converted", "unchanged", "lossy", "passed", "failed"]
"""`unchanged` is of the target version already, `passed` of a kind that no group has. What is
`lossy` was converted, but an entry of its bags found no place."""

LOSS: Final = "HA510"
_DEFECT: Final = "HA900"


class Fault(NamedTuple):
    """Why a document failed or lost something; `path` is a JSON Pointer into it."""

    code: str
    path: str
    message: str
    edge: str = ""
    subject: str = ""
    fix: str = ""


class Result(NamedTuple):
    """One document after its conversion; one that failed is as it was.

    `before` is the version that it said it had, or that a column said; "" if nothing did. `kind`
    and `version` are what columns say from now on.
    """

    outcome: Outcome
    document: bytes
    before: str = ""
    kind: str = ""
    version: str = ""
    fault: Fault | None = None


class _Names(NamedTuple):
    api_version: str
    kind: str


class Documents:
    """Converts documents to one version, each by itself. Raises UnknownKindError if no group
    has the version, and what `Schemes.load` does."""

    def __init__(
        self,
        schemes: Schemes[Scheme],
        to: str,
        *,
        pass_unknown: bool = False,
        find_flaws: FindFlaws | None = None,
    ) -> None:
        schemes.check_target(to)
        schemes.load()
        self.schemes = schemes
        self.to = to
        self.find_flaws = find_flaws
        self._pass_unknown = pass_unknown
        self._known: dict[_Names, tuple[Scheme, _Names]] = {}

    def convert(self, data: bytes, kind: str = "", version: str = "") -> Result:
        """Convert a document. Where `kind` and `version` are given it does not say them itself."""
        value: JsonValue = None
        before = version
        try:
            value = _json.decode_exactly(data)
            before = version or _said(value, "apiVersion")
            if kind or version:
                result = self._convert_named(value, data, kind, version)
            else:
                result = self._convert(value, data)
            self._check(result)
            return result
        except HoldallError as error:
            failure = describe_failure(error, value, Document(value, "", 1), "")
            fault = Fault(
                failure.code,
                failure.path,
                failure.message,
                failure.edge,
                failure.subject,
                failure.fix,
            )
        except (Exception, SystemExit) as error:  # noqa: BLE001 - one document's, and reported
            text = f"{type(error).__name__}: {error}; this is a defect of holdall or of a hook"
            fault = Fault(_DEFECT, "", text, subject=subject_of(value))
        return Result("failed", data, before, kind, version, fault)

    def _check(self, result: Result) -> None:
        """Raise InvalidResult for a document that its schema refuses."""
        if self.find_flaws is None or result.outcome == "passed":
            return
        value = _json.decode(result.document)
        if is_json_object(value):
            api_version, kind = self.names_of(value, result.kind, result.version)
            raise_if_invalid({**value, "apiVersion": api_version, "kind": kind}, self.find_flaws)

    def names_of(self, value: JsonObject, kind: str = "", version: str = "") -> tuple[str, str]:
        """Return apiVersion and kind of a document, as it says them or as they are given."""
        kind = kind or _said(value, "kind")
        if version:
            return self._api_version(version, kind), kind
        return _said(value, "apiVersion"), kind

    def _convert(self, value: JsonValue, data: bytes) -> Result:
        names = _Names(_said(value, "apiVersion"), _said(value, "kind"))
        known = self._find(names)
        if known is None:
            if self._pass_unknown and all(names):
                return Result("passed", data, names.api_version)
            self.schemes.convert(value, to=self.to)  # says what is wrong with the names
            raise DecodeError("the document cannot be converted")
        scheme, target = known
        if names == target and not scheme.is_foreign_holder(*names):
            return Result("unchanged", data, names.api_version)
        losses: Report = []
        converted = scheme.convert_bytes(data, to=self.to, report=losses)
        return _result(converted, names.api_version, "", "", losses, value)

    def _convert_named(self, value: JsonValue, data: bytes, kind: str, version: str) -> Result:
        """Convert a document whose kind or version, or both, are said beside it."""
        if not is_json_object(value):
            return self._convert(value, data)
        given = {"apiVersion": version, "kind": kind}
        for name, word in given.items():
            if word and name in value:
                text = f"the document has a member {name!r}, which is said beside it as {word!r}"
                raise DecodeError(text, f"/{name}")
        names = _Names(*self.names_of(value, kind, version))
        full: JsonObject = {**value, "apiVersion": names.api_version, "kind": names.kind}
        known = self._find(names)
        if known is None:
            if self._pass_unknown and all(names):
                return Result("passed", data, version or names.api_version, kind, version)
            self.schemes.convert(full, to=self.to)
            raise DecodeError("the document cannot be converted")
        scheme, target = known
        before = version or names.api_version
        if names == target and not scheme.is_foreign_holder(*names):
            return Result("unchanged", data, before, kind, version)
        losses: Report = []
        converted = scheme.convert(full, to=self.to, report=losses)
        left = {name: item for name, item in converted.items() if not given.get(name)}
        now = target.api_version if "/" in version else target.api_version.rpartition("/")[2]
        return _result(
            _json.encode(left), before, kind and target.kind, version and now, losses, full
        )

    def _find(self, names: _Names) -> tuple[Scheme, _Names] | None:
        """Return who converts documents of these names, and what their names are then."""
        known = self._known.get(names)
        if known is None:
            scheme = self.schemes.find(*names)
            if scheme is None:
                return None
            target = _Names(*self.schemes.target(*names, to=self.to))
            known = self._known[names] = scheme, target
        return known

    def _api_version(self, version: str, kind: str) -> str:
        """Return the apiVersion that a version means for a kind."""
        if "/" in version:
            return version
        found = {
            scheme.api_version(version, entry)
            for scheme in self.schemes.schemes
            for entry in scheme.kinds
            if version in entry.types and entry.name_in(version) == kind
        }
        if len(found) == 1:
            return found.pop()
        if found:
            text = f"{kind} {version} may be any of {', '.join(sorted(found))}"
            raise UnknownKindError([Problem("HA401", "", text, "say the group, too")])
        known = {
            f"{entry.name_in(name)} {name}"
            for scheme in self.schemes.schemes
            for entry in scheme.kinds
            for name in entry.types
        }
        text = f"no group has {kind} {version}{nearest(f'{kind} {version}', known)}"
        raise UnknownKindError([Problem("HA401", "", text, f"known: {', '.join(sorted(known))}")])


def _result(
    document: bytes, before: str, kind: str, version: str, losses: Report, value: JsonValue
) -> Result:
    if not losses:
        return Result("converted", document, before, kind, version)
    first = losses[0]
    path = first.path if isinstance(first, Lost) else first.address
    text = "; ".join(map(str, losses))
    fault = Fault(LOSS, path, text, subject=subject_of(value))
    return Result("lossy", document, before, kind, version, fault)


def _said(value: JsonValue, name: str) -> str:
    word = value.get(name) if is_json_object(value) else None
    return word if isinstance(word, str) else ""
