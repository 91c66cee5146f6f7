"""`holdall laws`: check that conversions lose nothing, on drawn or given objects."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

import click

from holdall.cli.common import Context, end, json_option, pass_run, progress
from holdall.cli.inputs import read_objects
from holdall.errors import ConversionError, Problem, SchemeError, SourceError, UnknownKindError
from holdall.scheme.projects import load_schemes
from holdall.scheme.schemes import Schemes
from holdall.suggest import nearest
from holdall.testing.laws.cases import LAWS
from holdall.testing.laws.duties import Duty, check_duties
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.hidden import case_of, find
from holdall.testing.laws.judge import stacks_shown
from holdall.testing.laws.mutant_runs import EXAMPLES as MUTANT_EXAMPLES
from holdall.testing.laws.processes import check_processes
from holdall.testing.laws.reporting import Counterexample, explain
from holdall.testing.laws.residue_shares import Residue, residue_shares
from holdall.testing.laws.running import (
    Cell,
    Finding,
    Outcome,
    cells_of,
    check_case,
    check_portions,
    portions,
)
from holdall.testing.laws.subjects import Subject
from holdall.types import JsonObject
from holdall.words import counted

T = TypeVar("T")

EXAMPLES: Final = 500
AGAINST_EXAMPLES: Final = 50
_DUTY_EXAMPLES: Final = 200

_tools_of = cache(Tools.of)
_HELP: Final = """Check the laws of lossless conversion for all kinds and pairs of versions.

The objects are drawn, or read from files and folders if you name any.

Exit codes: 0 all hold, 1 a law is broken or a mutant survives, 2 wrong usage.

