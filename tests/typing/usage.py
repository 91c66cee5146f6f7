"""What type checkers see of generated code and of the scheme; checked, never run.

Lines with an ignore are mistakes that both checkers have to find: an ignore without need fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal, assert_type

import holdall as h
from generated.fleet import SCHEME, FleetVersion
from generated.fleet.v1 import Depot, EngineFuel, Position, Vehicle
from generated.fleet.v1 import storage as v1
from generated.fleet.v2 import Vehicle as VehicleOfV2
from generated.fleet.v2 import storage as v2
from generated.people import v1 as people_v1
from generated.people import v1beta1 as people_v1beta1
from generated.people.kinds import AnyTeam, Team, TeamVersion
from holdall import generated


def convert(
    document: dict[str, Any],
    literal: h.JsonObject,
    vehicle: Vehicle,
    twin: v1.Vehicle,
    version: str,
) -> None:
    """Typed in, typed out; FleetVersion members are versions."""
    assert_type(SCHEME.convert(document, to="v2"), h.JsonObject)
    assert_type(SCHEME.convert(literal, to=FleetVersion.V2), h.JsonObject)
    assert_type(SCHEME.convert(vehicle, to="v2"), VehicleOfV2)
    assert_type(SCHEME.convert(vehicle, to=FleetVersion.V2, report=[]), VehicleOfV2)
    assert_type(SCHEME.convert(VehicleOfV2(), to="v1", tolerant=True), Vehicle)
    assert_type(SCHEME.convert(vehicle, to=version), h.Object)
    assert_type(SCHEME.convert(vehicle, to=VehicleOfV2), VehicleOfV2)
    assert_type(SCHEME.convert(document, to=Vehicle, report=[], tolerant=True), Vehicle)
    assert_type(SCHEME.convert(twin, to=v2.Vehicle), v2.Vehicle)
    assert_type(SCHEME.convert_each([document], to=Vehicle), Iterator[Vehicle | h.HoldallError])
    assert_type(
        SCHEME.convert_each([document], to=Vehicle, report=[], tolerant=True),
        Iterator[Vehicle | h.HoldallError],
    )
    SCHEME.convert(vehicle, to=Depot)  # type: ignore[type-var]  # pyright: ignore[reportCallIssue, reportArgumentType]
    SCHEME.convert(vehicle, to=Position)  # type: ignore[type-var]  # pyright: ignore[reportCallIssue, reportArgumentType]
    assert_type(SCHEME.convert(position_of(), to="v2"), h.Object)
    assert_type(SCHEME.convert(twin, to="v2"), h.StorageRoot)
    assert_type(SCHEME.convert_bytes(b"{}", to="v2"), bytes)
    assert_type(SCHEME.convert_each([document], to="v2"), Iterator[Any | h.HoldallError])
    assert_type(SCHEME.twin("Vehicle", "v2"), type[h.StorageRoot])
    SCHEME.convert(document, "v2")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    vehicle = SCHEME.convert(vehicle, to="v2")  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]
    SCHEME.convert(vehicle, to=2)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]
    as_any_scheme(SCHEME)
    SCHEME.convert(document)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]


def convert_declared(team: people_v1.Team, version: TeamVersion, kopf: Mapping[str, Any]) -> None:
    """A declared kind gives the type of its version as well."""
    assert_type(Team.convert(team, TeamVersion.V1Beta1), people_v1beta1.Team)
    assert_type(
        Team.convert(Team.convert(team, TeamVersion.V1Beta1), TeamVersion.V1), people_v1.Team
    )
    assert_type(Team.convert(team, version), AnyTeam)
    assert_type(Team.convert(kopf, version), dict[str, Any])
    assert_type(Team.convert(kopf, people_v1.Team), people_v1.Team)
    assert_type(Team.convert(team, people_v1beta1.Team), people_v1beta1.Team)
    assert_type(Team.convert(kopf, version, report=[], tolerant=True), dict[str, Any])
    assert_type(Team.convert(team, TeamVersion.V1Beta1, report=[]), people_v1beta1.Team)
    Team.convert(team, Vehicle)  # type: ignore[type-var]  # pyright: ignore[reportCallIssue, reportArgumentType]
    Team.convert(Vehicle(), version)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]


def as_any_scheme(scheme: h.Scheme) -> None:
    """The scheme of a group is one like all others."""
    assert_type(scheme.convert(Vehicle(), to="v2"), h.Object)
    assert_type(scheme.convert(Vehicle(), to=VehicleOfV2), VehicleOfV2)
    assert_type(scheme.convert({}, to=VehicleOfV2), VehicleOfV2)


def position_of() -> Position:
    """Return an object that is no root: conversion refuses it when it runs."""
    return Position(latitude=1.0, longitude=2.0)


def read_and_write(text: str) -> None:
    """Reading gives the type itself, twins too; names are Python names."""
    assert_type(Position.from_dict({}), Position)
    assert_type(Position.from_json(text), Position)
    assert_type(Position.from_json(text, infer_missing=True, parse_int=int), Position)
    assert_type(v1.Position.from_dict({}), v1.Position)
    position = Position(latitude=1.0, longitude=2.0)
    assert_type(position.to_dict(), dict[str, Any])
    assert_type(position.to_json(indent=2), str)
    assert_type(position.latitude, float)
    assert_type(v1.Position().latitude, float | None)
    assert_type(v1.Position().property_bag, h.PropertyBag | None)
    assert_type(position.extra_, dict[str, Any])
    assert_type(EngineFuel.DIESEL, Literal["diesel"])
    Position(latitude=1.0)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    Position(1.0, 2.0)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    Position(latitude="1", longitude=2.0)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    position.lattitude = 1.0  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]


class PositionHooks(v1.AssignablePosition):
    """A hook as it should be."""

    @h.claims(reads=["latitude"], writes=["latitude"])
    @h.override
    def assign_properties_to(
        self, source: v1.Position, destination: v2.Position, bag: h.BagView
    ) -> None:
        destination.latitude = source.latitude
        bag.put("key", 1)
        assert_type(bag.get("key"), h.JsonValue)

    @h.override
    def assign_properties_from(
        self, source: v2.Position, destination: v1.Position, bag: h.BagView
    ) -> None:
        destination.latitude = source.latitude


class HalfHooks(v1.AssignableBay):
    """A hook whose other direction was forgotten cannot be made."""

    @h.override
    def assign_properties_to(self, source: v1.Bay, destination: v2.Bay, bag: h.BagView) -> None: ...


HalfHooks()  # type: ignore[abstract]  # pyright: ignore[reportAbstractUsage]


class WrongHooks(v1.AssignableBay):
    """A hook that takes other types than its edge has."""

    @h.override
    def assign_properties_to(  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        source: v2.Bay,
        destination: v2.Bay,
        bag: h.BagView,
    ) -> None: ...

    @h.override
    def assign_properties_from(
        self, source: v2.Bay, destination: v1.Bay, bag: h.BagView
    ) -> None: ...


def misspell() -> None:
    """What holdall does not export is not taken for anything."""
    assert_type(h.__version__, str)
    print(h.Schema)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]
    print(generated.finnish)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]


class Tls(h.SharedHook):
    """A shared hook with a parameter."""

    def __init__(self, service: str) -> None:
        self.service = service

    @h.override
    def claims_to(self) -> h.Claims:
        return h.Claims(reads=(self.service,))


class ComposedHooks(h.Composed, v1.AssignableBay):
    """Several concerns on one edge."""

    parts: ClassVar[tuple[h.SharedHook, ...]] = (Tls(service="charger"),)
