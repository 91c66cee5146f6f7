"""What is wrong with a CRD is found, each mistake under its code, and what is right is not."""

from __future__ import annotations

from typing import Any

import pytest

from holdall.carriers.annotations import ANNOTATIONS_LIMIT
from holdall.kubernetes.conform.validity import prune
from holdall.kubernetes.crds.findings import Finding
from holdall.kubernetes.crds.rules import check_crd, size_of
from holdall.kubernetes.crds.versions import by_priority, deprecation_warning, replacement_for
from holdall.text.json import encode
from tests.support.crd_specimens import SCHEMA, SPECIMENS, Specimen, changed
from tests.support.notation import schema_of


def significant(findings: list[Finding]) -> tuple[str, ...]:
    """Return the codes of the errors and warnings."""
    return tuple(sorted({item.code for item in findings if item.level != "note"}))


@pytest.mark.parametrize("specimen", SPECIMENS, ids=lambda specimen: specimen.title)
def test_verdict(specimen: Specimen) -> None:
    """Each specimen has the findings that stand beside it, and every error has a fix."""
    found = list(check_crd(specimen.crd()))
    assert significant(found) == specimen.codes
    assert all(item.fix for item in found)


@pytest.mark.parametrize("specimen", [s for s in SPECIMENS if s.codes], ids=lambda s: s.title)
def test_place(specimen: Specimen) -> None:
    """A finding points at or below what was changed, or at the list that it is a part of."""
    for item in check_crd(specimen.crd()):
        assert item.pointer.startswith(specimen.at) or specimen.at.startswith(item.pointer)


def test_all_at_once() -> None:
    """Mistakes in several places are reported together."""
    crd = changed("/spec/group", "rules")
    crd["spec"]["versions"][1]["name"] = "v2"
    crd["spec"]["conversion"] = {"strategy": "Webhook"}
    assert significant(list(check_crd(crd))) == ("HA851", "HA852", "HA861")


def test_what_is_no_crd() -> None:
    """Another kind, an older API version and no spec are one finding each."""
    older = changed("/apiVersion", "apiextensions.k8s.io/v1beta1")
    values: list[Any] = [{"kind": "Pod"}, [], None, older, changed("/spec", "")]
    for value in values:
        assert [item.code for item in check_crd(value)] == ["HA850"]


def test_discovery_order() -> None:
    """Stable before beta before alpha, larger numbers first, other names last by alphabet."""
    names = ["foo10", "v1", "v11alpha2", "v10", "foo1", "v2beta1", "v3beta1", "v2", "v11beta2"]
    ordered = ["v10", "v2", "v1", "v11beta2", "v3beta1", "v2beta1", "v11alpha2", "foo1", "foo10"]
    assert by_priority(names) == ordered
    assert by_priority(reversed(names)) == ordered


def test_deprecation_warning() -> None:
    """The warning names the version to use, the best that is not deprecated, if there is one."""
    best = replacement_for("v1alpha1", ["v1beta1", "v1"])
    warning = deprecation_warning("example.com", "v1alpha1", "Thing", best)
    assert warning == "example.com/v1alpha1 Thing is deprecated; use example.com/v1 Thing"
    assert replacement_for("v2", ["v1"]) == ""
    assert deprecation_warning("e.com", "v2", "Thing", "") == "e.com/v2 Thing is deprecated"


def test_size() -> None:
    """A CRD that `kubectl apply` cannot keep in an annotation is a warning with the way out."""
    crd = changed(SCHEMA, "{type: object}")
    room = ANNOTATIONS_LIMIT - len(encode(crd))
    crd["spec"]["x"] = "y" * (room - len(',"x":""'))
    assert size_of(crd) == ANNOTATIONS_LIMIT
    assert significant(list(check_crd(crd))) == ()
    crd["spec"]["x"] += "y"
    (finding,) = check_crd(crd)
    assert (finding.code, finding.level) == ("HA863", "warning")
    assert "--server-side" in finding.fix


def test_prune() -> None:
    """Undeclared members go at every depth, save where all are kept; the input does not change."""
    schema: Any = schema_of("""
list: [{a: anything}]
free: open
map: {"*": object}
""")
    value: Any = {
        "kind": "K",
        "list": [{"a": 1, "b": 2}],
        "free": {"x": {"y": 1}},
        "map": {"k": {"gone": 1}},
        "gone": 1,
    }
    kept = {"list": [{"a": 1}], "free": {"x": {"y": 1}}, "map": {"k": {}}}
    assert prune(value, schema) == kept
    assert prune(value, schema, is_root=True) == {"kind": "K", **kept}
    assert value["gone"] == 1
