"""The conformance suite: a correct webhook passes, and every fault of wrong ones is caught."""

from __future__ import annotations

import json
import random
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from holdall.kubernetes.conform import CHECKS, Endpoint, Kind, Options, Trial, Verdict, read_kinds
from holdall.kubernetes.conform.checks import operation
from holdall.kubernetes.conform.run import run_checks, select_checks
from tests.support.reference_webhook import (
    CRD,
    GROUP,
    NAMES,
    SPEC_BAG,
    STATUS_BAG,
    Impossible,
    Reference,
    Server,
    Unreadable,
)
from tests.support.serving import write_certificates

ROOT = Path(__file__).parents[2]
NUMBERS = [*range(1, 19), *range(20, 27), *range(30, 39), *range(40, 62), *range(70, 80)]


@dataclass(frozen=True)
class Ground:
    """What all trials share: certificates, and the kind of the reference webhook."""

    folder: Path
    kinds: tuple[Kind, ...]

    def trial(self, url: str, **options: Any) -> Trial:
        endpoint = Endpoint.of(url, ca=str(self.folder / "ca.crt"))
        return Trial(endpoint, self.kinds, Options(**options), timeout=20.0)


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    folder = write_certificates(tmp_path_factory.mktemp("conform"))
    crd = folder / "crd.json"
    crd.write_text(json.dumps(CRD), encoding="utf-8")
    return Ground(folder, read_kinds([crd], []))


def judge(ground: Ground, webhook: Reference, *ids: str, **options: Any) -> list[Verdict]:
    with Server(webhook, ground.folder) as server:
        return run_checks(ground.trial(server.url, **options), select_checks(ids))


def test_the_list_is_whole() -> None:
    """Every number of the contract's list has one check, with a title."""
    ids = [item.id for item in select_checks(())]
    assert sorted(ids) == [f"WC-{number:02}" for number in NUMBERS]
    assert ids[-1] == "WC-74"
    assert all(item.title and item.run.__doc__ for item in CHECKS)


