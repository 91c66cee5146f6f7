"""The keys of `overlays` and `inner_documents`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, TypeAlias

from holdall.inner.declared import InnerDocuments, TextFormat
from holdall_codegen.config import names
from holdall_codegen.config.crd import ApiGroup, FilePattern, KindName, ListedVersion, VersionName
from holdall_codegen.config.node import NO_EFFECT, Node
from holdall_codegen.config.tables import Called, Form, Keys, Listed, More, Unique, check_one
from holdall_codegen.model import NOWHERE, Location

_TWICE = Unique("{what} names {name} twice", strict=False)
OverlayKind: TypeAlias = Annotated[KindName, Called("a name in kinds")]
OverlayVersion: TypeAlias = Annotated[VersionName, Called("a name in versions"), Listed("versions")]
SchemaPath: TypeAlias = Annotated[
    str, Form(names.SCHEMA_PATH, "the path of an object from its kind, such as spec/pools/*")
]
Holder: TypeAlias = Annotated[
    str, Form(names.HOLDER, "the name of a kind, or apiVersion/Kind"), Called("a holder")
]
_ANNOTATION = "the name of an annotation, without spaces"


class OverlayConfig(Keys):
    __doc__ = """Properties that are added to the objects at a path, or get another type there.

    kinds (all): The kinds that the overlay applies to.
    versions (all): The versions that it applies to.
    path (the kind itself): The object that it completes, from the kind: `spec`, or `spec/pools/*`
        with `*` for list elements and map values. The schemas have to declare it.
    properties (none): The schemas of the properties, by wire name.
    file (none): Instead of `properties`: a file with a partial schema of the object, which has
        `properties`.
    """

    location: Location = NOWHERE
    kinds: Annotated[list[OverlayKind] | None, _TWICE] = None
    versions: Annotated[list[OverlayVersion] | None, _TWICE] = None
    path: SchemaPath | None = None
    properties: dict[str, Any] | None = None
    file: FilePattern | None = None

    more: ClassVar[More] = {"oneOf": [{"required": ["properties"]}, {"required": ["file"]}]}

    @property
    def steps(self) -> tuple[str, ...]:
        """The names of the path."""
        return names.split_path(self.path) if self.path else ()

    def check(self, node: Node, at: Mapping[str, Node]) -> None:
        if "properties" in at:
            at["properties"].members("properties")
        fixes = "split it into two overlays", "add properties, or file with the path of a schema"
        check_one(node, at, ("properties", "file"), "an overlay", fixes)


class InnerConfig(Keys, rename={"in_": "in"}):
    __doc__ = """Documents of the group that other objects, their holders, have as text.

    in (required): The holders, the objects that have the documents as text. A list of kinds of the
        group, or `apiVersion/Kind` of objects that no group of the project has, such as
        `v1/Service`.
    annotation (none): The annotation that has the text.
    path (none): Instead of `annotation`: the string that has it, from the holder: `spec/config`.
    format (`yaml-stream`): `yaml-stream` for YAML documents with `---` between them, `json` for
        one document in JSON.
    versions (the same): The version of the documents by the version of their holder, where the two
        are not called the same.
    folded (`false`): In these documents the members of `spec` are at the top level, beside `kind`,
        and so are `name`, `namespace`, `generation` and `metadata_labels`.
    aliases (none): Other names that the API group has in these documents.
    """

    in_: Annotated[list[Holder] | None, Unique()]
    location: Location = NOWHERE
    annotation: Annotated[str, Form(names.ANNOTATION, _ANNOTATION)] | None = None
    path: SchemaPath | None = None
    format: TextFormat = "yaml-stream"
    versions: dict[ListedVersion, ListedVersion] | None = None
    folded: bool = False
    aliases: list[ApiGroup] | None = None

    more: ClassVar[More] = {"oneOf": [{"required": ["annotation"]}, {"required": ["path"]}]}

    @property
    def declared(self) -> InnerDocuments:
        """The documents as a scheme takes them."""
        if self.annotation:
            path: tuple[str, ...] = ("metadata", "annotations", self.annotation)
        else:
            path = names.split_path(self.path) if self.path else ()
        return InnerDocuments(
            tuple(self.in_ or ()),
            path,
            self.format,
            self.versions or {},
            self.folded,
            tuple(self.aliases or ()),
        )

    def check(self, node: Node, at: Mapping[str, Node]) -> None:
        fixes = "split it into two entries", "add one of them to say where the text is"
        check_one(node, at, ("annotation", "path"), "an entry of inner_documents", fixes)
        if "versions" in at and self.in_ and all("/" in holder for holder in self.in_):
            text = "versions is for holders of the group, but none of these is a kind of it"
            at["versions"].report(NO_EFFECT, text, "remove it")
