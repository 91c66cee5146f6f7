"""JSON: fast decoding and encoding of trusted values, strict checks for everything else.

Length: all uses of msgspec are here.
"""

from __future__ import annotations

import codecs
import json as _stdlib
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Annotated, Any, Final, TypeAlias, TypeVar

import msgspec

from holdall.errors import DecodeError
from holdall.text._json_checks import BACKSLASH, agree_by_parts, is_deep, may_be_deep
from holdall.text._json_checks import TOO_LONG as TOO_LONG
from holdall.text._json_checks import copy_checked as copy_checked
from holdall.text._json_checks import may_hold_dollars as may_hold_dollars
from holdall.text._json_reader import find_fault, read_document
from holdall.text.documents import INEXACT, Document, exact_float
from holdall.types import JsonObject, JsonValue

T = TypeVar("T")

Sealed: TypeAlias = msgspec.Raw
"""JSON text inside a decoded value, not decoded itself."""
Text: TypeAlias = "bytes | bytearray | memoryview | str"
"""The types of JSON text."""
BINARY: Final = (bytes, bytearray, memoryview)
Record: TypeAlias = msgspec.Struct
"""The base of the shapes that `typed_decoder` takes: faster than dataclasses."""
UNSET: Final = msgspec.UNSET
"""The value of an absent member of a `Record`, where it is the default."""
NEVER: Final = Annotated[int, msgspec.Meta(gt=0, lt=0)]
"""The type of a member of a `Record` that may be absent; no value has this type."""

_decode: Final = msgspec.json.Decoder().decode
_split: Final = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_encode: Final = msgspec.json.Encoder().encode
_encode_sorted: Final = msgspec.json.Encoder(order="sorted").encode
_encode_lines: Final = msgspec.json.Encoder(order="sorted").encode_lines

_METADATA: Final = b'"metadata"'
_OUT_OF_RANGE: Final = "out of range"
_FEW: Final = 4
_SMALL: Final = 512
"""Bytes of a text up to which sealing a part costs more than it saves."""
_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
_NUMBERS: Final = {int, float}
_ENCODING_FAULTS: Final = (TypeError, ValueError, OverflowError, RecursionError)
_SPELLED: Final = re.compile(rb"\\[u/]")
_END: Final = rb"(?=[,\]}\n]|$)"
_EXPONENT: Final = rb"e(?:1[6-9]|20)" + _END
"""How a float from 1e16 on ends that Go and JavaScript write in full: they do so below 1e21."""
_FRACTION, _EXPONENTIAL = re.compile(rb"\.0" + _END), re.compile(_EXPONENT)
_STRING_OR_WHOLE: Final = re.compile(
    rb'"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9]+(?:\.0' + _END + rb"|(?:\.[0-9]+)?" + _EXPONENT + rb")"
)
SHAPE_ERRORS: Final = (msgspec.MsgspecError, UnicodeError, RecursionError)
_MARK: Final = codecs.BOM_UTF8
_WIDE: Final = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE
_BYTE: Final = re.compile(r"^(?:JSON is malformed: )?(.*) \(byte ([0-9]+)\)$")


_decode_exact: Final = msgspec.json.Decoder(float_hook=exact_float).decode
_NOT_DECODED: Final = (DecodeError, *SHAPE_ERRORS)
_NOT_EXACT: Final = (*_NOT_DECODED, ValueError)


def decode(data: bytes | bytearray | memoryview | str) -> JsonValue:
    """Decode one JSON text, at the speed of C; the hot path.

    Duplicate members are not noticed (the last wins); `load` is for files that people write.
    Raises DecodeError with the position in bytes, also for text nested too deeply for the call
    stack, which holds more than MAX_DEPTH levels.
    """
    try:
        value: JsonValue = _decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        if _OUT_OF_RANGE in str(error):
            # The decoder counts a sign as a digit.
            text = data if isinstance(data, str) else bytes(data).decode()
            if find_fault(text) is None:
                longest: JsonValue = _stdlib.loads(text)
                return longest
        raise DecodeError(_explain(data, error)) from error
    return value


