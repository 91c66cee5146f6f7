"""The doctor finds what will hurt, names its line, and is silent about CRDs that are well."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from holdall.kubernetes.doctor import Diagnosis, examine
from holdall.kubernetes.doctor.schemas import largest
from holdall.plan.bag_limits import BagLimits
from holdall.scheme.scheme import Scheme
from holdall.text.json import encode
from holdall.text.yaml import dump, load_all
from holdall.webhook.certificates import new_authority, new_server
from tests.support.commands import run
from tests.support.crd_specimens import FIELD, changed
from tests.support.notation import schema_of

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def found(crd: Any, schemes: list[Scheme] | None = None) -> list[Diagnosis]:
    """Return what the doctor finds in a CRD."""
    return examine(load_all(dump(crd), "crd.yaml"), schemes, now=NOW)


def codes(crd: Any, schemes: list[Scheme] | None = None) -> list[tuple[str, str]]:
    """Return the levels and codes of what the doctor finds in a CRD."""
    return [(item.level, item.problem.code) for item in found(crd, schemes)]


def bundle(begin: timedelta = timedelta(), life: timedelta = timedelta(days=365)) -> bytes:
    """Return the certificate of a CA that is made at a time from now on."""
    return new_authority("test", NOW + begin, life).certificate


def with_webhook(*pems: bytes, **client: Any) -> Any:
    """Return the sound CRD with a webhook."""
    crd = changed("/spec/scope", "Cluster")
    if pems:
        client["caBundle"] = base64.b64encode(b"".join(pems)).decode()
    crd["spec"]["conversion"] = {
        "strategy": "Webhook",
        "webhook": {
            "conversionReviewVersions": ["v1"],
            "clientConfig": {"service": {"namespace": "a", "name": "b"}, **client},
        },
    }
    return crd


# A bounded schema: the note about headroom is a test of its own.
BOUNDED = "{type: object, properties: {spec: {type: object, properties: {a: {type: boolean}}}}}"


def bounded(crd: Any) -> Any:
    """Bound both schemas of a CRD."""
    for version in crd["spec"]["versions"]:
        schema = load_all(BOUNDED, "bounded")[0].value
        version["schema"]["openAPIV3Schema"] = schema
    return crd


def test_a_sound_crd() -> None:
    """A CRD with a trusted webhook and bounded schemas is well."""
    assert found(bounded(with_webhook(bundle()))) == []


# --- certificates ---


@pytest.mark.parametrize(
    ("pems", "expected"),
    [
        ([bundle(timedelta(days=-400))], [("error", "HA862")]),
        ([bundle(timedelta(days=-400)), bundle()], [("warning", "HA862")]),
        ([bundle(life=timedelta(days=20))], [("warning", "HA862")]),
        ([bundle(timedelta(days=5))], [("error", "HA862")]),
        ([bundle(), bundle(timedelta(days=5))], [("note", "HA862")]),
        ([], [("warning", "HA862")]),
    ],
    ids=["expired", "one of two expired", "expires soon", "too young", "successor", "none"],
)
def test_bundles(pems: list[bytes], expected: list[tuple[str, str]]) -> None:
    """Certificates are judged by their dates: what is broken now, and what will be."""
    assert codes(bounded(with_webhook(*pems))) == expected


def test_a_server_certificate_as_ca() -> None:
    """A certificate that is no CA is a note: it vouches for itself only."""
    pair = new_server(
        new_authority("test", NOW, timedelta(days=365)), ["a"], NOW, timedelta(days=300)
    )
    assert codes(bounded(with_webhook(pair.certificate))) == [("note", "HA862")]


def test_a_key_in_the_bundle() -> None:
    """A private key in a CRD, which anybody may read, is an error."""
    pair = new_authority("test", NOW, timedelta(days=365))
    assert codes(bounded(with_webhook(pair.certificate, pair.key))) == [("error", "HA862")]


# --- versions and conversion ---


def test_storage() -> None:
    """An older storage version is a warning, and so is one that is not served."""
    crd = bounded(with_webhook(bundle()))
    newer, older = crd["spec"]["versions"]
    newer["storage"], older["storage"] = False, True
    assert codes(crd) == [("warning", "HA867")]
    assert "clients prefer v2" in found(crd)[0].problem.message
    older["served"] = False
    assert "v1 is stored but not served" in found(crd)[0].problem.message


def test_left_over() -> None:
    """A former storage version in storedVersions is a warning, one that is gone an error."""
    crd = bounded(with_webhook(bundle()))
    crd["status"] = {"storedVersions": ["v1", "v2", "v1beta1"]}
    assert codes(crd) == [("error", "HA852"), ("warning", "HA869")]


def test_no_conversion() -> None:
    """Versions of different shape without a webhook are a warning; of one shape they are well."""
    crd = bounded(changed("/spec/scope", "Cluster"))
    assert codes(crd) == []
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["b"] = {"type": "boolean"}
    assert codes(crd) == [("warning", "HA879")]
    crd["spec"]["conversion"] = {"strategy": "None"}
    assert codes(crd) == [("warning", "HA879")]


def test_old_reviews() -> None:
    """Asking for v1beta1 only is a warning."""
    crd = bounded(with_webhook(bundle()))
    crd["spec"]["conversion"]["webhook"]["conversionReviewVersions"] = ["v1beta1"]
    assert codes(crd) == [("warning", "HA861")]


# --- bags ---

STATUS = "{type: object, properties: {status: {type: object, properties: {a: {type: boolean}}}}}"
SLOT = "{type: object, x-kubernetes-preserve-unknown-fields: true}"


def with_schemas(newer: str, older: str, *, status: bool = True) -> Any:
    """Return a CRD with these schemas, and a webhook."""
    crd = with_webhook(bundle())
    for version, text in zip(crd["spec"]["versions"], (newer, older), strict=True):
        version["schema"]["openAPIV3Schema"] = load_all(text, "schema")[0].value
        if status:
            version["subresources"] = {"status": {}}
    return crd


def test_a_status_without_a_slot() -> None:
    """The annotation of the status can be forged: a note, until there is a slot."""
    assert codes(with_schemas(STATUS, STATUS)) == [("note", "HA872")]
    slotted = STATUS.replace("{a:", f"{{$propertyBag: {SLOT}, a:")
    notes = codes(with_schemas(slotted, slotted))
    assert ("note", "HA872") not in notes


def test_slots_in_some_versions() -> None:
    """A slot that one version lacks, or that lets nothing through, loses bags: an error."""
    slotted = STATUS.replace("{a:", f"{{$propertyBag: {SLOT}, a:")
    crd = with_schemas(slotted, STATUS)
    assert ("error", "HA870") in codes(crd)
    assert "the status of v1 has no slot" in found(crd)[0].problem.message
    closed = STATUS.replace("{a:", "{$propertyBag: {type: object}, a:")
    assert "does not keep all members" in found(with_schemas(slotted, closed))[0].problem.message
    texts = SLOT.replace(
        "x-kubernetes-preserve-unknown-fields: true", "additionalProperties: {type: string}"
    )
    encoded = STATUS.replace("{a:", f"{{$propertyBag: {texts}, a:")
    assert ("error", "HA870") not in codes(with_schemas(slotted, encoded))


def test_a_status_without_its_subresource() -> None:
    """A status that everybody may write is a warning, in each version."""
    crd = with_schemas(STATUS, STATUS, status=False)
    assert codes(crd) == [("warning", "HA871"), ("warning", "HA871"), ("note", "HA872")]


def test_headroom() -> None:
    """A schema without a bound, or with a large one, is a note; with a small one it is none."""
    free = "{type: object, properties: {spec: {type: object, properties: {a: {type: string}}}}}"
    assert codes(with_schemas(free, free)) == [("note", "HA873")]
    large = free.replace("string}", "string, maxLength: 40000}")
    assert "is up to 2400" in found(with_schemas(large, large))[0].problem.message
    small = free.replace("string}", "string, maxLength: 400}")
    assert codes(with_schemas(small, small)) == []


def test_lists_and_embedded_resources() -> None:
    """Lists of objects without keys are notes, pruned embedded resources warnings."""
    crd = bounded(with_webhook(bundle()))
    properties = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    properties["list"] = {
        "type": "array",
        "maxItems": 2,
        "items": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 3}}},
    }
    properties["pod"] = {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "properties": {"a": {"type": "boolean"}},
    }
    assert codes(crd) == [("warning", "HA874"), ("note", "HA875")]
    assert "if name identifies them" in found(crd)[1].problem.fix


def test_a_list_of_several_versions_is_one_cause() -> None:
    """A list without keys is named once, at the first version that has it."""
    crd = bounded(with_webhook(bundle()))
    item = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 3}}}
    for version in crd["spec"]["versions"]:
        properties = version["schema"]["openAPIV3Schema"]["properties"]
        properties["list"] = {"type": "array", "maxItems": 2, "items": item}
    assert len(crd["spec"]["versions"]) > 1
    assert codes(crd) == [("note", "HA875")]


def test_the_largest_value() -> None:
    """The bound of a schema is that of its largest value, as JSON."""
    schema: Any = schema_of("{a: {$: [{$enum: [x, yyy]}], $maxItems: 2}, b: boolean}")
    value = {"a": ["yyy", "yyy"], "b": False}
    bound = largest(schema)
    assert bound is not None
    assert len(encode(value)) <= bound <= len(encode(value)) + 5
    assert largest({"type": "object", "additionalProperties": {"type": "boolean"}}) is None


# --- beside a project ---


def thing(*versions: str) -> Any:
    """Return a CRD of the project's kind."""
    crd = bounded(with_webhook(bundle()))
    crd["metadata"]["name"] = "things.example.com"
    crd["spec"]["group"] = "example.com"
    first = crd["spec"]["versions"][0]
    crd["spec"]["versions"] = [
        {**first, "name": name, "storage": name == versions[0]} for name in versions
    ]
    return crd


