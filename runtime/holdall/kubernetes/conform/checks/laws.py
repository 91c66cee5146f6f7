"""WC-50 to WC-61: the laws of conversion that hold for every object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from holdall.kubernetes.conform.apiserver import Refused
from holdall.kubernetes.conform.edits import edited, is_key, key_of, list_maps, represented
from holdall.kubernetes.conform.listing import check
from holdall.kubernetes.conform.specimens import make_object, make_objects
from holdall.kubernetes.conform.storage import Store, prune
from holdall.kubernetes.conform.subjects import Kind, Version
from holdall.kubernetes.conform.trial import Trial, annotations_of, review_body
from holdall.kubernetes.conform.values import (
    ABSENT,
    compare,
    data_of,
    get,
    leaves_of,
    pointer,
    replaced,
    schema_at,
    slots_of,
)
from holdall.kubernetes.conform.verdicts import Failed, NotChecked, demand
from holdall.text import json as _json
from holdall.types import JsonObject, is_json_object

_REPEATS: Final = 5
_MOST: Final = 30
_COMMON: Final = frozenset({b"null", b"true", b"false", b"0", b"1", b"[]", b"{}", b'""'})


@check(50, "the same bytes in give the same bytes out")
def replies_are_deterministic(trial: Trial) -> str:
    """Repeat reviews on several connections, which may lead to several processes."""
    sent = 0
    for kind, source, target in trial.pairs():
        body = review_body(make_objects(kind, source), kind.api_version(target))
        first = trial.post(body).response.body
        for _ in range(_REPEATS):
            trial.close()
            demand(trial.post(body).response.body == first, f"{kind.name}: other bytes came back")
            sent += 1
    return f"{sent} repetitions"


@check(51, "objects do not affect each other, and the input is not mutated")
def objects_are_apart(trial: Trial) -> str:
    """Send an object several times, and between others, in one review."""
    for kind, source, target in trial.pairs():
        desired = kind.api_version(target)
        objects = make_objects(kind, source)
        alone = [trial.convert(obj, desired) for obj in objects]
        together = trial.convert_all([*objects, *reversed(objects), *objects], desired)
        for one, other in zip([*alone, *reversed(alone), *alone], together, strict=True):
            wrong = compare(one, other)
            demand(not wrong, f"{kind.name} {source.name} to {target.name}: {wrong}")
    return ""


@check(52, "a stored object read at a version and written back is what it was")
def stored_objects_return(trial: Trial) -> str:
    """Storage version to each other version and back; a stale bag may go once."""
    tried = 0
    for kind in trial.kinds:
        for spoke in kind.spokes:
            for obj in make_objects(kind, kind.hub):
                once = _round(trial, kind, obj, kind.hub, spoke)
                if once != obj and data_of(once) == data_of(obj):
                    obj, once = once, _round(trial, kind, once, kind.hub, spoke)
                _demand_same(trial, kind, obj, once, f"{kind.hub.name} by {spoke.name}")
                tried += 1
    return f"{tried} round trips"


@check(53, "round trips between all versions are the identity")
def round_trips_are_identity(trial: Trial) -> str:
    """Every object of every version, to every other version and back."""
    tried = 0
    for kind, source, target in trial.pairs():
        for obj in make_objects(kind, source):
            found = _round(trial, kind, obj, source, target)
            _demand_same(trial, kind, obj, found, f"{source.name} by {target.name}")
            tried += 1
    return f"{tried} round trips"


@check(54, "all paths between two versions agree")
def paths_agree(trial: Trial) -> str:
    """Compare the direct way with the ways over each third version."""
    tried = 0
    for kind, source, target in trial.pairs():
        for middle in kind.versions:
            if middle in (source, target):
                continue
            for obj in make_objects(kind, source):
                direct = trial.convert(obj, kind.api_version(target))
                there = trial.convert(obj, kind.api_version(middle))
                detour = trial.convert(there, kind.api_version(target))
                what = f"{source.name} to {target.name} over {middle.name}"
                wrong = compare(data_of(direct), data_of(detour))
                demand(not wrong, f"{kind.name} {what}: {wrong}")
                back = trial.convert(detour, kind.api_version(source))
                _demand_same(trial, kind, obj, back, f"{what} and back")
                tried += 1
    if not tried:
        raise NotChecked("no kind has three versions")
    return f"{tried} detours"


@check(55, "edits at another version win, and unrelated data of the bag survives")
def edits_win(trial: Trial) -> str:
    """Edit one leaf at a time at another version; it must show there again afterwards."""
    tried = 0
    for kind, source, target in trial.pairs():
        obj = make_object(kind, source)
        there = trial.convert(obj, kind.api_version(target))
        hidden = _hidden(obj, there)
        lost: Counter[str] = Counter()
        edits = 0
        for path in represented(there, target)[:_MOST]:
            change = edited(there, target, path)
            back = trial.convert(change, kind.api_version(source))
            again = trial.convert(back, kind.api_version(target))
            wrong = compare(data_of(change), data_of(again))
            demand(not wrong, f"{kind.name}: after an edit of {pointer(path)}: {wrong}")
            left = {_json.canonical(value) for _, value in leaves_of(data_of(back))}
            lost.update(pointer(at) for at, text in hidden if text not in left)
            edits += 1
        tried += edits
        for at, count in lost.items():
            # What depends on the edited value may go with it, but not with most of the others.
            text = f"{at} is lost by {count} of {edits} edits at {target.name}"
            demand(edits < 3 or count * 2 <= edits, f"{kind.name} {source.name}: {text}")
    return f"{tried} edits"


@check(56, "what is deleted at another version stays deleted")
def deletions_win(trial: Trial) -> str:
    """Delete one leaf at a time at another version; no bag may bring it back."""
    tried = 0
    for kind, source, target in trial.pairs():
        there = trial.convert(make_object(kind, source), kind.api_version(target))
        for path in represented(there, target)[:_MOST]:
            if not isinstance(path[-1], str) or is_key(target, path):
                continue
            change = replaced(there, path, ABSENT)
            back = trial.convert(change, kind.api_version(source))
            again = trial.convert(back, kind.api_version(target))
            found = get(again, path)
            demand(found is ABSENT or found is None, f"{kind.name}: {pointer(path)} came back")
            tried += 1
    return f"{tried} deletions"


@check(57, "elements of lists with keys keep what is theirs when lists are edited")
def keyed_elements_keep_theirs(trial: Trial) -> str:
    """Reverse, shorten and lengthen such lists at another version."""
    tried = 0
    for kind, source, target in trial.pairs():
        obj = make_object(kind, source)
        there = trial.convert(obj, kind.api_version(target))
        for path, keys in list_maps(there, target):
            before = get(obj, path)
            if schema_at(source.schema, path).get("x-kubernetes-list-map-keys") != [*keys]:
                continue
            items = get(there, path)
            new = {**items[0], keys[0]: "inserted-by-conform"}
            for what, changed in (
                ("reversed", [*reversed(items)]),
                ("without its first", items[1:]),
                ("with another first", [new, *items]),
            ):
                change = replaced(there, path, changed)
                back = get(trial.convert(change, kind.api_version(source)), path)
                own = {key_of(item, keys): item for item in before}
                found = back if isinstance(back, list) else []
                wanted = [key_of(item, keys) for item in changed]
                demand(
                    [key_of(item, keys) for item in found] == wanted,
                    f"{kind.name} {pointer(path)} {what}: other elements came back",
                )
                for item in found:
                    old = own.get(key_of(item, keys))
                    wrong = compare(old, item) if old is not None else ""
                    demand(not wrong, f"{kind.name} {pointer(path)} {what}: {wrong}")
                tried += 1
    if not tried:
        raise NotChecked("no list of type map has elements in two versions")
    return f"{tried} edits"


@check(58, "a stale or foreign bag never overrides live data")
def stale_bags_lose(trial: Trial) -> str:
    """Give each object the annotations that the webhook wrote for another one."""
    if not trial.carriers():
        raise NotChecked("the webhook writes no annotation of its own for these objects")
    tried = 0
    for kind, source, target in trial.pairs():
        objects = [
            trial.convert(obj, kind.api_version(target)) for obj in make_objects(kind, source)
        ]
        bags = [
            {key: text for key, text in annotations_of(obj).items() if key in trial.carriers()}
            for obj in objects
        ]
        for obj in objects:
            for bag in bags:
                mixed = _with_annotations(obj, {"example.com/note": "conform", **bag})
                back = trial.convert(mixed, kind.api_version(source))
                again = trial.convert(back, kind.api_version(target))
                wrong = compare(data_of(obj), data_of(again))
                demand(not wrong, f"{kind.name} {target.name} by {source.name}: {wrong}")
                tried += 1
    return f"{tried} objects with bags of others"


@check(59, "a bag disappears where it is not needed")
def bags_disappear(trial: Trial) -> str:
    """After the way back no annotation of the webhook may be left."""
    for kind, source, target in trial.pairs():
        for obj in make_objects(kind, source):
            found = _round(trial, kind, obj, source, target)
            before, after = annotations_of(obj), annotations_of(found)
            left = sorted(after.keys() - before.keys()) + slots_of(found)
            demand(not left, f"{kind.name} {source.name} by {target.name}: {left} stays")
    return ""


@check(60, "nothing is lost by the pruning of both schemas")
def pruning_is_survived(trial: Trial) -> str:
    """Prune objects as an API server does, on the way there and on the way back."""
    tried = 0
    for kind, source, target in trial.pairs():
        if not (source.schema and target.schema):
            continue
        for obj in make_objects(kind, source):
            whole = prune(obj, source)
            there = prune(trial.convert(whole, kind.api_version(target)), target)
            back = prune(trial.convert(there, kind.api_version(source)), source)
            _demand_same(trial, kind, whole, back, f"{source.name} by {target.name}, pruned")
            tried += 1
    if not tried:
        raise NotChecked("there are no schemas: give the CRDs with --crd")
    return f"{tried} round trips"


@check(61, "what clients of other versions do loses nothing that they cannot see")
def clients_lose_nothing(trial: Trial) -> str:
    """Simulate a store: patches, typed updates, status updates and restores at each version."""
    tried = 0
    for kind, source, target in trial.pairs():
        if not (source.schema and target.schema):
            continue
        for what, wrong in _events(trial, kind, source, target):
            demand(not wrong, f"{kind.name} {source.name}, {what} at {target.name}: {wrong}")
            tried += 1
    if not tried:
        raise NotChecked("there are no schemas: give the CRDs with --crd")
    return f"{tried} events"


def _events(
    trial: Trial, kind: Kind, source: Version, target: Version
) -> Iterator[tuple[str, str]]:
    """Yield events at `target` with what they changed for the owner of the object at `source`."""

    def call(body: bytes) -> tuple[int, bytes]:
        response = trial.post(body).response
        return response.status, response.body

    store = Store(kind, call)
    try:
        name = store.create(make_object(kind, source))
        if source.has_status:
            store.update_status(make_object(kind, source))
        seen = store.get(name, source)
        spec = {key: value for key, value in data_of(seen).items() if key != "status"}
        wanted = prune(data_of(make_object(kind, source)), source)
        yield "create", compare(wanted, data_of(seen))

        store.patch(name, target, {"metadata": {"labels": {"patched": "yes"}}})
        yield "a merge patch", compare(data_of(seen), data_of(store.get(name, source)))

        store.update(prune(store.get(name, target), target))
        yield "a typed update", compare(data_of(seen), data_of(store.get(name, source)))

        if target.has_status:
            store.update_status(prune(store.get(name, target), target))
            found = data_of(store.get(name, source))
            found.pop("status", None)
            yield "a typed status update", compare(spec, found)

        backup = store.get(name, target)
        store.stored.clear()
        store.create(backup)
        found = data_of(store.get(name, source))
        status = found.pop("status", None)
        yield "a restore under another uid", compare(spec, found)
        if target.has_status:
            empty = status in (None, {})
            yield "a restore", "" if empty else "the status came back from a bag"
    except Refused as error:
        raise Failed(f"{kind.name}: {error}") from error


def _round(
    trial: Trial, kind: Kind, obj: JsonObject, source: Version, target: Version
) -> JsonObject:
    there = trial.convert(obj, kind.api_version(target))
    return trial.convert(there, kind.api_version(source))


def _demand_same(
    trial: Trial, kind: Kind, expected: JsonObject, found: JsonObject, what: str
) -> None:
    wrong = trial.same(expected, found)
    demand(not wrong, f"{kind.name} {what}: {wrong}")


def _hidden(obj: JsonObject, there: JsonObject) -> list[tuple[tuple[str | int, ...], bytes]]:
    """Return the leaves with unique values that the other version does not show."""
    shown = {_json.canonical(value) for _, value in leaves_of(data_of(there))}
    texts = [(path, _json.canonical(value)) for path, value in leaves_of(data_of(obj))]
    counts = Counter(text for _, text in texts)
    return [
        (path, text)
        for path, text in texts
        if counts[text] == 1 and text not in shown and text not in _COMMON
    ]


def _with_annotations(obj: JsonObject, annotations: JsonObject) -> JsonObject:
    metadata = obj.get("metadata")
    own = metadata if is_json_object(metadata) else {}
    return {**obj, "metadata": {**own, "annotations": annotations}}
