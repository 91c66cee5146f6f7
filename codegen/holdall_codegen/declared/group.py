"""A declaration as a group with its configuration, from which plans are made."""

from __future__ import annotations

import importlib
from dataclasses import replace
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final

from holdall.plan.tracking import Tracking
from holdall.suggest import nearest
from holdall_codegen.config.crd import CrdConfig, KindConfig
from holdall_codegen.config.keys import VersionConfig
from holdall_codegen.config.model import (
    CarrierName,
    DeclaredFacts,
    DeclaredKindFacts,
    GroupConfig,
)
from holdall_codegen.declared.facts import lower_facts
from holdall_codegen.declared.lowering import lower_group
from holdall_codegen.declared.model import Declaration, Reexport
from holdall_codegen.declared.problems import raise_problem
from holdall_codegen.model import Group, Import, Location

_CARRIERS: Final[dict[str, CarrierName]] = {
    "status": "changed-values",
    "annotation": "changed-values",
    "bag": "annotation",
}


def declared_group(declaration: Declaration, config: GroupConfig) -> tuple[Group, GroupConfig]:
    """Return the group of a declaration, and `config` with the facts that it declares.

    Facts and carriers in the configuration are added to those of the declaration.
    """
    resources = [resource for _, resource in declaration.resources()]
    api_group = config.api_group or next((it.group for it in resources), "")
    tracking = declaration.options.tracking
    carrier = config.carrier or (_CARRIERS[tracking.carrier] if tracking else "none")
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
        tracking=tracking or Tracking(),
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
    """Return the imports of a re-export: all public names of a module, or a single one."""
    module = _imported(reexport, reexport.module)
    if reexport.name != "*":
        inner = f"{reexport.module}.{reexport.name}"
        if reexport.name and not hasattr(module, reexport.name):
            if not hasattr(module, "__path__") or find_spec(inner) is None:
                text = f'"{reexport.module}" has no {reexport.name}'
                close = nearest(reexport.name, vars(module))
                fix = "re-export a name that exists in the module"
                raise_problem("submodule_item_not_use", reexport.location, f"{text}{close}", fix)
            _imported(reexport, inner)
        return [Import(reexport.module, reexport.name, reexport.exported)]
    public = getattr(module, "__all__", None)
    if public is None:
        own = module.__name__
        public = [
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", own) == own
        ]
    return [Import(reexport.module, name, name) for name in sorted(public)]


def _imported(reexport: Reexport, name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - users' code; reported
        text = f'"{name}" cannot be imported: {type(error).__name__}: {error}'
        fix = "correct the module's name, or fix its error"
        raise_problem("submodule_item_not_use", reexport.location, text, fix)


# --- CRDs -----------------------------------------------------------------------------------------


def lower_crds(declaration: Declaration, configured: CrdConfig) -> CrdConfig:
    """Return a configuration with the declaration's keys of each kind; its own keys win."""
    kinds = {resource.kind: resource.crd for _, resource in declaration.resources()}
    for name, stated in (configured.kinds or {}).items():
        kinds[name] = _joined(kinds.get(name, KindConfig()), stated)
    return configured.but(kinds=kinds)


def _joined(declared: KindConfig, stated: KindConfig) -> KindConfig:
    default = KindConfig()
    changes: dict[str, Any] = {
        name: getattr(stated, name)
        for name in stated.__struct_fields__
        if getattr(stated, name) != getattr(default, name)
    }
    if stated.scale:
        changes["scales"] = None
    return declared.but(**changes)
