"""A webhook that is right is accused of nothing: each test was a false accusation once."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from holdall.kubernetes.conform import (
    CHECKS,
    Check,
    Endpoint,
    Trial,
    Verdict,
    read_subjects,
    run_checks,
)
from holdall.kubernetes.conform.run import select_checks
from holdall.kubernetes.conform.specimens import make_bare
from holdall.kubernetes.conform.trial import review_body
from holdall.kubernetes.conform.validity import flaws
from tests.support.reference_webhook import CRD, GROUP, Impossible, Reference, Server
from tests.support.serving import write_certificates

LOADS = {"WC-12", "WC-70", "WC-71", "WC-72", "WC-74", "WC-75", "WC-76", "WC-77", "WC-79"}
STRICT: dict[str, Any] = {
    "quota": {"type": "string", "pattern": "^(0|[1-9][0-9]{0,8})$"},
    "host": {"type": "string", "minLength": 1},
    "mode": {"type": "string", "enum": ["Fast", "Safe"]},
    "hosts": {"type": "array", "minItems": 1, "items": {"type": "string"}},
    "retries": {"type": "integer", "default": 3, "minimum": 1, "maximum": 5},
    "one": {"type": "string"},
    "other": {"type": "string"},
}
STRICT_CRD: Any = copy.deepcopy(CRD)
for _version in STRICT_CRD["spec"]["versions"]:
    _spec = _version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    _spec["properties"] |= STRICT
    _spec["required"] = ["host", "mode"]
    _spec["x-kubernetes-validations"] = [{"rule": "has(self.one) != has(self.other)"}]


class Strict(Reference):
    """A webhook whose types accept nothing that the API server would refuse, but fragments."""

    def convert(self, obj: Any, desired: str) -> Any:
        result = super().convert(obj, desired)
        if not isinstance(obj.get("spec"), dict):
            return result
        versions = {item["name"]: item for item in STRICT_CRD["spec"]["versions"]}
        schema = versions[obj["apiVersion"].rpartition("/")[2]]["schema"]["openAPIV3Schema"]
        for flaw in flaws(obj, schema):
            raise Impossible(str(flaw))
        return result


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates, and a CRD with patterns, rules, required members and defaults."""
    folder = write_certificates(tmp_path_factory.mktemp("right"))
    (folder / "crd.json").write_text(json.dumps(STRICT_CRD), encoding="utf-8")
    return folder


def judge(
    folder: Path, webhook: Reference, *ids: str, objects: list[Path] | None = None, seed: int = 0
) -> list[Verdict]:
    subjects = read_subjects([folder / "crd.json"], objects or [])
    with Server(webhook, folder) as server:
        endpoint = Endpoint.of(server.url, ca=str(folder / "ca.crt"))
        trial = Trial(endpoint, subjects.kinds, timeout=20.0, seed=seed)
        return run_checks(trial, select_checks(ids))


def failures(verdicts: list[Verdict]) -> list[tuple[str, str, str]]:
    return [(item.id, item.level, item.reason) for item in verdicts if item.outcome == "fail"]


def judge_lightly(folder: Path, seed: int) -> list[Verdict]:
    """Return the verdicts about all that asks for no load."""
    light = {item.id for item in CHECKS} - LOADS
    return judge(folder, Strict(), *light, seed=seed)


@pytest.fixture(scope="module")
def light(folder: Path) -> Callable[[int], list[Verdict]]:
    """The verdicts by seed, judged once."""
    return cache(partial(judge_lightly, folder))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_only_what_an_api_server_accepts_is_sent(
    light: Callable[[int], list[Verdict]], seed: int
) -> None:
    """Patterns, required members, rules and defaults: nothing else reaches the converter.

    WC-34 alone leaves out what is required, as server-side apply does.
    """
    found = failures([item for item in light(seed) if item.id != "WC-34"])
    assert [item for item in found if item[1] != "polite"] == []


def test_the_same_run_gives_the_same_report(
    folder: Path, light: Callable[[int], list[Verdict]]
) -> None:
    """All but what is measured; another seed draws other objects."""

    def shown(verdicts: list[Verdict]) -> list[Any]:
        return [{**item.to_json(), "measured": ""} for item in verdicts]

    assert shown(light(0)) == shown(judge_lightly(folder, 0))
    kinds = read_subjects([folder / "crd.json"], []).kinds
    endpoint = Endpoint.of("https://127.0.0.1:1/", insecure=True)
    drawn = [Trial(endpoint, kinds, seed=seed) for seed in (0, 1)]
    first, second = ([trial.objects(kinds[0], kinds[0].hub)] for trial in drawn)
    assert first != second


def test_a_connection_that_was_closed_meanwhile_is_opened_anew(folder: Path) -> None:
    """Servers may end idle connections; an API server does not mind."""

    class Tired(Reference):
        idle_seconds = 0.2

    subjects = read_subjects([folder / "crd.json"], [])
    with Server(Tired(), folder) as server:
        trial = Trial(Endpoint.of(server.url, ca=str(folder / "ca.crt")), subjects.kinds)
        body = review_body([], f"{GROUP}/v2")
        for _ in range(3):
            assert trial.post(body).response.status == 200
            time.sleep(0.5)
        trial.close()


def test_messages_are_searched_for_the_objects_own_names(folder: Path, tmp_path: Path) -> None:
    """An object of a file has another namespace than one that is drawn."""
    spec = {"host": "a", "mode": "Fast", "one": "x"}
    metadata = {"name": "own-name", "namespace": "own-space"}
    obj = {"apiVersion": f"{GROUP}/v1", "kind": "Widget", "metadata": metadata, "spec": spec}
    (tmp_path / "own.json").write_text(json.dumps(obj))
    [verdict] = judge(folder, Reference(), "WC-06", objects=[tmp_path])
    assert verdict.outcome == "pass", verdict


