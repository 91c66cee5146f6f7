"""References to objects, which have fewer members in the newer version."""

from typing import Final

from generated.controlplane.v1beta1 import storage as controlplane
from generated.core.v1beta1 import storage as core
from holdall import Composed, EachValue, JsonValue, Members, RefusedError, TwoWay

VERSIONS: Final = "settings:versions"
NAMESPACE: Final = "object:namespace"


class TemplateReference(TwoWay):
    """A reference to a template, which is in the object's own namespace (R-REFT)."""

    older = ("apiVersion", "kind", "name", "namespace")
    newer = ("apiVersion", "kind", "name")
    given = (NAMESPACE,)

    def to_newer(self, older: Members) -> Members:
        return named(older, "apiVersion", "kind", "name")

    def to_older(self, newer: Members) -> Members:
        said = named(newer, "apiVersion", "kind", "name")
        return {**said, **namespace(newer)} if said else {}


class ContractReference(TwoWay):
    """A reference whose version is the one that the cluster has (R-REFV)."""

    older = ("apiVersion", "kind", "name", "namespace")
    newer = ("apiGroup", "kind", "name")
    given = (VERSIONS, NAMESPACE)

    def to_newer(self, older: Members) -> Members:
        group, slash, version = (older.get("apiVersion") or "").partition("/")
        if "/" in version:
            raise RefusedError(f"{group}/{version} is no apiVersion")
        return {**({"apiGroup": group} if slash else {}), **named(older, "kind", "name")}

    def to_older(self, newer: Members) -> Members:
        said = named(newer, "apiGroup", "kind", "name")
        if not said:
            return {}
        name = f"{said.get('kind', '')}.{said.get('apiGroup', '')}"
        versions = newer[VERSIONS]
        version = versions.get(name) or versions.get("*")
        if version is None:
            raise RefusedError(f"no version of {name} is known")
        return {"apiVersion": version, **named(newer, "kind", "name"), **namespace(newer)}


def named(members: Members, *names: str) -> Members:
    """Return the members of some names that say something."""
    return {name: members[name] for name in names if members.get(name)}


def namespace(known: Members) -> Members:
    """Return the namespace of the converted object as a member; none if it has none."""
    return {"namespace": known[NAMESPACE]} if NAMESPACE in known else {}


class TemplateReferences(Composed, core.AssignableRef, core.AssignableRemediationTemplate):
    parts = (TemplateReference(),)


class ContractReferences(
    Composed,
    core.AssignableConfigRef,
    core.AssignableControlPlaneRef,
    core.AssignableInfrastructureRef,
    controlplane.AssignableInfrastructureRef,
):
    parts = (ContractReference(),)


def node_name(older: JsonValue) -> JsonValue:
    """Return a reference to a Node, which is its name (R-REFNODE)."""
    return named(older, "name") if isinstance(older, dict) else older


def node(newer: JsonValue) -> JsonValue:
    """Return a reference to a Node as one to any object."""
    if not isinstance(newer, dict):
        return newer
    return {"apiVersion": "v1", "kind": "Node", **newer} if newer.get("name") else None


class NodeReferences(Composed, core.AssignableMachineStatus):
    parts = (EachValue("nodeRef", node_name, node),)
