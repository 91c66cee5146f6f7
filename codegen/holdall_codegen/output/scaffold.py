"""The start of a hook: a fully typed file with the properties of its edge that need attention."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from holdall.errors import Problem, SourceError
from holdall.text.files import create_file
from holdall_codegen.config.model import ProjectConfig
from holdall_codegen.emit.codec import quoted
from holdall_codegen.emit.lines import WIDTH, Call, CodeLines, Expression, Keyword
from holdall_codegen.plan.fates import Decision
from holdall_codegen.plan.model import GroupPlan, PlannedEdge, TypeRef
from holdall_codegen.plan.python_names import snake_case
from holdall_codegen.plan.values import describe
from holdall_codegen.views.hook_report import HookReport

HOOK_EXISTS = "HA168"

_ATTENTION = ("stashed", "pulled", "claimed by a hook")


@dataclass(frozen=True, slots=True)
class Scaffold:
    """A hook file that is not written yet; `path` is relative to the project's root."""

    path: str
    text: str
    packages: tuple[str, ...] = ()


def scaffold(plan: GroupPlan, edge: PlannedEdge, config: ProjectConfig) -> Scaffold:
    """Return a start for the hook of an edge.

    Claims are filled in with every property that has no partner or is left to the hook, apart
    from those that return by themselves in another version.
    """
    hooks = config.hooks.replace(".", "/")
    parts = plan.package.split(".")
    folders = [hooks, *("/".join((hooks, *parts[: depth + 1])) for depth in range(len(parts)))]
    path = f"{folders[-1]}/{snake_case(edge.older.name)}.py"
    return Scaffold(path, _Writer(plan, edge, config.output).write(), tuple(folders))


def write_scaffold(
    root: Path, made: Scaffold, report: HookReport, edge: PlannedEdge, file: Path | None = None
) -> tuple[Path, ...]:
    """Write a scaffold to its path or to `file`, and the `__init__.py` files that it needs.

    Nothing is overwritten. Raises SourceError if the edge has a hook, or the file exists.
    """
    bound = next((point.hook for point in report.points if point.edge == edge), None)
    if bound is not None:
        where = f"{bound.file}:{bound.line}"
        text = f"{bound.name} is the hook of {edge.older} -> {edge.newer}, and an edge has one"
        raise SourceError([Problem(HOOK_EXISTS, where, text, "extend it, or compose shared hooks")])
    target = file if file is not None else root / made.path
    written: list[Path] = []
    if target.exists():
        raise _exists(target if file is not None else Path(made.path))
    if file is None:
        for folder in made.packages:
            package = root / folder / "__init__.py"
            package.parent.mkdir(parents=True, exist_ok=True)
            if not package.exists():
                text = f'"""Hand-written hooks of {folder.rpartition("/")[2]}."""\n'
                create_file(package, text.encode())
                written.append(package)
    target.parent.mkdir(parents=True, exist_ok=True)
    create_file(target, made.text.encode())
    return (*written, target)


def _exists(path: Path) -> SourceError:
    fix = "add the hook there by hand, or write it to another file with -o"
    return SourceError([Problem(HOOK_EXISTS, path.as_posix(), "there is a file already", fix)])


class _Writer:
    def __init__(self, plan: GroupPlan, edge: PlannedEdge, output: str) -> None:
        self.plan = plan
        self.edge = edge
        self.output = output
        self.out = CodeLines()

    def write(self) -> str:
        out, edge = self.out, self.edge
        older, newer = edge.older.version, edge.newer.version
        out.docstring(
            f"The hook of {edge.older.name} between {older} and {newer} of {self.plan.name}."
        )
        out.line()
        out.line("from holdall import BagView, claims")
        out.line()
        for version in dict.fromkeys((older, newer)):
            module = self.plan.version(version).module
            out.line(f"from {self.output}.{self.plan.package}.{module} import storage as {module}")
        out.line()
        out.line()
        name = f"{edge.protocol.removeprefix('Assignable')}Hooks"
        protocol = f"{self.plan.version(older).module}.{edge.protocol}"
        with out.block(f"class {name}({protocol}):"):
            out.docstring(f"Covers what {edge.older} and {edge.newer} do not share.")
            self._attentions()
            out.line()
            self._method("to", edge.older, edge.newer)
            out.line()
            self._method("from", edge.newer, edge.older)
        return out.text()

    def _attention(self, ref: TypeRef) -> list[Decision]:
        """Return the properties of a side that a hook may claim."""
        return [
            decision
            for decision in self.edge.decisions
            if decision.side == self._side(ref)
            and decision.fate in _ATTENTION
            and not decision.partner
        ]

    def _attentions(self) -> None:
        """Write, as comments, every property that needs attention, with its reason."""
        for ref in (self.edge.older, self.edge.newer):
            decisions = [
                decision
                for decision in self.edge.decisions
                if decision.side == self._side(ref) and decision.fate in _ATTENTION
            ]
            if decisions:
                self.out.line()
                self.out.line(f"# {ref.version} has:")
            for decision in decisions:
                for line in _comment(self._described(ref, decision)):
                    self.out.line(line)

    def _side(self, ref: TypeRef) -> str:
        return "older" if ref == self.edge.older else "newer"

    def _method(self, verb: str, source: TypeRef, destination: TypeRef) -> None:
        out = self.out
        read, written = self._attention(source), self._attention(destination)
        items: list[Expression] = [
            Keyword("reads", _names(read)),
            Keyword("writes", _names(written)),
        ]
        out.expression("@", Call("claims(", items))
        parameters: list[Expression] = [
            "self",
            f"source: {self._class(source)}",
            f"destination: {self._class(destination)}",
            "bag: BagView",
        ]
        out.expression("", Call(f"def assign_properties_{verb}(", parameters), " -> None:")
        with out.indented():
            if read or written:
                out.line("# Claim only what is handled here: what is claimed leaves the bag.")
            text = f"assign what {destination.version} makes of {source.version}"
            out.line(f"raise NotImplementedError({quoted(text)})")

    def _described(self, ref: TypeRef, decision: Decision) -> str:
        member = self.plan.type(ref).member(decision.name)
        name = member.attribute
        if name != decision.name:
            name += f" ({decision.name})"
        text = f"{name}, {describe(member.property.type)}: {decision.reason}"
        if decision.fate == "claimed by a hook":
            return f"{text}; to be claimed"
        return f"{text} ({decision.partner}), no hook needed" if decision.partner else text

    def _class(self, ref: TypeRef) -> str:
        return f"{self.plan.version(ref.version).module}.{ref.name}"


def _names(decisions: Sequence[Decision]) -> Call:
    return Call("[", [quoted(decision.name) for decision in decisions], "]")


def _comment(text: str) -> list[str]:
    lines = textwrap.wrap(
        f"- {text}",
        WIDTH - 8,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [f"# {line}" for line in lines]
