"""What nobody can tell again in a list that was kept as a whole is reported, and nothing else."""

from __future__ import annotations

import copy
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import holdall as h
from tests.support.declared import declare
from tests.support.notation import schema_text
from tests.support.projects import build_project, config_of, reloaded, scheme_of

CONFIG = config_of(
    "Route",
    {"v1": "poor.yaml", "v2": "poor.yaml", "v3": "rich.yaml"},
    group="shop.example.com",
    more="""\
between:
  v2 -> v3: {RouteSpec: {rules: {wrap: true}}, Stage: {rules: {wrap: true}}}
""",
)
_SCHEMA = '{metadata: {"*": true}, spec: {rules: [ITEM], stages: [{name: string, rules: [ITEM]}]}}'


def rules_of(item: str, schema: str = _SCHEMA) -> str:
    """Return the text of a schema whose rules are these."""
    return schema_text(schema.replace("ITEM", item))


FILES = {"poor.yaml": rules_of("string"), "rich.yaml": rules_of("[string]")}
RULES = [["a", "1"], ["b", "2"], ["c"]]
LOST = (
    "v3/rules is dropped: an element of it lost its owner:"
    " no element of the list is certainly the same"
)


def route(spec: Any) -> Any:
    """Return a document that v3 wrote."""
    head = {"apiVersion": "shop.example.com/v3", "kind": "Route", "metadata": {"name": "r"}}
    return {**head, "spec": copy.deepcopy(spec)}


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> h.Scheme:
    return scheme_of(build_project(tmp_path_factory.mktemp("uncertain"), CONFIG, FILES))


def through(
    scheme: h.Scheme, version: str, spec: Any, edit: Callable[[Any], Any]
) -> tuple[Any, list[str]]:
    """Return a spec after an edit at a version, seen at v3 again, and what was reported."""
    report: list[Any] = []
    there = scheme.convert(route(spec), to=version)
    edit(there["spec"])
    back = scheme.convert(there, to="v3", report=report)
    return back["spec"], [str(one) for one in report]


@pytest.mark.parametrize("version", ["v1", "v2"])
@pytest.mark.parametrize(
    ("edited", "expected", "lost"),
    [
        pytest.param("axyc", [["a", "1"], ["x"], ["y"], ["c"]], 1, id="edited and inserted"),
        pytest.param("wxyz", [["w"], ["x"], ["y"], ["z"]], 2, id="nothing hidden in the third"),
        pytest.param("abxy", [["a", "1"], ["b", "2"], ["x"], ["y"]], 0, id="nothing was hidden"),
        pytest.param("xbc", [["x", "1"], ["b", "2"], ["c"]], 0, id="edited in place"),
        pytest.param("ac", [["a", "1"], ["c"]], 0, id="deleted"),
        pytest.param("anbc", [["a", "1"], ["n"], ["b", "2"], ["c"]], 0, id="inserted"),
        pytest.param("bacn", [["b", "2"], ["a", "1"], ["c"], ["n"]], 0, id="moved and inserted"),
        pytest.param("cx", [["c"], ["x"]], 2, id="one of two deleted"),
        pytest.param("xyz", [["x"], ["y"], ["z"]], 2, id="all edited or replaced"),
    ],
)
def test_what_is_left_of_both_lists_is_reported(
    scheme: h.Scheme, version: str, edited: str, expected: Any, lost: int
) -> None:
    """As often as there were elements with something hidden; on a long way, too, once each."""
    found, report = through(
        scheme, version, {"rules": RULES}, lambda spec: spec.update(rules=[*edited])
    )
    assert found == {"rules": expected}
    assert report == [f"/spec: {LOST}"] * lost


def test_the_object_of_the_list_is_named(scheme: h.Scheme) -> None:
    stages = [{"name": "one", "rules": RULES}, {"name": "two", "rules": RULES}]

    def edit(spec: Any) -> None:
        spec["stages"][1]["rules"] = ["a", "x", "y", "c"]

    found, report = through(scheme, "v2", {"stages": stages}, edit)
    assert found["stages"][0] == stages[0]
    assert found["stages"][1]["rules"] == [["a", "1"], ["x"], ["y"], ["c"]]
    assert report == [f"/spec/stages/1: {LOST}"]


@pytest.mark.parametrize("version", ["v1", "v2"])
@pytest.mark.parametrize("edited", [[], ["a"], ["x", "y", "z"]], ids=str)
@pytest.mark.parametrize(
    "rules", [[[]], [[], ["a", "1"]], [None, ["a", "1"]], [["a", "1"], None]], ids=str
)
def test_elements_that_are_nothing_elsewhere_do_no_harm(
    scheme: h.Scheme, version: str, rules: Any, edited: Any
) -> None:
    """An empty list is no text, so a list with one was not shown; a null stays one."""
    found, _ = through(scheme, version, {"rules": rules}, lambda spec: spec.update(rules=[*edited]))
    kept = ["a"] if [] in rules else ["a", "1"]
    assert found == {"rules": [kept if one == "a" else [one] for one in edited]}


