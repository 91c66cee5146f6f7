"""Which hooks each kind has, in the order in which they run."""

from generated.emissary.v2 import storage as v2
from holdall import Composed, EachValue
from hooks.headers import TrueValues, added, added_before
from hooks.hosts import Hostname, MappingSelector
from hooks.labels import label, label_before
from hooks.lists import AmbassadorId, Origins, TagHeaders, as_list
from hooks.tls import Tls


def one_or_many(name: str) -> EachValue:
    """A list that may be the text of its only element in v2."""
    return EachValue(name, as_list, lambda values: values)


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
    parts = (Origins(), *map(one_or_many, ("methods", "headers", "exposed_headers")))


class Mappings(Composed, v2.AssignableMappingSpec):
    parts = (
        AmbassadorId(),
        Tls(),
        Hostname(),
        TrueValues("headers", marked="v2BoolHeaders"),
        TrueValues("query_parameters", marked="v2BoolQueryParameters"),
        EachValue("add_request_headers", added, added_before, depth=1),
        EachValue("add_response_headers", added, added_before, depth=1),
        *map(one_or_many, ("remove_request_headers", "remove_response_headers")),
        EachValue("labels", label, label_before, depth=4),
    )
