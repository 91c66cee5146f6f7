"""Which hooks each kind has, in the order in which they run."""

from __future__ import annotations

from generated.emissary.v2 import storage as v2
from holdall import Composed

from hooks.identity import AmbassadorId, MappingSelector
from hooks.labels import Labels
from hooks.mappings import AddedHeaders, Hostname, OneOrMany, Origins, TrueValues
from hooks.tls import Tls
from hooks.tracing import TagHeaders


class PlainKinds(
    Composed,
    v2.AssignableConsulResolverSpec,
    v2.AssignableDevPortalSpec,
    v2.AssignableKubernetesEndpointResolverSpec,
    v2.AssignableKubernetesServiceResolverSpec,
    v2.AssignableLogServiceSpec,
    v2.AssignableModuleSpec,
    v2.AssignableTLSContextSpec,
):
    parts = (AmbassadorId(),)


class AuthServices(Composed, v2.AssignableAuthServiceSpec):
    parts = (AmbassadorId(), Tls(service="auth_service"))


class Hosts(Composed, v2.AssignableHostSpec):
    parts = (AmbassadorId("ambassadorId"), MappingSelector())


class RateLimitServices(Composed, v2.AssignableRateLimitServiceSpec):
    parts = (AmbassadorId(), Tls())


class TCPMappings(Composed, v2.AssignableTCPMappingSpec):
    parts = (AmbassadorId(), Tls(has_scheme=False))


class TracingServices(Composed, v2.AssignableTracingServiceSpec):
    parts = (AmbassadorId(), TagHeaders())


class CrossOrigins(Composed, v2.AssignableCors):
    parts = (Origins(), *map(OneOrMany, ("methods", "headers", "exposed_headers")))


class Mappings(Composed, v2.AssignableMappingSpec):
    parts = (
        AmbassadorId(),
        Tls(),
        Hostname(),
        TrueValues("headers", marked="v2BoolHeaders"),
        TrueValues("query_parameters", marked="v2BoolQueryParameters"),
        AddedHeaders("add_request_headers"),
        AddedHeaders("add_response_headers"),
        OneOrMany("remove_request_headers"),
        OneOrMany("remove_response_headers"),
        Labels(),
    )
