"""What a Service does with TCP: new connections go to the endpoints in turn, old ones stay."""

from __future__ import annotations

import contextlib
import itertools
import socket
import threading
from typing import Final, Self

_PIECE: Final = 1 << 16


class Balancer:
    """Forwards connections of one port of 127.0.0.1 to others. `ports` may change at any time."""

    def __init__(self, *ports: int) -> None:
        """Forward to these ports."""
        self.ports = list(ports)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port: int = self._listener.getsockname()[1]
        self._sockets: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]

    def __enter__(self) -> Self:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        _end(self._listener)
        self._threads[0].join()
        for one in self._sockets:
            _end(one)
        for thread in self._threads[1:]:
            thread.join()
        for one in (self._listener, *self._sockets):
            one.close()

    def _accept(self) -> None:
        for turn in itertools.count():
            try:
                client, _ = self._listener.accept()
            except OSError:  # the end
                return
            self._sockets.append(client)
            ports = self.ports
            try:
                server = socket.create_connection(("127.0.0.1", ports[turn % len(ports)]))
            except OSError:
                _end(client)
                continue
            self._sockets.append(server)
            for source, sink in ((client, server), (server, client)):
                thread = threading.Thread(target=_pump, args=(source, sink))
                self._threads.append(thread)
                thread.start()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while piece := source.recv(_PIECE):
            sink.sendall(piece)
    _end(sink)


def _end(one: socket.socket) -> None:
    """End a socket for both directions; whoever waits for it wakes up."""
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
