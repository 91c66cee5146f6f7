"""Which hosts a Mapping is for, and which Mappings a Host is for."""

from typing import Final

from holdall import Members, TwoWay

NO_HOSTNAME: Final = "_skip_mapping_with_empty_host_"


class Hostname(TwoWay):
    """The host of v2 is the hostname, unless it is a regular expression (R-MAPHOST)."""

    older = ("host", "host_regex")
    newer = ("host", "host_regex", "hostname")

    def to_newer(self, older: Members) -> Members:
        if older.get("host_regex") is True:
            return older
        hostname = older.pop("host", None) or "*"
        return older if hostname == NO_HOSTNAME else {**older, "hostname": hostname}

    def to_older(self, newer: Members) -> Members:
        host, hostname = newer.pop("host", None), newer.pop("hostname", None)
        if hostname and newer.get("host_regex") is not None:
            newer["host_regex"] = False
        is_regex = newer.get("host_regex") is True
        shown = hostname or host or (None if is_regex else NO_HOSTNAME)
        return newer if not shown or (shown == "*" and not is_regex) else {**newer, "host": shown}


class MappingSelector(TwoWay):
    """The selector of v2 is the mappingSelector; v3alpha1 has selector as an alias (R-HOSTSEL)."""

    older = ("selector",)
    newer = ("mappingSelector", "selector")

    def to_newer(self, older: Members) -> Members:
        return {"mappingSelector": older["selector"]} if older else {}

    def to_older(self, newer: Members) -> Members:
        shown = newer.get("mappingSelector")
        shown = newer.get("selector") if shown is None else shown
        return {"selector": shown} if newer else {}
