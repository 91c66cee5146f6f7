"""Types that a later plan names otherwise, at the places where they were."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from holdall_codegen.output.generation import generate, new_plans
from holdall_codegen.project import load_project
from holdall_codegen.views.renamed_types import renamed_types
from tests.support.notation import schema_of
from tests.support.projects import build_project, group_of, with_spec
from tests.support.small_project import CONFIG, run, write_hook, write_project


def _renamed(
    root: Path,
    before: Mapping[str, str],
    after: Mapping[str, str],
    type_names: Mapping[str, str] | None = None,
) -> list[str]:
    plans = []
    for name, versions, pins in (("before", before, None), ("after", after, type_names)):
        specs = {version: with_spec(schema_of(text)) for version, text in versions.items()}
        given = group_of(specs, type_names=pins)
        plans.append(new_plans(load_project(build_project(root / name, *given))))
    return [str(item) for item in renamed_types(*plans)]


def test_a_new_object_of_the_same_name(tmp_path: Path) -> None:
    """Each pair of names is told once, with its versions; what stays and what is new is not."""
    inner = "x: {nets: [{a: string, sub: {b: string}}], other: {c: string}}"
    both = f"{{{inner}, net: {{d: string}}}}"
    versions = "v1", "v2"
    before, after = (dict.fromkeys(versions, spec) for spec in (f"{{{inner}}}", both))
    found = _renamed(tmp_path, before, after)
    assert found == ["v1, v2: Thing/spec/x/nets/*: Net -> XNet"]


def test_a_type_that_is_parted(tmp_path: Path) -> None:
    """Of a shared type that is parted, the places with another name are told."""
    spec = "{x: {net: {a: string}}, y: {net: {a: string}}, z: {net: {a: string}}}"
    found = _renamed(tmp_path, {"v1": spec}, {"v1": spec.replace("a:", "b:", 1)})
    assert found == ["v1: Thing/spec/x/net: Net -> XNet"]


def test_names_that_are_kept(tmp_path: Path) -> None:
    """With `type_names` nothing is renamed, and the new object is qualified."""
    before, after = "{x: {net: {a: string}}}", "{x: {net: {a: string}}, net: {b: string}}"
    pins = {"Thing/spec/x/net": "Net"}
    assert _renamed(tmp_path, {"v1": before}, {"v1": after}, type_names=pins) == []


def test_what_generate_and_diff_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both name the types, and a hook of one says where its edge is now."""
    project = write_project(tmp_path)
    write_hook(project)
    generate(project)
    (project / "holdall.yaml").write_text(CONFIG + "    type_names: {Order/spec: OrderForm}\n")
    said = "v1, v2: Order/spec: OrderSpec -> OrderForm"
    assert run(project, "diff") == 1
    assert f"keep the old ones by `type_names`\n  {said}\n" in capsys.readouterr().out
    result = generate(project)
    assert [str(item) for item in result.renamed] == [said]
    [note] = [note.message for note in result.notes if note.urgency == "obsolete"]
    assert note.endswith(
        "the edge v1.OrderSpec -> v2.OrderSpec is gone; it is now v1.OrderForm -> v2.OrderForm"
    )


def test_many_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`generate` lists the first ones; `diff` has all of them."""
    spec = schema_of(f"{{{', '.join(f'n{number}: {{a: string}}' for number in range(7))}}}")
    pins = {f"Thing/spec/n{number}": f"Other{number}" for number in range(7)}
    for names in (None, pins):
        config, files = group_of({"v1": with_spec(spec)}, type_names=names)
        for name, text in {"holdall.yaml": config, **files}.items():
            (tmp_path / name).write_text(text)
        assert run(tmp_path, "generate") == 0
    out = capsys.readouterr().out
    assert out.count(" -> Other") == 5
    assert "  2 more; `holdall diff REVISION` lists all\n" in out
