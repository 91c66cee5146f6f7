"""What can be wrong with a declaration: codes, and the list in which findings gather."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NoReturn

from holdall.errors import Problem, SourceError
from holdall_codegen.model import Location

# Each code with its rule, as docs/declared.md lists them.
RULES: Final[dict[str, str]] = {
    "no_versions": "at least one version must be declared",
    "version_invalid_format": "a version is `v` and a number, then maybe a level and its number",
    "version_level": "the level of a version is `alpha` or `beta` and a number",
    "versions_unsorted": "versions ascend, unless `allow_unsorted` is set",
    "versions_duplicate": "a version is declared once; leading zeros do not count",
    "missing_argument": "a required argument is missing",
    "unknown_argument": "an argument has no meaning there",
    "argument_invalid": "an argument has a value that it cannot have",
    "duplicate_action": "an item has each action at most once, except `changed`",
    "added_unknown_version": "`added` uses a version that is not declared",
    "changed_unknown_version": "`changed` uses a version that is not declared",
    "deprecated_unknown_version": "`deprecated` uses a version that is not declared",
    "removed_unknown_version": "`removed` uses a version that is not declared",
    "added_deprecated_same_version": "`added` and `deprecated` need different versions",
    "added_changed_same_version": "`added` and `changed` need different versions",
    "deprecated_changed_same_version": "`deprecated` and `changed` need different versions",
    "added_after_deprecated": "an item is deprecated after it was added",
    "changed_order": "changes lie after `added` and before `deprecated`",
    "removed_order": "`removed` comes after every other action",
    "changes_unsorted": "changes ascend, unless `allow_unsorted` is set",
    "changed_twice_same_version": "an item changes once per version",
    "changed_without_from": "a change says what was different before",
    "upgrade_with_needs_from_type": "`upgrade_with` goes with `from_type`",
    "downgrade_with_needs_from_type": "`downgrade_with` goes with `from_type`",
    "from_name_has_deprecation_prefix": "a previous name has no deprecation prefix",
    "from_name_invalid": "a previous name is an identifier",
    "deprecation_prefix_missing": "the name of a deprecated item has the deprecation prefix",
    "deprecation_prefix_unexpected": "the name of other items does not have it",
    "native_deprecated_attribute": "deprecation is declared with `deprecated(...)` only",
    "variant_name_case": "variants are called in PascalCase, before a change too",
    "name_collision": "two items of a version have different names",
    "serialized_name_collision": "two items of a version have different JSON names, none of them "
    "one of holdall's own",
    "duplicate_name": "classes and their items have different names",
    "duplicate_kind": "resources have different kinds",
    "status_name_clash": "no class is called like a generated type",
    "no_effect": "an action changes something",
    "default_missing": "an added or removed field has a default",
    "variant_needs_fallback": "an added or removed variant says what happens to it",
    "function_not_importable": "functions are at the top of a module",
    "function_signature": "the annotations of a function agree with the types",
    "unconvertible": "a change of type has a function or converts by itself",
    "unknown_type": "the type of an item is a declarable type",
    "container_not_in_version": "the type of an item exists where the item does",
    "spec_suffix_missing": "the name of a resource class ends in `Spec`",
    "group_invalid": "a group is a DNS subdomain",
    "scale_needs_status": "a scale subresource goes with a status",
    "path_unknown": "paths name fields of the latest version",
    "sub_struct_skip": "classes that are not resources skip FROM only",
    "submodule_not_a_version": "names are re-exported from declared versions",
    "submodule_item_not_use": "what is re-exported is a module or `module:Name`",
    "item_not_allowed": "a declared class holds its docstring and annotated items",
    "unknown_hint": "a hint is `option`, `list` or `map`",
    "hint_mismatch": "a hint agrees with the type",
    "crate_override_conflict": "`k8s` is replaced as a whole or in parts",
    "crate_override_unknown": "what is replaced in `imports` is one of the known names",
    "module_broken": "the module can be parsed and imported",
}
WARNINGS: Final = frozenset({"no_effect", "unconvertible"})


@dataclass(frozen=True, slots=True)
class DeclarationProblem(Problem):
    """One finding in a declaration. `path` is its place in it: `Foo.bar.changed[0].from_name`."""

    path: str = ""
    line: int = 0
    column: int = 0


class DeclarationError(SourceError):
    """A declaration with mistakes, all of them; `problems` holds the warnings too, last."""


class Findings:
    """All mistakes and warnings of one declaration."""

    def __init__(self) -> None:
        self._errors: dict[DeclarationProblem, None] = {}
        self._warnings: dict[DeclarationProblem, None] = {}

    def add(
        self, code: str, location: Location, message: str, fix: str = "", *, error: bool = False
    ) -> None:
        """Record one finding. The codes of WARNINGS are warnings, unless `error` says otherwise."""
        problem = _problem(code, location, message, fix)
        found = self._warnings if code in WARNINGS and not error else self._errors
        found[problem] = None

    def warnings(self) -> tuple[DeclarationProblem, ...]:
        """Return the warnings in the order of the text."""
        return tuple(sorted(self._warnings, key=_place))

    def raise_any(self) -> None:
        """Raise DeclarationError with all errors in the order of the text, if there are any."""
        if self._errors:
            raise DeclarationError([*sorted(self._errors, key=_place), *self.warnings()])


def raise_problem(code: str, location: Location, message: str) -> NoReturn:
    """Raise DeclarationError with one finding, for what shows only after a declaration was read."""
    raise DeclarationError([_problem(code, location, message, "")])


def _problem(code: str, location: Location, message: str, fix: str) -> DeclarationProblem:
    path = location.pointer
    return DeclarationProblem(
        code,
        str(location),
        f"{path}: {message}" if path else message,
        fix,
        path=path,
        line=location.line,
        column=location.column,
    )


def _place(problem: DeclarationProblem) -> tuple[int, int, str, str]:
    return problem.line, problem.column, problem.path, problem.code