GAP_CONFIG = config_of(
    "Route",
    "v1 v2 v3",
    group="shop.example.com",
    more="""\
between:
  v1 -> v3: {Stage: {rules: {wrap: true}}}
""",
)
_GAP = '{metadata: {"*": true}, spec: {stages: [{rules: [ITEM]}]}}'


def test_what_a_version_between_lacks_is_reported_as_well(tmp_path: Path) -> None:
    """The bag keeps the whole list there: its objects convert only once they are taken out."""
    between = rules_of("string", _GAP.replace("stages", "others"))
    ends = {"v1.yaml": rules_of("string", _GAP), "v3.yaml": rules_of("[string]", _GAP)}
    files = {**ends, "v2.yaml": between}
    scheme = scheme_of(build_project(tmp_path, GAP_CONFIG, files))
    stages = [{"rules": [["c"]]}, {"rules": RULES}]

    def edit(spec: Any) -> None:
        spec["stages"][1]["rules"] = ["a", "x", "y", "c"]

    found, report = through(scheme, "v1", {"stages": stages}, edit)
    assert found == {"stages": [stages[0], {"rules": [["a", "1"], ["x"], ["y"], ["c"]]}]}
    place = "/spec/$propertyBag/v1/stages/1"
    assert report == [f"{place}: {LOST}"]


HOOKED = CONFIG.partition("    between:")[0]
HOOK = """
from {generated}.shop.v2.storage import AssignableRouteSpec
from holdall import Composed, TwoWay


class Upper(TwoWay):
    older = newer = ("note",)

    def to_newer(self, older):
        return {name: text.upper() for name, text in older.items()}

    def to_older(self, newer):
        return {name: text.lower() for name, text in newer.items()}


class Hook(Composed, AssignableRouteSpec):
    parts = (Upper(),)
"""


def hooked(root: Path, hook: str) -> h.Scheme:
    """Return a scheme in which a hook keeps how a note was spelled."""
    plain = rules_of("string", _SCHEMA.replace("rules:", "note: string, rules:", 1))
    files = {"poor.yaml": plain, "rich.yaml": plain}
    return scheme_of(build_project(root, HOOKED, {**files, "hooks/notes.py": hook}))


@pytest.mark.parametrize("end", ["v2", "v1"])
@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, "Some Text"),
        ({"class Upper": "# It is shouted.\nclass Upper"}, "Some Text"),
        ({".upper()": ".upper() + '!'", "lower()": "lower()[:-1]"}, "some text!"),
    ],
)
def test_what_another_hook_has_kept_is_used_or_reported(
    changes: dict[str, str], found: str, end: str, tmp_path: Path
) -> None:
    """A change of the functions looks like an edit, but that the hooks are others by now."""
    text = HOOK
    for old, new in changes.items():
        text = text.replace(old, new)
    before, now = hooked(tmp_path / "before", HOOK), hooked(tmp_path / "now", text)
    document = {**route({"note": "Some Text"}), "apiVersion": "shop.example.com/v3"}
    there: Any = before.convert(document, to=end)
    report: list[Any] = []
    back: Any = now.convert(there, to="v3", report=report)
    is_used = found == "Some Text"
    assert (back["spec"]["note"] == "Some Text") is is_used
    assert [str(item) for item in report] == (
        []
        if is_used
        else [
            "/spec: v3/residue:note is dropped: another hook kept it, and it does not agree with"
            " what the hook makes now"
        ]
    )


def test_what_a_hook_converts_meanwhile_was_kept_under_the_hooks_that_it_says(
    tmp_path: Path,
) -> None:
    """Not under those of the document at hand."""
    calls = HOOK.replace('("note",)', '("note",)\n    aside = dict')
    calls = calls.replace("        return", "        self.aside()\n        return", 1)
    before = hooked(tmp_path / "before", HOOK)
    now = hooked(tmp_path / "now", calls.replace("lower()", "lower().strip()"))
    document = route({"note": "Some Text"})
    stored, edited = before.convert(document, to="v1"), now.convert(document, to="v1")
    edited["spec"]["note"] = "other"
    hook: Any = now.bound_hooks()[0].instance
    (upper,) = hook.parts
    reports: list[list[Any]] = [[], []]

    def convert_another() -> None:
        upper.aside = dict
        now.convert(edited, to="v3", report=reports[1])

    upper.aside = convert_another
    now.convert(stored, to="v3", report=reports[0])
    assert reports[1] == []


