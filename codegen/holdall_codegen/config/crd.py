"""What is declared about the CRDs of a group: all that schemas do not say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from holdall_codegen.config.crd_keys import ColumnConfig
from holdall_codegen.model import NOWHERE, Location


@dataclass(frozen=True, slots=True)
class SelectableConfig:
    """One selectable field, in all versions or only in those listed."""

    path: str
    location: Location
    versions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KindCrdConfig:
    """What is declared about the CRD of one kind; what is not declared is as its source says.

    `scale` holds the paths of replicas in spec and status, and of the selector if there is one; it
    is at `scale_location`. `scales` takes its place where paths differ between versions.
    `warnings` are the deprecation warnings by version, and deprecated versions without one have
    none; undeclared, they are made from the versions.
    `status` turns the status subresource on or off; undeclared, it is on where there is a status.
    """

    location: Location = NOWHERE
    plural: str = ""
    singular: str = ""
    list_kind: str = ""
    scope: Literal["Namespaced", "Cluster"] | None = None
    short_names: tuple[str, ...] | None = None
    categories: tuple[str, ...] | None = None
    storage: str = ""
    unserved: tuple[str, ...] | None = None
    deprecated: tuple[str, ...] = ()
    status: bool | None = None
    status_slot: bool = False
    scale: Mapping[str, str] = field(default_factory=dict)
    columns: tuple[ColumnConfig, ...] | None = None
    scale_location: Location = NOWHERE
    scales: Mapping[str, Mapping[str, str]] | None = None
    selectable: tuple[SelectableConfig, ...] = ()
    warnings: Mapping[str, str] | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ServiceConfig:
    """The Service that leads to the webhook."""

    namespace: str
    name: str
    path: str = "/convert"
    port: int = 443


@dataclass(frozen=True, slots=True)
class ConversionConfig:
    """The client configuration of the conversion webhook: a service or a URL, and its CA.

    `ca_bundle` is a PEM file, relative to the project's root.
    """

    location: Location
    service: ServiceConfig | None = None
    url: str = ""
    ca_bundle: str = ""
    review_versions: tuple[str, ...] = ("v1",)


@dataclass(frozen=True, slots=True)
class CrdConfig:
    """What is declared about the CRDs of a group; kinds are by name.

    `accept` are codes of errors that source CRDs may have.
    """

    conversion: ConversionConfig | None = None
    strip_descriptions: bool = False
    accept: tuple[str, ...] = ()
    kinds: Mapping[str, KindCrdConfig] = field(default_factory=dict)

    def kind(self, name: str) -> KindCrdConfig:
        """Return what is declared about a kind, nothing if it is not listed."""
        return self.kinds.get(name) or KindCrdConfig()
