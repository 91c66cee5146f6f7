"""The start of a hook: a fully typed file with the properties of its edge that need attention.

It claims what must be claimed, and names the rest in comments: what a hook claims leaves the bag,
so a claim that is not implemented would lose data.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from holdall.errors import PlanError, Problem, SourceError
from holdall.plan.plans import TypeRef
from holdall.text.files import path_from
from holdall_codegen.config.model import ProjectConfig
from holdall_codegen.emit.lines import WIDTH, Call, CodeLines, Expression, Keyword, quoted, texts
from holdall_codegen.model import ListOf, MapOf, Type
from holdall_codegen.output.files import write_new
from holdall_codegen.plan.model import LEFT, Decision, GroupPlan, Member, PlannedEdge
from holdall_codegen.plan.python_names import snake_case
from holdall_codegen.plan.values import describe
from holdall_codegen.views.hook_report import HookReport
from holdall_codegen.views.lookup import unknown

HOOK_EXISTS = "HA168"
NOTHING_TO_CLAIM = "HA169"


Form = Literal["claims", "two-way"]


@dataclass(frozen=True, slots=True)
class Scaffold:
    """A hook file that is not written yet; `path` is relative to the project's root."""

    path: str
    text: str
    packages: tuple[str, ...] = ()

    @property
    def hooks(self) -> str:
        """The folder of all hooks, in which a hook is found."""
        return self.packages[0]


def scaffold(
    plan: GroupPlan,
    edge: PlannedEdge,
    config: ProjectConfig,
    form: Form = "claims",
    each: Sequence[str] = (),
) -> Scaffold:
    """Return a start for the hook of an edge.

    `each` names properties, by `OLDER` or `OLDER:NEWER`, whose values two functions convert.
    """
    hooks = config.hooks.replace(".", "/")
    parts = plan.package.split(".")
    folders = [hooks, *("/".join((hooks, *parts[: depth + 1])) for depth in range(len(parts)))]
    path = f"{folders[-1]}/{snake_case(edge.older.name)}.py"
    text = _Writer(plan, edge, config.output).write(form, each)
    return Scaffold(path, text, tuple(folders))


def write_scaffold(
    root: Path, made: Scaffold, report: HookReport, edge: PlannedEdge, file: Path | None = None
) -> tuple[Path, ...]:
    """Write a scaffold to its path or to `file`, and the `__init__.py` files that it needs.

    Nothing is overwritten. Raises SourceError if the edge has a hook, the file exists, or holdall
    would not find the hook in it.
    """
    if file is not None:
        _check_found(file, root / made.hooks)
    bound = next((point.hook for point in report.points if point.edge == edge), None)
    if bound is not None:
        where = f"{bound.file}:{bound.line}"
        text = f"{bound.name} is the hook of {edge.older} -> {edge.newer}, and an edge has only one"
        raise SourceError([Problem(HOOK_EXISTS, where, text, "extend it, or compose shared hooks")])
    target = file if file is not None else root / made.path
    written: list[Path] = []
    if target.exists():
        where = (target if file is not None else Path(made.path)).as_posix()
        fix = "add the hook there by hand, or write it to another file with -o"
        if file is None:
            other = target.with_stem(
                "_".join((target.stem, *(snake_case(end.version) for end in edge.ends)))
            )
            fix += f", such as -o {path_from(other)}"
        raise SourceError([Problem(HOOK_EXISTS, where, "the file exists already", fix)])
    if file is None:
        for folder in made.packages:
            package = root / folder / "__init__.py"
            if not package.exists():
                write_new(package, f'"""Hand-written hooks of {folder.rpartition("/")[2]}."""\n')
                written.append(package)
    write_new(target, made.text)
    return (*written, target)


def _check_found(file: Path, hooks: Path) -> None:
    """Raise SourceError for a file outside the hooks folder, or with a name that is not Python."""
    here = Path.cwd()  # the folder of hooks may be a link
    ends = [(Path(os.path.normpath(here / file)), Path(os.path.normpath(here / hooks)))]
    ends.append((file.resolve(), hooks.resolve()))
    below = next((path.relative_to(top) for path, top in ends if path.is_relative_to(top)), None)
    shown = hooks.as_posix()
    if below is None or below.suffix != ".py":
        text = f"no hook is found there: hooks are in .py files below {shown}"
    elif alien := [part for part in below.with_suffix("").parts if not part.isidentifier()]:
        text = f"no hook can be imported from there: {alien[0]!r} is not a Python name"
    else:
        return
    fix = f"name a file below {shown}, with letters, digits and underscores"
    raise SourceError([Problem(HOOK_EXISTS, file.as_posix(), text, fix)])