def without_drift(crd: Any, scheme: Scheme) -> list[tuple[str, str]]:
    """Return what is found beside schemas that are not the project's: these are bounded."""
    return [one for one in codes(crd, [scheme]) if one[1] not in ("HA847", "HA848", "HA849")]


def test_the_registry(scheme: Scheme) -> None:
    """Versions that only the CRD has, served or not, or only the project, are errors."""
    assert without_drift(thing("v2", "v1"), scheme) == []
    crd = thing("v2", "v1beta1")
    crd["spec"]["versions"][1]["served"] = False
    assert without_drift(crd, scheme) == [("error", "HA876"), ("error", "HA877")]
    assert "although it is not served" in found(crd, [scheme])[0].problem.message


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ({"carrier": "field"}, "v2 has no slot"),
        ({"limits": BagLimits(status_slots=("v2",))}, "the status of v2 has no slot"),
    ],
)
def test_what_the_project_wants(
    scheme: Scheme, kind: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the project lets bags travel in slots, a CRD without any loses them."""
    crd = thing("v2", "v1")
    for version in crd["spec"]["versions"]:
        version["schema"]["openAPIV3Schema"] = load_all(STATUS, "status")[0].value
        version["subresources"] = {"status": {}}
    monkeypatch.setattr(scheme, "kinds", (replace(scheme.kinds[0], **kind),))
    first, second = found(crd, [scheme])[:2]
    assert (first.level, first.problem.code) == (second.level, second.problem.code)
    assert (first.level, first.problem.code) == ("error", "HA870")
    assert message in first.problem.message


def test_an_unknown_kind(scheme: Scheme) -> None:
    """A CRD that the project does not know is a note."""
    assert codes(bounded(with_webhook(bundle())), [scheme]) == [("note", "HA878")]


# --- the command ---


def test_places(tmp_path: Path) -> None:
    """Each finding has its file, line and column, also in lists and in later documents."""
    bad = changed(f"{FIELD}/type", "number")
    text = "kind: Pod\n---\n" + dump({"kind": "List", "items": [bad, changed("/spec/scope", "X")]})
    file = tmp_path / "all.yaml"
    file.write_text(text)
    ignored = ("--ignore", "HA879", "--ignore", "HA873")
    result = run(tmp_path, "doctor", str(file), "--json", *ignored)
    assert result.exit_code == 1
    (value,) = json.loads(result.stdout)
    assert (value["level"], value["code"]) == ("error", "HA851")
    assert text.splitlines()[value["line"] - 1].strip() == "scope: X"


def test_exit_codes(tmp_path: Path) -> None:
    """Notes are no failure unless asked; no CRD at all is wrong use; `-` is standard input."""
    file = tmp_path / "crd.yaml"
    life = timedelta(days=3650)
    pem = new_authority("test", datetime.now(UTC), life).certificate
    crd = with_webhook(pem)
    free = load_all("{type: object, properties: {a: {type: string}}}", "free")[0].value
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = free
    file.write_text(dump(crd))
    command = ("doctor", str(file))
    result = run(tmp_path, *command)
    assert (result.exit_code, "note: HA873" in result.stdout) == (0, True)
    assert run(tmp_path, *command, "--strict").exit_code == 1
    assert run(tmp_path, *command, "--strict", "--ignore", "HA873").exit_code == 0
    file.write_text("kind: Pod\n")
    assert run(tmp_path, *command).exit_code == 2
    assert run(tmp_path, "doctor", "-", stdin=dump(crd)).exit_code == 0


def test_standard_input_has_no_lines_to_look_up(tmp_path: Path) -> None:
    """Of several CRDs, as `kubectl get crd -o yaml` prints them, each finding names its own."""
    bad = changed("/spec/scope", "X")
    named = {**bad, "metadata": {"name": "others.example.com"}}
    for items, prefix in (([bad], ""), ([bad, named], "others.example.com: ")):
        result = run(tmp_path, "doctor", "-", stdin=dump({"kind": "List", "items": items}))
        assert result.exit_code == 1
        assert f"error: {prefix}HA851 <stdin>:" in result.stdout
        assert prefix or "example.com: HA" not in result.stdout


def test_a_broken_project(tmp_path: Path) -> None:
    """Where the project cannot be loaded, the CRDs are examined all the same, and it is said."""
    (tmp_path / "holdall.yaml").write_text("groups: 5\n")
    file = tmp_path / "crd.yaml"
    file.write_text(dump(bounded(changed("/spec/scope", "Cluster"))))
    result = run(tmp_path, "doctor", str(file))
    assert result.exit_code == 0
    assert "so the CRDs are not compared with it" in result.stderr
