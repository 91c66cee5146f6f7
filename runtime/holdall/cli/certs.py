"""`holdall certs`: certificates of the webhook from an authority of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from functools import wraps
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

import click

from holdall.cli.common import Context, end, json_option, pass_run
from holdall.errors import Problem, ProblemsError
from holdall.text.yaml import dump_all
from holdall.types import JsonObject, JsonValue
from holdall.webhook.certificates import Facts, read_certificates
from holdall.webhook.key_files import (
    BUNDLE,
    CERTIFICATE,
    KeyFileError,
    patches_of,
    read_keyring,
    secrets_of,
    write_keyring,
)
from holdall.webhook.keyring import Keyring, Lives, create, rotate

_LABEL: Final = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_HOST: Final = re.compile(rf"(\*\.)?{_LABEL}(\.{_LABEL})*")
_SERVICE: Final = re.compile(rf"({_LABEL})\.({_LABEL})")
_LIVES: Final = Lives()

_OPTIONS: Final = (
    click.argument("folder", type=click.Path(file_okay=False, path_type=Path)),
    click.option(
        "--days",
        default=_LIVES.server.days,
        type=click.IntRange(1, 3650),
        help="Life of the serving certificate.",
    ),
    click.option(
        "--ca-days",
        default=_LIVES.authority.days,
        type=click.IntRange(1, 36500),
        help="Life of an authority.",
    ),
    click.option(
        "--print", "shown", is_flag=True, help="Print Secrets and patches of CRDs as YAML."
    ),
    click.option(
        "--crd", "crds", multiple=True, metavar="NAME", help="Print the patch of this CRD, too."
    ),
    click.option(
        "--secret",
        default="",
        show_default=False,
        metavar="NAMESPACE/NAME",
        help="Name of the Secret that is printed.",
    ),
    json_option,
)


@dataclass(slots=True)
class _Making:
    """A command that makes or renews certificates: where, for how long, and what it prints."""

    run: Context
    folder: Path
    days: int
    ca_days: int
    shown: bool
    crds: tuple[str, ...]
    secret: str
    as_json: bool

    def check(self) -> None:
        """Raise UsageError for options that contradict each other."""
        if self.shown and self.as_json:
            raise click.UsageError("pass --print or --json, not both")
        if self.shown and not re.fullmatch(rf"{_LABEL}/{_LABEL}(\.{_LABEL})*", self.secret):
            raise click.UsageError("with --print, pass --secret NAMESPACE/NAME")
        if self.crds and not self.shown:
            raise click.UsageError("--crd needs --print")

    def lives(self, overlap: timedelta) -> Lives:
        """Return the lifetimes of what is made."""
        return Lives(timedelta(days=self.ca_days), timedelta(days=self.days), overlap)

    def show(self, keyring: Keyring, done: list[str]) -> None:
        """Print what was done, or the manifests."""
        if self.shown:
            namespace, _, name = self.secret.partition("/")
            values = [*secrets_of(keyring, name, namespace), *patches_of(keyring, self.crds)]
            self.run.echo(dump_all(values).rstrip("\n"))
        elif self.as_json:
            facts = read_certificates(keyring.server.certificate)[0]
            lines: list[JsonValue] = [*done]
            self.run.echo_json({"folder": self.folder.as_posix(), "done": lines, **_times(facts)})
        else:
            for line in done or ["nothing is due"]:
                self.run.echo(line)
            if done:
                where = self.folder.as_posix()
                self.run.note(f"{where} holds private keys: its .gitignore keeps them out of git")


def _making(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command that makes certificates; it gets a `_Making` and its own options."""

    @wraps(command)
    def made(run: Context, **options: Any) -> None:
        names = (item.name for item in fields(_Making) if item.name != "run")
        command(_Making(run, **{name: options.pop(name) for name in names}), **options)

    found: Any = pass_run(made)
    for option in reversed(_OPTIONS):
        found = option(found)
    return found  # type: ignore[no-any-return]


@click.group("certs")
def command() -> None:
    """Make, renew and show the webhook's certificates.

    The webhook has its own authority, so no other software is needed. `create` makes a folder,
    `rotate`, run every day, renews what is due in it, and `show` shows what is in certificates.
    """


@command.command("create")
@click.option("--service", metavar="NAME.NAMESPACE", help="Serve for this Service.")
@click.option("--dns", multiple=True, metavar="NAME", help="Serve for this host, too.")
@click.option("--ip", multiple=True, metavar="ADDRESS", help="Serve for this address, too.")
@_making
def create_command(
    making: _Making, service: str | None, dns: tuple[str, ...], ip: tuple[str, ...]
) -> None:
    """Make an authority and a serving certificate in FOLDER, which holds neither yet.

    Exit codes: 0 fine, 2 wrong usage, or a folder that cannot be written.
    """
    names = _names(service, dns, ip)
    if (making.folder / BUNDLE).exists():
        text = "an authority is already here"
        where = (making.folder / BUNDLE).as_posix()
        raise KeyFileError([Problem("HA834", where, text, "run `holdall certs rotate`")])
    name, _, namespace = (service or "").partition(".")
    if namespace and not making.secret:
        making.secret = f"{namespace}/{name}-tls"
    making.check()
    keyring = create(names, _now(), making.lives(_LIVES.overlap))
    write_keyring(making.folder, keyring)
    making.show(keyring, [f"made an authority and a certificate of {', '.join(names)}"])


