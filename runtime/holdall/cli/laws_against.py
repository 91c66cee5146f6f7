"""`holdall laws --against`: this project reads objects that an older state of it stored."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from holdall.cli.common import Context, end, progress
from holdall.cli.older import older_state
from holdall.errors import Problem, SourceError
from holdall.testing.laws.evolution import Evolution, stored_yesterday
from holdall.testing.laws.subjects import Subject
from holdall.words import counted


def report_against(
    run: Context,
    subjects: Sequence[Subject],
    against: str,
    examples: int,
    seed: int,
    *,
    as_json: bool,
) -> None:
    """Check the objects of an older state, report, and end the command: 1 if anything is lost."""
    found = Evolution()
    by_package = {subject.scheme.package: subject for subject in subjects}
    with older_state(run.root, against) as path, _generated(path) as (paths, older):
        packages = [package for package in older if package in by_package]
        objects = [*stored_yesterday(paths, packages, examples, seed)] if packages else []
    if not objects:
        text = "this project reads nothing that it stores, so nothing was checked"
        fix = "name a state with a group of this project that has two versions"
        raise SourceError([Problem("HA710", against, text, fix)])
    with progress(objects, label="checking", length=len(objects)) as stored:
        for package, document in stored:
            found.add(by_package[package], document)
    if as_json:
        run.echo_json(
            {
                "seed": seed,
                "objects": found.objects,
                "unknown": found.unknown,
                "lapses": [lapse.to_json() for lapse in found.lapses.values()],
            }
        )
    else:
        for lapse in found.lapses.values():
            run.echo(run.style(f"HA708 {lapse.text()}", fg="red"))
        gone = f", {found.unknown:,} of removed kinds or versions" if found.unknown else ""
        run.note(
            f"{counted(found.objects, 'object')} as {against} stores them{gone}; --seed {seed}"
        )
    end(findings=bool(found.lapses))


@contextmanager
def _generated(older: Path) -> Iterator[tuple[list[Path], list[str]]]:
    """Generate an older state into a temporary folder; yield its import path and its packages."""
    from holdall_codegen.project import emit_project, load_project

    project = load_project(older)
    with TemporaryDirectory() as folder:
        for name, text in emit_project(project).items():
            target = Path(folder) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        hooks = project.config.hooks.replace(".", "/")
        if (older / hooks).is_dir():
            shutil.copytree(older / hooks, Path(folder) / hooks, dirs_exist_ok=True)
        elif (older / f"{hooks}.py").is_file():
            (Path(folder) / hooks).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(older / f"{hooks}.py", Path(folder) / f"{hooks}.py")
        output = project.config.output
        yield [Path(folder), older], [f"{output}.{package}" for package in project.plans]