def plain_text(data: Text) -> bytes | str:
    """Return JSON text as exactly bytes or str.

    Raises DecodeError for other types.
    """
    kind = type(data)
    if kind is bytes or kind is str:
        return data  # type: ignore[return-value]
    if isinstance(data, str):
        return str.__str__(data)
    if isinstance(data, BINARY):
        return bytes(data)
    raise DecodeError(f"expected JSON text as bytes or str, found {kind.__name__}")


def decode_exactly(data: bytes) -> JsonValue:
    """Decode one JSON text as `decode` does, but refuse numbers that this would change."""
    with suppress(*_NOT_EXACT):
        exact: JsonValue = _decode_exact(data)
        return exact
    value = decode(data)
    text = data.decode()
    found = find_fault(text, INEXACT)
    if found is not None:
        raise DecodeError(f"byte {len(text[: found[0]].encode())}: {found[1]}")
    return value


class UsualDocument(msgspec.Struct, forbid_unknown_fields=True):
    """A document with the usual members only: decoding these by name is faster.

    `metadata` is JSON text. `open_usual` makes the document of it.
    """

    apiVersion: Any
    kind: Any
    metadata: Sealed | msgspec.UnsetType = msgspec.UNSET
    spec: Any = msgspec.UNSET
    status: Any = msgspec.UNSET


_decode_usual: Final = msgspec.json.Decoder(UsualDocument).decode
_decode_usual_exact: Final = msgspec.json.Decoder(UsualDocument, float_hook=exact_float).decode
_members_of: Final = msgspec.structs.asdict


def decode_sealed(data: bytes | str | Sealed, mark: bytes) -> JsonValue:
    """Decode a JSON text, but leave the top-level `metadata` sealed where that is safe.

    A sealed member is a `Sealed` that `encode` writes byte for byte and `unseal` decodes. Metadata
    is sealed only if it is an object, in a text that `is_plain` and not small. If it contains
    `mark`, the caller has to read its annotations: these are decoded, and its other members are
    sealed.
    Raises as `decode` does, and if containers are nested deeper than MAX_DEPTH.
    """
    if isinstance(data, bytes):
        whole = data
    else:
        whole = data.encode(errors="replace") if isinstance(data, str) else bytes(data)
    if len(whole) < _SMALL:
        return decode(data)
    deep = may_be_deep(whole)
    try:
        try:
            usual = _decode_usual(data)
        except msgspec.ValidationError as error:
            if _OUT_OF_RANGE in str(error):
                return decode(data)  # says where, even in a member that a later one replaces
            document: JsonValue = open_members(_split(data), "metadata", mark, deep)
        else:
            document = _opened(usual, mark, deep)
    except _NOT_DECODED:
        document = decode(data)
    if deep:
        check_depth([document])
    return document


def decode_both_ways(data: bytes, mark: bytes) -> tuple[JsonValue, bool]:
    """Decode one JSON text as `decode_exactly` does, and return whether `decode_sealed` gives the
    same value. Its metadata may be sealed then.
    """
    if len(data) < _SMALL:
        return decode_exactly(data), True
    if may_be_deep(data):
        return decode_exactly(data), False
    try:
        usual = _decode_usual_exact(data)
        if usual.metadata is not msgspec.UNSET:
            # One byte is found much faster than two, and these faster from the end.
            is_escaped = BACKSLASH in data and data.rfind(b"\\u") >= 0
            if is_escaped or data.find(_METADATA) != data.rfind(_METADATA):
                return decode_exactly(data), False  # it may have skipped an earlier metadata
            _decode_exact(usual.metadata)
        return _opened(usual, mark, deep=False), True
    except _NOT_EXACT:
        value = decode_exactly(data)
    return value, type(value) is not dict or "metadata" not in value


def _opened(usual: UsualDocument, mark: bytes, deep: bool) -> JsonObject:
    text = b"" if usual.metadata is msgspec.UNSET else bytes(usual.metadata)
    # Several bytes are found much faster from the end.
    return open_usual(usual, is_plain(text), text.rfind(mark) >= 0, deep)


def may_hold_deep(text: bytes, count: int) -> bool:
    """Return whether `count` values in a JSON text may be nested too deeply."""
    # Many texts have that many brackets, so counting them is a waste.
    return count > _FEW or may_be_deep(text)


