"""A kind is in one group of a project, where documents say only both; and what a project costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall.errors import SourceError
from holdall_codegen.project import emit_project, load_project
from tests.support.notation import expanded
from tests.support.projects import build_project, group_of, with_spec
from tests.support.small_project import run
from tests.support.work import steps_of

_SCHEMA = "title: Box\ntype: object\nproperties:\n  spec: {type: object}\n"
_GROUP = """\
  {name}:
    api_group: {api_group}
    sources:
      - {{schemas: v1.yaml, version: v1}}
      - {{schemas: v2.yaml, version: v2}}
    versions: [v1, v2]
"""


def _write(root: Path, first: str, second: str, more: str = "") -> Path:
    for name in ("v1.yaml", "v2.yaml"):
        (root / name).write_text(_SCHEMA)
    groups = [_GROUP.format(name="a", api_group=first), _GROUP.format(name="b", api_group=second)]
    (root / "holdall.yaml").write_text("groups:\n" + "".join(groups) + more)
    return root


@pytest.mark.parametrize("api_group", ["boxes.example", '""'])
def test_kind_of_two_groups_is_refused(tmp_path: Path, api_group: str) -> None:
    """The later group is reported, and the problem has the places of both."""
    with pytest.raises(SourceError) as caught:
        load_project(_write(tmp_path, api_group, api_group))
    (problem,) = caught.value.problems
    assert (problem.code, problem.where) == ("HA145", "holdall.yaml:9")
    assert 'the group "b" has the kind Box' in problem.message
    assert 'the group "a" (holdall.yaml:3)' in problem.message
    assert "v2.yaml:1" in problem.message


@pytest.mark.parametrize(
    ("declared", "code", "what"),
    [
        ("schemas/peple.py", "HA140", '"schemas/peple.py"; did you mean "schemas/people.py"?'),
        ("schemas", "HA124", "the path of a .py file"),
        ("people.yaml", "HA124", "the path of a .py file"),
        ("../people.py", "HA124", "below the project's root"),
        ("schemas/../people.py", "HA124", "below the project's root"),
    ],
)
def test_declaration_that_is_not_there(tmp_path: Path, declared: str, code: str, what: str) -> None:
    """The place is in the configuration: in the file there is no line."""
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "people.py").touch()
    config = f"groups:\n  people:\n    sources:\n      - declared: {declared}\n"
    (tmp_path / "holdall.yaml").write_text(config)
    with pytest.raises(SourceError) as caught:
        load_project(tmp_path)
    (problem,) = caught.value.problems
    assert (problem.code, problem.where) == (code, "holdall.yaml:4")
    assert what in problem.message
    assert problem.fix


def test_what_is_too_long_for_a_path_is_not_there(tmp_path: Path) -> None:
    """Such as a schema that was put where its file belongs."""
    _write(tmp_path, "a.example", "b.example")
    config = (tmp_path / "holdall.yaml").read_text()
    (tmp_path / "holdall.yaml").write_text(config.replace("v1.yaml", "x" * 300, 1))
    with pytest.raises(SourceError) as caught:
        load_project(tmp_path)
    (problem,) = caught.value.problems
    assert (problem.code, problem.where) == ("HA140", "holdall.yaml:5")


def test_nothing_is_generated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every command that reads the sources says so, before it writes."""
    _write(tmp_path, "boxes.example", "boxes.example")
    assert run(tmp_path, "check") == 1
    assert "HA145" in capsys.readouterr().out
    assert run(tmp_path, "generate") == 2
    assert not (tmp_path / "generated").exists()


def test_groups_of_two_names_share_a_kind(tmp_path: Path) -> None:
    """The API group tells which one is meant."""
    assert len(load_project(_write(tmp_path, "a.example", "b.example")).plans) == 2


def test_documents_of_another_form_share_a_kind(tmp_path: Path) -> None:
    """Conversions ask which group is meant where a document says its version elsewhere."""
    more = "    version_at: version\n"
    assert len(load_project(_write(tmp_path, '""', '""', more)).plans) == 2


def test_files_are_emitted_once(tmp_path: Path) -> None:
    """The texts that files are compared with are also those that hooks import."""
    project = load_project(_write(tmp_path, "a.example", "b.example"))
    made = emit_project(project)
    assert steps_of(lambda: emit_project(project)) < len(made)
    assert emit_project(project) == emit_project(load_project(tmp_path))


@pytest.mark.parametrize("is_gap", [False, True])
@pytest.mark.parametrize("part", ["string", {"a": "string", "b": "string"}])
def test_work_grows_with_the_schemas(tmp_path: Path, part: object, is_gap: bool) -> None:
    """Four times as many properties, types or links are at most four times as much work."""

    def work(size: int) -> int:
        parts = {f"p{number}": part for number in range(size)}
        spec = with_spec(expanded(parts))
        more = with_spec(expanded({**parts, "more": "string"}))
        gap = {"v2": with_spec(expanded({"more": "string"}))} if is_gap else {}
        root = build_project(tmp_path / str(size), *group_of({"v1": spec, **gap, "v3": more}))
        return steps_of(lambda: emit_project(load_project(root)))

    work(1)
    assert work(320) < 4 * work(80)
