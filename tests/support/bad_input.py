"""Bad input, systematically: every place of a full object holds everything that is wrong there.

The object is made from the shapes of a kind's twin, so it has every property at every depth, with
two elements in each list and two values in each map.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from holdall.errors import ConversionError, DecodeError, HoldallError, UnknownKindError
from holdall.objects.shapes import ValueShape, shape_of
from holdall.plan import plans
from holdall.plan.plans import Scalar, TypeRef
from holdall.scheme.json_lines import answer
from holdall.scheme.scheme import Scheme
from holdall.scheme.schemes import Schemes
from holdall.text.json import copy, decode, encode, same
from holdall.text.pointer import join, split

MAX_DEPTH = 12
"""Objects inside each other before a recursive type ends."""

EXAMPLES = {"string": "text", "integer": 3, "number": 2.5, "boolean": True}
LOT = 10
REMOVED = object()
TOO_DEEP = "nested too deeply"


def nested(depth: int, leaf: Any = "x") -> Any:
    """Return lists and objects in turns, inside each other."""
    for level in range(depth):
        leaf = [leaf] if level % 2 else {"x": leaf}
    return leaf


def replacements(value: Any, siblings: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yield everything that is put in the place of a value, with its name."""
    plain: list[Any] = [None, True, 0, 1.5, "", "x", [], [None], {}, {"x": None}]
    for item in plain:
        yield f"replaced by {encode(item).decode()}", item
    yield "nested deeply", nested(40)
    yield TOO_DEEP, nested(700)
    yield "removed", REMOVED
    yield "put in a list", [value]
    yield "put in an object", {"x": value}
    yield "twice in a list", [value, copy(value)]
    yield "with a null beside it", [value, None]
    if isinstance(value, list):
        yield "made an object", {str(index): item for index, item in enumerate(value)}
        yield "with a null", [*value, None]
        yield "with a text", [*value, "x"]
        yield "with an empty object", [*value, {}]
    if isinstance(value, dict):
        yield "made a list", list(value.values())
        yield "with a null", {**value, "y": None}
        yield "with a text", {**value, "y": "x"}
    for item in siblings:
        yield "replaced by its neighbour", copy(item)


@dataclass(frozen=True)
class Bad:
    """An object with one bad place, the JSON Pointer of that place, and what was done there."""

    pointer: str
    what: str
    document: Any

    def __str__(self) -> str:
        return f"{self.pointer or '/'} {self.what}"


def full_object(scheme: Scheme, kind: str, version: str) -> dict[str, Any]:
    """Return an object of a kind that has every property of its version."""
    plan = plans.load(scheme.package)

    def value(shape: ValueShape, ref: TypeRef, name: str, number: int, depth: int) -> Any:
        if shape.type is not None:
            return members(shape.type, depth + 1)
        if shape.item is not None:
            items = [value(shape.item, ref, name, index, depth) for index in range(2)]
            return items if shape.container == "list" else dict(zip("ab", items, strict=True))
        declared = plan.types[ref].get(name)
        while declared is not None and not isinstance(declared, Scalar):
            declared = getattr(declared, "item", None) or getattr(declared, "value", None)
        if declared is None:
            return {"x": ["any"]} if number else "any"
        example = EXAMPLES[declared.kinds[0]]
        return f"{example} {number}" if isinstance(example, str) else example

    def members(cls: type, depth: int) -> dict[str, Any]:
        ref = TypeRef(version, cls.__name__)
        return {
            name: value(member.value, ref, name, 0, depth)
            for name, member in shape_of(cls).members.items()
            if depth < MAX_DEPTH or member.value.container == "value"
        }

    document = members(scheme.twin(kind, version), 0)
    name = next(item for item in scheme.kinds if item.name == kind).name_in(version)
    head = {"apiVersion": scheme.api_version(version), "kind": name}
    labels = {"name": "n", "namespace": "s", "labels": {"a": "b"}, "annotations": {"c": "d"}}
    return {**head, **document, **({"metadata": labels} if "metadata" in document else {})}