def test_what_an_edit_contradicts_is_not_reported(tmp_path: Path) -> None:
    scheme = hooked(tmp_path, HOOK)
    there: Any = scheme.convert(route({"note": "Some Text"}), to="v2")
    there["spec"]["note"] = "other"
    report: list[Any] = []
    assert scheme.convert(there, to="v3", report=report)["spec"] == {"note": "OTHER"}
    assert report == []


def edited(root: Path, name: str, changes: dict[str, str]) -> h.Scheme:
    """Return the scheme of a project after changes in one of its modules."""
    (path,) = root.rglob(f"{name}.py")
    text = path.read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    path.write_text(f"{text}\n", encoding="utf-8")  # of another size: bytecode is compiled again
    return reloaded(root)


def plan_of(document: Any) -> str:
    """Return what an envelope says about the plan and the code of its entries."""
    found: str = json.loads(document["metadata"]["annotations"]["holdall.dev/bag"])["plan"]
    return found


COMMENTED = {"    def to_older": "    # It was shouted.\n    def to_older"}


def test_a_comment_in_a_hook_changes_no_bytes(tmp_path: Path) -> None:
    """Of what hooks keep, and of all else that a bag holds."""
    before = hooked(tmp_path, HOOK)
    documents = [route({"note": note}) for note in ("Some Text", "SOME TEXT")]
    stored = [before.convert_bytes(json.dumps(it).encode(), to="v1") for it in documents]
    now = edited(tmp_path, "notes", COMMENTED)
    for document, there in zip(documents, stored, strict=True):
        assert now.convert_bytes(json.dumps(document).encode(), to="v1") == there
        passing = now.convert_bytes(now.convert_bytes(there, to="v2"), to="v1")
        assert passing == there


def test_what_hooks_have_not_kept_says_nothing_about_them(tmp_path: Path) -> None:
    """An edit of their code changes the annotations of those objects alone of which it is read."""
    config = f"{HOOKED}    between: {{v2 -> v3: {{RouteSpec: {{rules: {{wrap: true}}}}}}}}\n"
    schema = "{metadata: {'*': true}, spec: {note: string, rules: RULES}}"
    files = {
        f"{name}.yaml": schema_text(schema.replace("RULES", rules))
        for name, rules in (("poor", "string"), ("rich", "[string]"))
    }
    root = build_project(tmp_path, config, {**files, "hooks/notes.py": HOOK})
    kept, plain = (
        route({"note": note, "rules": ["a", "b"]}) for note in ("Some Text", "SOME TEXT")
    )
    before = scheme_of(root)
    first: list[Any] = [before.convert(document, to="v1") for document in (kept, plain)]
    now = edited(root, "notes", {"lower()": "lower().strip()"})
    then: list[Any] = [now.convert(document, to="v1") for document in (kept, plain)]
    assert first[1] == then[1]
    plan = plan_of(first[1])
    assert [plan_of(one).partition(".")[0] for one in (first[0], then[0])] == [plan, plan]
    assert plan_of(first[0]) != plan_of(then[0])


FUNCTIONS = """
def upper(value):
    return value.upper()


def lower(value):
    return cut(value).lower()


def cut(value):
    return value[:9]


def apart(value):
    return value
"""
_NAMES = itertools.count()


def with_functions(root: Path, functions: str = FUNCTIONS) -> tuple[h.Scheme, str]:
    """Return a scheme in which functions convert a note, and the name of their module."""
    name = f"functions_{next(_NAMES)}"
    note = f'upgrade_with: "{name}:upper", downgrade_with: "{name}:lower", misfit: keep'
    config = f"{HOOKED}    between: {{v2 -> v3: {{RouteSpec: {{note: {{{note}}}}}}}}}\n"
    plain = schema_text("{metadata: {'*': true}, spec: {note: string, size: integer}}")
    files = {"poor.yaml": plain, "rich.yaml": plain, f"{name}.py": functions}
    return scheme_of(build_project(root, config, files)), name


ANOTHER = (
    "/spec: v3/note is dropped: it was kept under another function, and does not agree with"
    " what that makes now"
)