def check_depth(values: Sequence[JsonValue]) -> None:
    """Raise what `copy_checked` raises if decoded values are nested too deeply.

    Sealed values are not checked: they are never deep.
    """
    if is_deep(values):
        for value in values:
            copy_checked(unseal(value))


def is_plain(text: bytes) -> bool:
    """Return whether a JSON text is ASCII that spells no letter as an escape.

    Then decoding it further could refuse only its numbers, and names can be searched in it.
    """
    # One byte is found much faster than two.
    if BACKSLASH in text and _SPELLED.search(text, text.index(b"\\")) is not None:
        return False
    return text.isascii()


def open_usual(usual: UsualDocument, plain: bool, marked: bool, deep: bool) -> JsonObject:
    """Return the document, with its metadata as `decode_sealed` leaves it.

    `plain`, `marked` and (possibly) `deep` describe a text that contains that of the metadata.
    Raises DecodeError without a path or a position.
    """
    document = _members_of(usual)
    metadata = usual.metadata
    if metadata is not msgspec.UNSET:
        text = bytes(metadata)
        if not plain or marked or deep or text[:1] != b"{":
            try:
                document["metadata"] = _sealed(metadata, text, plain, marked, deep)
            except SHAPE_ERRORS as error:
                raise DecodeError(f"malformed JSON: {error}") from error
    else:
        del document["metadata"]
    if usual.spec is msgspec.UNSET:
        del document["spec"]
    if usual.status is msgspec.UNSET:
        del document["status"]
    return document


def open_members(members: Mapping[str, Sealed], name: str, mark: bytes, deep: bool) -> JsonObject:
    """Decode the members of an object, but leave `name` sealed as `decode_sealed` does.

    Raises DecodeError without a path or a position.
    """
    document: dict[str, Any] = {}
    try:
        for key, value in members.items():
            if key == name:
                text = bytes(value)
                document[key] = _sealed(value, text, is_plain(text), mark in text, deep)
            else:
                document[key] = _decode(value)
    except SHAPE_ERRORS as error:
        raise DecodeError(f"malformed JSON: {error}") from error
    return document


def typed_decoder(cls: type[T]) -> Callable[[bytes | str], T]:
    """Return a decoder of texts of one shape, a `Record` or dataclass; members may be `Sealed`.

    It skips members that the shape does not have, and raises one of SHAPE_ERRORS for text that is
    malformed or has another shape.
    """
    return msgspec.json.Decoder(cls).decode


def _sealed(value: Sealed, text: bytes, plain: bool, marked: bool, deep: bool) -> Any:
    if not plain or text[:1] != b"{" or (deep and may_be_deep(text, 1)):
        return _decode(text)
    return unseal_for_annotations(value) if marked else value


def kinds_of(name: str, members: Mapping[str, Any], *, closed: bool = False) -> type[Record] | None:
    """Return the shape of JSON objects with these `members` and their types.

    A `closed` one allows no others. None if JSON has to escape a name.
    """
    if any(_encode(member) != b'"%b"' % member.encode() for member in members):
        return None
    # Wire names may not be valid names of attributes.
    names = {f"m{index}": member for index, member in enumerate(members)}
    fields = [(f"m{index}", type_, None) for index, type_ in enumerate(members.values())]
    found: type[Record] = msgspec.defstruct(
        name, fields, rename=names, gc=False, forbid_unknown_fields=closed
    )
    return found


def kinds_checker(shape: Any) -> Callable[[Any], bool]:
    """Return a fast check that containers are where a shape has them, in C."""
    convert = msgspec.convert

    def check(value: Any) -> bool:
        try:
            convert(value, shape)
        except msgspec.ValidationError:
            return False
        return True

    # msgspec builds a shape when it is first used, and lets other threads use it half built, which
    # crashes the process.
    check({})
    return check


def is_sealed(value: object) -> bool:
    """Return whether a value is JSON text that is not decoded."""
    return type(value) is Sealed


def sealed_size(value: Any) -> int:
    """Return the number of bytes of a sealed value."""
    return len(bytes(value))


def unseal(value: Any) -> Any:
    """Return a value, decoded if it is sealed, with all sealed members decoded.

    Raises DecodeError: a sealed text may contain numbers that decoding refuses.
    """
    if type(value) is not dict:
        return decode(value) if type(value) is Sealed else value
    opened = {**value}
    work = [opened]
    while work:
        holder = work.pop()
        for key, item in holder.items():
            kind = type(item)
            if kind is Sealed:
                holder[key] = decode(item)
            elif kind is dict:
                holder[key] = inner = {**item}
                work.append(inner)
    return opened


