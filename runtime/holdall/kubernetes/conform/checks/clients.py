"""WC-60 and WC-61: what survives when an API server is between clients and the webhook."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from holdall.kubernetes.conform.apiserver import Refused, convert
from holdall.kubernetes.conform.listing import check_tries
from holdall.kubernetes.conform.storage import Store, prune
from holdall.kubernetes.conform.subjects import Kind, Version
from holdall.kubernetes.conform.trial import Trial, annotations_of, body_of
from holdall.kubernetes.conform.values import compare, data_of, replaced
from holdall.kubernetes.conform.verdicts import Failed, NotChecked

_NO_SCHEMAS: Final = "there are no schemas: pass the CRDs with --crd"


@check_tries(
    60, "lossless", "nothing is lost by the pruning of both schemas", "round trip", _NO_SCHEMAS
)
def pruning_is_survived(trial: Trial) -> Iterator[str]:
    """Prune objects as an API server does, on the way there and on the way back."""
    for kind, source, target in trial.pairs():
        if not (source.schema and target.schema):
            continue
        all_whole = [prune(obj, source) for obj in trial.objects(kind, source)]
        made = trial.look_ahead(all_whole, kind.api_version(target))
        trial.look_ahead((prune(obj, target) for obj in made), kind.api_version(source))
        for whole in all_whole:
            trial.begin()
            there = prune(trial.convert(whole, kind.api_version(target)), target)
            back = prune(trial.convert(there, kind.api_version(source)), source)
            wrong = compare(data_of(whole), data_of(back))
            yield wrong and f"{kind.name} {source.name} by {target.name}, pruned: {wrong}"


@check_tries(
    61,
    "lossless",
    "what clients of other versions do loses nothing that they cannot see",
    "event",
    _NO_SCHEMAS,
)
def clients_lose_nothing(trial: Trial) -> Iterator[str]:
    """Simulate a store: patches, typed updates, status updates and restores at each version."""
    for kind, source, target in trial.pairs():
        if not (source.schema and target.schema):
            continue
        for what, wrong in _events(trial, kind, source, target):
            yield wrong and f"{kind.name} {source.name}, {what} at {target.name}: {wrong}"


def _events(
    trial: Trial, kind: Kind, source: Version, target: Version
) -> Iterator[tuple[str, str]]:
    """Yield writes at `target` with what they changed for the object's owner at `source`.

    Writes that an API server would refuse are skipped.
    """

    def call(body: bytes) -> tuple[int, bytes]:
        response = trial.post(body).response
        return response.status, body_of(response)

    try:
        there = convert(trial.object(kind, source), kind.api_version(target), call)
        convert(there, kind.api_version(source), call)
    except Refused as error:
        raise NotChecked(f"{kind.name}: an API server refuses the conversion: {error}") from error
    store = Store(kind, call)
    try:
        name = store.create(trial.object(kind, source))
        if source.has_status:
            store.update_status(trial.object(kind, source))
        seen = store.get(name, source)
        spec = {key: value for key, value in data_of(seen).items() if key != "status"}
        wanted = prune(data_of(trial.object(kind, source)), source)
        yield "create", compare(wanted, data_of(seen))

        if trial.admitted(target, shown := store.get(name, target)) != shown:
            return
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
        without_bag = annotations_of(trial.object(kind, source))
        store.create(replaced(backup, ("metadata", "annotations"), without_bag))
        usual = store.get(name, source).get("status")
        store.create(backup)
        found = data_of(store.get(name, source))
        status = found.pop("status", None)
        yield "a restore under another uid", compare(spec, found)
        if target.has_status:
            empty = status in (None, {}, usual)
            yield "a restore", "" if empty else "the status came back from a bag"
    except Refused as error:
        raise Failed(f"{kind.name}: {error}") from error