def test_a_correct_webhook_passes(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing fails; what cannot be checked says why, and what is measured is no judgement."""
    monkeypatch.setattr(operation, "IDLE_SECONDS", 1)
    verdicts = {item.id: item for item in judge(ground, Reference(), slow=True)}
    assert [item for item in verdicts.values() if item.outcome == "fail"] == []
    skipped = {item.id for item in verdicts.values() if item.outcome == "skip"}
    assert skipped - {"WC-77"} == {"WC-74", "WC-76"}
    assert all(verdicts[number].reason for number in skipped)
    assert verdicts["WC-70"].outcome == "info"
    assert len(verdicts) == len(NUMBERS)


class Counts(Reference):
    """Knows how many objects each review had."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def convert_all(self, objects: list[Any], desired: str, deadline: float) -> list[Any]:
        self.sizes.append(len(objects))
        return super().convert_all(objects, desired, deadline)


class NeedsASize(Counts):
    """Refuses objects without one of their members."""

    def convert(self, obj: Any, desired: str) -> Any:
        if "size" not in obj.get("spec", {"size": 0}):
            raise Impossible("/spec/size: it is absent")
        return super().convert(obj, desired)


def test_objects_that_pass_go_together(ground: Ground) -> None:
    """In few reviews; what an API server does with a list."""
    webhook = Counts()
    [verdict] = judge(ground, webhook, "WC-34")
    assert (verdict.outcome, verdict.reason) == ("pass", f"{sum(webhook.sizes)} objects")
    assert len(webhook.sizes) * 5 < sum(webhook.sizes)


def test_large_objects_go_in_several_reviews(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Objects of a user may be large; one that is larger than a review should be goes alone."""
    monkeypatch.setattr("holdall.kubernetes.conform.trial._PORTION", 1)
    webhook = Counts()
    [verdict] = judge(ground, webhook, "WC-34")
    assert (verdict.outcome, {*webhook.sizes}) == ("pass", {1})


def test_an_object_that_fails_is_shown_alone(ground: Ground) -> None:
    """So what was sent proves it, and nothing else has to be looked through."""
    webhook = NeedsASize()
    [verdict] = judge(ground, webhook, "WC-34")
    assert verdict.outcome == "fail"
    assert (webhook.sizes[-1], max(webhook.sizes) > 1) == (1, True)
    [exchange] = verdict.exchanges
    [sent] = json.loads(exchange.body)["request"]["objects"]
    assert "size" not in sent["spec"]


# --- wrong webhooks, each wrong in one way ---------------------------------------------------


@dataclass(frozen=True)
class Wrong:
    """A webhook that one check must catch, and the others that its fault violates, too.

    `also=None` says that the fault is in all or most of what is converted.
    """

    number: str
    cls: type[Reference]
    also: frozenset[str] | None


WRONG: list[Wrong] = []


def wrong(number: int, *also: int, all_else: bool = False) -> Any:
    """Register a webhook that check WC-`number` must catch; `also` fail with the same fault."""

    def register(cls: type[Reference]) -> type[Reference]:
        others = None if all_else else frozenset(f"WC-{item:02}" for item in also)
        WRONG.append(Wrong(f"WC-{number:02}", cls, others))
        return cls

    return register


def fault(name: str, *numbers: int, of: type[Reference] = Reference, **methods: Any) -> None:
    """Register a webhook of which some methods are others; they get the correct ones, too."""

    def method(given: Any) -> Any:
        return lambda self, *args: given(super(cls, self), *args)

    cls: Any = type(name, (of,), {name: method(given) for name, given in methods.items()})
    wrong(*numbers)(cls)


BETA, STABLE = "apiextensions.k8s.io/v1beta1", "apiextensions.k8s.io/v1"
fault("AlwaysBeta", 1, reply=lambda it, *args: {**it.reply(*args), "apiVersion": BETA})
fault("NeverBeta", 2, reply=lambda it, *args: {**it.reply(*args), "apiVersion": STABLE})


@wrong(3)
class ForgetsUidInFailures(Reference):
    def reply(self, review: Any, response: Any) -> Any:
        if response["result"]["status"] == "Failure":
            response["uid"] = ""
        return super().reply(review, response)


fault(
    "RepeatsTheRequest",
    4,
    reply=lambda it, review, response: {
        **it.reply(review, response),
        "request": {"uid": review["request"]["uid"]},
    },
)


@wrong(4)
class BelievesTheStub(Reference):
    def reply(self, review: Any, response: Any) -> Any:
        stub = review.get("response") or {}
        return super().reply(review, {**response, "uid": stub.get("uid") or response["uid"]})


@wrong(5, all_else=True)
class SaysSuccessInLowerCase(Reference):
    def reply(self, review: Any, response: Any) -> Any:
        response["result"]["status"] = response["result"]["status"].lower()
        return super().reply(review, response)


@wrong(5)
class SaysFailureInLowerCase(Reference):
    def reply(self, review: Any, response: Any) -> Any:
        if response["result"]["status"] == "Failure":
            response["result"]["status"] = "failure"
        return super().reply(review, response)


@wrong(5)
class FailsWith422(Reference):
    def answer(self, body: bytes, deadline: float) -> tuple[int, Any]:
        status, document = super().answer(body, deadline)
        failed = document["kind"] == "ConversionReview" and "Failure" in str(document)
        return (422 if failed else status), document


fault("ShowsTheObject", 6, message=lambda it, obj, *rest: it.message(obj, *rest) + json.dumps(obj))
fault(
    "ThinksThatAllIsInDefault",
    6,
    message=lambda it, *args: it.message(*args).replace("default/", "elsewhere/"),
)
fault(
    "DoesNotSayWhere", 6, 44, message=lambda it, obj, index, _: it.message(obj, index, "it fails")
)
fault("DoesNotSayWhich", 6, message=lambda it, obj, index, cause: cause)
fault(
    "FailsWithNull",
    7,
    reply=lambda it, review, response: it.reply(
        review, {**response, "convertedObjects": response["convertedObjects"] or None}
    ),
)
fault("Reverses", 8, 11, 51, convert_all=lambda it, *args: it.convert_all(*args)[::-1])
fault("DropsTheLast", 8, 16, convert_all=lambda it, all_, *rest: it.convert_all(all_[:100], *rest))


@wrong(9)
class WantsOneVersion(Reference):
    def convert_all(self, objects: list[Any], desired: str, deadline: float) -> list[Any]:
        if len({str(obj.get("apiVersion")) for obj in objects if isinstance(obj, dict)}) > 1:
            raise Impossible("several versions")
        return super().convert_all(objects, desired, deadline)


@wrong(10)
class ConvertsAnything(Reference):
    def convert(self, obj: Any, desired: str) -> Any:
        known = isinstance(obj, dict) and obj.get("kind") == "Widget" and GROUP in desired
        try:
            return super().convert(obj, desired)
        except Impossible as error:
            if not isinstance(obj, dict) or (known and "/apiVersion" not in str(error)):
                raise
            return {**obj, "apiVersion": desired}


@wrong(11)
class TouchesItsOwn(Reference):
    def convert(self, obj: Any, desired: str) -> Any:
        result = super().convert(obj, desired)
        return {**result, "status": {}} if obj["apiVersion"] == desired else result


fault("HasNoStatus", 12, status=lambda it, code, message: {"error": message})


@wrong(12)
class AnswersGarbage(Reference):
    def answer(self, body: bytes, deadline: float) -> tuple[int, Any]:
        status, document = super().answer(body, deadline)
        return (200 if status == 400 else status), document


@wrong(13)
class RefusesQueries(Reference):
    def seconds(self, query: str) -> float:
        if query:
            raise ValueError(query)
        return 30.0


fault("WantsItsPath", 13, path_is_known=lambda it, path: path == "/convert")
fault("KnowsNoMethods", 14, refused_method=lambda it: 404)
fault("Redirects", 14, refused_method=lambda it: 307)
fault("WantsItsMediaType", 15, media_type_is_known=lambda it, value: value == "application/json")
fault("AlwaysCompresses", 16, encoding=lambda it, accepted, size: "gzip")
fault("KnowsNoChunks", 17, reads_chunks=lambda it: False)
fault("NeverContinues", 18, says_continue=lambda it: False)


class Spoils(Reference):
    """A webhook that spoils every converted object."""

    def convert(self, obj: Any, desired: str) -> Any:
        result = super().convert(obj, desired)
        if result.get("apiVersion") != obj.get("apiVersion"):
            self.spoil(result, obj)
        return result

    def spoil(self, result: Any, obj: Any) -> None:
        """Change the result."""


def loses(member: str) -> Any:
    """Return what takes a member of the metadata away."""
    return lambda it, result, obj: result["metadata"].pop(member, None)


fault("LosesTheUid", 20, of=Spoils, spoil=loses("uid"))
fault("LosesTheNamespace", 20, of=Spoils, spoil=loses("namespace"))
fault("LosesTheLabels", 21, of=Spoils, spoil=loses("labels"))


@wrong(21)
class TrimsAnnotations(Spoils):
    def spoil(self, result: Any, obj: Any) -> None:
        own = result["metadata"].get("annotations") or {}
        if own:
            result["metadata"]["annotations"] = {key: text.strip() for key, text in own.items()}


@wrong(21, 22, 24, 46)
class LeavesALabel(Spoils):
    def spoil(self, result: Any, obj: Any) -> None:
        labels = result["metadata"].get("labels") or {}
        result["metadata"]["labels"] = {**labels, "ref.example.com/converted": "yes"}


def invents(member: str, value: Any) -> Any:
    """Return what puts a member into the metadata."""
    return lambda it, result, obj: result["metadata"].setdefault(member, value)


fault("InventsEmptyLabels", 22, of=Spoils, spoil=invents("labels", {}))
fault("InventsNullAnnotations", 22, of=Spoils, spoil=invents("annotations", None))


@wrong(23)
class RefusesNullLabels(Spoils):
    def spoil(self, result: Any, obj: Any) -> None:
        if result["metadata"].get("labels", {}) is None:
            raise Impossible("/metadata/labels: null")


@wrong(24)
class KeepsNullMetadata(Spoils):
    def spoil(self, result: Any, obj: Any) -> None:
        if obj.get("metadata") is None:
            result["metadata"] = None


@wrong(25)
class FillsAnnotations(Reference):
    def put_bags(self, obj: Any, bags: dict[str, dict[str, Any]]) -> None:
        own = obj["metadata"].get("annotations") or {}
        more = {
            key: json.dumps({"v": 1, "kind": "Widget", **bag}) for key, bag in bags.items() if bag
        }
        if more:
            obj["metadata"]["annotations"] = {**own, **more}


@wrong(26)
class ClearsItsPrefix(Reference):
    def take_bags(self, obj: Any) -> dict[str, Any]:
        found = super().take_bags(obj)
        own = obj["metadata"].get("annotations")
        for key in list(own or {}):
            if key.startswith("ref.example.com/"):
                del own[key]
        return found


def wants(*names: str) -> type[Reference]:
    """Return a webhook that refuses objects without a member at a path."""

    class Wants(Spoils):
        def spoil(self, result: Any, obj: Any) -> None:
            for name in names:
                if not isinstance(obj, dict) or obj.get(name) is None:
                    raise Impossible(f"/{name}: required")
                obj = obj[name]

    return Wants


wrong(30, all_else=True)(wants("spec"))
wrong(31, all_else=True)(wants("status"))
wrong(32, all_else=True)(wants("spec"))
wrong(34, all_else=True)(wants("spec", "tags"))
fault(
    "Defaults",
    *(33, 37, 52, 53, 60),
    of=Spoils,
    spoil=lambda it, result, obj: result.setdefault("spec", {"size": 1}),
)


class Crashes(Reference):
    """A webhook that answers 500 to objects that it does not expect."""

    def answer(self, body: bytes, deadline: float) -> tuple[int, Any]:
        try:
            objects = json.loads(body)["request"]["objects"]
        except (ValueError, KeyError, TypeError):
            objects = []
        if any(isinstance(item, dict) and self.surprises(item) for item in objects):
            return 500, self.status(500, "panic")
        return super().answer(body, deadline)

    def surprises(self, obj: Any) -> bool:
        """Tell whether an object is unexpected."""
        raise NotImplementedError


def types_are_odd(it: Any, obj: Any) -> bool:
    spec = obj.get("spec")
    return isinstance(spec, dict) and not isinstance(spec.get("size", 1), int)


fault(
    "CrashesOverLists",
    32,
    of=Crashes,
    surprises=lambda it, obj: isinstance(obj.get("spec"), list),
)
fault(
    "CrashesOverTheUnknown",
    35,
    of=Crashes,
    surprises=lambda it, obj: "noSuchField" in json.dumps(obj),
)
fault("CrashesOverTypes", 36, of=Crashes, surprises=types_are_odd)
fault(
    "EmptiesOddSpecs",
    32,
    spec=lambda it, spec, *rest: it.spec(spec if isinstance(spec, dict) else {}, *rest),
)


@wrong(32)
class EmptiesOddLists(Reference):
    def spec(self, spec: Any, source: str, target: str) -> Any:
        if isinstance(spec, dict) and isinstance(spec.get("parts", []), str):
            spec = {**spec, "parts": []}
        return super().spec(spec, source, target)


@wrong(37, 52, 53, 60)
class DropsTheEmpty(Spoils):
    def spoil(self, result: Any, obj: Any) -> None:
        spec = result.get("spec") or {}
        for key in [key for key, value in spec.items() if value in ([], {})]:
            del spec[key]


@wrong(38)
class TrustsItsBag(Reference):
    def read_bag(self, text: Any) -> Any:
        bag = super().read_bag(text)
        if bag is None:
            raise Impossible("/metadata/annotations: a damaged bag")
        return bag


def parses(name: str, *numbers: int, **options: Any) -> None:
    """Register a webhook that reads JSON in another way."""

    def read(_: Any, body: bytes) -> Any:
        try:
            return json.loads(body, **options)
        except ValueError as error:
            raise Unreadable from error

    fault(name, *numbers, read=read)


parses("ReadsIntegersAsFloats", 40, parse_int=float)
parses(
    "ReadsWholeFloatsAsText",
    41,
    parse_float=lambda text: text if float(text).is_integer() else float(text),
)
parses("RoundsFloats", 42, parse_float=lambda text: float(f"{float(text):.6g}"))
parses("TakesTheFirst", 46, object_pairs_hook=lambda pairs: dict(reversed(pairs)))


@wrong(42)
class WritesLongFloats(Reference):
    def encode(self, document: Any) -> bytes:
        text = super().encode(document)
        return text.replace(b'"ratio":0.1,', b'"ratio":0.1000000000000000055,')


@wrong(43)
class PassesNaN(Reference):
    def check_values(self, value: Any, path: str) -> None:
        if not isinstance(value, float):
            super().check_values(value, path)


@wrong(44)
class ReplacesSurrogates(Reference):
    def check_values(self, value: Any, path: str) -> None:
        if not isinstance(value, str):
            super().check_values(value, path)

    def encode(self, document: Any) -> bytes:
        return json.dumps(document, ensure_ascii=False).encode(errors="replace")


fault("HidesThePath", 44, 6, message=lambda it, obj, index, cause: "bad text")
fault("EscapesForHtml", 45, 21, encode=lambda it, value: it.encode(value).replace(b"<", b"&lt;"))


@wrong(47)
class FearsDepth(Reference):
    def check_values(self, value: Any, path: str) -> None:
        if path.count("/") > 100:
            raise Impossible("too deep")
        super().check_values(value, path)


@wrong(48)
@wrong(79, 48)
class FearsSize(Reference):
    def too_large(self, size: int) -> bool:
        return size > 1 << 20


fault("FearsNoSize", 79, too_large=lambda it, size: size > 1 << 40)


@wrong(49)
class WantsOrder(Reference):
    def convert(self, obj: Any, desired: str) -> Any:
        if isinstance(obj, dict) and next(iter(obj), "apiVersion") != "apiVersion":
            raise Impossible("/: no apiVersion")
        return super().convert(obj, desired)


@wrong(50, all_else=True)
class IsRandom(Spoils):
    def spoil(self, result: Any, obj: Any) -> None:
        result["metadata"]["annotations"] = {"example.com/random": str(random.random())}


@wrong(50)
class ShufflesItsKeys(Reference):
    def reply(self, review: Any, response: Any) -> Any:
        members = [*super().reply(review, response).items()]
        random.shuffle(members)
        return {**dict(members), f"key{random.random()}": None}


@wrong(51, 11)
class SharesState(Reference):
    def convert_all(self, objects: list[Any], desired: str, deadline: float) -> list[Any]:
        found = super().convert_all(objects, desired, deadline)
        shared = [obj.get("spec") for obj in found if obj.get("spec")]
        for obj in found:
            if obj.get("spec"):
                obj["spec"] = shared[0]
        return found


@wrong(52, 54, 60, 61)
class LosesWhatIsStored(Reference):
    def restore_status(self, status: Any, bag: Any, target: str) -> None:
        if target != "v1":
            super().restore_status(status, bag, target)
        bag.pop("detail", None)


@wrong(53, 54, 59, 60)
class LosesWhatV3Knows(Reference):
    def restore_spec(self, spec: Any, bag: Any, target: str) -> None:
        if target != "v3":
            super().restore_spec(spec, bag, target)


@wrong(54, 52, 53, 60, 61)
class DependsOnThePath(Spoils):
    def spoil(self, result: Any, obj: Any) -> None:
        if (obj["apiVersion"][-2:], result["apiVersion"][-2:]) == ("v1", "v3"):
            for part in (result.get("spec") or {}).get("parts") or []:
                part.pop("weight", None)


class BelievesItsBag(Reference):
    """A webhook whose bag holds the whole spec."""

    def keep_spec(self, spec: Any, bag: Any, target: str) -> dict[str, Any]:
        kept = super().keep_spec(spec, bag, target)
        return {**kept, "size": spec["size"]} if spec and "size" in spec else kept


@wrong(55, 56, 58, 59)
@wrong(58, 55, 56, 59)
class OverridesLiveData(BelievesItsBag):
    def restore_spec(self, spec: Any, bag: Any, target: str) -> None:
        super().restore_spec(spec, bag, target)
        if "size" in bag:
            spec["size"] = bag["size"]


@wrong(55, 57)
class ForgetsTheBagAfterEdits(Reference):
    def keep_spec(self, spec: Any, bag: Any, target: str) -> dict[str, Any]:
        kept = super().keep_spec(spec, bag, target)
        return {**kept, "print": json.dumps(spec, sort_keys=True)} if kept else kept

    def restore_spec(self, spec: Any, bag: Any, target: str) -> None:
        shown = {**spec}
        for name in NAMES.values():
            if name in shown:
                shown["shade"] = shown.pop(name)
        if target == "v2" or bag.get("print") == json.dumps(shown, sort_keys=True):
            super().restore_spec(spec, bag, target)


@wrong(56, 58, 59)
class Resurrects(BelievesItsBag):
    def restore_spec(self, spec: Any, bag: Any, target: str) -> None:
        super().restore_spec(spec, bag, target)
        if "size" in bag:
            spec.setdefault("size", bag["size"])


@wrong(57, 58)
class CountsPositions(Reference):
    def keep_spec(self, spec: Any, bag: Any, target: str) -> dict[str, Any]:
        kept = super().keep_spec(spec, bag, target)
        if "weights" in kept:
            kept["weights"] = [*kept["weights"].values()]
        return kept

    def restore_spec(self, spec: Any, bag: Any, target: str) -> None:
        if target == "v2":
            super().restore_spec(spec, bag, target)
            return
        for part, weight in zip(spec.get("parts") or [], bag.pop("weights", []), strict=False):
            part.setdefault("weight", weight)


@wrong(59)
class KeepsItsBag(Spoils):
    def spoil(self, result: Any, obj: Any) -> None:
        own = (obj.get("metadata") or {}).get("annotations") or {}
        bags = {key: own[key] for key in (SPEC_BAG, STATUS_BAG) if key in own}
        if bags:
            new = result["metadata"].get("annotations") or {}
            result["metadata"]["annotations"] = {**bags, **new}


class HidesInTheSpec(Reference):
    """A webhook that keeps the bag in a member of the spec that no schema declares."""

    def take_bags(self, obj: Any) -> dict[str, Any]:
        spec = obj.get("spec")
        found: dict[str, Any] = spec.pop("bags", {}) if isinstance(spec, dict) else {}
        return found

    def put_bags(self, obj: Any, bags: dict[str, dict[str, Any]]) -> None:
        bags = {key: bag for key, bag in bags.items() if bag}
        if bags and isinstance(obj.get("spec"), dict):
            obj["spec"]["bags"] = bags


wrong(60, 53, 61)(HidesInTheSpec)
wrong(61, 53, 60)(HidesInTheSpec)


@wrong(61)
class ResurrectsTheStatus(Reference):
    def convert(self, obj: Any, desired: str) -> Any:
        metadata = obj.get("metadata") if isinstance(obj, dict) else None
        own = metadata.get("annotations") if isinstance(metadata, dict) else None
        if isinstance(own, dict) and STATUS_BAG in own and "status" not in obj:
            obj = {**obj, "status": {}}
        return super().convert(obj, desired)


@wrong(71)
class HasOneHand(Reference):
    max_at_once = 1

    def answer(self, body: bytes, deadline: float) -> tuple[int, Any]:
        time.sleep(0.05)  # so that others come meanwhile, however busy the machine is
        return super().answer(body, deadline)


@wrong(72)
class ClosesTheIdle(Reference):
    idle_seconds = 0.3


@wrong(73)
class SendsInTwo(Reference):
    def send(self, handler: Any, head: bytes, body: bytes) -> None:
        handler.wfile.write(head)
        time.sleep(0.05)  # so that the client reads it alone, however busy the machine is
        handler.wfile.write(body)


fault("SaysNotWhen", 75, of=HasOneHand, busy=lambda it: [])
fault("HasTime", 77, seconds=lambda it, query: 30.0)
fault("BreaksDown", 78, convert=lambda it, obj, desired: it.convert({**obj}, desired))
fault("ClosesAfterFailures", 78, closes=lambda it, status, document: "Failure" in str(document))


WRONG_ONES = pytest.mark.parametrize(
    "fault", WRONG, ids=lambda fault: f"{fault.number}-{fault.cls.__name__}"
)
# The others put a server under load, for seconds each; no fault of conversions touches them.
LOADS = {"WC-12", "WC-70", "WC-71", "WC-72", "WC-74", "WC-75", "WC-76", "WC-77", "WC-79"}


@WRONG_ONES
def test_a_wrong_webhook_is_caught(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, fault: Wrong
) -> None:
    """The check fails, says what is wrong, and shows the exchange that proves it."""
    monkeypatch.setattr(operation, "IDLE_SECONDS", 1)
    [verdict] = judge(ground, fault.cls(), fault.number, slow=True)
    assert verdict.outcome == "fail", verdict
    assert verdict.reason
    assert verdict.exchanges


@pytest.mark.exhaustive
@WRONG_ONES
def test_only_the_fault_is_accused(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, fault: Wrong
) -> None:
    """No other check fails, but those that the same fault violates."""
    monkeypatch.setattr(operation, "IDLE_SECONDS", 1)
    light = {f"WC-{number:02}" for number in NUMBERS} - LOADS
    verdicts = judge(ground, fault.cls(), *light, fault.number, slow=True)
    failed = {item.id for item in verdicts if item.outcome == "fail"}
    assert fault.number in failed
    if fault.also is not None:
        assert failed == {fault.number, *fault.also}


def test_annotations_that_are_too_long_are_named(ground: Ground) -> None:
    """Those that the conversion wrote: a bag's, or those of a hook."""
    [fault] = (item for item in WRONG if item.number == "WC-25")
    [verdict] = judge(ground, fault.cls(), fault.number)
    assert f"bytes of annotations came back: {SPEC_BAG}" in verdict.reason


def test_every_check_is_proved() -> None:
    """There is a wrong webhook for each; 70 judges nothing, 74 and 76 have tests of their own."""
    proved = {fault.number for fault in WRONG}
    assert {f"WC-{number:02}" for number in NUMBERS} - proved == {"WC-70", "WC-74", "WC-76"}


# --- the end, and the certificate ------------------------------------------------------------


@contextmanager
def process(ground: Ground, folder: Path, *arguments: str) -> Iterator[tuple[int, str]]:
    """Run the reference webhook as a process of its own."""
    command = [sys.executable, "-m", "tests.support.reference_webhook", str(folder), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as running:
        try:
            assert running.stdout is not None
            yield running.pid, running.stdout.readline().strip()
        finally:
            running.kill()


@pytest.mark.parametrize(("mode", "outcome"), [((), "pass"), (("abrupt",), "fail")])
def test_the_end_of_a_server(ground: Ground, mode: tuple[str, ...], outcome: str) -> None:
    """WC-74: one that drains passes, one that just ends is caught."""
    for _ in range(5):
        with process(ground, ground.folder, *mode) as (pid, url):
            [verdict] = run_checks(ground.trial(url, pid=pid), select_checks({"WC-74"}))
        # An abrupt end may hit four connections between two requests, but not every time.
        if verdict.outcome == outcome:
            break
    assert verdict.outcome == outcome, verdict


@pytest.mark.parametrize("works", [True, False])
def test_the_rotation_of_a_certificate(
    ground: Ground, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, works: bool
) -> None:
    """WC-76: a server that takes the new one passes, one that does not is caught."""
    if not works:
        monkeypatch.setattr(operation, "_ROTATION_SECONDS", 1.0)
    write_certificates(tmp_path)
    roots = (tmp_path / "ca.crt").read_text()
    with process(ground, tmp_path) as (pid, url):
        write_certificates(tmp_path)
        both = tmp_path / "both.crt"
        both.write_text(roots + (tmp_path / "ca.crt").read_text())
        endpoint = Endpoint.of(url, ca=str(both))
        act = f"import os; os.kill({pid}, {int(signal.SIGHUP)})" if works else "pass"
        rotate = shlex.join([sys.executable, "-c", act])
        trial = Trial(endpoint, ground.kinds, Options(rotate=rotate))
        [verdict] = run_checks(trial, select_checks({"WC-76"}))
    assert verdict.outcome == ("pass" if works else "fail"), verdict