class ShowsItsModeAsALabel(Reference):
    """A label of v2 alone, as Cluster API shows the name of a cluster."""

    label = "ref.example.com/mode"

    def convert(self, obj: Any, desired: str) -> Any:
        result = super().convert(obj, desired)
        labels = result["metadata"].get("labels")
        if self.version(obj["apiVersion"]) == "v2" and labels is not None:
            labels.pop(self.label, None)
        elif self.version(desired) == "v2" and "mode" in (obj.get("spec") or {}):
            result["metadata"]["labels"] = {**(labels or {}), self.label: obj["spec"]["mode"]}
        return result


def test_a_label_may_come_up_if_it_goes_again(folder: Path) -> None:
    """WC-21 is about the labels that were sent; what a version has beside them is its own."""
    [verdict] = judge(folder, ShowsItsModeAsALabel(), "WC-21")
    assert verdict.outcome == "pass", verdict


class AlwaysHasAStatus(Reference):
    """A status in any case from v2, as Cluster API's counters are; it is in no bag."""

    def convert(self, obj: Any, desired: str) -> Any:
        result = super().convert(obj, desired)
        if self.version(obj["apiVersion"]) == "v2" and self.version(desired) != "v2":
            result["status"] = {"phase": "", **(result.get("status") or {})}
        return result


def test_a_status_that_every_object_has_is_in_no_bag(folder: Path) -> None:
    """WC-61 compares a restored object with one that never had a bag."""
    [verdict] = judge(folder, AlwaysHasAStatus(), "WC-61")
    assert verdict.outcome == "pass", verdict


class AnswersNoEmptyList(Reference):
    def reply(self, review: Any, response: Any) -> Any:
        return super().reply(
            review, {**response, "convertedObjects": response["convertedObjects"] or None}
        )


class HangsUpOnTheLarge(Reference):
    def too_large(self, size: int) -> bool:
        if size > 128 << 20:
            raise ConnectionResetError
        return False


@pytest.mark.parametrize("cls", [AnswersNoEmptyList, HangsUpOnTheLarge])
def test_the_limit_of_bodies_alone_is_judged(folder: Path, cls: type[Reference]) -> None:
    """WC-79 names no list of objects and no Status; WC-07 and WC-12 do."""
    [verdict] = judge(folder, cls(), "WC-79")
    assert verdict.outcome == "pass", verdict


class RefusesLargeReviews(Reference):
    def answer(self, body: bytes, deadline: float) -> tuple[int, Any]:
        return 413, self.status(413, "too large for me")


class SaysLater(Reference):
    max_at_once = 1

    def answer(self, body: bytes, deadline: float) -> tuple[int, Any]:
        time.sleep(0.01)
        return super().answer(body, deadline)


@pytest.mark.parametrize("cls", [RefusesLargeReviews, SaysLater])
def test_overload_alone_is_judged(folder: Path, cls: type[Reference]) -> None:
    """WC-75 names who is sent away without a time to return, and who gets no answer."""
    [verdict] = judge(folder, cls(), "WC-75")
    assert verdict.outcome == "pass", verdict


def test_loss_is_one_matter_edits_are_another(folder: Path) -> None:
    """What is lost on every way back is no fault of edits, lists with keys, numbers or depth."""

    class Forgets(Reference):
        def put_bags(self, obj: Any, bags: dict[str, dict[str, Any]]) -> None:
            """Keep nothing."""

    ids = {"WC-52", "WC-55", "WC-56", "WC-57", "WC-40", "WC-41", "WC-42", "WC-47", "WC-37"}
    assert [item[0] for item in failures(judge(folder, Forgets(), *ids))] == ["WC-52"]


def test_v1beta1_is_asked_only_of_who_lists_it(folder: Path, tmp_path: Path) -> None:
    """No API server sends another version than the CRD's."""
    crd = copy.deepcopy(STRICT_CRD)
    crd["spec"]["conversion"]["webhook"]["conversionReviewVersions"] = ["v1"]
    write_certificates(tmp_path)
    (tmp_path / "crd.json").write_text(json.dumps(crd))
    [verdict] = judge(tmp_path, Reference(), "WC-02")
    assert verdict.outcome == "skip"


def test_a_check_that_breaks_down_loses_nothing(folder: Path) -> None:
    """It is skipped with its place; the others have their verdicts."""

    def broken(trial: Trial) -> str:
        raise KeyError(make_bare(trial.kinds[0], trial.kinds[0].hub)["kind"])

    subjects = read_subjects([folder / "crd.json"], [])
    with Server(Reference(), folder) as server:
        trial = Trial(Endpoint.of(server.url, ca=str(folder / "ca.crt")), subjects.kinds)
        checks = [Check("WC-00", "must", "broken", broken), *select_checks({"WC-01"})]
        first, second = run_checks(trial, checks)
    assert first.outcome == "skip"
    assert first.reason.startswith("the check itself failed, at broken:")
    assert second.outcome == "pass"


def test_kinds_of_which_nothing_can_be_drawn_are_not_judged(tmp_path: Path) -> None:
    """Neither passed nor failed: the report says what would help."""
    crd = copy.deepcopy(STRICT_CRD)
    for version in crd["spec"]["versions"]:
        schema = version["schema"]["openAPIV3Schema"]
        schema["x-kubernetes-validations"] = [{"rule": "isURL(self.spec.host)"}]
    write_certificates(tmp_path)
    (tmp_path / "crd.json").write_text(json.dumps(crd))
    [verdict] = judge(tmp_path, Reference(), "WC-53")
    assert verdict.outcome == "skip"
    assert verdict.reason == "no object could be drawn: pass some with --objects"
