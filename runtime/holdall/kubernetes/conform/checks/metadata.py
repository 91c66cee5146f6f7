"""WC-20 to WC-26: metadata, labels and annotations."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from holdall.carriers.annotations import ANNOTATIONS_LIMIT
from holdall.kubernetes.conform.apiserver import Refused, restore_metadata
from holdall.kubernetes.conform.listing import check
from holdall.kubernetes.conform.specimens import make_bare
from holdall.kubernetes.conform.trial import SUCCESS, Trial, annotations_of
from holdall.kubernetes.conform.values import compare, replaced
from holdall.kubernetes.conform.verdicts import Failed, demand
from holdall.text import json as _json
from holdall.types import JsonObject, get, is_json_object, members

ODD: Final[dict[str, str]] = {
    "example.com/quotes": "'\"\\ <b>&amp;</b>",
    "example.com/unicode": "\u2028 \U0001f9f3 \x7f e\u0301",
    "example.com/empty": "",
    "example.com/json": '{"a":[1,2],"b":null}',
    "example.com/lines": "one\ntwo\r\n\tthree ",
}
_LABELS: Final = {"example.com/app": "a_b-C.1", "empty": ""}


@check(20, "must", "the fields of metadata that an API server compares are in the reply")
def the_five_fields_return(trial: Trial) -> None:
    """Restore the metadata of each reply as an API server does, and compare what it compares."""
    for kind, source, target in trial.pairs():
        for obj in trial.objects(kind, source):
            trial.begin()
            found = trial.convert(obj, kind.api_version(target))
            try:
                restore_metadata(obj, found)
            except Refused as error:
                raise Failed(f"{kind.name} {source.name} to {target.name}: {error}") from error
            for name in ("name", "namespace", "uid"):
                one, other = get(obj, "metadata", name), get(found, "metadata", name)
                demand(one == other, f"metadata.{name} is {other!r}, not {one!r}")


@check(21, "lossless", "labels and annotations come back byte for byte")
def labels_and_annotations_return(trial: Trial) -> None:
    """Send odd but valid texts; annotations that the webhook adds and removes do not count."""
    for kind, source, target in trial.pairs():
        obj = trial.smallest(kind, source)
        obj = _with(obj, annotations={**ODD}, labels={**_LABELS})
        there = trial.convert(obj, kind.api_version(target))
        for name, sent in (("labels", _LABELS), ("annotations", ODD)):
            wrong = compare({**sent}, _only(members(there, "metadata", name), sent))
            demand(not wrong, f"{name}: {wrong}")
        back = trial.convert(there, kind.api_version(source))
        wrong = compare({**_LABELS}, members(back, "metadata", "labels"))
        demand(not wrong, f"labels, by {target.name} and back: {wrong}")


@check(22, "polite", "absent labels and annotations stay absent")
def the_absent_stays_absent(trial: Trial) -> None:
    """Send metadata without either; a bag may be added."""
    for kind, source, target in trial.pairs():
        plain = _with(make_bare(kind, source))
        metadata = members(trial.convert(plain, kind.api_version(target)), "metadata")
        demand("labels" not in metadata, "labels were added")
        shown = _json.encode(metadata.get("annotations")).decode()[:60]
        demand("annotations" not in metadata or metadata["annotations"], f"annotations: {shown}")


@check(23, "polite", "labels and annotations that are null are tolerated")
def null_is_tolerated(trial: Trial) -> None:
    """Send both as null, on a bare object and on a full one."""
    for kind, source, target in trial.pairs():
        for obj in trial.objects(kind, source):
            null = _with(obj)
            for name in ("labels", "annotations"):
                null = replaced(null, ("metadata", name), None)
            trial.convert(null, kind.api_version(target))


@check(24, "polite", "metadata that is null or missing gives a Success with {}")
def missing_metadata_becomes_empty(trial: Trial) -> None:
    """Send bare objects whose metadata is null, missing and empty."""
    for kind, source, target in trial.pairs():
        bare = make_bare(kind, source)
        without = {name: value for name, value in bare.items() if name != "metadata"}
        for what, obj in (
            ("null", {**bare, "metadata": None}),
            ("missing", without),
            ("empty", {**bare, "metadata": {}}),
        ):
            found = trial.convert(obj, kind.api_version(target)).get("metadata", "missing")
            shown = _json.encode(found).decode()[:60]
            # Go types encode an unset time as null.
            empty = is_json_object(found) and not any(found.values())
            demand(empty, f"metadata that is {what} came back as {shown}")


@check(25, "must", "annotations of 262144 bytes pass, and no conversion makes them more")
def full_annotations_pass(trial: Trial) -> None:
    """Fill the annotations of full objects up to the limit, and to a few hundred bytes less."""
    for kind, source, target in trial.pairs():
        obj = trial.object(kind, source)
        for spare in (0, 1, 300, 3000):
            filler = "x" * (ANNOTATIONS_LIMIT - len("filler") - spare)
            full = _with(obj, annotations={"filler": filler})
            found = annotations_of(trial.convert(full, kind.api_version(target)))
            size = sum(len(key.encode()) + len(str(text).encode()) for key, text in found.items())
            demand(found.get("filler") == filler, "the annotation that fills the space has changed")
            written = ", ".join(sorted(found.keys() - {"filler"}))  # a bag, or what a hook writes
            demand(size <= ANNOTATIONS_LIMIT, f"{size} bytes of annotations came back: {written}")


@check(26, "lossless", "foreign keys below the webhook's own annotation prefix are harmless")
def foreign_keys_are_harmless(trial: Trial) -> str:
    """Add annotations with keys like those that the webhook writes."""
    prefixes = {key.partition("/")[0] for key in trial.carriers() if "/" in key}
    prefixes |= {"holdall.dev"}
    foreign = {f"{prefix}/not-yours": "{" for prefix in sorted(prefixes)}
    foreign |= {f"{prefix}/bag-of-mine": "x" for prefix in sorted(prefixes)}
    for kind, source, target in trial.pairs():
        obj = _with(trial.object(kind, source), annotations={**foreign})
        reply = trial.review([obj], kind.api_version(target))
        demand(reply.status == SUCCESS, f"{reply.status}: {reply.message[:200]}")
        [found] = reply.objects
        wrong = compare({**foreign}, _only(annotations_of(found), foreign))
        demand(not wrong, f"annotations: {wrong}")
    return f"below {', '.join(sorted(prefixes))}"


def _with(
    obj: JsonObject, *, annotations: JsonObject | None = None, labels: JsonObject | None = None
) -> JsonObject:
    """Return an object with other labels and annotations; None removes them."""
    own = {**members(obj, "metadata")}
    for name, value in (("labels", labels), ("annotations", annotations)):
        own.pop(name, None)
        if value is not None:
            own[name] = value
    return {**obj, "metadata": own}


def _only(texts: JsonObject, names: Container[str]) -> JsonObject:
    return {key: text for key, text in texts.items() if key in names}
