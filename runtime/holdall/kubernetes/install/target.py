"""Where the webhook is: as a CRD or a project states it, and as clients reach it."""

from __future__ import annotations

import base64
import ssl
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from holdall.errors import Problem
from holdall.kubernetes.crds.certificates import read_pem
from holdall.kubernetes.crds.conversion import DEFAULT_PORT, REVIEW_VERSIONS, url_faults
from holdall.kubernetes.crds.dns_names import is_label_1035, is_label_1123
from holdall.kubernetes.install.cluster import BAD_TARGET, InstallError
from holdall.scheme.projects import CONFIG_FILE
from holdall.text import json
from holdall.text.loading import load_file
from holdall.types import JsonObject, JsonValue, get, items, members, text


@dataclass(frozen=True, slots=True)
class Target:
    """A webhook at a URL or a Service, and its CA (PEM).

    Without a CA, another owner of `caBundle` keeps it; without one, the system's roots count.
    """

    url: str = ""
    service: str = ""
    namespace: str = ""
    port: int = DEFAULT_PORT
    path: str = "/convert"
    ca: bytes = b""
    reviews: tuple[str, ...] = ("v1",)

    @classmethod
    def of(cls, stanza: JsonValue, ca: bytes) -> Target:
        """Return the target of a CRD's stanza, with another CA."""
        client = members(stanza, "webhook", "clientConfig")
        service = members(client, "service")
        port = service.get("port", DEFAULT_PORT)
        listed = items(stanza, "webhook", "conversionReviewVersions")
        reviews = tuple(str(version) for version in listed if version in REVIEW_VERSIONS)
        return cls(
            text(client, "url"),
            text(service, "name"),
            text(service, "namespace"),
            port if isinstance(port, int) else DEFAULT_PORT,
            text(service, "path") or "/",
            ca,
            reviews or ("v1",),
        )

    def check(self, *, ca_only: bool = False) -> None:
        """Raise InstallError for a target that an API server would refuse, or only for its CA."""
        faults = url_faults(self.url) if self.url and not ca_only else []
        if not self.url and not ca_only:
            if not is_label_1035(self.service) or not is_label_1123(self.namespace):
                faults.append(f'"{self.service}.{self.namespace}" is not a valid name of a Service')
            if not self.path.startswith("/"):
                faults.append("the path of a service `must start with a '/'`")
        faults += read_pem(self.ca)[0] if self.ca else []
        if faults:
            fix = "correct the options --url, --service, --path and --ca"
            raise InstallError([Problem(BAD_TARGET, "", fault, fix) for fault in faults])

    @property
    def final_url(self) -> str:
        """The URL that an API server calls."""
        if self.url:
            return self.url
        return f"https://{self.host}:{self.port}{self.path}"

    @property
    def host(self) -> str:
        """The name that the certificate must have."""
        if self.url:
            return urlsplit(self.url).hostname or ""
        return f"{self.service}.{self.namespace}.svc"

    def stanza(self, *, with_ca: bool = True) -> JsonObject:
        """Return the conversion stanza of a CRD."""
        client: JsonObject = {}
        if self.url:
            client["url"] = self.url
        else:
            client["service"] = {
                "namespace": self.namespace,
                "name": self.service,
                "path": self.path,
                "port": self.port,
            }
        if self.ca and with_ca:
            client["caBundle"] = self.bundle
        return {
            "strategy": "Webhook",
            "webhook": {
                "conversionReviewVersions": list(self.reviews),
                "clientConfig": client,
            },
        }

    @property
    def bundle(self) -> str:
        """The CA in the form of a CRD."""
        return base64.b64encode(self.ca).decode()

    def tls(self) -> ssl.SSLContext:
        """Return a context that trusts only the CA, or without one the system's roots."""
        if not self.ca:
            return ssl.create_default_context()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(cadata=self.ca.decode("ascii", errors="replace"))
        return context


def declared_target(root: Path, ca: bytes) -> Target | None:
    """Return the webhook that the groups of a project declare, None if none does.

    The generator checks `crd.conversion` in holdall.yaml; only this part is read here.

    Raises SourceError if the file cannot be read, InstallError if the groups contradict each
    other.
    """
    file = root / CONFIG_FILE
    if not file.exists():
        return None
    (document, *_) = load_file(file)
    found: list[JsonObject] = [
        declared
        for group in members(document.value, "groups").values()
        if (declared := members(group, "crd", "conversion"))
    ]
    if not found:
        return None
    if any(not json.same(one, found[0]) for one in found):
        message = "the groups of holdall.yaml have different webhooks"
        fix = "name one with --service or --url, and its CRDs with --crd"
        raise InstallError([Problem(BAD_TARGET, file.as_posix(), message, fix)])
    service = get(found[0], "service")
    path = {"path": "/convert", **members(service)} if service is not None else None
    client: JsonObject = {"service": path} if path else {"url": found[0].get("url")}
    reviews = found[0].get("review_versions")
    stanza: JsonObject = {"clientConfig": client, "conversionReviewVersions": reviews}
    return Target.of({"webhook": stanza}, ca)