\b
Laws:
""" + "\n".join(f"  {law:<3}  {says}" for law, says in LAWS.items())


@click.command("laws", help=_HELP)
@click.argument("paths", nargs=-1, metavar="[FILE|DIR|-]...", type=click.Path(path_type=Path))
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    default=None,
    show_default=f"{EXAMPLES}; {MUTANT_EXAMPLES} with --mutants, {AGAINST_EXAMPLES} with --against",
    help="Objects to draw for each kind and version, each for all laws and pairs. With 0, only a "
    "few complete objects are checked.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    help="Draw the objects of this seed; default: a random one.",
)
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only this kind; repeatable.")
@click.option(
    "--law",
    "laws",
    multiple=True,
    type=click.Choice(list(LAWS), case_sensitive=False),
    help="Only this law; repeatable.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=os.cpu_count() or 1,
    show_default="the number of processors",
    help="Processes to use.",
)
@click.option(
    "--mutants",
    is_flag=False,
    flag_value="all",
    type=click.Choice(["all", "hooks"]),
    help="Break each line of the code in a copy of the project, and check that a law notices. "
    "Default: all code.",
)
@click.option(
    "--against",
    metavar="OLD",
    help="Check L13 on objects that an older project stores, at a git revision or in a folder.",
)
@json_option
@pass_run
def command(
    run: Context,
    paths: tuple[Path, ...],
    examples: int | None,
    seed: int | None,
    kinds: tuple[str, ...],
    laws: tuple[str, ...],
    jobs: int,
    mutants: str | None,
    against: str | None,
    as_json: bool,
) -> None:
    seed = random.SystemRandom().getrandbits(32) if seed is None else seed
    schemes = load_schemes(run.root)
    Schemes(schemes).load()
    subjects = [Subject(scheme) for scheme in schemes]
    _require_kinds(subjects, kinds)
    if mutants is not None:
        if paths or laws:
            text = "--mutants draws its objects, and checks all laws"
            raise click.UsageError(f"{text}; omit files and --law")
        from holdall.cli.mutants import report_mutants

        report_mutants(
            run,
            subjects,
            kinds,
            jobs,
            MUTANT_EXAMPLES if examples is None else examples,
            seed,
            hooks_only=mutants == "hooks",
            as_json=as_json,
        )
        return
    if against is not None:
        if paths or kinds or laws:
            raise click.UsageError("--against checks L13 for all kinds; omit other choices")
        from holdall.cli.laws_against import report_against

        count = AGAINST_EXAMPLES if examples is None else examples
        report_against(run, subjects, against, count, seed, as_json=as_json)
        return
    examples = EXAMPLES if examples is None else examples
    began = time.perf_counter()
    wanted = [law for law in LAWS if law in laws or not laws]
    options: list[str] = []
    given: list[tuple[Subject, JsonObject]] = []
    if paths:
        given = _given(subjects, paths, kinds)
        outcome = _check_given(given)
        options = [*map(str, paths)]
    elif wanted == ["L11"]:
        outcome = Outcome()
    else:
        outcome = _check_drawn(subjects, kinds, examples, seed, jobs)
        if "L6" in wanted:
            for finding in check_processes(subjects, seed, kinds):
                outcome.findings.setdefault(finding.violation.cell, finding)
    with_hooks = "L11" in wanted and not kinds
    duties = _of_hooks(check_duties, subjects, given, seed) if with_hooks else []
    residues = _of_hooks(residue_shares, subjects, given, seed) if with_hooks else []
    seconds = time.perf_counter() - began
    starts = {find(subject, value) for subject, value in given} if paths else None
    cells = cells_of(subjects, kinds, wanted, starts)
    # In the order of the cells, whichever process finished first.
    findings = {cell: outcome.findings[cell] for cell in cells if cell in outcome.findings}
    # One for each kind and law: more would repeat it.
    chosen: dict[tuple[str, ...], Finding] = {}
    for cell, finding in findings.items():
        chosen.setdefault(cell[:2], finding)
    by_kind = {kind: subject for subject in subjects for kind in subject.kinds()}
    with stacks_shown(run.traceback):
        examples_of = [
            explain(_tools_of(by_kind[kind]), finding, options=options)
            for (_, kind), finding in chosen.items()
        ]
    report = _Report(cells, findings, examples_of, duties, residues)
    count = outcome.objects
    if as_json:
        head: JsonObject = {"seed": seed, "objects": count, "seconds": round(seconds, 3)}
        run.echo_json({**head, **report.to_json()})
    else:
        report.show(run, wanted)
        each = f", {seconds / count * 1000:.2f} s per 1,000" if count else ""
        with_seed = "" if paths else f"; --seed {seed}"
        run.note(f"{counted(count, 'object')} in {seconds:.1f} s{each}{with_seed}")
        if not (examples or paths):
            run.note("no object was drawn, so this does not prove that the laws hold")
    idle = any(not duty.needed for duty in duties)
    end(findings=bool(findings) or idle or any(found.is_suspicious for found in residues))


# --- checking --------------------------------------------------------------------------------


def _require_kinds(subjects: Sequence[Subject], kinds: Sequence[str]) -> None:
    known = [kind for subject in subjects for kind in subject.kinds()]
    problems = []
    for kind in (kind for kind in kinds if kind not in known):
        text = f"no kind {kind!r} with at least two versions{nearest(kind, known)}"
        problems.append(Problem("HA701", "", text, f"use one of: {', '.join(sorted(known))}"))
    if not known and not kinds:
        text = "the project has no kind with at least two versions"
        problems.append(Problem("HA701", "", text, "add a version to holdall.yaml"))
    if problems:
        raise SchemeError(problems)


def _check_drawn(
    subjects: Sequence[Subject], kinds: Sequence[str], examples: int, seed: int, jobs: int
) -> Outcome:
    work = portions(subjects, kinds, examples, seed)
    outcome = Outcome()
    done = check_portions(work, subjects, jobs)
    with progress(done, label="checking", length=len(work)) as results:
        for _, found in results:
            outcome.merge(found)
    return outcome


def _given(
    subjects: Sequence[Subject], paths: Sequence[Path], kinds: Sequence[str]
) -> list[tuple[Subject, JsonObject]]:
    """Return the objects of known kinds in files, each with its group."""
    found = []
    problems = []
    for document, pointer, value in read_objects(paths, "strict"):
        subject = _subject_of(subjects, value)
        if subject is None:
            head = " ".join(str(value[name]) for name in ("apiVersion", "kind") if name in value)
            text = f"the project has no kind for {head or 'a document without apiVersion and kind'}"
            fix = "omit it, or add its group to holdall.yaml"
            problems.append(Problem("HA702", document.where(pointer), text, fix))
        elif not kinds or subject.scheme.names_of(value).kind in kinds:
            found.append((subject, value))
    if problems:
        raise UnknownKindError(problems)
    if not found:
        text = f"there is no object of the requested kinds: {', '.join(kinds)}"
        fix = "name files with such objects, or omit --kind"
        raise SourceError([Problem("HA710", "", text, fix)])
    return found


def _subject_of(subjects: Sequence[Subject], value: JsonObject) -> Subject | None:
    for subject in subjects:
        try:
            names = subject.scheme.names_of(value)
            subject.scheme.route(*names, names.api_version)
        except (ConversionError, UnknownKindError):
            continue
        # A kind that only holds inner documents has no versions for laws to compare.
        if not subject.scheme.is_foreign_holder(*names):
            return subject
    return None


def _check_given(given: Sequence[tuple[Subject, JsonObject]]) -> Outcome:
    outcome = Outcome()
    with progress(given, label="checking", length=len(given)) as objects:
        for subject, value in objects:
            case = case_of(subject, value)
            outcome.add(check_case(_tools_of(subject), case), case)
    return outcome


def _of_hooks(
    look: Callable[[Subject, int, int, list[tuple[str, JsonObject]]], list[T]],
    subjects: Sequence[Subject],
    given: Sequence[tuple[Subject, JsonObject]],
    seed: int,
) -> list[T]:
    """Return the findings about each group's hooks, on its own objects."""
    found: list[T] = []
    for subject in subjects:
        own = [(subject.scheme.names_of(value).kind, value) for of, value in given if of is subject]
        found += look(subject, _DUTY_EXAMPLES, seed, own)
    return found


