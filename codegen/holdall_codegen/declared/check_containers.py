"""Rules for classes: names, resources, skipped edges and imports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from holdall.kubernetes.crds.dns_names import is_subdomain
from holdall.plan.tracking import CHANGED_VALUES
from holdall_codegen.declared.calls import Argument, Bound
from holdall_codegen.declared.names import (
    IMPORTED_NAMES,
    KIND_NAMES,
    SPEC_SUFFIX,
    generated_names,
    kind_of,
)
from holdall_codegen.declared.paths import PathError, follow
from holdall_codegen.declared.problems import Findings
from holdall_codegen.declared.raw import ItemType, RawContainer, RawDeclaration
from holdall_codegen.declared.read_versions import K8S_PARTS, OVERRIDES, read_skip
from holdall_codegen.declared.shapes import Shapes, is_text
from holdall_codegen.declared.types import DictOf, ListOf, Named, Scalar
from holdall_codegen.model import Location

_VERSION_SKIPS: Final = {"from", "object_from"}


def check_containers(shapes: Shapes, findings: Findings) -> None:
    """Check all classes, each by itself and together."""
    declaration = shapes.declaration
    _check_names(declaration, findings)
    for version in declaration.versions:
        flags = read_skip(version.bound) - _VERSION_SKIPS
        if flags:
            text = f"a version cannot skip {', '.join(sorted(flags))}"
            fix = "skip FROM or OBJECT_FROM"
            findings.add("unknown_argument", version.bound.arguments["skip"].location, text, fix)
        elif read_skip(version.bound) and version.name == declaration.ascending[-1]:
            text = f"skips no edge: {version.name} is the last version"
            fix = "remove it, or skip at an earlier version"
            findings.add("no_effect", version.bound.arguments["skip"].location, text, fix)
    for container in declaration.containers:
        _check_limits(container, findings)
        if container.parameters and shapes.grows(container):
            text = f"{container.name} contains itself with ever longer type arguments"
            fix = f"hold {container.name}[{', '.join(container.parameters)}], or another class"
            findings.add("unknown_type", container.location, text, fix)
        container.bound.choice("rename_all", ("camelCase",))
        if container.word == "resource":
            _Resource(container, shapes, findings).check()
        elif flags := read_skip(container.bound) - {"from"}:
            text = (
                f"a class that is not a resource can only skip FROM, not {', '.join(sorted(flags))}"
            )
            fix = "remove the other flags"
            findings.add("sub_struct_skip", container.bound.arguments["skip"].location, text, fix)


def kind_name(container: RawContainer) -> str:
    """Return the kind of a resource: its `kind`, or from the name of its class."""
    given = container.bound.value("kind")
    return given if isinstance(given, str) else kind_of(container.name)


def _check_names(declaration: RawDeclaration, findings: Findings) -> None:
    classes: dict[str, RawContainer] = {}
    kinds: dict[str, RawContainer] = {}
    used = IMPORTED_NAMES | {str(version) for version in declaration.ascending}
    if any(item.metadata for container in declaration.containers for item in container.items):
        used |= {"Annotated"}
    for container in declaration.containers:
        first = classes.setdefault(container.name, container)
        if first is not container:
            text = f"the class is declared twice, first on line {first.location.line}"
            findings.add("duplicate_name", container.location, text, "rename one of them")
        if container.name in used and not is_text(container):
            text = f"{container.name} is a name that generated modules use"
            findings.add("status_name_clash", container.location, text, "rename the class")
        items: dict[str, int] = {}
        for item in container.items:
            line = items.setdefault(item.name, item.location.line)
            if line != item.location.line:
                text = f"the item is declared twice, first on line {line}"
                findings.add("duplicate_name", item.location, text, "rename one of them")
        if container.word == "resource":
            kind = kind_name(container)
            other = kinds.setdefault(kind, container)
            if other is not container and other.name != container.name:
                text = f"{other.name} has the kind {kind} already"
                findings.add("duplicate_kind", container.location, text, "give another kind=")
    tracking = declaration.options.tracking is not None
    for kind, resource in kinds.items():
        for name, what in generated_names(kind, tracking=tracking).items():
            if classes.get(name, resource) is not resource:
                text = f"{name} is the name of a generated type: {what} {kind} of {resource.name}"
                findings.add("status_name_clash", classes[name].location, text, "rename the class")
            if name in KIND_NAMES | used:
                text = f"{name}, {what}, is a name that generated modules use"
                findings.add("status_name_clash", resource.location, text, "give another kind=")


def _check_limits(container: RawContainer, findings: Findings) -> None:
    since, removed = container.since, container.removed
    if since is not None and removed is not None and removed <= since:
        text = f"removed in {removed}, but exists only since {since}"
        findings.add("removed_order", container.location, text, "correct the versions")


@dataclass(frozen=True, slots=True)
class _Resource:
    container: RawContainer
    shapes: Shapes
    findings: Findings

    @property
    def bound(self) -> Bound:
        return self.container.bound

    def check(self) -> None:
        self._check_class_name()
        self._check_names()
        self._check_status()
        for path, argument in self._paths():
            try:
                follow(path, self.container, self.shapes)
            except PathError as error:
                self.findings.add(
                    "path_unknown", argument.location, str(error), "use names of the latest version"
                )

    def _check_class_name(self) -> None:
        name = self.container.name
        if not name.endswith(SPEC_SUFFIX) or name == SPEC_SUFFIX:
            self.findings.add(
                "spec_suffix_missing",
                self.container.location,
                f"the name of a resource class must end in {SPEC_SUFFIX}",
                f"call it {name}{SPEC_SUFFIX}" if name != SPEC_SUFFIX else "put the kind before it",
            )

    def _check_names(self) -> None:
        bound = self.bound
        group = bound.text("group")
        if group is not None and not is_subdomain(group):
            text = f'"{group}" is not a DNS subdomain of at most 253 characters'
            fix = "write a domain name such as example.com"
            self.findings.add("group_invalid", bound.arguments["group"].location, text, fix)
        kind = bound.text("kind")
        if kind is not None and not (kind.isidentifier() and kind[:1].isupper()):
            bound.invalid(bound.arguments["kind"], "kind", "a name such as Foo")
        for name in ("singular", "plural", "doc"):
            bound.text(name)
        for name in ("shortnames", "categories"):
            bound.texts(name)
        for name in ("labels", "annotations"):
            bound.text_map(name)
        bound.flag("namespaced")
        read_skip(bound)

    def _check_status(self) -> None:
        scale_argument = self.bound.given("scale")
        if scale_argument is not None and self.bound.given("status") is None:
            text = "the scale subresource reads the status, but there is none"
            self.findings.add("scale_needs_status", scale_argument.location, text, "add status=")
        status = self.container.status
        tracking = self.shapes.declaration.options.tracking
        if tracking is None:
            return
        if not self._is_object(status) and (argument := self.bound.given("status")) is not None:
            self.bound.invalid(argument, "status", "an object: tracked values are in it")
        if not isinstance(status, Named):
            return
        shape = self.shapes.by_name.get(status.container)
        for version in shape.versions if shape else ():
            for item, state in shape.present(version) if shape else ():
                if state.json_name == CHANGED_VALUES:
                    path = f"{status.container} {version} {CHANGED_VALUES}"
                    self.findings.add(
                        "serialized_name_collision",
                        replace(item.location, pointer=path),
                        f"{state.name} has the JSON name of the tracked values in {version}",
                        "rename it",
                    )

    def _is_object(self, type_: ItemType) -> bool:
        """Tell whether all values of a type are declared to be JSON objects."""
        if isinstance(type_, Named):
            shape = self.shapes.by_name.get(type_.container)
            if shape is None or shape.container.form != "union":
                return True
            # A variant without a payload is a string.
            return all(
                state.type is not None
                for version in shape.versions
                for _, state in shape.present(version)
            )
        return not isinstance(type_, (Scalar, ListOf, DictOf))

    def _paths(self) -> list[tuple[str, Argument]]:
        found: list[tuple[str, Argument]] = []
        if (argument := self.bound.given("scale")) and (bound := self.container.scale):
            names = ["spec_replicas_path", "status_replicas_path", "label_selector_path"]
            if self.bound.given("status") is None:
                names = names[:1]  # a missing status is reported already
            texts = [text for name in names if (text := bound.text(name)) is not None]
            found += [(text, argument) for text in texts]
        if argument := self.bound.given("print_columns"):
            for bound in self.container.columns:
                bound.text("name")
                text = bound.text("json_path")
                found += [(text, argument)] if text is not None else []
        if argument := self.bound.given("selectable_fields"):
            found += [(text, argument) for text in self.bound.texts("selectable_fields")]
        return found


# --- imports ---------------------------------------------------------------------------------


def check_imports(declaration: RawDeclaration, location: Location, findings: Findings) -> None:
    """Report entries of `imports` for modules from which nothing is imported."""
    given = declaration.options.imports
    if not set(given) <= {*OVERRIDES} or ("k8s" in given and {*K8S_PARTS} & {*given}):
        return  # It is invalid, so its meaning is unknown.
    for name, reason in _unused(declaration):
        if name in given:
            text = f"`{name}` changes nothing here: {reason}"
            findings.add("crate_override_unknown", location, text, f"remove {name}")


def _unused(declaration: RawDeclaration) -> Iterator[tuple[str, str]]:
    """Yield the modules that generated code does not import, and why."""
    skips = [
        read_skip(container.bound) | declaration.options.skip
        for container in declaration.containers
        if container.word == "resource"
    ]
    if not skips:
        for name in ("k8s", "k8s_core", "k8s_types"):
            yield name, "there is no resource"
    if all({"merged_crd", "try_convert"} <= skip for skip in skips):
        yield "k8s_client", "no kind has merged_crd or try_convert"
    if not any(map(_is_type, declaration.containers)):
        for name in ("schema", "serialization", "json"):
            yield name, "there are no types"
    if not declaration.options.tracing:
        yield "otel", "nothing is traced without tracing=True"
    elif all("try_convert" in skip for skip in skips):
        yield "otel", "no kind has try_convert"


def _is_type(container: RawContainer) -> bool:
    return container.form == "object" or any(item.type is not None for item in container.items)
