"""Whether TLS is originated: from `tls` and from the scheme of the service."""

from __future__ import annotations

import re
from typing import Any, Final

from holdall import Members, TwoWay, override
from holdall.json import same

SPELLINGS: Final = {"null": None, "bool:false": False, "string": "", "bool:true": True}


class Tls(TwoWay):
    """In v3alpha1 `tls` is a context's name only; else the scheme of the service tells (R-TLS).

    `v2ExplicitTLS` remembers what v2 had. A TCPMapping has no scheme in v2 (R-TCPTLS).
    """

    def __init__(self, *, service: str = "service", has_scheme: bool = True) -> None:
        self.service, self.has_scheme = service, has_scheme
        self.older = ("tls", service)
        self.newer = ("tls", service, "v2ExplicitTLS")

    @override
    def to_newer(self, older: Members) -> Members:
        tls = older.get("tls")
        if isinstance(tls, str) and tls:
            return {**older, "v2ExplicitTLS": {}} if self.has_scheme else older
        newer = {name: value for name, value in older.items() if name != "tls"}
        scheme, bare = _split(older.get(self.service))
        explicit: Members = {}
        if tls is True and not _is_https(scheme):
            newer[self.service] = f"https://{bare}"
            if self.has_scheme:
                explicit["serviceScheme"] = scheme
        if "tls" in older:
            explicit |= {"tls": name for name, value in SPELLINGS.items() if same(tls, value)}
        return {**newer, "v2ExplicitTLS": explicit} if explicit else newer

    @override
    def to_older(self, newer: Members) -> Members:
        explicit = newer.pop("v2ExplicitTLS", None) or {}
        tls, spelling = newer.pop("tls", None), explicit.get("tls")
        scheme, bare = _split(newer.get(self.service))
        older = newer
        if isinstance(tls, str) and tls:
            older["tls"] = tls
        elif spelling in SPELLINGS and (spelling != "bool:true" or _is_https(scheme)):
            older["tls"] = SPELLINGS[spelling]
        former = explicit.get("serviceScheme") if self.has_scheme else ""
        if isinstance(former, str) and (older.get("tls") or _is_https(former) == _is_https(scheme)):
            older[self.service] = former + bare
            if not older[self.service]:
                del older[self.service]
        return older


def _split(service: Any) -> tuple[str, str]:
    text = service if isinstance(service, str) else ""
    scheme = re.match("(https?://)?", text, re.IGNORECASE)[0]
    return scheme, text[len(scheme) :]


def _is_https(scheme: str) -> bool:
    return scheme.lower() == "https://"
