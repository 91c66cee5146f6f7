"""The rules of the `conversion` stanza of a CRD.

Source: the API server's validation of CustomResourceDefinitions; messages quote the server's own in
backticks.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from holdall.kubernetes.crds.certificates import read_bundle
from holdall.kubernetes.crds.dns_names import is_label_1035, is_label_1123, is_subdomain
from holdall.kubernetes.crds.findings import BAD_CA_BUNDLE, BAD_CONVERSION, Findings
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, get, is_json_object, items, members, text

STANZA: Final = "/spec/conversion"
CLIENT: Final = f"{STANZA}/webhook/clientConfig"
REVIEW_VERSIONS: Final = ("v1", "v1beta1")
DEFAULT_PORT: Final = 443


def check_conversion(crd: JsonValue, findings: Findings) -> None:
    """Record what is wrong with the conversion stanza of a CRD; a missing one is fine here."""
    stanza = get(crd, "spec", "conversion")
    if stanza is None:
        return
    if not is_json_object(stanza):
        findings.add(BAD_CONVERSION, STANZA, "conversion must be an object", "write a strategy")
        return
    strategy = stanza.get("strategy")
    if strategy not in ("None", "Webhook"):
        message = "the strategy must be None or Webhook"
        findings.add(BAD_CONVERSION, f"{STANZA}/strategy", message, "write one of them, quoted")
    webhook = stanza.get("webhook")
    if strategy == "None" and webhook is not None:
        message = "webhook `should not be set when strategy is not set to Webhook`"
        fix = "remove webhook, or write `strategy: Webhook`"
        findings.add(BAD_CONVERSION, f"{STANZA}/webhook", message, fix)
    if strategy == "Webhook":
        _check_webhook(members(stanza, "webhook"), findings)


def _check_webhook(webhook: JsonObject, findings: Findings) -> None:
    client = members(webhook, "clientConfig")
    if (client.get("url") is None) == (client.get("service") is None):
        message = "`exactly one of url or service is required` in clientConfig"
        findings.add(BAD_CONVERSION, CLIENT, message, "write one of them")
    if (url := client.get("url")) is not None:
        for message in url_faults(url):
            fix = "write it as https://host[:port]/path"
            findings.add(BAD_CONVERSION, f"{CLIENT}/url", message, fix)
    if (service := client.get("service")) is not None:
        _check_service(service, findings)
    if (bundle := client.get("caBundle")) is not None:
        faults, _ = read_bundle(bundle)
        for message in faults:
            fix = "write the base64 of a PEM file with CA certificates"
            findings.add(BAD_CA_BUNDLE, f"{CLIENT}/caBundle", message, fix)
    _check_review_versions(webhook, findings)


def url_faults(url: JsonValue) -> list[str]:
    """Return what is wrong with the URL of a webhook."""
    if not isinstance(url, str):
        return ["the url must be a string"]
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        return [f"the url cannot be read: {error}"]
    faults = []
    if parts.scheme != "https":
        faults.append(
            "`'https' is the only allowed URL scheme; desired format: https://host[/path]`"
        )
    if not parts.hostname or port == 0:
        faults.append("the url has no host (`host must be specified`)")
    if parts.query:
        faults.append("`query parameters are not permitted in the URL`")
    if parts.fragment:
        faults.append("`fragments are not permitted in the URL`")
    if parts.username is not None or parts.password is not None:
        faults.append("`user information is not permitted in the URL`")
    return faults


def _check_service(service: JsonValue, findings: Findings) -> None:
    place = f"{CLIENT}/service"
    for member, is_right in (("namespace", is_label_1123), ("name", is_label_1035)):
        if not is_right(text(service, member)):
            message = f'the {member} of the service, "{text(service, member)}", is not a valid name'
            findings.add(BAD_CONVERSION, join(place, member), message, f"write its {member}")
    path = get(service, "path")
    if path is not None:
        shown = path if isinstance(path, str) else ""
        segments = shown.removeprefix("/").removesuffix("/").split("/")
        if not shown.startswith("/"):
            message = "the path of a service `must start with a '/'`"
            findings.add(BAD_CONVERSION, f"{place}/path", message, "write it as /convert")
        elif shown != "/" and not all(is_subdomain(segment) for segment in segments):
            message = "each segment of the path must be lower-case letters, digits, - and ."
            findings.add(BAD_CONVERSION, f"{place}/path", message, "write it as /convert")
    port = get(service, "port")
    if port is not None and not (
        isinstance(port, int) and not isinstance(port, bool) and 0 < port < 65536
    ):
        message = "the port of a service must be a number from 1 to 65535"
        findings.add(BAD_CONVERSION, f"{place}/port", message, f"write one, such as {DEFAULT_PORT}")


def _check_review_versions(webhook: JsonObject, findings: Findings) -> None:
    place = f"{STANZA}/webhook/conversionReviewVersions"
    versions = items(webhook, "conversionReviewVersions")
    if not any(version in REVIEW_VERSIONS for version in versions):
        message = "conversionReviewVersions `must include at least one of v1, v1beta1`"
        findings.add(BAD_CONVERSION, place, message, "write [v1]")
    seen: set[str] = set()
    for index, version in enumerate(versions):
        if not isinstance(version, str) or not is_label_1035(version):
            message = "a review version is not a label"
            findings.add(BAD_CONVERSION, join(place, index), message, "write v1")
        elif version in seen:
            message = f"`duplicate version`: {version}"
            findings.add(BAD_CONVERSION, join(place, index), message, "remove one")
        else:
            seen.add(version)
