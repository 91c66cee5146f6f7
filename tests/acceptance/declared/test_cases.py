"""The runner of declaration cases: what it accepts, what it refuses, and what it cannot miss."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdall_codegen.declared.reading import read_source
from tests.acceptance.declared.cases import Case, FormError, read_cases
from tests.acceptance.declared.checks_shapes import PLACED_FREELY
from tests.acceptance.declared.declaring import render
from tests.acceptance.declared.neutral_functions import render_function
from tests.acceptance.declared.run import CHECKS, main, run_case
from tests.acceptance.declared.rust_use import import_paths
from tests.acceptance.declared.subject import examine

SEED = Path(__file__).resolve().parents[4] / "shared" / "declared" / "seed"
OWN = Path(__file__).resolve().parent / "cases"
# Seen, but by the form not normative: what is taken away from it is not missed.
INFORMATIVE = ("roundtrip_tests", "visibility", "kube_arguments", "message", "object_conversions")


def seed_cases() -> list[Case]:
    return list(read_cases(SEED)) if SEED.is_dir() else []


needs_seed = pytest.mark.skipif(not SEED.is_dir(), reason="the seed cases are not beside the tree")
OWN_CASES = list(read_cases(OWN))


def case_of(declaration: dict[str, Any], **rest: Any) -> Case:
    """Return a case with one version-independent frame around a declaration."""
    whole = {"module": "versioned", "versions": [{"name": "v1alpha1"}, {"name": "v1"}]}
    data = {"id": "made", "kind": "declaration", "declaration": whole | declaration, **rest}
    return Case("made.json", data)


def struct(*fields: dict[str, Any], **rest: Any) -> dict[str, Any]:
    return {"kind": "struct", "name": "Foo", "fields": list(fields), **rest}


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths of all values that hold no others."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in inner:
        if isinstance(item, (dict, list)) and item:
            yield from leaves(item, (*path, key))
        else:
            yield (*path, key)


def rows(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths of all elements of lists."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in inner:
        if isinstance(value, list):
            yield (*path, key)
        if isinstance(item, (dict, list)):
            yield from rows(item, (*path, key))


def altered(data: Any, path: tuple[str | int, ...], *, remove: bool) -> Any:
    """Return a copy in which one value is another one, or missing."""
    if not path:
        return _other(data)
    first: Any = path[0]
    holder = copy.copy(data)
    if remove and len(path) == 1:
        del holder[first]
    else:
        holder[first] = altered(data[first], path[1:], remove=remove)
    return holder


def _other(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case str():
            return value + "x"
        case list():
            return ["x"]
        case dict():
            return {"x": "x"}
        case _:
            return "x"


def expectations(case: Case) -> Iterator[tuple[str, ...]]:
    """Yield the paths of everything that a case expects and that has a check."""
    yield from (("expect", key) for key in case.expect if f"expect.{key}" in CHECKS)
    if "expect_reexports" in case.data:
        yield ("expect_reexports",)
    if case.data.get("samples"):
        yield ("samples",)


def is_free(value: Any, path: tuple[str | int, ...]) -> bool:
    """Tell whether an altered expectation says no more than before: texts of errors, and places
    that the form spells after the original's syntax."""
    if value is True or path[-1:] in (("message",), ("error",)) or "kube_arguments" in path:
        return True
    return path[-1:] == ("at",) and value[path[0]]["code"] in PLACED_FREELY


@needs_seed
@pytest.mark.parametrize("case", seed_cases(), ids=lambda case: str(case.id))
def test_the_seed_cases_are_met(case: Case) -> None:
    """Everything that a seed case expects of its declaration is so."""
    assert run_case(case).differences == []


@pytest.mark.parametrize("case", OWN_CASES, ids=lambda case: str(case.id))
def test_the_own_cases_are_met(case: Case) -> None:
    """Everything that a case of this project expects, reasoned out by hand, is so."""
    result = run_case(case)
    assert (result.differences, result.unsupported) == ([], [])


