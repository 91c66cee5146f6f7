"""WC-50 to WC-59: the laws of conversion that hold for every object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any, Final

from holdall.kubernetes.conform.drawing import another
from holdall.kubernetes.conform.listing import check, check_tries
from holdall.kubernetes.conform.subjects import Version
from holdall.kubernetes.conform.trial import Trial, annotations_of, review_body
from holdall.kubernetes.conform.validity import is_valid
from holdall.kubernetes.conform.values import (
    ABSENT,
    Path,
    compare,
    data_of,
    get,
    leaves_of,
    losses,
    pointer,
    replaced,
    schema_at,
    slots_of,
    spread,
    with_metadata,
)
from holdall.kubernetes.conform.verdicts import NotChecked, demand
from holdall.kubernetes.crds.access import MAP_KEYS
from holdall.text import json as _json
from holdall.types import JsonObject, JsonValue, is_json_object, items

_REPEATS: Final = 5
_MOST: Final = 30
_FEW: Final = 8
_SHOWN: Final = 3
_COMMON: Final = frozenset({b"null", b"true", b"false", b"0", b"1", b"[]", b"{}", b'""'})


@check_tries(50, "operations", "the same bytes in give the same bytes out", "repetition")
def replies_are_deterministic(trial: Trial) -> Iterator[str]:
    """Repeat reviews on several connections, which may lead to several processes."""
    for kind, source, target in trial.pairs():
        body = review_body(trial.objects(kind, source), kind.api_version(target))
        first = trial.post(body).response.body
        for _ in range(_REPEATS):
            trial.close()
            same = trial.post(body).response.body == first
            yield "" if same else f"{kind.name}: other bytes came back"


@check(51, "lossless", "objects do not affect each other, and the input is not mutated")
def objects_are_apart(trial: Trial) -> None:
    """Send an object several times, and between others, in one review."""
    for kind, source, target in trial.pairs():
        desired = kind.api_version(target)
        objects = trial.objects(kind, source)
        alone = [trial.convert(obj, desired) for obj in objects]
        together = trial.convert_all([*objects, *reversed(objects), *objects], desired)
        for one, other in zip([*alone, *reversed(alone), *alone], together, strict=True):
            wrong = compare(one, other)
            demand(not wrong, f"{kind.name} {source.name} to {target.name}: {wrong}")


@check_tries(
    52,
    "lossless",
    "a stored object read at a version and written back is what it was",
    "round trip",
)
def stored_objects_return(trial: Trial) -> Iterator[str]:
    """Storage version to each other version and back; a stale bag may go once."""
    for kind, source, target in trial.pairs():
        objects = trial.objects(kind, source) if source is kind.hub else []
        trial.look_ahead_and_back(kind, objects, target)
        for obj in objects:
            once = trial.there_and_back(kind, obj, target)
            if once != obj and data_of(once) == data_of(obj):
                obj, once = once, trial.there_and_back(kind, once, target)
            # Annotations count, too: if they change, every no-op update writes.
            wrong = trial.same(obj, once)
            yield wrong and f"{kind.name} {source.name} by {target.name}: {wrong}"


@check_tries(
    53,
    "lossless",
    "round trips from the other versions by every version are the identity",
    "round trip",
)
def round_trips_are_identity(trial: Trial) -> Iterator[str]:
    """Every object of every version but the stored one, to every other version and back."""
    for kind, source, target in trial.pairs():
        objects = trial.objects(kind, source) if source is not kind.hub else []
        trial.look_ahead_and_back(kind, objects, target)
        for obj in objects:
            found = trial.there_and_back(kind, obj, target)
            wrong = compare(data_of(obj), data_of(found))
            yield wrong and f"{kind.name} {source.name} by {target.name}: {wrong}"


@check_tries(
    54, "lossless", "all paths between two versions agree", "detour", "no kind has three versions"
)
def paths_agree(trial: Trial) -> Iterator[str]:
    """Compare the direct path with those through each third version, and the paths back from it.

    What a round trip to the third version loses does not count here.
    """
    for kind, source, target in trial.pairs():
        for middle in kind.versions:
            if middle in (source, target):
                continue
            objects = trial.objects(kind, source)
            made = trial.look_ahead_and_back(kind, objects, middle)
            for each in (made, objects):
                trial.look_ahead(each, kind.api_version(target))
            for obj in objects:
                trial.begin()
                there = trial.convert(obj, kind.api_version(middle))
                detour = trial.convert(there, kind.api_version(target))
                direct = trial.convert(obj, kind.api_version(target))
                wrong = ""
                if not compare(data_of(obj), data_of(trial.there_and_back(kind, obj, middle))):
                    wrong = compare(data_of(direct), data_of(detour))
                what = f"{source.name} to {target.name} over {middle.name}"
                yield wrong and f"{kind.name} {what}: {wrong}"


@check_tries(
    55,
    "lossless",
    "edits at another version win, and unrelated data survives them",
    "edit",
    "no edit at another version was found that an API server accepts",
)
def edits_win(trial: Trial) -> Iterator[str]:
    """Edit one leaf at a time at another version; the edit must be visible there afterwards.

    What is also lost without an edit does not count here.
    """
    for kind, source, target in trial.pairs():
        obj = trial.object(kind, source)
        there = trial.convert(obj, kind.api_version(target))
        usual = losses(there, trial.there_and_back(kind, there, source))
        whole = trial.convert(there, kind.api_version(source))
        hidden = _hidden(obj, there, whole)
        lost: Counter[str] = Counter()
        edits = 0
        changes = [*_edits(trial, there, target)]
        trial.look_ahead_and_back(kind, (change for _, change in changes), source)
        for path, change in changes:
            trial.begin()
            back = trial.convert(change, kind.api_version(source))
            again = trial.convert(back, kind.api_version(target))
            wrong = "; ".join(sorted(losses(change, again) - usual)[:_SHOWN])
            left = {_json.canonical(value) for _, value in leaves_of(data_of(back))}
            lost.update(pointer(at) for at, text in hidden if text not in left)
            edits += 1
            yield wrong and f"{kind.name}: after an edit of {pointer(path)}: {wrong}"
        for at, count in lost.items():
            # An edit may remove what depends on the edited value, but most edits must keep a value.
            text = f"{at} is lost by {count} of {edits} edits at {target.name}"
            demand(edits < 3 or count * 2 <= edits, f"{kind.name} {source.name}: {text}")


@check_tries(
    56,
    "lossless",
    "what is deleted at another version stays deleted",
    "deletion",
    "no deletion at another version was found that an API server accepts",
)
def deletions_win(trial: Trial) -> Iterator[str]:
    """Delete one leaf at a time at another version; no bag may bring it back.

    Only leaves that may be absent there, and that an API server does not default.
    """
    for kind, source, target in trial.pairs():
        shown = trial.convert(trial.object(kind, source), kind.api_version(target))
        there = trial.admitted(target, shown) or shown
        changes = [*_deletions(trial, there, target)]
        trial.look_ahead_and_back(kind, (change for _, change in changes), source)
        for path, change in changes:
            trial.begin()
            back = trial.convert(change, kind.api_version(source))
            again = trial.convert(back, kind.api_version(target))
            # Types that cannot be absent show a zero value; only the former value is a fault.
            gone = get(again, path) != get(there, path)
            yield "" if gone else f"{kind.name} {target.name}: {pointer(path)} came back"


@check_tries(
    57,
    "lossless",
    "elements of lists with keys keep what is theirs when lists are edited",
    "edit",
    "no list of type map has elements in two versions",
)
def keyed_elements_keep_theirs(trial: Trial) -> Iterator[str]:
    """Reverse, shorten and lengthen such lists at another version."""
    for kind, source, target in trial.pairs():
        shown = trial.convert(trial.object(kind, source), kind.api_version(target))
        there = trial.admitted(target, shown) or shown
        whole = trial.convert(there, kind.api_version(source))
        for path, keys in list_maps(there, target)[:_FEW]:
            if schema_at(source.schema, path).get(MAP_KEYS) != [*keys]:
                continue
            own = {key_of(item, keys): item for item in get(whole, path)}
            for what, changed in _rearranged(get(there, path), keys):
                change = replaced(there, path, changed)
                if trial.admitted(target, change) != change:
                    continue
                trial.begin()
                found = items(get(trial.convert(change, kind.api_version(source)), path))
                wanted = [key_of(item, keys) for item in changed]
                demand(
                    [key_of(item, keys) for item in found] == wanted,
                    f"{kind.name} {pointer(path)} {what}: other elements came back",
                )
                for item in found:
                    old = own.get(key_of(item, keys))
                    wrong = compare(old, item) if old is not None else ""
                    demand(not wrong, f"{kind.name} {pointer(path)} {what}: {wrong}")
                yield ""


@check_tries(
    58, "lossless", "a stale or foreign bag never overrides live data", "object with a bag"
)
def stale_bags_lose(trial: Trial) -> Iterator[str]:
    """Give each object the annotations that the webhook wrote for another one."""
    if not trial.carriers():
        raise NotChecked("the webhook writes no annotation of its own for these objects")
    for kind, source, target in trial.pairs():
        few = trial.objects(kind, source)[:_FEW]
        trial.look_ahead(few, kind.api_version(target))
        objects = [trial.convert(obj, kind.api_version(target)) for obj in few]
        bags = [
            {key: text for key, text in annotations_of(obj).items() if key in trial.carriers()}
            for obj in objects
        ]
        trial.look_ahead_and_back(kind, objects, source)
        for obj in objects:
            usual = losses(obj, trial.there_and_back(kind, obj, source))
            notes = ({"example.com/note": "conform", **bag} for bag in bags)
            all_mixed = [with_metadata(obj, {"annotations": own}) for own in notes]
            trial.look_ahead_and_back(kind, all_mixed, source)
            for mixed in all_mixed:
                again = trial.there_and_back(kind, mixed, source)
                wrong = "; ".join(sorted(losses(obj, again) - usual)[:_SHOWN])
                yield wrong and f"{kind.name} {target.name} by {source.name}: {wrong}"


@check(59, "polite", "a bag disappears where it is not needed")
def bags_disappear(trial: Trial) -> None:
    """After the way back no annotation of the webhook may be left."""
    for kind, source, target in trial.pairs():
        trial.look_ahead_and_back(kind, trial.objects(kind, source), target)
        for obj in trial.objects(kind, source):
            found = trial.there_and_back(kind, obj, target)
            before, after = annotations_of(obj), annotations_of(found)
            left = sorted(after.keys() - before.keys()) + slots_of(found)
            demand(not left, f"{kind.name} {source.name} by {target.name}: {left} stays")


def _edits(
    trial: Trial, there: JsonObject, target: Version
) -> Iterator[tuple[tuple[str | int, ...], JsonObject]]:
    """Yield objects with one leaf edited, as an API server accepts and stores them."""
    for path in _editable(trial, there, target):
        change = trial.admitted(target, edited(there, target, path))
        if change is not None and get(change, path) != get(there, path):
            yield path, change


def _deletions(
    trial: Trial, there: JsonObject, target: Version
) -> Iterator[tuple[tuple[str | int, ...], JsonObject]]:
    """Yield objects without one leaf, where an API server accepts that and does not default it."""
    for path in _editable(trial, there, target):
        if isinstance(path[-1], str) and not is_key(target, path):
            change = replaced(there, path, ABSENT)
            if trial.admitted(target, change) == change:
                yield path, change


def _editable(trial: Trial, there: JsonObject, target: Version) -> list[tuple[str | int, ...]]:
    """Return the leaves that clients can write, or an even sample of many."""
    if trial.admitted(target, there) is None:
        return []
    return spread(represented(there, target), _MOST)


def _rearranged(items: list[Any], keys: tuple[str, ...]) -> Iterator[tuple[str, list[Any]]]:
    yield "reversed", [*reversed(items)]
    yield "without its first", items[1:]
    yield "with another first", [{**items[0], keys[0]: "inserted-by-conform"}, *items]


def _hidden(
    obj: JsonObject, there: JsonObject, whole: JsonObject
) -> list[tuple[tuple[str | int, ...], bytes]]:
    """Return the leaves with unique values that the other version hides but returns."""
    shown = {_json.canonical(value) for _, value in leaves_of(data_of(there))}
    kept = {_json.canonical(value) for _, value in leaves_of(data_of(whole))}
    texts = [(path, _json.canonical(value)) for path, value in leaves_of(data_of(obj))]
    counts = Counter(text for _, text in texts)
    return [
        (path, text)
        for path, text in texts
        if counts[text] == 1 and text not in shown and text in kept and text not in _COMMON
    ]


_USUAL_KEYS: Final = frozenset({"name", "key", "id"})
_SCALARS: Final = ("string", "integer", "number", "boolean")


def represented(obj: JsonObject, version: Version) -> list[Path]:
    """Return the paths of leaves that a client of a version can edit; no keys of lists.

    Without a schema all leaves count.
    """
    return [
        path
        for path, value in leaves_of(data_of(obj))
        if path
        and value is not None
        and not isinstance(value, dict | list)
        and not is_key(version, path)
        and (not version.schema or schema_at(version.schema, path).get("type") in _SCALARS)
    ]


def is_key(version: Version, path: Path) -> bool:
    """Return whether a path leads to a key of a list element, or into a set."""
    if isinstance(path[-1], int):
        return True
    if len(path) < 2 or not isinstance(path[-2], int):
        return False
    keys = schema_at(version.schema, path[:-2]).get(MAP_KEYS)
    return path[-1] in (keys if isinstance(keys, list) else _USUAL_KEYS)


def edited(obj: JsonObject, version: Version, path: Path) -> JsonObject:
    """Return an object with another value of the same type at a path."""
    value, schema = get(obj, path), schema_at(version.schema, path)
    other = _other(value)
    if not is_valid(other, schema):
        other = another(value, schema, Random(pointer(path)))
    return replaced(obj, path, other)


def list_maps(obj: JsonObject, version: Version) -> list[tuple[Path, tuple[str, ...]]]:
    """Return the paths of lists of type map with at least two elements, and their keys."""
    found: dict[Path, tuple[str, ...]] = {}
    for path, _ in leaves_of(data_of(obj)):
        for end in range(1, len(path)):
            keys = schema_at(version.schema, path[:end]).get(MAP_KEYS)
            items = get(obj, path[:end])
            if isinstance(keys, list) and isinstance(items, list) and len(items) > 1:
                found[path[:end]] = tuple(str(key) for key in keys)
    return [
        (path, keys)
        for path, keys in found.items()
        if schema_at(version.schema, (*path, 0, keys[0])).get("type") == "string"
        and "enum" not in schema_at(version.schema, (*path, 0, keys[0]))
    ]


def key_of(item: JsonValue, keys: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the values of an element's keys."""
    return tuple(item.get(key) for key in keys) if is_json_object(item) else ()


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return f"{value}-edited"
    return value - 1 if value > 1 else value + 1
