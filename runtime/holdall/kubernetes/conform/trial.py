"""One test of a webhook: its endpoint, its kinds, reviews sent and replies read."""

from __future__ import annotations

import gzip
import json as _stdlib
import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn, TypeAlias

from holdall.kubernetes.conform.admission import Admission
from holdall.kubernetes.conform.client import TIMEOUT, Connection, Disconnected, Endpoint, Response
from holdall.kubernetes.conform.exchanges import Exchange
from holdall.kubernetes.conform.specimens import draw_objects, make_bare
from holdall.kubernetes.conform.subjects import Kind, Version
from holdall.kubernetes.conform.validity import defaulted, is_valid
from holdall.kubernetes.conform.values import compare, data_of, leaves_of
from holdall.kubernetes.conform.verdicts import Failed, NotChecked, demand
from holdall.review.request import REVIEW_VERSIONS, write_request
from holdall.text import json as _json
from holdall.types import JsonObject, JsonValue, get, is_json_object, members
from holdall.words import counted

V1, V1BETA1 = REVIEW_VERSIONS
UID: Final = "705ab4f5-6393-11e8-b7cc-42010a800002"
SUCCESS: Final = "Success"
FAILURE: Final = "Failure"
NO_OBJECTS: Final = "no object could be drawn: pass some with --objects"
_KEPT: Final = 3
_PORTION: Final = 1_000_000
"""Bytes of objects converted ahead in one review: less than any webhook may refuse."""
_Ahead: TypeAlias = tuple[str, bytes]
"""The version that an object is converted to, and its canonical text."""