def named_members(value: Any, *names: str) -> dict[str, Any]:
    """Return named members of an object, sealed or not, without those that cannot be decoded."""
    members = _split(value) if type(value) is Sealed else value
    found: dict[str, Any] = {}
    if type(members) is dict:
        for name in names:
            with suppress(DecodeError):
                found[name] = unseal(members.get(name))
    return found


def unseal_for_annotations(value: Any) -> Any:
    """Return sealed metadata as an object in which all but the annotations are sealed."""
    if type(value) is not Sealed:
        return value
    members: dict[str, Any] = _split(value)
    if "annotations" in members:
        members["annotations"] = _decode(members["annotations"])
    return members


def encode(value: object) -> bytes:
    """Encode a trusted JSON value as UTF-8 without spaces, at the speed of C; the hot path.

    It is only for values of JSON types: it refuses some others and converts some, and writes NaN
    as null; `copy_checked` is the validator. Raises DecodeError with the path of a value that
    cannot be encoded.
    """
    try:
        return _encode(value)
    except _ENCODING_FAULTS as error:
        raise _unencodable(value, error) from error


def encode_pretty(value: object) -> str:
    """Encode a JSON value for people: indented by two spaces, unescaped, with a final line break.

    Raises DecodeError with the path of a value that is not JSON.
    """
    return msgspec.json.format(_encode(copy_checked(value)), indent=2).decode() + "\n"


# For values that were decoded from JSON: without the errors of `encode` and `copy`.
encode_known: Final = _encode
decode_known: Final = _decode
copy_known: Final[Callable[[Any], Any]] = msgspec.to_builtins


def encode_sorted(value: object) -> bytes:
    """Encode a trusted JSON value with sorted keys and no spaces. Raises as `encode` does.

    Two values have equal bytes exactly when `same` holds for them.
    """
    try:
        return _encode_sorted(value)
    except _ENCODING_FAULTS as error:
        raise _unencodable(value, error) from error


def canonical(value: object) -> bytes:
    """Encode a trusted JSON value for comparisons and digests. Raises as `encode` does.

    Two values have equal bytes exactly when `equal` holds for them, unless one has an integer that
    no float has, or one from 1e21 on.
    """
    return _in_full(encode_sorted(value))


def canonical_each(values: Sequence[JsonValue]) -> list[bytes]:
    """Return what `canonical` returns for each value; many of them at the speed of C."""
    try:
        texts = _in_full(_encode_lines(values)).split(b"\n")[:-1]
    except _ENCODING_FAULTS:
        texts = []
    # Only sealed values have line breaks, and `canonical` locates faults.
    return texts if len(texts) == len(values) else [canonical(value) for value in values]


def without_fractions(value: Any) -> Any:
    """Return a JSON value, copied, with its whole numbers below 1e21 as Go writes them."""
    if type(value) is not float and type(value) in _SCALARS:
        return value
    return _decode(_in_full(_encode(value)))


def _in_full(text: bytes) -> bytes:
    """Return the text of JSON with its whole numbers written in full, without a fraction."""
    if _FRACTION.search(text) or _EXPONENTIAL.search(text):  # faster than both in one
        return _STRING_OR_WHOLE.sub(_found_in_full, text)
    return text


def _found_in_full(found: re.Match[bytes]) -> bytes:
    text = found[0]
    # Go writes zeros behind the digits that tell a float from others.
    return text if text[:1] == b'"' else b"%d" % int(Decimal(text.decode()))


def copy(value: T) -> T:
    """Copy a trusted JSON value deeply, at the speed of C; the copy shares no container with it."""
    if type(value) in _SCALARS:
        return value
    try:
        copied: T = msgspec.to_builtins(value)
    except _ENCODING_FAULTS as error:
        raise _unencodable(value, error) from error
    return copied


