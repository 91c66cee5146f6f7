"""A declaration as a group with its configuration: what the plan of any group is made from."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Final

from holdall.plan import tracking as tracking_settings
from holdall_codegen.config.model import (
    CarrierName,
    DeclaredFacts,
    DeclaredKindFacts,
    GroupConfig,
    VersionConfig,
)
from holdall_codegen.declared.crds import lower_crds
from holdall_codegen.declared.facts import lower_facts
from holdall_codegen.declared.lowering import lower_group
from holdall_codegen.declared.model import Declaration, Reexport, Tracking
from holdall_codegen.declared.problems import raise_problem
from holdall_codegen.model import Group, Import, Location

_CARRIERS: Final[dict[str, CarrierName]] = {
    "status": "changed-values",
    "annotation": "changed-values",
    "bag": "annotation",
}


def declared_group(declaration: Declaration, config: GroupConfig) -> tuple[Group, GroupConfig]:
    """Return the group that a declaration describes, and `config` with what it declares.

    Facts and carriers that the configuration itself states stand beside those declared.
    """
    resources = [resource for _, resource in declaration.resources()]
    api_group = config.api_group or next((it.group for it in resources), "")
    carrier = config.carrier or _carrier(declaration.options.tracking)
    tracked = {
        it.kind for it in resources if (config.carriers.get(it.kind) or carrier) == "changed-values"
    }
    group = lower_group(config.name, declaration, api_group, tracked=tracked)
    file = declaration.file
    package = config.package
    if declaration.options.preserve_module:
        package = f"{package}.{declaration.module.rpartition('.')[2]}"
    return group, replace(
        config,
        package=package,
        api_group=api_group,
        versions=tuple(
            VersionConfig(version.name, version.location or Location(file, 1))
            for version in declaration.versions
        ),
        facts=(*config.facts, *lower_facts(declaration, group)),
        carrier=carrier,
        tracking=_settings(declaration.options.tracking),
        declared=_facts(declaration),
        crd=lower_crds(declaration, config.crd),
    )


def _facts(declaration: Declaration) -> DeclaredFacts:
    return DeclaredFacts(
        kinds=tuple(
            DeclaredKindFacts(
                resource.kind,
                resource.doc,
                merged_crd="merged_crd" not in container.skip,
                try_convert="try_convert" not in container.skip,
                object_conversions="object_from" not in container.skip,
                group=resource.group,
            )
            for container, resource in declaration.resources()
        ),
        reexports={
            version.name: tuple(found for item in version.reexports for found in _imports_of(item))
            for version in declaration.versions
            if version.reexports
        },
        imports=declaration.options.imports,
        tracing=declaration.options.tracing,
        warnings=tuple(str(problem) for problem in declaration.warnings),
    )


def _imports_of(reexport: Reexport) -> list[Import]:
    """Return the imports that a re-export stands for: all public names of a module, or a single."""
    if reexport.name != "*":
        return [Import(reexport.module, reexport.name, reexport.exported)]
    try:
        module = importlib.import_module(reexport.module)
    except Exception as error:  # noqa: BLE001 - users' code; the error is reported
        text = f'"{reexport.module}" cannot be imported: {type(error).__name__}: {error}'
        raise_problem("submodule_item_not_use", reexport.location, text)
    public = getattr(module, "__all__", None)
    if public is None:
        own = module.__name__
        public = [
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", own) == own
        ]
    return [Import(reexport.module, name, name) for name in sorted(public)]


def _carrier(tracking: Tracking | None) -> CarrierName:
    return "none" if tracking is None else _CARRIERS[tracking.carrier]


def _settings(tracking: Tracking | None) -> tracking_settings.Tracking:
    if tracking is None:
        return tracking_settings.Tracking()
    return tracking_settings.Tracking(
        carrier=tracking.carrier,
        track=tracking.track,
        tolerant=tracking.on_bad_value == "tolerant",
    )