@dataclass(frozen=True, slots=True)
class Options:
    """What some checks need: time, or control of the server's process and certificate.

    `pid` is the process that gets SIGTERM; `rotate` a command that replaces the server's
    certificate.
    """

    slow: bool = False
    pid: int | None = None
    rotate: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply to a review: the HTTP response, and its JSON if it is a JSON object."""

    response: Response
    document: JsonObject

    @property
    def answer(self) -> JsonObject:
        """Return the member `response`; Failed if there is none."""
        found = self.document.get("response")
        if not is_json_object(found):
            raise Failed(f"HTTP {self.response.status} without a response{self._hint()}")
        return found

    @property
    def status(self) -> str:
        """Return `result.status`."""
        result = self.answer.get("result")
        return str(result.get("status")) if is_json_object(result) else ""

    @property
    def status_or_none(self) -> str | None:
        """Return `result.status`; None if this is not a reply to a review."""
        return self.status if is_json_object(self.document.get("response")) else None

    @property
    def is_refused(self) -> bool:
        """Return whether the webhook refused, in any form."""
        status = self.response.status
        return 400 <= status < 500 or (status == 200 and self.status_or_none not in (None, SUCCESS))

    @property
    def message(self) -> str:
        """Return the message of a failure: of a reply, or of a v1 Status."""
        answer = self.document.get("response")
        result = answer.get("result") if is_json_object(answer) else self.document
        return str(result.get("message", "")) if is_json_object(result) else ""

    @property
    def objects(self) -> list[JsonValue]:
        """Return the converted objects of a success. Raises Failed if it is not one."""
        if self.response.status != 200 or self.status != SUCCESS:
            raise Failed(f"HTTP {self.response.status}, {self.status or 'no status'}{self._hint()}")
        found = self.answer.get("convertedObjects")
        if not isinstance(found, list):
            raise Failed("convertedObjects is not a list")
        return found

    def _hint(self) -> str:
        return f": {self.message[:200]}" if self.message else ""


@dataclass(slots=True)
class Trial:
    """The webhook under test, what it converts, and a persistent connection to it.

    `exchanges` are those of the current specimen, as evidence.
    """

    endpoint: Endpoint
    kinds: Sequence[Kind]
    options: Options = Options()
    timeout: float = TIMEOUT
    seed: int = 0
    exchanges: deque[Exchange] = field(default_factory=lambda: deque(maxlen=_KEPT), init=False)
    _connection: Connection | None = field(default=None, init=False)
    _carriers: frozenset[str] | None = field(default=None, init=False)
    _objects: dict[Version, list[JsonObject]] = field(default_factory=dict, init=False)
    looks_ahead: bool = field(default=True, init=False)
    """Whether objects may be converted ahead, many in one review."""
    used_ahead: bool = field(default=False, init=False)
    _ahead: dict[_Ahead, JsonObject] = field(default_factory=dict, init=False)
    _admission: Admission = field(default_factory=Admission, init=False)

    # --- sending ---

    def begin(self) -> None:
        """Begin another specimen: earlier exchanges are not evidence for it."""
        self.exchanges.clear()

    def connect(self) -> Connection:
        """Return a new connection. Raises ConnectError."""
        return self.endpoint.connect(self.timeout, self.exchanges.append)

    def post(
        self,
        body: bytes,
        *,
        path: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """Post a body on the persistent connection, and read the reply.

        Reconnects if the server has closed it, as an API server does.
        """
        kept = self._connection
        if kept is not None and kept.is_stale():
            self.close()
        connection = self._connection = self._connection or self.connect()
        try:
            response = connection.request("POST", path, body, headers)
        except (Disconnected, TimeoutError) as error:
            self.close()
            if isinstance(error, Disconnected) and connection is kept and not connection.answered:
                self.exchanges.pop()
                return self.post(body, path=path, headers=headers)
            raise Failed(f"no reply: {error or 'not in time'}") from error
        if response.closes:
            self.close()
        return read_reply(response)

    def review(
        self, objects: Sequence[JsonValue] | None, desired: str, *, version: str = V1
    ) -> Reply:
        """Send a review and read its reply."""
        return self.post(review_body(objects, desired, version=version))

    def convert_all(self, objects: Sequence[JsonObject], desired: str) -> list[JsonObject]:
        """Return the converted objects. Raises Failed unless all are converted to objects."""
        found = self.review([*objects], desired).objects
        demand(
            len(found) == len(objects),
            f"{counted(len(found), 'object')} came back of {len(objects)}",
        )
        made = [item for item in found if is_json_object(item)]
        demand(len(made) == len(found), "a converted object is not a JSON object")
        return made

    def convert(self, obj: JsonObject, desired: str) -> JsonObject:
        """Return one converted object. Raises Failed if it is not a success."""
        if self.is_ahead(obj, desired):
            return _json.copy(self._ahead[desired, _json.canonical(obj)])
        return self.convert_all([obj], desired)[0]

    def look_ahead(self, objects: Iterable[JsonObject], desired: str) -> list[JsonObject]:
        """Convert objects in few reviews, for checks that need each of them soon.

        Returns the converted objects; none if a review fails: then each is sent by itself when a
        check needs it, so that a failure names its object.
        """
        wanted = {(desired, _json.canonical(obj)): obj for obj in objects}
        new = {key: obj for key, obj in wanted.items() if key not in self._ahead}
        if not self.looks_ahead or len(wanted) < 2:
            return []
        for keys in _portions([*new]):
            try:
                found = self.convert_all([new[key] for key in keys], desired)
            except Failed:
                return []
            self._ahead.update(zip(keys, found, strict=True))
        return [self._ahead[key] for key in wanted]

    def look_ahead_and_back(
        self, kind: Kind, objects: Iterable[JsonObject], there: Version
    ) -> list[JsonObject]:
        """Convert objects of one version to another and back, like `look_ahead`; return those of
        the other version."""
        wanted = [*objects]
        found = self.look_ahead(wanted, kind.api_version(there))
        if found:
            self.look_ahead(found, str(wanted[0]["apiVersion"]))
        return found

    def is_ahead(self, obj: JsonObject, desired: str) -> bool:
        """Return whether an object was converted ahead."""
        found = bool(self._ahead) and (desired, _json.canonical(obj)) in self._ahead
        self.used_ahead |= found
        return found

    def forget(self) -> None:
        """Forget what was converted ahead, so that objects are sent again."""
        self._ahead.clear()
        self.used_ahead = False

    def there_and_back(self, kind: Kind, obj: JsonObject, there: Version) -> JsonObject:
        """Return an object converted to a version and back; this is a new specimen."""
        self.begin()
        return self.convert(self.convert(obj, kind.api_version(there)), str(obj["apiVersion"]))

    def close(self) -> None:
        """Close the persistent connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    # --- what to send ---

    def objects(self, kind: Kind, version: Version) -> list[JsonObject]:
        """Return objects of a version: those given, those drawn, and a bare one if it is valid."""
        found = self._objects.get(version)
        if found is None:
            bare = make_bare(kind, version)
            bares = [bare] if self.admitted(version, bare) == bare else []
            found = [*kind.samples_at(version), *self._drawn(kind, version), *bares]
            self._objects[version] = found
        return found

    def object(self, kind: Kind, version: Version) -> JsonObject:
        """Return the fullest object of a version, which must have one."""
        return max(self._drawn(kind, version) or self.objects(kind, version), key=_size)

    def smallest(self, kind: Kind, version: Version) -> JsonObject:
        """Return the smallest object of a version, which must have one."""
        return min(self.objects(kind, version), key=_size)

    def _drawn(self, kind: Kind, version: Version) -> tuple[JsonObject, ...]:
        return draw_objects(kind, version, self.seed).objects if version.schema else ()

    def admitted(self, version: Version, obj: JsonObject) -> JsonObject | None:
        """Return a client's object as an API server stores it, with defaults; None if refused."""
        if self._admission.takes(obj, version.schema):
            return obj
        filled = defaulted(obj, version.schema)
        return filled if is_json_object(filled) and is_valid(filled, version.schema) else None

    def pairs(self) -> Iterator[tuple[Kind, Version, Version]]:
        """Yield every kind with every ordered pair of its versions that has objects.

        Raises NotChecked if there is none.
        """
        some = False
        for kind in self.kinds:
            for source in kind.versions:
                for target in kind.versions if self.objects(kind, source) else ():
                    if source is not target:
                        some = True
                        self.begin()
                        self._ahead.clear()
                        self._admission = Admission()
                        yield kind, source, target
        if not some:
            raise NotChecked(NO_OBJECTS)

    def first_pair(self) -> tuple[Kind, Version, Version]:
        """Return the first kind with objects, its storage version if it has some, and another."""
        pairs = [*self.pairs()]
        return next((pair for pair in pairs if pair[1] is pair[0].hub), pairs[0])

    def sample(self) -> tuple[JsonObject, str]:
        """Return an object of the first pair's source, and the apiVersion of its target."""
        kind, source, target = self.first_pair()
        return self.objects(kind, source)[0], kind.api_version(target)

    def left_out(self) -> list[str]:
        """Return the parts of schemas that no drawn object has, and why."""
        return [
            f"{kind.name} {version.name}{place}: {reason}"
            for kind in self.kinds
            for version in kind.versions
            if version.schema
            for place, reason in draw_objects(kind, version, self.seed).left_out.items()
        ]

    def carriers(self) -> frozenset[str]:
        """Return the annotations that the webhook adds to any of the objects."""
        if self._carriers is None:
            found: set[str] = set()
            for kind, source, target in self.pairs():
                obj = self.object(kind, source)
                before = annotations_of(obj)
                after = annotations_of(self.convert(obj, kind.api_version(target)))
                found |= after.keys() - before.keys()
            self._carriers = frozenset(found)
        return self._carriers

    def same(self, expected: JsonObject, found: JsonObject) -> str:
        """Return how two objects differ; "" if they do not.

        Of metadata only labels and annotations count: an API server takes the rest from its input.
        """
        return compare(_visible(expected), _visible(found))


