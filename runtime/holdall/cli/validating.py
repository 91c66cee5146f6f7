"""Objects against the schemas of a project, for `convert --validate` and `audit --valid`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from holdall.errors import NotInstalled
from holdall.objects.heads import Names
from holdall.scheme.batches import FindFlaws
from holdall.types import JsonObject


def read_schemas(root: Path) -> FindFlaws:
    """Read the schemas of the project at `root`; return a function that finds what the schema of an
    object's version refuses in it, and nothing in objects of unknown kinds.

    Raises SourceError or PlanError for schemas that cannot be read, NotInstalled without the
    generator.
    """
    try:
        from holdall_codegen.project import load_project
        from holdall_codegen.refusals.validators import validators
    except ModuleNotFoundError as error:
        raise NotInstalled(str(error.name), "validate") from error
    judges = validators(load_project(root))

    def find_flaws(names: Names, value: JsonObject) -> Iterable[tuple[str, str]]:
        judge = judges.get(names)
        return judge(value) if judge is not None else ()

    return find_flaws