# --- reporting -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Report:
    """What was checked, and what does not hold."""

    cells: Sequence[Cell]
    findings: dict[Cell, Finding]
    counterexamples: Sequence[Counterexample]
    duties: Sequence[Duty]
    residues: Sequence[Residue]

    def show(self, run: Context, wanted: Sequence[str]) -> None:
        columns = [law for law in wanted if law != "L11"]
        marks = {cell: "FAIL" if cell in self.findings else "ok" for cell in self.cells}
        pairs = dict.fromkeys(cell[1:] for cell in self.cells)
        if columns and pairs:
            rows = [(*pair, *(marks.get((law, *pair), "-") for law in columns)) for pair in pairs]
            run.table(rows, ("KIND", "FROM", "TO", *columns))
        for example in self.counterexamples:
            run.echo()
            run.echo(run.style(f"HA703 {example.text()}", fg="red"))
        idle = [duty for duty in self.duties if not duty.needed]
        for duty in idle:
            text = f"HA704 {duty.older} -> {duty.newer}: nothing changes without the hook for "
            run.echo(run.style(f"{text}{duty.protocol} (L11)", fg="red"))
            run.echo("    fix: remove the hook, or name files with objects that need it")
        if self.duties and not idle:
            needed = "the hook is" if len(self.duties) == 1 else f"all {len(self.duties)} hooks are"
            run.echo(f"L11: {needed} needed")
        if self.residues:
            rows = [
                (it.hook, it.members, it.older, it.newer, str(it.to), str(it.back))
                for it in self.residues
            ]
            run.echo()
            run.table(rows, ("TWO-WAY HOOK", "MEMBERS", "OLDER", "NEWER", "KEPT TO", "KEPT BACK"))
        for found in self.residues:
            if found.is_suspicious:
                text = (
                    f"HA707 {found.older} -> {found.newer}: hardly any object comes back through "
                )
                run.echo(run.style(f"{text}{found.hook} without residue (L11)", fg="red"))
                run.echo(
                    "    fix: look for values that it swaps or invents; if there are none, name"
                )
                run.echo("    files with objects that it was written for")

    def to_json(self) -> JsonObject:
        found = self.findings
        return {
            "cells": [
                {"law": law, "kind": kind, "from": start, "to": end, "holds": cell not in found}
                for cell in self.cells
                for law, kind, start, end in (cell,)
            ],
            "counterexamples": [example.to_json() for example in self.counterexamples],
            "hooks": [asdict(duty) for duty in self.duties],
            "residues": [{**asdict(it), "suspicious": it.is_suspicious} for it in self.residues],
        }
