"""Answering a ConversionReview for one declared kind, with checks in a fixed order.

It never raises, and the HTTP status of the answer is 200. Source: docs/declared.md, "Reviews".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from holdall.errors import (
    ConversionError,
    DecodeError,
    FunctionFailure,
    HoldallError,
    TrackedValueError,
    UnknownApiVersion,
)
from holdall.plan.declared import declared_types
from holdall.plan.parse import Parser, Unknown
from holdall.plan.plans import TypeRef
from holdall.review.declared_traces import ReviewTrace, traced
from holdall.text import json as _json
from holdall.text.json_path import json_path
from holdall.types import JsonObject, JsonValue

if TYPE_CHECKING:
    from holdall.scheme.kinds import DeclaredKind, KindVersion

Profile: TypeAlias = Literal["strict", "server"]

_API_VERSION: Final = "apiextensions.k8s.io/v1"
_KIND: Final = "ConversionReview"
_MAX_CAUSES: Final = 20
_PARSE: Final = "failed to parse object: "
_CONVERT: Final = "failed to convert object: "


@dataclass(frozen=True, slots=True)
class _Failure(Exception):
    """Why one object fails; `path` is a JSON Pointer into it."""

    code: int
    message: str
    path: str = ""


class _Answer:
    """The reply: what it echoes, and its two outcomes."""

    def __init__(self) -> None:
        self.api_version, self.kind, self.uid = _API_VERSION, _KIND, ""

    def success(self, objects: list[JsonValue]) -> JsonObject:
        return self._review({"result": {"status": "Success"}, "convertedObjects": objects})

    def failure(self, code: int, message: str, causes: list[JsonValue] | None = None) -> JsonObject:
        message = _encodable(message)
        result: dict[str, JsonValue] = {
            "status": "Failure",
            "code": code,
            "message": message,
            "reason": message,
        }
        if causes:
            result["details"] = {"causes": causes}
        return self._review({"result": result, "convertedObjects": []})

    def _review(self, response: dict[str, JsonValue]) -> JsonObject:
        return {
            "apiVersion": self.api_version,
            "kind": self.kind,
            "response": {"uid": self.uid, **response},
        }


def try_convert(
    kind: type[DeclaredKind],
    review: Mapping[str, Any] | bytes,
    *,
    profile: Profile = "strict",
    unknown: Unknown | None = None,
    tracing: str = "",
) -> JsonObject:
    """Return the reply to a ConversionReview, which is not changed.

    With the profile `server` partial objects are accepted, unknown fields stay, and messages say
    which object failed. `unknown` says what happens to unknown fields otherwise. `tracing` is the
    import path of OpenTelemetry's API if the review is traced.
    """
    how: Unknown = unknown or ("drop" if profile == "strict" else "keep")
    answer = _Answer()
    try:
        with traced(kind, tracing) as trace:
            reply = _reply(answer, kind, review, profile, how, trace)
            if trace is not None:
                trace.ends(reply)
            return reply
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - it never raises
        return answer.failure(500, _internal(error))


def _reply(
    answer: _Answer,
    kind: type[DeclaredKind],
    review: Mapping[str, Any] | bytes,
    profile: Profile,
    unknown: Unknown,
    trace: ReviewTrace | None,
) -> JsonObject:
    document = _read(review)
    request = document.get("request")
    if request is None:
        return answer.failure(400, "request missing in ConversionReview")
    answer.api_version = _string(document, "apiVersion", _API_VERSION)
    answer.kind = _string(document, "kind", _KIND)
    wrong = _malformed(request)
    if wrong:
        answer.uid = _string(request, "uid", "") if type(request) is dict else ""
        return answer.failure(400, f"malformed ConversionReview request: {wrong}")
    answer.uid = request["uid"]
    try:
        desired = kind.Version.from_api_version(request["desiredAPIVersion"])
    except UnknownApiVersion:
        text = f'unknown API version "{request["desiredAPIVersion"]}"'
        return answer.failure(400, f"failed to parse desired API version: {text}")
    if trace is not None:
        trace.asks_for(desired)
    return _Review(kind, desired, profile, unknown, trace).answer(answer, request["objects"])


def _read(review: object) -> dict[str, Any]:
    """Return a copy of a review's members; none if it is not a JSON object."""
    document: Any = None
    try:
        if isinstance(review, (bytes, bytearray, memoryview, str)):
            document = _json.copy_checked(_json.decode(review))
        elif isinstance(review, Mapping):
            document = _json.copy_checked(dict(review))
    except DecodeError:
        pass
    return document if type(document) is dict else {}


def _string(members: Mapping[str, Any], name: str, default: str) -> str:
    found = members.get(name)
    return found if type(found) is str else default