@pytest.mark.parametrize("end", ["v2", "v1"])
@pytest.mark.parametrize(
    ("changes", "edit", "found", "report"),
    [
        pytest.param({}, {}, "Some Text", [], id="nothing"),
        pytest.param({"def cut": "# Nine.\ndef cut"}, {}, "Some Text", [], id="a comment"),
        pytest.param({"upper()": "upper() + '!'"}, {}, "Some Text", [], id="what it agrees with"),
        pytest.param({"[:9]": "[:4]"}, {}, "SOME TEXT", [ANOTHER], id="a function that it calls"),
        pytest.param({}, {"note": "other"}, "OTHER", [], id="an edit"),
        pytest.param(
            {"    return value\n": "    return 1\n"}, {"note": "b"}, "B", [], id="another"
        ),
        pytest.param({"[:9]": "[:4]"}, {"note": "b"}, "B", [ANOTHER], id="both"),
        pytest.param({"[:9]": "[:4]"}, {"note": None}, None, [ANOTHER], id="both, to null"),
    ],
)
def test_what_was_kept_under_another_function_is_used_or_reported(
    changes: dict[str, str], edit: Any, found: Any, report: list[str], end: str, tmp_path: Path
) -> None:
    """As with hooks: what agrees with what the functions make now is used, whatever they were."""
    before, name = with_functions(tmp_path)
    there: Any = before.convert(route({"note": "Some Text"}), to=end)
    now = edited(tmp_path, name, changes)
    there["spec"] |= edit
    said: list[Any] = []
    back: Any = now.convert(there, to="v3", report=said)
    assert (back["spec"]["note"], [str(one) for one in said]) == (found, report)


@pytest.mark.parametrize("end", ["v2", "v1"])
def test_what_a_function_hid_and_would_show_now_is_reported(end: str, tmp_path: Path) -> None:
    """Nobody can tell it from what was shown, and deleted then."""
    hiding = FUNCTIONS.replace("return cut(value)", "assert value != 'Odd'\n    return cut(value)")
    before, name = with_functions(tmp_path, hiding)
    there: Any = before.convert(route({"note": "Odd"}), to=end)
    assert there["spec"] == {}
    now = edited(tmp_path, name, {"assert value != 'Odd'": "pass"})
    report: list[Any] = []
    back: Any = now.convert(there, to="v3", report=report)
    assert (back["spec"], [str(one) for one in report]) == ({}, [ANOTHER])


def test_a_version_on_the_way_reports_what_does_not_agree_by_then(tmp_path: Path) -> None:
    """The object never reaches the version of the entry; on the next way it has none."""
    before, name = with_functions(tmp_path)
    there: Any = before.convert(route({"note": "Some Text"}), to="v1")
    now = edited(tmp_path, name, {"[:9]": "[:4]"})
    reports: list[list[Any]] = [[], []]
    middle: Any = now.convert(there, to="v2", report=reports[0])
    back: Any = now.convert(middle, to="v3", report=reports[1])
    assert back["spec"] == {"note": "SOME TEXT"}
    assert [[str(one) for one in report] for report in reports] == [[ANOTHER], []]


def test_a_comment_beside_a_function_changes_no_bytes(tmp_path: Path) -> None:
    before, name = with_functions(tmp_path)
    document = json.dumps(route({"note": "Some Text"})).encode()
    there = before.convert_bytes(document, to="v1")
    for changes in ({"def cut": "# Nine.\ndef cut"}, {"    return value\n": "    return 1\n"}):
        now = edited(tmp_path, name, changes)
        assert now.convert_bytes(document, to="v1") == there


TRACKED = """
def up(value: int) -> str:
    return str(value // 2)

def down(value: str) -> int:
    return 2 * int(value)

VERSIONS = Versions(Version("v1"), Version("v2"), tracking=Tracking(CARRIER))

@resource(group="shop.example.com", namespaced=True)
class BoxSpec:
    size: Annotated[str, changed("v2", from_type=int, upgrade_with=up, downgrade_with=down)]
"""


@pytest.mark.parametrize("changes", [{"// 2": "// 3"}, {"2 *": "3 *"}], ids=["up", "down"])
@pytest.mark.parametrize("carrier", ["", "carrier='bag'"], ids=["entries", "bag"])
def test_tracked_values_say_what_they_became(
    carrier: str, changes: dict[str, str], tmp_path: Path
) -> None:
    """So no code judges them. In a bag they are judged by the function that gave what is shown."""
    declared = declare(tmp_path, TRACKED.replace("CARRIER", carrier))
    spec = {"size": 7}
    head = {"apiVersion": "shop.example.com/v1", "kind": "Box", "metadata": {"name": "b"}}
    there = declared.convert({**head, "spec": spec}, to="v2")
    (module,) = tmp_path.glob("declaration_*.py")
    now = edited(tmp_path, module.stem, changes)
    report: list[Any] = []
    back: Any = now.convert(there, to="v1", report=report)
    is_used = not carrier or "2 *" in changes
    assert back["spec"] == (spec if is_used else {"size": 6})
    assert [str(one) for one in report] == (
        [] if is_used else [ANOTHER.replace("v3/note", "v1/size")]
    )