@pytest.mark.parametrize("case", [*seed_cases(), *OWN_CASES], ids=lambda case: str(case.id))
def test_no_altered_expectation_passes(case: Case) -> None:
    """Whichever single value or row of an expectation is altered or removed, the case fails."""
    subject = examine(case)
    missed: list[str] = []
    for start in expectations(case):
        value: Any = case.data
        for key in start:
            value = value[key]
        holds_more = isinstance(value, (dict, list))
        paths = [(path, False) for path in leaves(value)] if holds_more else []
        paths += [(path, True) for path in rows(value)] if holds_more else []
        if start == ("samples",):  # Other samples, or fewer of them, are no less right.
            paths = [(path, remove) for path, remove in paths if path[1:2] == ("expect",)]
        for path, remove in paths or [((), False)]:
            if remove and any(key in INFORMATIVE for key in (*start, *path)):
                continue
            if not remove and is_free(value, path):
                continue
            found = altered(value, path, remove=remove)
            try:
                differences = list(CHECKS[".".join(start)](subject, found))
            except FormError as error:
                differences = [str(error)]
            if not differences:
                missed.append(f"{'removed' if remove else 'altered'} {(*start, *path)}")
    assert missed == []


def test_unknown_parts_are_never_passed() -> None:
    """A key that the form does not have makes a case unsupported, wherever it stands."""
    field = {"name": "a", "type": "u8"}
    unknown = [
        case_of({"containers": [struct(field | {"renamed": True})]}),
        case_of({"containers": [struct(field, kinds=1)]}),
        case_of({"containers": [struct(field | {"added": {"since": "v1", "until": "v2"}})]}),
        case_of({"containers": [struct(field | {"type": "u128"})]}),
        case_of({"containers": [struct(field, crd={"group": "a.b", "color": "red"})]}),
        case_of({"containers": [], "options": {"fast": True}}),
        case_of({"containers": []}, expect={"outcome": "ok", "mood": "good"}),
        case_of({"containers": []}, functions={"f": {"op": "guess"}}),
        case_of({"containers": []}, extra=1),
    ]
    assert {run_case(case).status for case in unknown} == {"unsupported"}


def test_errors_are_compared_by_code_and_place() -> None:
    """Wrong code, wrong place, a missing error and a surplus one all fail."""
    declaration = {
        "containers": [
            struct(
                {"name": "a", "type": "u8", "added": {"since": "v7"}},
                {"name": "deprecated_b", "type": "u8"},
            )
        ]
    }
    unknown = {"code": "added_unknown_version", "message": None, "at": "Foo.a.added.since"}
    prefix = {"code": "deprecation_prefix_unexpected", "message": "x", "at": "Foo.deprecated_b"}

    def status(*errors: dict[str, Any], complete: bool = True, outcome: str = "error") -> str:
        expect = {"outcome": outcome, "errors": list(errors), "all_errors_reported": complete}
        return run_case(case_of(declaration, expect=expect)).status

    assert status(unknown, prefix) == "pass"
    assert status(unknown, complete=False) == "pass"
    assert status(unknown) == "fail"
    assert status(unknown, prefix, outcome="ok") == "fail"
    assert status(unknown, prefix | {"code": "added_after_deprecated"}) == "fail"
    assert status(unknown | {"at": "Foo.a.added"}, prefix) == "fail"
    assert status(unknown, prefix, unknown | {"at": "Foo.b.added.since"}) == "fail"


