"""`holdall serve` keeps the whole contract, as `holdall conform` sees it."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from holdall.cli import main
from holdall.kubernetes.conform import (
    CHECKS,
    Endpoint,
    Options,
    Trial,
    read_kinds,
    run_checks,
)
from holdall.kubernetes.conform.checks import operation
from holdall.kubernetes.conform.run import select_checks
from tests.support.emissary import build_emissary, data_folder
from tests.support.objects import resource
from tests.support.projects import build_project
from tests.support.reference_webhook import CRD, GROUP, Reference, Server
from tests.support.serving import serving, write_certificates

ROOT = Path(__file__).parents[2]
# These put a server under load for seconds each; the first test here runs them.
LOADS = {"WC-12", "WC-70", "WC-71", "WC-72", "WC-74", "WC-75", "WC-76", "WC-77", "WC-79"}
CONFIG = f"""
groups:
  widgets:
    api_group: {GROUP}
    sources:
      - crds: crds/*.json
    versions: [v1, v2, v3]
    hub: v1
    between:
      v1 -> v2:
        WidgetSpec: {{color: shade}}
      v2 -> v3:
        WidgetSpec: {{shade: tint}}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("conform")
    return build_project(root, CONFIG, {"crds/widgets.json": json.dumps(CRD)})


def test_the_server_keeps_the_contract(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every check passes or is skipped for speed, its certificate rotated and its end included."""
    monkeypatch.setattr(operation, "IDLE_SECONDS", 1)
    folder = write_certificates(tmp_path, now=datetime.now(UTC) - timedelta(days=25), days=30)
    rotate = [sys.executable, "-m", "holdall", "certs", "rotate", str(folder)]
    with serving(project, folder, "--drain", "2") as served:
        options = Options(slow=True, pid=served.process.pid, rotate=shlex.join(rotate))
        endpoint = Endpoint.of(
            f"https://127.0.0.1:{served.port}/convert", ca=str(folder / "ca.crt")
        )
        trial = Trial(endpoint, read_kinds([project / "crds"], []), options)
        verdicts = run_checks(trial)
    assert [item for item in verdicts if item.outcome == "fail"] == []
    assert {item.id for item in verdicts if item.outcome == "skip"} <= {"WC-77"}
    odd = {item.id: item.reason for item in verdicts if item.id in ("WC-32", "WC-36")}
    assert all(reason.startswith("0 of ") for reason in odd.values()), odd


def test_the_sample_project_survives_an_api_server(tmp_path: Path) -> None:
    """A kind with open JSON in old versions and closed types in new ones: WC-60 and WC-61."""
    with serving(ROOT, tmp_path) as served:
        endpoint = Endpoint.of(
            f"https://127.0.0.1:{served.port}/convert", ca=str(tmp_path / "ca.crt")
        )
        trial = Trial(endpoint, read_kinds([ROOT / "schemas" / "batch"], []))
        verdicts = run_checks(trial, select_checks({"WC-60", "WC-61"}))
    assert [
        (item.id, item.outcome, item.reason) for item in verdicts if item.outcome != "pass"
    ] == []
    assert len(verdicts) == 2


@pytest.mark.slow
def test_the_sample_project_conforms(tmp_path: Path) -> None:
    """All kinds of all groups; what a declared kind keeps in its status, a restore loses."""
    crds = [ROOT / "schemas/batch", ROOT / "generated/fleet/crds", ROOT / "generated/people/crds"]
    light = {item.id for item in CHECKS} - LOADS
    with serving(ROOT, tmp_path) as served:
        endpoint = Endpoint.of(
            f"https://127.0.0.1:{served.port}/convert", ca=str(tmp_path / "ca.crt")
        )
        trial = Trial(endpoint, read_kinds(crds, []))
        verdicts = run_checks(trial, select_checks(light))
    assert len(trial.kinds) == 6
    assert trial.left_out() == []
    assert [item.id for item in verdicts if item.outcome == "fail"] == ["WC-61"]


def _with_own_default(name: str) -> dict[str, Any]:
    """Return a version whose list of type map has elements with a default that it alone has."""
    text = {"type": "string"}
    rule = {
        "type": "object",
        "required": ["name"],
        "properties": {"name": text, "note": text, f"{name}mode": {**text, "default": "auto"}},
    }
    kind = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    rules = {"type": "array", "items": rule, **kind}
    spec = {"type": "object", "properties": {"rules": rules}}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    return {"name": name, "served": True, "storage": name == "v2", "schema": schema}


def test_defaults_of_one_version_keep_no_check_from_running(tmp_path: Path) -> None:
    """A server fills them in where the other version says nothing; clients edit what they read."""
    names = {"kind": "Gate", "plural": "gates"}
    versions = [_with_own_default("v1"), _with_own_default("v2")]
    crd = resource(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "gates.example.com",
        spec={"group": "example.com", "names": names, "scope": "Cluster", "versions": versions},
    )
    config = "groups: {gates: {sources: [{crds: crds/*.json}], versions: [v1, v2]}}"
    project = build_project(tmp_path / "project", config, {"crds/gates.json": json.dumps(crd)})
    with serving(project, tmp_path) as served:
        endpoint = Endpoint.of(
            f"https://127.0.0.1:{served.port}/convert", ca=str(tmp_path / "ca.crt")
        )
        trial = Trial(endpoint, read_kinds([project / "crds"], []))
        verdicts = run_checks(trial, select_checks({"WC-56", "WC-57"}))
    assert [(item.id, item.outcome, item.reason) for item in verdicts] == [
        ("WC-56", "pass", "4 deletions"),
        ("WC-57", "pass", "6 edits"),
    ]


@pytest.mark.slow
def test_emissary_conforms(tmp_path: Path, shared: Path) -> None:
    """Real kinds of three versions: no law is broken, and nothing is left out."""
    project = build_emissary(tmp_path / "project", data_folder(shared), "installable")
    laws = {f"WC-{number}" for number in (*range(30, 39), *range(51, 62))}
    with serving(project, tmp_path) as served:
        endpoint = Endpoint.of(
            f"https://127.0.0.1:{served.port}/convert", ca=str(tmp_path / "ca.crt")
        )
        trial = Trial(endpoint, read_kinds([project / "schemas"], []))
        verdicts = run_checks(trial, select_checks(laws))
    assert [item for item in verdicts if item.outcome == "fail"] == []
    assert trial.left_out() == []


# --- the command ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates, and the CRD of the reference webhook."""
    folder = write_certificates(tmp_path_factory.mktemp("command"))
    (folder / "crd.json").write_text(json.dumps(CRD), encoding="utf-8")
    return folder


def run(
    folder: Path, webhook: Reference, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, str, str]:
    with Server(webhook, folder) as server:
        ca, crd = str(folder / "ca.crt"), str(folder / "crd.json")
        code = main(["conform", server.url, "--ca", ca, "--crd", crd, *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_command_prints_a_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 0, a line for each check, and why one was skipped."""
    code, out, err = run(folder, Reference(), capsys, "--only", "1,WC-72, wc-8")
    assert code == 0
    assert out.splitlines() == [
        "CHECK  LEVEL       RESULT  CLAIM",
        "WC-01  must        pass    a v1 request gets a v1 ConversionReview",
        "WC-08  must        pass    as many objects come back as were sent, in their order",
        "WC-72  operations  skip    an idle connection stays open for at least 120 s",
        "       it takes 121 s: pass --slow to run it",
    ]
    assert err == "2 pass, 1 skip\n"


def test_failures_are_findings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, and the reasons in JSON."""

    class Wrong(Reference):
        def reply(self, review: object, response: object) -> object:
            return {}

    code, out, _ = run(folder, Wrong(), capsys, "--only", "WC-01", "--json")
    found = json.loads(out)
    assert code == 1
    assert found["kinds"] == [f"Widget.{GROUP}"]
    assert found["counts"] == {"pass": 0, "fail": 1, "expected": 0, "skip": 0, "info": 0}
    [check] = found["checks"]
    [proof] = check.pop("proofs")
    assert check == {
        "id": "WC-01",
        "level": "must",
        "title": "a v1 request gets a v1 ConversionReview",
        "outcome": "fail",
        "reason": "the reply is a None None",
        "measured": "",
        "known": [],
    }
    assert proof["sent"].startswith(f"{GROUP}/v1 Widget default/conform, to {GROUP}/v2 (")
    assert proof["got"] == "HTTP 200: {}"


class LosesTheUid(Reference):
    """Wrong at the level `must`."""

    def convert(self, obj: Any, desired: str) -> Any:
        result = super().convert(obj, desired)
        result["metadata"].pop("uid", None)
        return result


class KnowsNoMethods(Reference):
    """Wrong at the level `polite`."""

    def refused_method(self) -> int:
        return 404


@pytest.mark.parametrize(
    ("webhook", "level", "code"),
    [
        (LosesTheUid, "must", 1),
        (LosesTheUid, "polite", 1),
        (KnowsNoMethods, "must", 0),
        (KnowsNoMethods, "operations", 0),
        (KnowsNoMethods, "polite", 1),
    ],
)
def test_the_level_says_which_failures_count(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    webhook: type[Reference],
    level: str,
    code: int,
) -> None:
    """All are shown; the exit code is about those of the level and of the ones before it."""
    arguments = ("--only", "14,20", "--level", level)
    found, out, err = run(folder, webhook(), capsys, *arguments)
    assert found == code
    assert out.count("  fail    ") == 1
    assert (f"; 1 beyond --level {level} do not count" in err) is (code == 0)


def test_a_failure_shows_what_proves_it(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was sent, what came back, and a command that repeats it; the bytes lie in a folder."""
    evidence = tmp_path / "evidence"
    arguments = ("--only", "20", "--evidence", str(evidence))
    _, out, _ = run(folder, LosesTheUid(), capsys, *arguments)
    lines = [line.strip() for line in out.splitlines()]
    [sent] = [line for line in lines if line.startswith("sent ")]
    assert sent.startswith(f"sent    {GROUP}/v1 Widget default/conform, to {GROUP}/v2 (")
    assert "got     HTTP 200, Success, 1 object" in lines
    [repeat] = [line for line in lines if line.startswith("repeat ")]
    request = evidence / "WC-20.1.request.json"
    words = shlex.split(repeat)
    assert words[1] == "curl"
    assert ["--data-binary", f"@{request}", "--cacert", str(folder / "ca.crt")] == words[-5:-1]
    assert json.loads(request.read_bytes())["kind"] == "ConversionReview"
    answer = json.loads((evidence / "WC-20.1.answer.json").read_bytes())
    assert "uid" not in answer["response"]["convertedObjects"][0]["metadata"]


def test_the_command_that_repeats_is_right(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It gets the same answer from the same server."""
    with Server(LosesTheUid(), folder) as server:
        ca, crd = str(folder / "ca.crt"), str(folder / "crd.json")
        evidence = str(tmp_path)
        common = ["conform", server.url, "--ca", ca, "--crd", crd, "--evidence", evidence]
        main([*common, "--only", "20", "--json"])
        [check] = json.loads(capsys.readouterr().out)["checks"]
        command = shlex.split(check["proofs"][0]["repeat"])
        done = subprocess.run(command, capture_output=True, check=True)
    answer = (tmp_path / "WC-20.1.answer.json").read_bytes()
    assert done.stdout.partition(b"\r\n\r\n")[2] == answer


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--only", "99"], "there is no check '99'"),
        (
            ["--objects", "{folder}/widget.json"],
            "HA803 {folder}/widget.json:1:1: Widget of x.io/v1",
        ),
    ],
)
def test_wrong_use_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], text: str
) -> None:
    """Exit code 2."""
    (folder / "widget.json").write_text('{"apiVersion": "x.io/v1", "kind": "Widget"}')
    arguments = [word.format(folder=folder) for word in arguments]
    code, _, err = run(folder, Reference(), capsys, *arguments)
    assert code == 2
    assert text.format(folder=folder) in err


@pytest.mark.parametrize(
    ("url", "options", "text"),
    [
        ("http://127.0.0.1/convert", [], "HA801 http://127.0.0.1/convert: expected https://"),
        ("https://127.0.0.1:1/x?y=1", [], "must not have a query, a fragment or a user"),
        ("https://127.0.0.1:99999/x", [], "HA801 https://127.0.0.1:99999/x: "),
        ("https://127.0.0.1:1/x", ["--insecure"], "HA801 127.0.0.1:1: "),
        ("https://127.0.0.1:1/x", ["--ca", "{folder}/crd.json"], "no readable PEM certificates"),
    ],
)
def test_a_webhook_that_cannot_be_reached_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str], url: str, options: list[str], text: str
) -> None:
    """Exit code 2, not a row of failures."""
    options = [word.format(folder=folder) for word in options]
    code = main(["conform", url, "--crd", str(folder / "crd.json"), *options])
    assert code == 2
    assert text in capsys.readouterr().err


def test_an_untrusted_certificate_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without its authority, unless the user does not care."""
    with Server(Reference(), folder) as server:
        crd = ["--crd", str(folder / "crd.json"), "--only", "1"]
        assert main(["conform", server.url, *crd]) == 2
        assert "certificate verify failed" in capsys.readouterr().err
        assert main(["conform", server.url, *crd, "--insecure"]) == 0


def test_kinds_come_from_objects_as_well(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without CRDs the versions of the objects count, and schemas are not needed."""
    objects = folder / "objects"
    objects.mkdir(exist_ok=True)
    for version in ("v1", "v2"):
        obj = resource(f"{GROUP}/{version}", "Widget", "a", "b", spec={"size": 1})
        (objects / f"{version}.json").write_text(json.dumps(obj))
    with Server(Reference(), folder) as server:
        ca = str(folder / "ca.crt")
        code = main(
            [
                "conform",
                server.url,
                "--ca",
                ca,
                "--objects",
                str(objects),
                "--only",
                "1,8,20,34,40,53,55,56,60,61",
            ]
        )
    out, _ = capsys.readouterr()
    assert code == 0
    assert "WC-53  lossless    pass" in out
    assert "WC-60  lossless    skip" in out


def test_there_must_be_kinds(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing to convert is no success; a wrong address is told before."""
    assert main(["conform", "https://127.0.0.1:1/convert"]) == 2
    assert "HA802 there is no kind with two versions" in capsys.readouterr().err
    assert main(["conform", "ftp://127.0.0.1:1/convert"]) == 2
    assert "HA801 ftp://127.0.0.1:1/convert: expected https://" in capsys.readouterr().err
