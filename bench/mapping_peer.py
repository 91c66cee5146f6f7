"""The peer of the hooked conversion: Mappings between v2 and v3alpha1 by hand, on dictionaries.

It applies the rules R-AID, R-TLS, R-MAPHOST, R-BOOLHDR, R-BOOLQP, R-ADDHDR, R-CORS, R-LABEL and the
plain moves of `shared/emissary/README.md`, as a program would that is written for nothing else. It
keeps nothing that the other version cannot say, and does not check what it gets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

Json = dict[str, Any]

_PREFIX: Final = "--apiVersion-v3alpha1-only--"
_NO_HOST: Final = "_skip_mapping_with_empty_host_"
_SPECIAL: Final = ("source_cluster", "destination_cluster", "remote_address")
_SPELLINGS: Final = {"null": None, "bool:false": False, "string": "", "bool:true": True}
_ONE_OR_MANY: Final = ("remove_request_headers", "remove_response_headers")
_CORS_LISTS: Final = ("methods", "headers", "exposed_headers")
_BRIDGES: Final = (("headers", "v2BoolHeaders"), ("query_parameters", "v2BoolQueryParameters"))


def up(document: Json) -> Json:
    """Turn a Mapping of v2 into one of v3alpha1; the document is taken apart."""
    document["apiVersion"] = "getambassador.io/v3alpha1"
    spec = document.get("spec")
    if spec is None:
        return document
    if "v3StatsName" in spec:
        spec["stats_name"] = spec.pop("v3StatsName")
    if "v3health_checks" in spec:
        spec["health_checks"] = spec.pop("v3health_checks")
    if "ambassador_id" in spec:
        spec["ambassador_id"] = [id_.removeprefix(_PREFIX) for id_ in _many(spec["ambassador_id"])]
    _tls_up(spec)
    if spec.get("host_regex") is not True:
        hostname = spec.pop("host", None) or "*"
        if hostname != _NO_HOST:
            spec["hostname"] = hostname
    for name, bridge in _BRIDGES:
        _true_up(spec, name, bridge)
    for name in ("add_request_headers", "add_response_headers"):
        if spec.get(name):
            spec[name] = {key: _added_up(value) for key, value in spec[name].items()}
    for name in _ONE_OR_MANY:
        if name in spec:
            spec[name] = _many(spec[name])
    cors = spec.get("cors")
    if cors:
        for name in _CORS_LISTS:
            if name in cors:
                cors[name] = _many(cors[name])
        if isinstance(cors.get("origins"), str):
            cors["origins"] = cors["origins"].split(",")
            cors["v2CommaSeparatedOrigins"] = True
    if spec.get("labels"):
        spec["labels"] = _labels(spec["labels"], _label_up)
    return document


def down(document: Json) -> Json:
    """Turn a Mapping of v3alpha1 into one of v2; the document is taken apart."""
    document["apiVersion"] = "getambassador.io/v2"
    spec = document.get("spec")
    if spec is None:
        return document
    if "stats_name" in spec:
        spec["v3StatsName"] = spec.pop("stats_name")
    if "health_checks" in spec:
        spec["v3health_checks"] = spec.pop("health_checks")
    ids = spec.pop("ambassador_id", None)
    ids = ["default"] if ids is None else ids
    if ids:
        spec["ambassador_id"] = [_PREFIX + id_.removeprefix(_PREFIX) for id_ in ids]
    _tls_down(spec)
    _host_down(spec)
    for name, bridge in _BRIDGES:
        _true_down(spec, name, bridge)
    for name in ("add_request_headers", "add_response_headers"):
        if spec.get(name):
            spec[name] = {key: _added_down(value) for key, value in spec[name].items()}
    cors = spec.get("cors")
    if cors and cors.pop("v2CommaSeparatedOrigins", None) and cors.get("origins"):
        cors["origins"] = ",".join(cors["origins"])
    if spec.get("labels"):
        spec["labels"] = _labels(spec["labels"], _label_down)
    return document


def _many(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _scheme(service: str) -> str:
    start = service[:8].lower()
    return service[:8] if start == "https://" else service[:7] if start[:7] == "http://" else ""


def _tls_up(spec: Json) -> None:
    tls = spec.get("tls")
    if isinstance(tls, str) and tls:
        spec["v2ExplicitTLS"] = {}
        return
    service = spec.get("service") or ""
    scheme = _scheme(service)
    explicit = {}
    if tls is True and len(scheme) != len("https://"):
        spec["service"] = "https://" + service[len(scheme) :]
        explicit["serviceScheme"] = scheme
    if "tls" in spec:
        del spec["tls"]
        explicit["tls"] = (
            "null" if tls is None else "string" if tls == "" else f"bool:{str(tls).lower()}"
        )
    if explicit:
        spec["v2ExplicitTLS"] = explicit


def _tls_down(spec: Json) -> None:
    explicit = spec.pop("v2ExplicitTLS", None) or {}
    tls, spelling = spec.pop("tls", None), explicit.get("tls")
    service = spec.get("service") or ""
    scheme = _scheme(service)
    is_https = len(scheme) == len("https://")
    if tls:
        spec["tls"] = tls
    elif spelling in _SPELLINGS and (spelling != "bool:true" or is_https):
        tls = spec["tls"] = _SPELLINGS[spelling]
    former = explicit.get("serviceScheme")
    if former is not None and (tls or (former.lower() == "https://") == is_https):
        service = former + service[len(scheme) :]
        if service:
            spec["service"] = service
        else:
            spec.pop("service", None)


def _host_down(spec: Json) -> None:
    hostname, host = spec.pop("hostname", None), spec.pop("host", None)
    if hostname and spec.get("host_regex") is not None:
        spec["host_regex"] = False
    is_regex = spec.get("host_regex") is True
    shown = hostname or host or (None if is_regex else _NO_HOST)
    if shown and (shown != "*" or is_regex):
        spec["host"] = shown


def _true_up(spec: Json, name: str, bridge: str) -> None:
    plain = spec.get(name)
    if not plain:
        return
    true = sorted(key for key, value in plain.items() if value is True)
    texts = {key: value for key, value in plain.items() if isinstance(value, str)}
    if true:
        spec[f"regex_{name}"] = dict.fromkeys(true, ".*") | (spec.get(f"regex_{name}") or {})
        spec[bridge] = true
    if texts:
        spec[name] = texts
    else:
        del spec[name]


def _true_down(spec: Json, name: str, bridge: str) -> None:
    true = spec.pop(bridge, None)
    regexes = spec.get(f"regex_{name}")
    if not true or not regexes:
        return
    plain = spec.get(name) or {}
    for key in true:
        if key in regexes and key not in plain:
            plain[key] = True
            if regexes[key] == ".*":
                del regexes[key]
    if plain:
        spec[name] = plain
    if not regexes:
        del spec[f"regex_{name}"]


def _added_up(header: Any) -> Any:
    if header is None:
        return {"v2Representation": "null"}
    if isinstance(header, str):
        if not header:
            return {"v2Representation": "string"}
        return {"value": header, "v2Representation": "string"}
    return header


def _added_down(header: Json) -> Any:
    spelling = header.pop("v2Representation", None)
    if spelling == "string" and header.get("append") is None:
        return header.get("value") or ""
    if spelling == "null" and header.get("append") is None and header.get("value") is None:
        return None
    return header


def _labels(domains: Json, act: Callable[[Any], Any]) -> Json:
    return {
        domain: [
            {name: [act(item) for item in items] for name, items in group.items()}
            for group in groups
        ]
        for domain, groups in domains.items()
    }


def _label_up(label: Any) -> Json:
    if isinstance(label, str):
        if label in _SPECIAL:
            return {label: {"key": label}}
        return {"generic_key": {"value": label, "v2Shorthand": True}}
    if not label:
        return {}
    key, value = next(iter(label.items()))
    if isinstance(value, str):
        return {"generic_key": {"value": value}}
    made = {"key": key, "header_name": value.get("header")}
    if "omit_if_not_present" in value:
        made["omit_if_not_present"] = value["omit_if_not_present"]
    return {"request_headers": made}


def _label_down(label: Json) -> Any:
    for kind in ("source_cluster", "destination_cluster"):
        if kind in label:
            return label[kind]["key"]
    header = label.get("request_headers")
    if header is not None:
        value = {"header": header.get("header_name")}
        if "omit_if_not_present" in header:
            value["omit_if_not_present"] = header["omit_if_not_present"]
        return {header["key"]: value}
    if "remote_address" in label:
        return label["remote_address"]["key"]
    generic = label.get("generic_key")
    if generic is None:
        return None
    if generic.get("v2Shorthand") and not generic.get("key"):
        return generic["value"]
    made = {"generic_key": generic["value"]}
    if "key" in generic:
        made["v3Key"] = generic["key"]
    return made
