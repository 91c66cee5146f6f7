"""What happens to one document: bytes in, bytes out; a bad one is a result, not an exception."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from holdall.carriers.reports import Lost, Report, loses
from holdall.errors import ConversionError, DecodeError, HoldallError
from holdall.objects.heads import Names
from holdall.scheme.batches import Batch, Fault, FindFlaws, describe_failure, raise_if_invalid
from holdall.scheme.scheme import MARK, Scheme
from holdall.scheme.schemes import Schemes
from holdall.scheme.steps import MOST, MOST_TEXT, together
from holdall.text import json as _json
from holdall.text.pointer import join
from holdall.types import JsonValue, is_json_object, json_kind, members

Outcome: TypeAlias = Literal["converted", "unchanged", "lossy", "passed", "failed"]
"""`unchanged`: it already has the target version; `passed`: no group has its kind; `lossy`: it was
converted, but an entry of its bags found no place."""

Row: TypeAlias = tuple[bytes, str, str]
"""A document, with its kind and version if they are given beside it."""

LOSS: Final = "HA510"
UNPLACED: Final = "HA511"
_DEFECT: Final = "HA900"


class Result(NamedTuple):
    """One document after its conversion, unchanged if that failed.

    `before` is its former version, from the document or a column; "" if there was none. `kind` and
    `version` are the new values of columns.
    """

    outcome: Outcome
    document: bytes
    before: str = ""
    kind: str = ""
    version: str = ""
    fault: Fault | None = None


class _Begun(_json.Record):  # it is made several times faster than a dataclass
    """A row whose conversion has begun: its document as it was read, and the remaining steps.

    They end with the converted document, another result, or an error.
    """

    row: Row
    value: JsonValue
    steps: Iterator[Any]
    before: str = ""
    losses: Report = []  # noqa: RUF012 - each gets its own


class Documents:
    """Converts documents to one version, each independently.

    Raises UnknownKindError if no group has the version, and what `Schemes.load` raises.
    """

    def __init__(
        self,
        schemes: Schemes[Scheme],
        to: str,
        *,
        pass_unknown: bool = False,
        find_flaws: FindFlaws | None = None,
        stacks: bool = False,
    ) -> None:
        schemes.check_target(to)
        schemes.load()
        self.schemes = schemes
        self.to = to
        self.find_flaws = find_flaws
        self.stacks = stacks
        self.pass_unknown = pass_unknown
        self._known: dict[Names, tuple[Scheme | None, Names]] = {}
        # The schemes by apiVersion and kind, if these identify all documents.
        self._usual: dict[tuple[str, str], Scheme] = {}

    def convert(self, data: bytes, kind: str = "", version: str = "") -> Result:
        """Convert a document, which has no version and kind itself if they are given."""
        [result] = self._together([(data, kind, version)])
        return result

    def convert_all(self, rows: Iterable[Row]) -> Iterator[Result]:
        """Convert documents, several together; yield their results in order."""
        group: list[Row] = []
        size = 0
        for row in rows:
            group.append(row)
            size += len(row[0])
            if len(group) == MOST or size >= MOST_TEXT:
                yield from self._together(group)
                group, size = [], 0
        yield from self._together(group)

    def _together(self, rows: Sequence[Row]) -> list[Result]:
        begun = [self._begin(row) for row in rows]
        made = together([one.steps for one in begun])
        return [*map(self._end, begun, made)]

    def _begin(self, row: Row) -> _Begun:
        """Read a document; its steps finally yield the converted document or another result."""
        data, kind, version = row
        value: JsonValue = None
        try:
            if kind or version:
                value = _json.decode_exactly(data)
                return _Begun(row, value, iter([self._convert_beside(value, data, kind, version)]))
            value, is_ready = _json.decode_both_ways(data, MARK)
            return self._started(row, value, is_ready=is_ready)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - one document's, and reported
            return _Begun(row, value, iter([error]))

    def _end(self, begun: _Begun, made: Any) -> Result:
        """Return the result of a document, given what its steps yielded last or raised."""
        (data, kind, version), value = begun.row, begun.value
        try:
            if isinstance(made, BaseException):
                raise made
            if isinstance(made, Result):
                result = made
            else:
                text = _json.encode(made)
                result = self._result(text, begun.before, "", "", begun.losses, value)
            if self.find_flaws is not None:
                self._check(result, self.find_flaws)
            return result
        except HoldallError as error:
            subject = self.schemes.subject_of(value)
            fault = describe_failure(error, subject, stacks=self.stacks)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - one document's, and reported
            text_of = f"{type(error).__name__}: {error}; this is a bug in holdall or in a hook"
            fault = Fault(_DEFECT, "", text_of, subject=self.schemes.subject_of(value))
        return Result("failed", data, self._before(value, kind, version), kind, version, fault)

    def batch(
        self, report: Callable[[Fault, JsonValue], None], warn: Callable[[str], None]
    ) -> Batch:
        """Return a converter of lists of documents with the same options."""
        how = self.pass_unknown, self.find_flaws, self.stacks
        return Batch(self.schemes, self.to, report, warn, *how)

    def _before(self, value: JsonValue, kind: str, version: str) -> str:
        try:
            return version or self.names_of(value, kind).api_version
        except HoldallError:
            return ""

    def _check(self, result: Result, find_flaws: FindFlaws) -> None:
        """Raise InvalidResult for a document that its schema refuses."""
        if result.outcome == "passed":
            return
        value = _json.decode(result.document)
        if is_json_object(value):
            names = self.names_of(value, result.kind, result.version)
            scheme, _ = self._find(names)
            head = scheme.head.of(*names) if scheme is not None else {}
            raise_if_invalid({**value, **head}, names, find_flaws)

    def names_of(self, value: JsonValue, kind: str = "", version: str = "") -> Names:
        """Return the version and kind in a document, or as given beside it.

        Raises ConversionError or UnknownKindError if they are missing or ambiguous.
        """
        if not is_json_object(value):
            raise ConversionError(f"expected object, found {json_kind(value)}")
        return self.schemes.names_of(value, kind=kind, version=version)

    def _started(self, row: Row, value: Any, *, is_ready: bool) -> _Begun:
        """Start the conversion of a document that has version and kind.

        `is_ready` says that it was decoded as conversions need it.
        """
        data = row[0]
        try:
            before: str = value["apiVersion"]
            scheme = self._usual[before, value["kind"]]
        except (KeyError, TypeError):
            names = self.names_of(value)
            before = names.api_version
            found, target = self._find(names)
            result = None
            if found is None:
                result = Result("passed", data, before)
            elif found.is_foreign_holder(*names):
                result = self._convert_holder(found, data)
            elif names == target:
                result = _unchanged(value, data, before)
            if found is None or result is not None:
                return _Begun(row, value, iter([result]))
            scheme = found
            if self.schemes.all_say_names:
                self._usual[names] = scheme
        # Keeps what identifies the object in a report.
        own: Any = {**value} if is_ready else _json.decode_sealed(data, MARK)
        losses: Report = []
        is_plain = not _json.may_hold_dollars(data)
        steps = scheme.route_of(own, self.to).steps(own, losses, is_plain=is_plain)
        return _Begun(row, value, steps, before, losses)

    def _convert_beside(self, value: JsonValue, data: bytes, kind: str, version: str) -> Result:
        """Convert a document whose given names are beside it."""
        names = self.names_of(value, kind, version)
        before = version or names.api_version
        scheme, target = self._find(names)
        if scheme is None or not is_json_object(value):
            return Result("passed", data, before, kind, version)
        given = {scheme.head.version_at: version, scheme.head.kind_at: kind}
        given = {name: word for name, word in given.items() if name and word}
        for name, word in given.items():
            if name in value:
                text = f"the document has a member {name!r}, which is given beside it as {word!r}"
                raise DecodeError(text, join("", name))
        full = {**value, **scheme.head.of(*names)}
        if scheme.is_foreign_holder(*names):
            held = self._convert_holder(scheme, _json.encode(full))
            there = members(_json.decode(held.document))
            left = _json.encode({name: item for name, item in there.items() if name not in given})
            document = data if held.outcome == "unchanged" else left
            return held._replace(document=document, kind=kind, version=version)
        if names == target:
            return _unchanged(value, data, before, kind, version)
        losses: Report = []
        converted = scheme.convert(full, to=self.to, report=losses)
        rest = {name: item for name, item in converted.items() if name not in given}
        now = target.api_version if "/" in version else target.api_version.rpartition("/")[2]
        return self._result(
            _json.encode(rest), before, kind and target.kind, version and now, losses, full
        )

    def _convert_holder(self, scheme: Scheme, data: bytes) -> Result:
        """Convert the documents that an object of another group holds as text.

        Its own version stays, so it does not show whether anything changed, or how to go back.
        """
        losses: Report = []
        value = _json.decode_exactly(data)
        there = scheme.convert_bytes(data, to=self.to, report=losses)
        versions = dict.fromkeys(
            scheme.api_version(version.name, kind)
            for version in scheme.versions
            for kind in scheme.kinds
            if version.name in kind.types and not version.internal
        )
        if _same(there, value) and not losses:
            same = (it for it in versions if self.to in (it, it.rpartition("/")[2]))
            return Result("unchanged", data, next(same, ""))
        back = (it for it in versions if _same(scheme.convert_bytes(there, to=it), value))
        return self._result(there, next(back, ""), "", "", losses, value)

    def _result(
        self,
        document: bytes,
        before: str,
        kind: str,
        version: str,
        losses: Report,
        value: JsonValue,
    ) -> Result:
        if not losses:
            return Result("converted", document, before, kind, version)
        is_loss = loses(losses)
        first = next((it for it in losses if isinstance(it, Lost)), losses[0])
        path = first.path if isinstance(first, Lost) else first.address
        text = "; ".join(map(str, losses))
        subject = self.schemes.subject_of(value)
        fault = Fault(LOSS if is_loss else UNPLACED, path, text, subject=subject)
        return Result("lossy", document, before, kind, version, fault)

    def _find(self, names: Names) -> tuple[Scheme | None, Names]:
        """Return the scheme that converts documents of these names, and their new names.

        None for unknown ones if these pass, otherwise raises UnknownKindError.
        """
        known = self._known.get(names)
        if known is None:
            scheme = self.schemes.find(*names)
            if scheme is None and self.pass_unknown and all(names):
                return None, names
            target = Names(*self.schemes.target(*names, to=self.to))
            known = self._known[names] = scheme, target
        return known


def _unchanged(
    value: JsonValue, data: bytes, before: str, kind: str = "", version: str = ""
) -> Result:
    """Return a document unchanged. Raises DecodeError if it is nested too deeply."""
    if _json.may_hold_deep(data, 1):
        _json.check_depth([value])
    return Result("unchanged", data, before, kind, version)


def _same(text: bytes, value: JsonValue) -> bool:
    return _json.same(_json.decode(text), value)
