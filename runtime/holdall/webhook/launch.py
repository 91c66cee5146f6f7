"""Starting a server: load, listen, then serve in one process or in workers that share counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from time import monotonic
from typing import TYPE_CHECKING, get_args

from holdall.review.reviewer import Outcome, Tally
from holdall.scheme.scheme import Scheme
from holdall.webhook import server
from holdall.webhook.app import Webhook
from holdall.webhook.counts import Counts
from holdall.webhook.server import Listeners, ServerOptions, Service
from holdall.webhook.slots import SIZE, Slots

if TYPE_CHECKING:  # with cryptography, slow to import
    from holdall.webhook.tls import ServingCertificate

_SPARE = 5.0


def launch(
    webhook: Webhook,
    listeners: Listeners,
    *,
    certificate: ServingCertificate | None,
    options: ServerOptions,
    workers: int,
    ready: Callable[[], None],
) -> None:
    """Serve until a signal ends it; `ready` is called once all workers accept requests.

    More than one worker needs `os.fork`. Raises what `Webhook.load` raises, before anything
    is served.
    """
    webhook.load()
    service = Service(webhook, listeners, certificate, options)
    if workers == 1:
        server.run(service, ready)
        return
    from holdall.webhook.supervisor import Supervisor  # needs signals that Windows lacks

    slots = Slots(workers, size_of_counts(webhook.schemes))

    def work(index: int, tell: Callable[[], None], parent: int) -> None:
        share_counts(webhook, slots, index)

        def tick() -> None:
            slots.write(index, webhook.counts.to_bytes())
            if not webhook.stuck:
                tell()

        server.run(service, tell, tick, parent)

    Supervisor(
        workers,
        work,
        ready=ready,
        tick=_polling(certificate, options.poll),
        leave=listeners.close,
        patience=options.drain + options.grace + _SPARE,
        silence=webhook.limits.stuck,
    ).run()


def size_of_counts(schemes: Iterable[Scheme]) -> int:
    """Return the maximum bytes of a worker's counts, with each kind between any two versions."""
    counts = Counts()
    for scheme in schemes:
        for kind in scheme.kinds:
            names = [scheme.api_version(version, kind) for version in scheme.served(kind)]
            for ends in product(names, names):
                for outcome in get_args(Outcome):
                    counts.objects[Tally(kind.name, *ends, outcome)] = 1 << 63
    return SIZE + len(counts.to_bytes())


def share_counts(webhook: Webhook, slots: Slots, index: int) -> None:
    """Make a worker continue its predecessor's counts, and show the sum over all workers."""
    webhook.counts.clear()
    if before := slots.read(index):
        webhook.counts.add_bytes(before)

    def read() -> Counts:
        total = Counts()
        for data in (webhook.counts.to_bytes(), *slots.others(index)):
            total.add_bytes(data)
        return total

    webhook.read_counts = read


def _polling(certificate: ServingCertificate | None, seconds: float) -> Callable[[], None]:
    """Return the supervisor's periodic task: it follows the certificate, so that a new worker
    starts with the one that the others serve, even if the files are broken by then.
    """
    counts = Counts()
    due = monotonic()

    def poll() -> None:
        nonlocal due
        if certificate is not None and monotonic() >= due:
            certificate.poll(counts)
            due = monotonic() + seconds

    return poll
