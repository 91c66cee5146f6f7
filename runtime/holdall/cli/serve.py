"""`holdall serve`: the conversion webhook as a server."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import click

from holdall.cli.common import Context, json_option, pass_run
from holdall.errors import HookError, SchemeError
from holdall.scheme.projects import check_hooks_package, load_schemes
from holdall.types import JsonObject
from holdall.webhook.app import Webhook
from holdall.webhook.counts import LOGS_DROPPED
from holdall.webhook.launch import launch
from holdall.webhook.limits import MEBIBYTE, Limits
from holdall.webhook.logs import LEVELS, LOG, configure_logs, facts
from holdall.webhook.server import Listeners, ServerOptions, listen

_DEFAULT: Final = ServerOptions()


@click.command("serve")
@click.option("--host", default="0.0.0.0", metavar="ADDRESS", help="Listen here.")
@click.option("--port", default=9443, type=click.IntRange(0, 65535), help="Listen here.")
@click.option("--path", default="/convert", help="Answer reviews at this path and below.")
@click.option(
    "--cert", type=click.Path(path_type=Path), metavar="FILE", help="Certificate chain, in PEM."
)
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="Its key, in PEM.")
@click.option("--plain-http", is_flag=True, help="Serve without TLS, behind a proxy that has it.")
@click.option(
    "--workers", default=1, type=click.IntRange(1, 256), help="Number of serving processes."
)
@click.option(
    "--metrics-port",
    type=click.IntRange(0, 65535),
    help="Also serve probes and metrics here, without TLS.",
)
@click.option(
    "--body-limit",
    default=64,
    type=click.IntRange(1, 4096),
    metavar="MIB",
    help="Refuse larger request bodies.",
)
@click.option(
    "--drain",
    default=_DEFAULT.drain,
    type=click.FloatRange(0, 3600),
    metavar="SECONDS",
    help="Seconds after SIGTERM in which requests are answered by 503 with Retry-After.",
)
@click.option(
    "--grace",
    default=_DEFAULT.grace,
    type=click.FloatRange(0, 3600),
    metavar="SECONDS",
    help="Seconds to wait for requests in flight after that.",
)
@click.option(
    "--log-level", type=click.Choice(LEVELS), default="info", help="Log this level and above."
)
@click.option("--check", is_flag=True, help="Load and test everything, but do not serve.")
@json_option
@pass_run
def command(
    run: Context,
    host: str,
    port: int,
    path: str,
    cert: Path | None,
    key: Path | None,
    plain_http: bool,
    workers: int,
    metrics_port: int | None,
    body_limit: int,
    drain: float,
    grace: float,
    log_level: str,
    check: bool,
    as_json: bool,
) -> None:
    """Serve the project's conversions as a Kubernetes conversion webhook.

    Logs are JSON lines on standard error. As soon as it accepts requests, one line on standard
    output says where. SIGTERM or SIGINT drains and stops it; a second one stops it at once.

    Exit codes: 0 stopped normally, 2 wrong usage, or something cannot be loaded.
    """
    if plain_http == bool(cert or key) or bool(cert) != bool(key):
        raise click.UsageError("pass --cert FILE and --key FILE, or --plain-http")
    if workers > 1 and not hasattr(os, "fork"):
        raise click.UsageError(
            "this system cannot fork, so only one process can serve; omit --workers"
        )
    size = body_limit * MEBIBYTE
    webhook = Webhook(load_schemes(run.root), path=path, limits=Limits(body=size, held=4 * size))
    webhook.load()
    certificate = None
    if cert and key:
        from holdall.webhook.tls import ServingCertificate  # with cryptography, slow to import

        certificate = ServingCertificate(cert, key)
    said: JsonObject = {
        "groups": [scheme.group for scheme in webhook.schemes],
        "kinds": sum(len(scheme.kinds) for scheme in webhook.schemes),
        "certificate_expires": certificate.end if certificate else None,
    }
    if check:
        problems = check_hooks_package(run.root)
        problems += [problem for scheme in webhook.schemes for problem in scheme.look_further()]
        if problems:
            raise HookError(dict.fromkeys(problems))
        from holdall.cli.trying import try_conversions
        from holdall.scheme.intact import not_intact

        problems = [item for scheme in webhook.schemes for item in not_intact(scheme.package)]
        for scheme in webhook.schemes:
            problems += try_conversions(scheme, stacks=run.traceback)
        if problems:
            raise SchemeError(problems)
        _say(run, "everything is loaded and tested", said, as_json)
        return

    configure_logs(log_level, lambda: webhook.counts.totals.update((LOGS_DROPPED,)))
    listeners = Listeners(
        listen(host, port), listen(host, metrics_port) if metrics_port is not None else None
    )
    port = listeners.main.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    url = f"{'https' if certificate else 'http'}://{shown}:{port}/{path.strip('/')}"
    said |= {"url": url, "port": port, "workers": workers, "pid": os.getpid()}
    if listeners.probes is not None:
        said["metrics_port"] = listeners.probes.getsockname()[1]
    if certificate is not None:
        certificate.warn_if_expired()

    def ready() -> None:
        LOG.info("serving", extra=facts(**said))
        _say(run, f"serving {url}", said, as_json)

    launch(
        webhook,
        listeners,
        certificate=certificate,
        options=ServerOptions(drain=drain, grace=grace),
        workers=workers,
        ready=ready,
    )


def _say(run: Context, text: str, value: JsonObject, as_json: bool) -> None:
    """Print the one line of output; the server goes on if nobody can read it."""
    try:
        if as_json:
            run.echo_json(value)
        else:
            run.echo(text)
    except OSError as error:
        LOG.warning("standard output cannot be written", extra=facts(reason=error.strerror))