def same(a: JsonValue, b: JsonValue) -> bool:
    """Return whether two JSON values are the same: types exactly, lists in order, objects in any.

    `True`, `1` and `1.0` are different values, and so are `0.0` and `-0.0`: their texts differ.
    """
    if a is b:
        return True
    kind = type(a)
    if kind is not type(b):
        return False
    if kind is not dict and kind is not list:
        return _are_same(a, b)
    try:
        # For Python True equals 1, and 1 equals 1.0, so equal values need a closer look.
        # Most objects have their members in the same order.
        return a == b and (_encode(a) == _encode(b) or _encode_sorted(a) == _encode_sorted(b))
    except _ENCODING_FAULTS:
        return agree_by_parts(a, b, _are_same)


def _are_same(one: Any, other: Any) -> bool:
    """Return whether two scalars are the same."""
    kind = type(one)
    if kind is not type(other) or one != other:
        return False
    return kind is not float or one != 0.0 or str(one) == str(other)


def equal(a: Any, b: Any) -> bool:
    """Return whether two JSON values are the same, however their numbers are written.

    `1`, `1.0` and `1e0` are equal: Go and JavaScript write any of them as `1`, so the difference
    between them is nobody's edit.
    """
    if a is b:
        return True
    kind = type(a)
    if kind is not type(b) or (kind is not dict and kind is not list):
        return _are_equal(a, b)
    with suppress(*_ENCODING_FAULTS):
        if a == b and _encode(a) == _encode(b):
            return True
    return agree_by_parts(a, b, _are_equal)


def _are_equal(one: Any, other: Any) -> bool:
    """Return whether two scalars are equal."""
    if type(one) is type(other):
        return bool(one == other)
    return {type(one), type(other)} == _NUMBERS and bool(_as_float(one) == _as_float(other))


def _as_float(number: Any) -> Any:
    try:
        return float(number)
    except OverflowError:
        return number


def load(text: bytes | str, file: str, begin: tuple[int, int] = (1, 1)) -> Document:
    """Read one JSON document strictly, with the position of every node; for files.

    `begin` is the line and column of the file where the text begins.

    Integers of up to MAX_DIGITS digits are exact. Raises SourceError with all problems found:
    bad UTF-8 or a byte order mark (HA101), malformed text (HA102), duplicate keys (HA103), NaN,
    infinities, numbers out of range and lone surrogates (HA105), depth over MAX_DEPTH (HA106),
    numbers that a float cannot hold (HA107).
    """
    return read_document(text, file, begin)


def _unencodable(value: object, error: Exception) -> DecodeError:
    try:
        copy_checked(value)
    except DecodeError as located:
        return located
    if isinstance(error, RecursionError):
        return DecodeError("the value is nested too deeply for the current call stack")
    return DecodeError(f"the value cannot be encoded: {error}")


def _explain(data: bytes | bytearray | memoryview | str, error: Exception) -> str:
    """Compose a message with the position in bytes, even if the decoder does not name it."""
    is_deep = isinstance(error, RecursionError)
    match = None if is_deep else _BYTE.match(str(error))
    if match and match[2] == "0":
        # Text editors write it, and the decoder does not know it.
        start = data[:1].encode(errors="replace") if isinstance(data, str) else bytes(data[:3])
        if start == _MARK:
            return "malformed JSON at byte 0: the text starts with a byte order mark"
        if start[:2] in _WIDE:
            return "malformed JSON at byte 0: the text is UTF-16, not UTF-8"
    if match:
        return f"malformed JSON at byte {match[2]}: {match[1]}"
    try:
        text = data if isinstance(data, str) else bytes(data).decode()
    except UnicodeDecodeError as bad:
        return f"malformed JSON at byte {bad.start}: not UTF-8"
    what = "nested too deeply" if is_deep else "malformed JSON"
    found = find_fault(text, "HA106" if is_deep else "")
    if found is None:
        return f"{what}: {error}"
    offset, reason = found
    return f"{what} at byte {len(text[:offset].encode())}: {reason}"


def decode_with(data: str | bytes, options: dict[str, Any]) -> Any:
    """Parse with the standard library and its options, for the interface's `from_json`."""
    return _stdlib.loads(data, **options)


def encode_with(value: object, options: dict[str, Any]) -> str:
    """Write with the standard library and its keyword arguments, for the interface's `to_json`."""
    text: str = _stdlib.dumps(value, **options)
    return text