def _portions(keys: Sequence[_Ahead]) -> Iterator[list[_Ahead]]:
    """Yield the keys of objects, review by review."""
    portion: list[_Ahead] = []
    size = 0
    for key in keys:
        size += len(key[1])
        if portion and size > _PORTION:
            yield portion
            portion, size = [], len(key[1])
        portion.append(key)
    if portion:
        yield portion


def review_body(
    objects: Sequence[JsonValue] | None, desired: str, *, version: str = V1, uid: str = UID
) -> bytes:
    """Return the bytes of a review as an API server sends it."""
    return write_request(objects, desired, uid, version)


def read_reply(response: Response) -> Reply:
    """Return a response as a reply. Raises Failed for JSON that an API server refuses."""
    body = body_of(response)
    try:
        document = _stdlib.loads(body.removeprefix(b"\xef\xbb\xbf"), parse_constant=_no_number)
    except ValueError:
        if response.status == 200:
            raise Failed("the body of HTTP 200 is not JSON") from None
        document = {}
    return Reply(response, document if isinstance(document, dict) else {})


def annotations_of(obj: JsonValue) -> dict[str, Any]:
    """Return the annotations of an object; none if there are none."""
    return members(obj, "metadata", "annotations")


def _size(obj: JsonObject) -> int:
    return sum(1 for _ in leaves_of(data_of(obj)))


def body_of(response: Response) -> bytes:
    """Return the body of a response, decompressed. Raises Failed if it is not gzip."""
    if response.headers.get("content-encoding") != "gzip":
        return response.body
    try:
        return gzip.decompress(response.body)
    except (OSError, EOFError, zlib.error) as error:
        raise Failed(f"the body is not gzip: {error}") from error


def _visible(obj: JsonObject) -> JsonObject:
    labels = get(obj, "metadata", "labels") or {}
    return {**data_of(obj), "metadata": {"annotations": annotations_of(obj), "labels": labels}}


def _no_number(text: str) -> NoReturn:
    raise Failed(f"the reply contains {text}, which is not JSON")