@command.command("rotate")
@click.option("--new-ca", is_flag=True, help="Begin with a new authority now.")
@click.option(
    "--overlap",
    default=24.0,
    type=click.FloatRange(0),
    metavar="HOURS",
    help="Time that a new authority is in the bundle before it signs.",
)
@_making
def rotate_command(making: _Making, new_ca: bool, overlap: float) -> None:
    """Renew what is due in FOLDER; run it every day.

    Exit codes: 0 fine, also if nothing was due, 2 wrong usage, or a folder that cannot be read or
    written.
    """
    making.check()
    lives = making.lives(timedelta(hours=overlap))
    keyring, done = rotate(read_keyring(making.folder), _now(), lives, new_ca=new_ca)
    if done:
        write_keyring(making.folder, keyring)
    making.show(keyring, done)


@command.command("show")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--within",
    default=0,
    type=click.IntRange(0),
    metavar="DAYS",
    help="Exit with 1 if anything expires within this many days.",
)
@json_option
@pass_run
def show_command(run: Context, paths: tuple[Path, ...], within: int, as_json: bool) -> None:
    """Show the certificates of PEM files, or of folders that `create` made.

    Exit codes: 0 fine, 1 if a certificate has expired or is about to, 2 unreadable files.
    """
    now = _now()
    found = _read_all(paths)
    if as_json:
        run.echo_json([_as_json(path, facts, now) for path, facts in found])
    else:
        rows = [
            (path.as_posix(), facts.subject, ", ".join(facts.names), f"{facts.end:%Y-%m-%d %H:%M}",
             _state(facts, now))
            for path, facts in found
        ]  # fmt: skip
        run.table(rows, ("FILE", "SUBJECT", "NAMES", "EXPIRES", "STATE"))
    limit = now + timedelta(days=within)
    end(findings=any(facts.end <= limit or facts.begin > now for _, facts in found))


def _now() -> datetime:
    return datetime.now(UTC)


def _names(service: str | None, dns: Sequence[str], ip: Sequence[str]) -> list[str]:
    """Return the names to serve for, the longest name of a Service first."""
    names: list[str] = []
    problems = []
    if service is not None:
        if _SERVICE.fullmatch(service):
            names += [f"{service}.svc", f"{service}.svc.cluster.local", service]
        else:
            problems.append(_no_name("--service", service, "NAME.NAMESPACE"))
    for name in dns:
        if not _HOST.fullmatch(name) or len(name) > 253:
            problems.append(_no_name("--dns", name, "a host name in lower case"))
    for address in ip:
        try:
            ip_address(address)
        except ValueError:
            problems.append(_no_name("--ip", address, "an IP address"))
    if problems:
        raise ProblemsError(problems)
    names += [name for name in (*dns, *ip) if name not in names]
    if not names:
        raise click.UsageError("pass --service NAME.NAMESPACE, --dns NAME or --ip ADDRESS")
    return names


def _no_name(option: str, value: str, wanted: str) -> Problem:
    return Problem("HA835", option, f"{value!r} is not {wanted}", f"write {wanted}")


def _read_all(paths: Iterable[Path]) -> list[tuple[Path, Facts]]:
    found = []
    problems = []
    for path in paths:
        files = [path / BUNDLE, path / CERTIFICATE] if path.is_dir() else [path]
        for file in files:
            try:
                found += [(file, facts) for facts in read_certificates(file.read_bytes())]
            except OSError as error:
                text = f"cannot be read: {error.strerror}"
                problems.append(Problem("HA831", file.as_posix(), text, "check the path"))
            except ValueError:
                text = "it contains no X.509 certificate in PEM form"
                problems.append(Problem("HA832", file.as_posix(), text, "name a PEM file"))
    if problems:
        raise KeyFileError(problems)
    return found


def _state(facts: Facts, now: datetime) -> str:
    if facts.end <= now:
        return "expired"
    if facts.begin > now:
        return "not valid yet"
    return f"{(facts.end - now).days} days left"


def _times(facts: Facts) -> JsonObject:
    return {"begin": facts.begin.isoformat(), "expires": facts.end.isoformat()}


def _as_json(path: Path, facts: Facts, now: datetime) -> JsonValue:
    return {
        "file": path.as_posix(),
        "subject": facts.subject,
        "names": list(facts.names),
        "authority": facts.authority,
        "fingerprint": facts.fingerprint,
        **_times(facts),
        "state": _state(facts, now),
    }