def test_the_whole_form_can_be_declared() -> None:
    """Every key of the form reaches the declaration."""
    named = {"named": [{"name": "ca", "type": "string"}]}
    case = case_of(
        {
            "visibility": "pub(crate)",
            "versions": [
                {"name": "v1alpha1", "deprecated": "gone soon", "doc": "First.", "skip": ["from"]},
                {"name": "v1"},
            ],
            "options": {
                "allow_unsorted": True,
                "preserve_module": True,
                "experimental_conversion_tracking": True,
                "enable_tracing": True,
            },
            "skip": ["merged_crd"],
            "crates": {"kube": "::acme::kube", "versioned": "acme"},
            "submodules": [{"name": "v1", "uses": ["pub use a::{b::C, d::*};", "use x::y;"]}],
            "containers": [
                {
                    "kind": "enum",
                    "name": "Mode",
                    "rename_all": "camelCase",
                    "variants": [
                        {"name": "Plain", "data": None},
                        {"name": "Tls", "data": named, "nested": True},
                        {"name": "Pair", "data": {"tuple": ["u8", "@Part"]}},
                        {"name": "One", "data": {"newtype": "@Part"}, "added": {"since": "v1"}},
                        {"name": "DeprecatedOld", "data": None, "deprecated": {"since": "v1"}},
                    ],
                },
                struct(
                    {"name": "type", "type": "option<list<map<string,@Part>>>", "hint": "option"},
                    {"name": "r#in", "type": "ext:std::Duration", "added": {"since": "v1"}},
                    {
                        "name": "deprecated_size",
                        "type": "u64",
                        "docs": ["Size.", "In bytes."],
                        "deprecated": {"since": "v1", "note": "no"},
                        "serde_default": True,
                    },
                    {
                        "name": "widened",
                        "type": "list<ext:B>",
                        "changed": [
                            {"since": "v1", "from_name": "narrow", "from_type": "list<ext:A>"}
                        ],
                    },
                    {"name": "mode", "type": "@Mode"},
                    name="FooSpec",
                    docs=["A foo."],
                    derives=["Clone"],
                    skip=["try_convert"],
                    crd={
                        "group": "a.b",
                        "status": "FooStatus",
                        "scale": {
                            "spec_replicas_path": ".spec.deprecated_size",
                            "status_replicas_path": ".status.x",
                        },
                        "doc": "Doc.",
                        "shortnames": ["f"],
                    },
                ),
                struct({"name": "of", "type": "list<ext:T>"}, name="Part")
                | {"generics": [{"name": "T", "bounds": "Clone", "default": "u8"}]},
            ],
        },
        functions={
            "into:ext:A->ext:B": {"op": "wrap", "key": "b"},
            "into:ext:B->ext:A": {"op": "unwrap", "key": "b", "else": None},
            "default:ext:std::Duration": {"op": "const", "value": "0s"},
            "default:status": {"op": "const", "value": {}},
        },
    )
    subject = examine(case)
    assert subject.errors == ()
    declaration = subject.declaration
    assert declaration is not None
    foo = declaration.container("FooSpec")
    assert [item.name for item in foo.shapes["v1alpha1"]] == ["type", "size", "narrow", "mode"]
    assert "def default_of_std_Duration(*value):\n    return '0s'" in subject.rendering.text
    pair = foo.edges["v1alpha1", "v1"].pairs[2]
    assert subject.neutral_name(pair.upgrade) == subject.neutral_name(pair.downgrade) == "into"  # type: ignore[arg-type]
    assert foo.edges["v1alpha1", "v1"].skip == {"from"}
    assert foo.skip == {"merged_crd", "try_convert"}
    assert declaration.options.imports == {"k8s": "acme.kube", "runtime": "acme"}
    reexports = [(item.module, item.name) for item in declaration.version("v1").reexports]
    assert reexports == [("a.b", "C"), ("a.d", "*")]
    assert [item.json_name for item in declaration.container("Mode").shapes["v1"]] == [
        *("plain", "tls", "pair", "one", "deprecatedOld")
    ]


@pytest.mark.parametrize(
    ("use", "paths"),
    [
        ("pub use a::v1::*;", ["a.v1"]),
        ("pub(crate) use ::a::{b::C, d::{E, f::*}} ;", ["a.b:C", "a.d:E", "a.d.f"]),
        ("pub(in crate::x) use a::{\n    B, C as D,\n};", ["a:B", "a:C as D"]),
        ("pub use a::b::{self, C};", ["a:b", "a.b:C"]),
        ("pub use a::b::{self as c, d::{self}};", ["a:b as c", "a.b:d"]),
        ("pub use a::{*, b::*};", ["a", "a.b"]),
        ("pub use a::b  as  c;", ["a:b as c"]),
        ("pub use a; pub use b as c;", ["a as a", "b as c"]),
        ("pub use a::{self, B};", ["a as a", "a:B"]),
        ("pub use self::a::r#B;", ["self.a:B"]),
        ("#[doc(inline)] pub use a::B;", ["a:B"]),
        ("pub use a::Trait as _;", []),
        ("use a::b;", []),
        ("fn other() {}", ["fn other() {}"]),
        ("", [""]),
    ],
)
def test_uses_become_import_paths(use: str, paths: list[str]) -> None:
    """Public `use` trees are import paths; what is no `use` stays, to be refused."""
    assert import_paths(use) == paths