def _malformed(request: Any) -> str:
    if type(request) is not dict:
        return "request is not an object"
    for name in ("uid", "desiredAPIVersion"):
        if name not in request:
            return f"missing field `{name}`"
        if type(request[name]) is not str:
            return f"{name} is not a string"
    if "objects" not in request:
        return "missing field `objects`"
    return "" if type(request["objects"]) is list else "objects is not a list"


@dataclass
class _Review:
    """Converts the objects of one request."""

    kind: type[DeclaredKind]
    desired: KindVersion
    profile: Profile
    unknown: Unknown
    trace: ReviewTrace | None

    def __post_init__(self) -> None:
        types = declared_types(self.kind.SCHEME.package)
        self._parser = Parser(types, partial=self.profile == "server")

    def answer(self, answer: _Answer, objects: list[Any]) -> JsonObject:
        converted: list[JsonValue] = []
        failed: list[tuple[_Failure, str]] = []
        for index, item in enumerate(objects):
            try:
                converted.append(self._convert(item))
                continue
            except _Failure as found:
                failure = found
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # noqa: BLE001 - only this object fails
                failure = _Failure(500, _internal(error))
            failed.append((failure, self._suffix(index, item, failure)))
            if self.profile == "strict":
                break
        if not failed:
            return answer.success(converted)
        first, suffix = failed[0]
        causes: list[JsonValue] = []
        if self.profile == "server":
            causes = [
                {"reason": "FieldValueInvalid", "message": _encodable(f"{failure.message}{where}")}
                for failure, where in failed[:_MAX_CAUSES]
            ]
        return answer.failure(first.code, f"{first.message}{suffix}", causes)

    def _suffix(self, index: int, item: Any, failure: _Failure) -> str:
        if self.profile == "strict":
            return ""
        metadata = item.get("metadata") if type(item) is dict else None
        names = metadata if type(metadata) is dict else {}
        name = "/".join(filter(None, (_string(names, key, "") for key in ("namespace", "name"))))
        at = f"at {json_path(failure.path)}" if failure.path else ""
        parts = [part for part in (f"object {index}", name, at) if part]
        return f" ({', '.join(parts)})"

    def _convert(self, item: Any) -> JsonValue:
        version = self._version_of(item)
        name = self.kind.NAME
        try:
            parsed = self._parser.document(TypeRef(version.value, name), item, self.unknown)
        except DecodeError as error:
            text = f"{_PARSE}failed to deserialize object from JSON: {error.message}"
            raise _Failure(400, text, error.path) from error
        if version == self.desired:
            converted: JsonValue = item
        else:
            converted = self._converted(parsed)
        if self.trace is not None:
            self.trace.converted(version, self.desired)
        return converted

    def _converted(self, parsed: JsonObject) -> JsonValue:
        try:
            return self.kind.SCHEME.convert(parsed, to=self.desired.value)
        except ConversionError as error:
            raise _failure_of(error) from error
        except HoldallError as error:
            raise _Failure(422, f"{_CONVERT}{error}") from error

    def _version_of(self, item: Any) -> KindVersion:
        members = item if type(item) is dict else {}
        kind = _text(members, "kind")
        if kind != self.kind.NAME:
            text = f'{_PARSE}unexpected object kind "{kind}", expected "{self.kind.NAME}"'
            raise _Failure(400, text, "/kind")
        api_version = _text(members, "apiVersion")
        try:
            return self.kind.Version.from_api_version(api_version)
        except UnknownApiVersion as error:
            text = f'{_PARSE}encountered unknown object API version "{api_version}"'
            raise _Failure(400, text, "/apiVersion") from error


def _text(members: Mapping[str, Any], name: str) -> str:
    if name not in members:
        raise _Failure(400, f'{_PARSE}the field "{name}" is missing', f"/{name}")
    value = members[name]
    if not isinstance(value, str):
        raise _Failure(400, f'{_PARSE}the field "{name}" must be a string', f"/{name}")
    return value


def _internal(error: BaseException) -> str:
    return f"{_CONVERT}internal error ({type(error).__name__})"


def _encodable(text: str) -> str:
    """Return a text without lone surrogates, which a function may have added."""
    return text.encode(errors="replace").decode()


def _failure_of(error: ConversionError) -> _Failure:
    cause = error.__cause__
    if isinstance(cause, TrackedValueError):
        return _Failure(400, f"{_PARSE}{cause.message}", error.path)
    if isinstance(cause, FunctionFailure):
        return _Failure(422, f"{_CONVERT}{json_path(error.path)}, {error.rule}", error.path)
    return _Failure(422, f"{_CONVERT}{json_path(error.path)}: {error.rule}", error.path)