def places(value: Any, pointer: str = "") -> Iterator[str]:
    """Yield the JSON Pointer of every value of a document, the document's own included."""
    yield pointer
    if isinstance(value, dict):
        for name, item in value.items():
            yield from places(item, join(pointer, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, join(pointer, index))


def bad_objects(document: Any) -> Iterator[Bad]:
    """Yield a document with each place made bad in each way, and the document with an alien."""
    for pointer in places(document):
        above, name = document, ""
        *way, name = split(pointer) or ("",)
        for step in way:
            above = above[int(step)] if isinstance(above, list) else above[step]
        if not pointer:
            yield Bad(pointer, "with an alien", {**copy(document), "alien": [{"x": None}]})
            continue
        key: Any = int(name) if isinstance(above, list) else name
        siblings = list(above.values()) if isinstance(above, dict) else above
        value = above[key]
        index = siblings.index(value)
        for what, new in replacements(value, siblings[index + 1 : index + 2]):
            yield Bad(pointer, what, _replaced(document, way, key, new))


def _replaced(document: Any, way: list[str], key: Any, new: Any) -> Any:
    """Return a copy of a document with another value in one place; only the way is copied."""
    root: Any = {**document} if isinstance(document, dict) else [*document]
    above = root
    for step in way:
        at: Any = int(step) if isinstance(above, list) else step
        above[at] = {**above[at]} if isinstance(above[at], dict) else [*above[at]]
        above = above[at]
    if new is REMOVED:
        del above[key]
    else:
        above[key] = new
    return root


def sampled(document: Any, limit: int | None, seed: int) -> list[Bad]:
    """Return about `limit` of the bad objects, spread over all; the seed chooses which."""
    share = 1 if limit is None else max(1, sum(1 for _ in bad_objects(document)) // limit)
    choice = random.Random(seed)
    return [bad for bad in bad_objects(document) if share == 1 or choice.randrange(share) == 0]


def complaint(scheme: Scheme, kind: str, version: str, to: str, bad: Bad, result: Any) -> str:
    """Return what is wrong with the answer to a bad object, nothing if it is as it should be."""
    if isinstance(result, HoldallError):
        return _wrong_error(kind, bad, result)
    try:
        text = encode(result)
    except HoldallError as error:
        return f"the result is not JSON: {error}"
    if not same(result.get("apiVersion"), scheme.api_version(to)):
        return "the result is of another version"
    if _has_no_carrier(result):
        return ""
    try:
        back = scheme.convert(decode(text), to=version)  # type: ignore[arg-type]
    except HoldallError as error:
        return f"it does not come back: {type(error).__name__} {error}"
    return "" if same(back, bad.document) else f"it comes back as {encode(back).decode()[:2000]}"


def _has_no_carrier(document: Any) -> bool:
    """Tell whether a document cannot carry a bag: its metadata or annotations are no objects."""
    metadata = document.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    return (metadata is not None and not isinstance(metadata, dict)) or (
        annotations is not None and not isinstance(annotations, dict)
    )


def _wrong_error(kind: str, bad: Bad, error: HoldallError) -> str:
    place = split(bad.pointer)
    if isinstance(error, DecodeError) and bad.what == TOO_DEEP:
        return "" if _is_near(error.path, place) else f"it is located at {error.path}: {error}"
    if place[:1] in (("apiVersion",), ("kind",)):
        located = isinstance(error, UnknownKindError) or (
            isinstance(error, ConversionError) and error.path == f"/{place[0]}"
        )
        return "" if located else f"it is not about {bad.pointer}: {error}"
    if not isinstance(error, ConversionError):
        return f"{type(error).__name__} is no ConversionError: {error}"
    cause: BaseException | None = error
    while cause is not None:
        if not isinstance(cause, HoldallError | RecursionError):
            return f"a {type(cause).__name__} was raised on the way: {error}"
        cause = cause.__cause__
    name = error.subject.split(" ")[0]
    if name != kind:
        return f"it names the object {error.subject!r}"
    if (error.edge is None) != (error.direction is None):
        return f"edge {error.edge} without direction {error.direction}"
    return "" if _is_near(error.path, place) else f"it is located at {error.path or '/'}: {error}"


def wrong_reply(bad: Bad, result: Any, reply: Any) -> str:
    """Return how the reply of `--requests` differs from the result of `convert_each`."""
    if not isinstance(result, HoldallError):
        answered = {key: value for key, value in reply.items() if key != "warnings"}
        return "" if same(answered, {"object": result}) else f"--requests answers {reply}"
    is_told = isinstance(reply.get("error"), str) and "defect" not in reply["error"]
    return "" if is_told else f"--requests answers {reply}"


def _is_near(path: str, place: tuple[str, ...]) -> bool:
    """Tell whether a path leads to a place, into it, or to an object around it."""
    at = split(path)
    shared = min(len(at), len(place))
    return bool(at) and at[:shared] == place[:shared]


def kinds_of(scheme: Scheme) -> list[tuple[str, str]]:
    """Return every kind with each of its served versions."""
    return [(kind.name, version) for kind in scheme.kinds for version in scheme.served(kind)]


def check_bad_input(
    scheme: Scheme, kind: str, version: str, *, limit: int | None = None, seed: int = 0
) -> None:
    """Convert bad objects of a kind from one version to all others; all of them without `limit`.

    They go in small lots with a good object at both ends. Fails with the complaints, shortened.
    """
    print(f"seed {seed}")
    good = full_object(scheme, kind, version)
    bad = sampled(good, limit, seed)
    versions = [other for name, other in kinds_of(scheme) if name == kind and other != version]
    complaints = [
        f"{kind} {version} -> {to} {text}"
        for to in versions
        for start in range(0, len(bad), LOT)
        for text in _complaints(scheme, kind, version, to, good, bad[start : start + LOT])
    ]
    assert not complaints, f"{len(complaints)} complaints, seed {seed}:\n" + "\n".join(
        text[:600] for text in complaints[:30]
    )


def _complaints(
    scheme: Scheme, kind: str, version: str, to: str, good: Any, bad: list[Bad]
) -> Iterator[str]:
    """Yield what is wrong with the answers to a lot of bad objects, and to its two neighbours."""
    expected: Any = scheme.convert(good, to=to)
    objects = [good, *(one.document for one in bad), good]
    results: list[Any] = list(scheme.convert_each(objects, to=to))
    lines = (encode({"to": to, "object": item}) + b"\n" for item in objects)
    replies = [decode(answer(Schemes([scheme]), line)) for line in lines]
    for one, result, reply in zip(bad, results[1:-1], replies[1:-1], strict=True):
        texts = complaint(scheme, kind, version, to, one, result), wrong_reply(one, result, reply)
        yield from (f"{one}: {text}" for text in texts if text)
    for result, reply in ((results[0], replies[0]), (results[-1], replies[-1])):
        if not same(result, expected) or not same(reply, {"object": expected}):
            yield f"{bad[0]} to {bad[-1]}: a neighbour is changed"