class _Writer:
    def __init__(self, plan: GroupPlan, edge: PlannedEdge, output: str) -> None:
        self.plan = plan
        self.edge = edge
        self.output = output
        self.out = CodeLines()
        self.name = edge.protocol.removeprefix("Assignable")

    def write(self, form: Form, each: Sequence[str]) -> str:
        self.out.docstring(
            f"The hook of {self.edge.older.name} between {self.edge.older.version} and "
            f"{self.edge.newer.version} of {self.plan.name}."
        )
        self.out.line()
        if each:
            self._each(each)
        elif form == "two-way":
            self._two_way()
        else:
            self._claims()
        return self.out.text()

    def _imports(self, names: str, *versions: str) -> None:
        self.out.line(f"from holdall import {names}")
        self.out.line()
        for version in dict.fromkeys(versions):
            module = self.plan.version(version).module
            self.out.line(
                f"from {self.output}.{self.plan.package}.{module} import storage as {module}"
            )
        self.out.apart()

    # --- a hook with claims ----------------------------------------------------------------------

    def _claims(self) -> None:
        out, edge = self.out, self.edge
        self._imports("BagView, claims, override", edge.older.version, edge.newer.version)
        with out.block(f"class {self.name}Hooks({self._protocol()}):"):
            out.docstring(f"Covers what {edge.older} and {edge.newer} do not share.")
            self._attentions()
            out.line()
            self._method("to", edge.older, edge.newer)
            out.line()
            self._method("from", edge.newer, edge.older)

    def _method(self, verb: str, source: TypeRef, destination: TypeRef) -> None:
        out = self.out
        read, written = self._must_claim(source), self._must_claim(destination)
        self._proposals(reads=self._free(source), writes=self._free(destination))
        out.line("@override")
        items: list[Expression] = [Keyword("reads", _list(read)), Keyword("writes", _list(written))]
        out.expression("@", Call("claims(", items))
        parameters: list[Expression] = [
            "self",
            f"source: {self._class(source)}",
            f"destination: {self._class(destination)}",
            "bag: BagView",
        ]
        out.expression("", Call(f"def assign_properties_{verb}(", parameters), " -> None:")
        with out.indented():
            self._unwritten(f"assign the properties of {destination.version}")

    # --- hooks of two functions ------------------------------------------------------------------

    def _two_way(self) -> None:
        out, (older, newer) = self.out, (self.edge.older, self.edge.newer)
        claimed = self._must_claim(older), self._must_claim(newer)
        free = self._free(older), self._free(newer)
        if not any((*claimed, *free)):
            text = f"all properties of {older} and {newer} have partners"
            fix = "name a property with --each, or leave the edge to the generated code"
            raise PlanError([Problem(NOTHING_TO_CLAIM, "", text, fix)])
        self._imports("Composed, Members, TwoWay, override", older.version)
        with out.block(f"class {self.name}Members(TwoWay):"):
            out.docstring(f"Converts members of {older} to {newer}, and back.")
            self._attentions()
            out.line()
            self._proposals(older=free[0], newer=free[1])
            for side, names in zip(("older", "newer"), claimed, strict=True):
                out.expression(f"{side} = ", texts(names))
            for side, ref, other in (("newer", newer, "older"), ("older", older, "newer")):
                out.line()
                out.line("@override")
                with out.block(f"def to_{side}(self, {other}: Members) -> Members:"):
                    self._unwritten(f"return the members of {ref.version}")
        self.out.apart()
        self._composed([f"{self.name}Members()"])

    def _each(self, names: Sequence[str]) -> None:
        out, edge = self.out, self.edge
        self._imports("Composed, EachValue", edge.older.version)
        parts: list[Expression] = []
        for name in names:
            older, newer = self._pair(name)
            functions = []
            for ref in (edge.newer, edge.older):
                function = f"{older.attribute.rstrip('_')}_to_{self._module(ref)}"
                with out.block(f"def {function}(value: object) -> object:"):
                    self._unwritten(f"return the value of {ref.version}")
                self.out.apart()
                functions.append(function)
            items: list[Expression] = [quoted(older.name), *functions]
            if depth := _common_depth(older.property.type, newer.property.type):
                items.append(Keyword("depth", str(depth)))
            if older.name != newer.name:
                items.append(Keyword("newer_name", quoted(newer.name)))
            parts.append(Call("EachValue(", items))
        self._composed(parts)

    def _pair(self, name: str) -> tuple[Member, Member]:
        older, colon, newer = name.partition(":")
        if not colon:
            partners = {item.older: item.newer for item in self.edge.pairs}
            newer = partners.get(older, older)
        fix = "" if colon else f"give both names, as {older}:NAME, if they differ"
        return self._member(self.edge.older, older), self._member(self.edge.newer, newer, fix)

    def _member(self, ref: TypeRef, name: str, fix: str = "") -> Member:
        type_ = self.plan.type(ref)
        if not type_.has(name):
            names = [member.name for member in type_.members]
            raise unknown("property", name, names, fix, owner=str(ref))
        return type_.member(name)

    def _composed(self, parts: Sequence[Expression]) -> None:
        with self.out.block(f"class {self.name}Hooks(Composed, {self._protocol()}):"):
            self.out.docstring(
                f"Converts values that differ between {self.edge.older} and {self.edge.newer}."
            )
            self.out.line()
            self.out.expression("parts = ", Call("(", parts))

    # --- what all have ---------------------------------------------------------------------------

    def _unwritten(self, text: str) -> None:
        self.out.line(f"raise NotImplementedError({quoted(text)})")

    def _proposals(self, **free: Sequence[str]) -> None:
        """Write, as comments, what else may be claimed, by the word that claims it."""
        texts_ = [
            f"You may also claim {', '.join(map(quoted, names))} in `{word}`."
            for word, names in free.items()
            if names
        ]
        rule = "What is claimed leaves the bag, so claim only what is handled here."
        for line in _comment(rule, *texts_):
            self.out.line(line)

    def _must_claim(self, ref: TypeRef) -> tuple[str, ...]:
        edge = self.edge
        return edge.must_claim_older if ref == edge.older else edge.must_claim_newer

    def _free(self, ref: TypeRef) -> tuple[str, ...]:
        """Return the properties without a partner that a hook may claim, but need not."""
        edge = self.edge
        paths = (move.older if ref == edge.older else move.newer for move in edge.moves)
        taken = {*self._must_claim(ref), *(path[0] for path in paths)}
        names = (item.name for item in self._decisions(ref) if not item.partner)
        return tuple(name for name in names if name not in taken)

    def _decisions(self, ref: TypeRef) -> list[Decision]:
        older, newer = self.edge.ends
        side, other = ("older", newer) if ref == older else ("newer", older)
        version_at = self.plan.type(other).head  # hooks do not convert the version
        return [
            decision
            for decision in self.edge.decisions
            if decision.side == side and decision.fate in LEFT and decision.name not in version_at
        ]

    def _attentions(self) -> None:
        """Write, as comments, every property that needs attention, with its reason."""
        for ref in (self.edge.older, self.edge.newer):
            decisions = self._decisions(ref)
            if decisions:
                self.out.line()
                self.out.line(f"# {ref.version} has:")
            for decision in decisions:
                for line in _comment(f"- {self._described(ref, decision)}"):
                    self.out.line(line)

    def _described(self, ref: TypeRef, decision: Decision) -> str:
        member = self.plan.type(ref).member(decision.name)
        name = member.attribute
        if name != decision.name:
            name += f" ({decision.name})"
        text = f"{name}, {describe(member.property.type)}: {decision.reason}"
        if decision.fate == "claimed by a hook":
            return f"{text}; must be claimed"
        return f"{text} ({decision.partner}), no hook needed" if decision.partner else text

    def _protocol(self) -> str:
        return f"{self._module(self.edge.older)}.{self.edge.protocol}"

    def _class(self, ref: TypeRef) -> str:
        return f"{self._module(ref)}.{ref.name}"

    def _module(self, ref: TypeRef) -> str:
        return self.plan.version(ref.version).module


def _common_depth(older: Type, newer: Type) -> int:
    """Return how many lists and maps are around the values that differ."""
    match older, newer:
        case (ListOf(item=one), ListOf(item=other)) | (MapOf(value=one), MapOf(value=other)):
            return 1 + _common_depth(one, other)
    return 0


def _list(names: Sequence[str]) -> Call:
    return Call("[", [quoted(name) for name in names], "]")


def _comment(*texts: str) -> list[str]:
    return [
        f"# {line}"
        for text in texts
        for line in textwrap.wrap(
            text,
            WIDTH - 8,
            subsequent_indent="  " if text.startswith("- ") else "",
            break_long_words=False,
            break_on_hyphens=False,
        )
    ]