def test_foreign_items_are_not_allowed() -> None:
    """What the original allows nowhere is an error here too."""
    case = case_of({"containers": [], "other_items": ["fn helper() {}"]})
    assert [problem.code for problem in examine(case).errors] == ["item_not_allowed"]


@pytest.mark.parametrize(
    ("operation", "argument", "expected"),
    [
        ({"op": "identity"}, [1], [1]),
        ({"op": "saturating_cast", "to": "u8"}, 300, 255),
        ({"op": "saturating_cast", "to": "i8"}, -300, -128),
        ({"op": "checked_cast", "to": "u16", "on_overflow": "panic"}, 65535, 65535),
        ({"op": "checked_cast", "to": "u16", "on_overflow": "panic"}, 65536, ValueError),
        ({"op": "table", "table": [["a", 1], [True, 2]], "else": 0}, "a", 1),
        ({"op": "table", "table": [["a", 1], [True, 2]], "else": 0}, 1, 0),
        ({"op": "table", "table": [["a", 1]]}, "b", ValueError),
        ({"op": "wrap", "key": "k"}, 5, {"k": 5}),
        ({"op": "wrap", "key": "k", "null_passthrough": True}, None, None),
        ({"op": "unwrap", "key": "k", "else": 0}, {"k": 5}, 5),
        ({"op": "unwrap", "key": "k", "else": 0}, {"x": 5}, 0),
        ({"op": "unwrap", "key": "k", "null_passthrough": True, "else": 0}, None, None),
        ({"op": "cases", "null": {"No": {}}, "key": "Yes", "inner": "v"}, None, {"No": {}}),
        ({"op": "cases", "null": {"No": {}}, "key": "Yes", "inner": "v"}, 1, {"Yes": {"v": 1}}),
        ({"op": "uncases", "key": "Yes", "inner": "v", "else": None}, {"Yes": {"v": 1}}, 1),
        ({"op": "uncases", "key": "Yes", "inner": "v", "else": None}, {"No": {}}, None),
    ],
)
def test_functions_do_what_they_say(operation: Any, argument: Any, expected: Any) -> None:
    """Each operation of the form, as the Python function that is written for it."""
    names: dict[str, Any] = {}
    exec("\n".join(render_function("f", operation, "f")), names)
    if expected is ValueError:
        with pytest.raises(ValueError):
            names["f"](argument)
    else:
        assert names["f"](argument) == expected


def test_constants_look_at_no_argument() -> None:
    """A constant is a default, and may convert a value too."""
    names: dict[str, Any] = {}
    exec("\n".join(render_function("f", {"op": "const", "value": [1]}, "f")), names)
    assert names["f"]() == names["f"]("any") == [1]


def test_generated_modules_are_plain_declarations() -> None:
    """The text of a module can be read by itself."""
    text = render(case_of({"containers": [struct({"name": "a", "type": "u8"})]})).text
    assert [item.name for item in read_source(text).containers] == ["Foo"]


def test_the_command_reports_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Results are printed and written, and the exit status says whether all passed."""
    good = case_of({"containers": [struct({"name": "a", "type": "u8"})]}, expect={"outcome": "ok"})
    (tmp_path / "good.json").write_text(json.dumps(good.data), encoding="utf-8")
    report = tmp_path / "report" / "out.txt"
    report.parent.mkdir()
    assert main([str(tmp_path), "--json", str(report)]) == 0
    bad = dict(good.data) | {"id": "bad", "expect": {"outcome": "error"}}
    (tmp_path / "bad.json").write_text(json.dumps(bad), encoding="utf-8")
    assert main([str(tmp_path), "--json", str(report)]) == 1
    found = json.loads(report.read_text(encoding="utf-8"))
    assert found["counts"] == {"pass": 1, "fail": 1, "unsupported": 0}
    assert "fail        bad" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="2"):
        main([str(tmp_path / "missing")])
