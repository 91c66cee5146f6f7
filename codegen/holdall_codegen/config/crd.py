"""The keys of `crd` of a group: what schemas do not say about its CRDs.

Only the plan can check that a kind exists and that a path leads to a property.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from holdall.kubernetes.crds.conversion import url_faults
from holdall.kubernetes.crds.dns_names import is_label_1035, is_label_1123
from holdall_codegen.config import names
from holdall_codegen.config.node import CONTRADICTION, MALFORMED_NAME, MISSING_KEY, Node
from holdall_codegen.config.tables import Called, Form, Keys, Listed, More, Range, Schema, Unique
from holdall_codegen.model import NOWHERE, Location

# Types of strings that several tables use.
KindName: TypeAlias = Annotated[str, Form(names.KIND, names.KIND_FORM)]
VersionName: TypeAlias = Annotated[str, Form(names.VERSION, names.VERSION_FORM)]
ListedVersion: TypeAlias = Annotated[VersionName, Listed()]
_GROUP = "an API group without spaces or /, such as batch.example.com"
ApiGroup: TypeAlias = Annotated[str, Form(names.API_GROUP, _GROUP)]
FilePattern: TypeAlias = Annotated[
    str, Form(names.SOURCE_PATTERN, "a path below the project's root with / between folders")
]


_DOTTED = "a path that begins with a dot, such as"
_SERVICE_NAMES = {
    "namespace": "a namespace: up to 63 lower-case letters and digits, with - between them",
    "name": "a Service name: up to 63 lower-case letters and digits, with - between them, a letter"
    " first",
}
_LABELLED = {"type": "string", "maxLength": 63, "pattern": f"^(?:{names.LABEL.pattern})$"}
_NUMBERED = {**_LABELLED, "pattern": r"^(?:[a-z0-9]([-a-z0-9]*[a-z0-9])?)$"}
Label: TypeAlias = Annotated[str, Form(names.LABEL, "a lower-case name of letters, digits and -")]
ScalePath: TypeAlias = Annotated[str, Form(names.JSON_PATH, f"{_DOTTED} .spec.replicas", r"^\..")]
ColumnPath: TypeAlias = Annotated[str, Form(names.JSON_PATH, f"{_DOTTED} .spec.size", r"^\..")]
ColumnType: TypeAlias = Literal["boolean", "date", "integer", "number", "string"]
Labels: TypeAlias = Annotated[list[Label] | None, Unique()]
ListedVersions: TypeAlias = Annotated[list[ListedVersion] | None, Unique()]


@dataclass(frozen=True, slots=True)
class SelectableConfig:
    """One selectable field, in all versions or only in those listed."""

    path: str
    location: Location
    versions: tuple[str, ...] = ()


class ServiceConfig(Keys):
    __doc__ = """The Service of the webhook.

    namespace (required): Its namespace.
    name (required): Its name.
    path (`/convert`): The path of the webhook.
    port (443): The port of the Service.
    """

    namespace: Annotated[str, Schema(_NUMBERED)]
    name: Annotated[str, Schema(_LABELLED)]
    path: Annotated[str, Form(names.SERVICE_PATH, "a path such as /convert")] = "/convert"
    port: Annotated[int, Range(1, 65535)] = 443

    def check(self, node: Node, at: Mapping[str, Node]) -> None:
        for key, text, is_right in (
            ("namespace", self.namespace, is_label_1123),
            ("name", self.name, is_label_1035),
        ):
            if text:
                at[key].check_key(text, is_right(text), _SERVICE_NAMES[key])


class ConversionConfig(Keys):
    __doc__ = """The client configuration of the conversion webhook.

    service (none): The Service: `namespace` and `name`, and `path` (default `/convert`) and `port`
        (default 443).
    url (none): Instead of a Service: an `https` URL.
    ca_bundle (none): A PEM file below the project's root. Only `holdall crd` writes it; prefer
        `holdall install` or cert-manager.
    review_versions (`[v1]`): The versions of ConversionReview, the preferred one first.
    """

    service: Annotated[ServiceConfig, Called("service")] | None = None
    location: Location = NOWHERE
    url: Annotated[Any, Schema({"type": "string", "pattern": "^https://"})] = ""
    ca_bundle: FilePattern = ""
    review_versions: (
        list[Annotated[Literal["v1", "v1beta1"], Called("a review version")]] | None
    ) = None

    more: ClassVar[More] = {"oneOf": [{"required": ["service"]}, {"required": ["url"]}]}

    def check(self, node: Node, at: Mapping[str, Node]) -> None:
        if ("service" in at) == ("url" in at) and at:
            node.report(
                CONTRADICTION if "url" in at else MISSING_KEY,
                "exactly one of url or service is required",
                "write either service or url",
            )
        for text in url_faults(at["url"].value) if "url" in at else ():
            at["url"].report(MALFORMED_NAME, text, "write it as https://host[:port]/path")


class ScaleConfig(Keys):
    __doc__ = """The paths of the scale subresource.

    spec (required): The path of the desired number of replicas.
    status (required): The path of the observed number of replicas.
    selector (none): The path of the label selector, which is a string.
    """

    spec: ScalePath
    status: ScalePath
    location: Location = NOWHERE
    selector: ScalePath | None = None


class ColumnConfig(Keys):
    __doc__ = """One printer column.

    name (required): The heading.
    path (required): The path of the value, such as `.spec.plate`.
    type (required): `boolean`, `date`, `integer`, `number` or `string`.
    format (none): The format, such as `int32`.
    description (none): What the column shows.
    priority (0): Above 0, it is shown only with `-o wide`.
    versions (all): The versions that have the column.
    """

    name: Annotated[str, Form(names.TEXT, "a heading", r"\S")]
    path: ColumnPath
    type: ColumnType
    location: Location = NOWHERE
    format: str = ""
    description: str = ""
    priority: Annotated[int, Range(0, 2**31 - 1)] = 0
    versions: ListedVersions = None


class KindConfig(Keys):
    __doc__ = """What is declared about the CRD of one kind.

    Where paths differ between versions, `scales` replaces `scale`. `warnings` are the
    deprecation warnings by version, and deprecated versions without one have none; undeclared, they
    are made from the versions.

    plural (by the rules of English): The plural, as in URLs.
    singular (the kind in lower case): The singular.
    list_kind (the kind and `List`): The kind of lists.
    scope (`Namespaced`): `Namespaced` or `Cluster`.
    short_names (none): Short names for clients.
    categories (none): Categories, such as `all`.
    storage (the hub): The version that is stored.
    unserved (none): Versions that are not served.
    deprecated (none): Versions that are deprecated for this kind; the warning names the version to
        use.
    status (on with a `status`): Whether there is a status subresource.
    status_slot (`false`): Whether the status has a slot for its bag.
    scale (none): The paths of the scale subresource: `spec`, `status`, and `selector` if there is
        one.
    columns (none): [What `kubectl get` prints](#columns).
    """

    location: Location = NOWHERE
    plural: Label = ""
    singular: Label = ""
    list_kind: KindName = ""
    scope: Literal["Namespaced", "Cluster"] | None = None
    short_names: Labels = None
    categories: Labels = None
    storage: ListedVersion = ""
    unserved: ListedVersions = None
    deprecated: ListedVersions = None
    status: bool | None = None
    status_slot: bool = False
    scale: Annotated[ScaleConfig, Called("scale")] | None = None
    columns: list[Annotated[ColumnConfig, Called("a column")]] | None = None
    scales: Mapping[str, ScaleConfig] | None = None
    selectable: tuple[SelectableConfig, ...] = ()
    warnings: Mapping[str, str] | None = None
    labels: Mapping[str, str] | None = None
    annotations: Mapping[str, str] | None = None

    more: ClassVar[More] = {
        "not": {
            "required": ["status", "status_slot"],
            "properties": {"status": {"const": False}, "status_slot": {"const": True}},
        }
    }

    def check(self, node: Node, at: Mapping[str, Node]) -> None:
        if self.status is False and self.status_slot:
            text = "status_slot needs the status subresource, but status is false"
            at["status_slot"].report(CONTRADICTION, text, "remove one of them")


class CrdConfig(Keys):
    __doc__ = """What the CRDs of a group say that schemas do not.

    conversion (none): [Where the webhook is](#the-conversion-webhook). Without it, the manifests
        have no `conversion`, and an existing one stays.
    strip_descriptions (`false`): Leaves out the descriptions in schemas of versions that are not
        stored, for CRDs that are too large.
    accept (none): Errors of source CRDs that stay as they are, only `HA858`, for schemas that you
        do not own. An API server keeps such an error in a CRD that already has it, and refuses it
        in a new one.
    kinds (none): [The CRD of a kind](#the-crd-of-a-kind), by kind.
    """

    conversion: Annotated[ConversionConfig, Called("conversion")] | None = None
    strip_descriptions: bool = False
    accept: list[Literal["HA858"]] | None = None
    kinds: dict[KindName, Annotated[KindConfig, Called("the kind {}")]] | None = None

    def kind(self, name: str) -> KindConfig:
        """Return what is declared about a kind: nothing if it is not listed."""
        return (self.kinds or {}).get(name) or KindConfig()
