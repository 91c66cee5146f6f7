"""`holdall conform --expected`: known failures have a reason, count apart, and have to come."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdall.cli import main
from holdall.errors import SourceError
from holdall.kubernetes.conform import read_expected, read_kinds
from tests.support.reference_webhook import CRD, GROUP, Reference, Server
from tests.support.serving import write_certificates


class FillsGadgets(Reference):
    """Knows gadgets, too, which are made like widgets; each of them gets a spec."""

    def convert(self, obj: Any, desired: str) -> Any:
        if obj.get("kind") != "Gadget":
            return super().convert(obj, desired)
        result = super().convert({**obj, "kind": "Widget"}, desired)
        return {"spec": {"size": 1}, **result, "kind": "Gadget"}


class FillsNone(FillsGadgets):
    """Knows both kinds, and spoils nothing."""

    def convert(self, obj: Any, desired: str) -> Any:
        result = super().convert(obj, desired)
        if "spec" not in obj:
            result.pop("spec", None)
        return result


class FillsAll(FillsGadgets):
    """Gives a spec to widgets as well."""

    def convert(self, obj: Any, desired: str) -> Any:
        return {"spec": {"size": 1}, **super().convert(obj, desired)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates, and the CRDs of both kinds."""
    folder = write_certificates(tmp_path_factory.mktemp("expected"))
    (folder / "crds").mkdir()
    text = json.dumps(CRD)
    (folder / "crds" / "widgets.json").write_text(text, encoding="utf-8")
    text = text.replace("Widget", "Gadget").replace("widgets", "gadgets")
    (folder / "crds" / "gadgets.json").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def run(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run the command with a list of known failures; return its exit code, output and notes."""

    def run(webhook: Reference, known: str, *options: str) -> tuple[int, str, str]:
        file = tmp_path / "known.yaml"
        file.write_text(known, encoding="utf-8")
        with Server(webhook, folder) as server:
            common = ["--ca", str(folder / "ca.crt"), "--crd", str(folder / "crds")]
            code = main(["conform", server.url, *common, "--expected", str(file), *options])
        out, err = capsys.readouterr()
        return code, out, err.replace(file.as_posix(), "known.yaml")

    return run


GADGETS = "- {checks: [WC-33], kinds: [Gadget], reason: a gadget always has a size}\n"


def test_a_known_failure_counts_apart(run: Any) -> None:
    """Exit code 0; the report says why that is right, and what the check said."""
    code, out, err = run(FillsGadgets(), GADGETS, "--only", "33,8")
    [line] = [line for line in out.splitlines() if line.startswith("WC-33")]
    assert code == 0
    assert line.startswith("WC-33  must   expected  an object of apiVersion, kind and metadata")
    assert "       Gadget fails as expected: a gadget always has a size\n         " in out
    assert "['spec'] were added" in out
    assert err == "1 pass, 1 expected\n"


def test_json(run: Any) -> None:
    """All of it is in the report for machines."""
    code, out, _ = run(FillsGadgets(), GADGETS, "--only", "33", "--json")
    report = json.loads(out)
    [check] = report["checks"]
    [known] = check["known"]
    assert code == 0
    assert report["counts"] == {"pass": 0, "fail": 0, "expected": 1, "skip": 0, "info": 0}
    assert (check["outcome"], check["reason"], check["proofs"]) == ("expected", "", [])
    assert (known["kind"], known["reason"]) == ("Gadget", "a gadget always has a size")
    assert "['spec'] were added" in known["seen"]


def test_other_kinds_still_fail(run: Any) -> None:
    """The failure is theirs, with what proves it; what is known is said beside it."""
    code, out, _ = run(FillsAll(), GADGETS, "--only", "33", "--json")
    [check] = json.loads(out)["checks"]
    assert code == 1
    assert check["outcome"] == "fail"
    assert [known["kind"] for known in check["known"]] == ["Gadget"]
    assert all(" Widget " in proof["sent"] for proof in check["proofs"]) and check["proofs"]


@pytest.mark.parametrize("level", ["must", "polite"])
@pytest.mark.parametrize("check", ["WC-33", "WC-24"])
def test_a_failure_that_does_not_come_is_one(check: str, level: str, run: Any) -> None:
    """At every level: the list is wrong, not the webhook."""
    known = GADGETS.replace("WC-33", check)
    code, out, _ = run(FillsNone(), known, "--only", check, "--level", level)
    assert code == 1
    assert f"{check}  must   fail" in out
    text = "Gadget: this is a pass, not the expected failure: remove it from "
    assert text in out and "known.yaml:1:29" in out


def test_all_kinds_may_be_known(run: Any) -> None:
    """Also by the names of their groups."""
    known = f"- checks: [WC-33]\n  kinds: [Gadget.{GROUP}, Widget]\n  reason: always a size\n"
    code, out, err = run(FillsAll(), known, "--only", "33")
    assert (code, err) == (0, "1 expected\n")
    assert out.count("fails as expected: always a size") == 2


def test_checks_that_are_not_run_are_not_judged(run: Any) -> None:
    """One list serves a whole run and a part of it."""
    code, _, err = run(FillsGadgets(), GADGETS, "--only", "8")
    assert (code, err) == (0, "1 pass\n")


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ("{}", "HA805 known.yaml:1:1: this is not a list of expected failures"),
        ("- WC-33", "HA805 known.yaml:1:3: this is not an expected failure"),
        ("- {checks: [WC-33], kinds: [Gadget]}", "this is not an expected failure"),
        (GADGETS.replace("reason", "reasons"), "this is not an expected failure"),
        (GADGETS.replace("}", ", level: must}"), "this is not an expected failure"),
        (GADGETS.replace("a gadget always has a size", "''"), "1:46: there is no reason"),
        (GADGETS.replace("a gadget always has a size", "1"), "there is no reason"),
        (GADGETS.replace("[WC-33]", "WC-33"), "known.yaml:1:12: this is not a list of names"),
        (GADGETS.replace("[Gadget]", "[]"), "known.yaml:1:28: this is not a list of names"),
        (GADGETS.replace("[Gadget]", "[1]"), "known.yaml:1:29: this is not a name"),
        (GADGETS.replace("WC-33", "WC-99"), "1:13: there is no check 'WC-99'"),
        (GADGETS.replace("WC-33", "33"), "1:13: this is not a name"),
        (GADGETS.replace("WC-33", "WC-74"), "WC-74 is about the server, not about kinds"),
        (GADGETS.replace("Gadget", "Gadgt"), "'Gadgt' is not among the tested kinds; did you mean"),
        (GADGETS * 2, "HA805 known.yaml:2:29: WC-33 of Gadget is listed twice"),
        ("- [", "known.yaml:1"),
    ],
)
def test_a_wrong_list_is_told(known: str, text: str, run: Any) -> None:
    """Exit code 2, with the place, before anything is sent."""
    code, out, err = run(FillsGadgets(), known, "--only", "33")
    assert (code, out) == (2, "")
    assert text in err


def test_the_list_has_to_exist(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2."""
    crds = str(folder / "crds")
    assert main(["conform", "https://127.0.0.1:1/x", "--crd", crds, "--expected", "no.yaml"]) == 2
    assert "no.yaml" in capsys.readouterr().err


def test_kinds_of_one_name_need_their_groups(folder: Path, tmp_path: Path) -> None:
    """A name alone could be either."""
    other = (folder / "crds" / "gadgets.json").read_text(encoding="utf-8")
    (tmp_path / "other.json").write_text(other.replace(GROUP, "other.example.com"))
    kinds = read_kinds([folder / "crds", tmp_path / "other.json"], [])
    known = tmp_path / "known.yaml"
    known.write_text(GADGETS)
    with pytest.raises(SourceError, match="'Gadget' is a kind of several groups"):
        read_expected(known, kinds)
    known.write_text(GADGETS.replace("Gadget]", "Gadget.other.example.com]"))
    [found] = read_expected(known, kinds)
    assert found.kind.group == "other.example.com"
