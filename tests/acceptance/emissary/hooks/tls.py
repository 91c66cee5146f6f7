"""Whether TLS is originated: from `tls` and from the scheme of the service."""

from typing import Any, Final

from holdall import Members, TwoWay
from holdall.text.json import same

SPELLINGS: Final = {"null": None, "bool:false": False, "string": "", "bool:true": True}


class Tls(TwoWay):
    """In v3alpha1 `tls` is a context's name only; else the scheme of the service tells (R-TLS).

    `v2ExplicitTLS` remembers what v2 had. A TCPMapping has no scheme in v2 (R-TCPTLS).
    """

    def __init__(self, *, service: str = "service", has_scheme: bool = True) -> None:
        self.service, self.has_scheme = service, has_scheme
        self.older = ("tls", service)
        self.newer = ("tls", service, "v2ExplicitTLS")

    def to_newer(self, older: Members) -> Members:
        tls = older.get("tls")
        if isinstance(tls, str) and tls:
            return {**older, "v2ExplicitTLS": {}} if self.has_scheme else older
        scheme, bare = _split(older.get(self.service))
        explicit: Members = {}
        if tls is True and not _is_https(scheme):
            older[self.service] = f"https://{bare}"
            if self.has_scheme:
                explicit["serviceScheme"] = scheme
        if "tls" in older:
            older.pop("tls")
            explicit.update(("tls", name) for name in SPELLINGS if same(tls, SPELLINGS[name]))
        return {**older, "v2ExplicitTLS": explicit} if explicit else older

    def to_older(self, newer: Members) -> Members:
        explicit = newer.pop("v2ExplicitTLS", None) or {}
        tls, spelling = newer.pop("tls", None), explicit.get("tls")
        scheme, bare = _split(newer.get(self.service))
        if isinstance(tls, str) and tls:
            newer["tls"] = tls
        elif spelling in [*SPELLINGS] and (spelling != "bool:true" or _is_https(scheme)):
            newer["tls"] = SPELLINGS[spelling]
        former = explicit.get("serviceScheme") if self.has_scheme else ""
        if isinstance(former, str) and (newer.get("tls") or _is_https(former) == _is_https(scheme)):
            newer.pop(self.service, None)
            return {**newer, self.service: former + bare} if former + bare else newer
        return newer


def _split(service: Any) -> tuple[str, str]:
    text = service if isinstance(service, str) else ""
    scheme, mark, bare = text.partition("://")
    return (scheme + mark, bare) if mark and scheme.lower() in ("http", "https") else ("", text)


def _is_https(scheme: Any) -> bool:
    return isinstance(scheme, str) and scheme.lower() == "https://"
