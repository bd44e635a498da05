"""Serves the pages with waitress: one process, and a stop that does not wait for streams.

Each live stream has a thread of waitress that mostly waits. One thread sends the changes to all streams.
"""

from __future__ import annotations

import contextlib
import gc
import socket
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from flask import Flask
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import create_server
from waitress.task import WSGITask

from hardware.clock import ended
from web.live import PUSH
from web.site import Site

OUTBUF_HIGH_BYTES = 64 * 1024
"""Most unsent bytes of a stalled client before its stream waits."""
TASKS_END_S = 0.4
"""Longest wait for requests under way. Streams end by themselves within it; waitress logs what does not."""
WARM_UP_AFTER_S = 10.0
"""Templates are loaded in advance once the first page was answered, which waits for no other, or after so long."""
VANISHED_AFTER_MS = 20_000
"""Longest time that sent bytes stay unacknowledged before the connection is closed."""


class _Task(WSGITask):  # type: ignore[misc]  # waitress has no types
    """Answers one request, and lets a stream be written to by a thread that must not wait for its client."""

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        environ[PUSH] = self._push
        return environ

    def _push(self, data: bytes) -> bool:
        return bool(self.channel.send_now(_chunk(data) if self.chunked_response else data))


@lru_cache(maxsize=8)
def _chunk(data: bytes) -> bytes:
    """Return `data` as a chunk of HTTP/1.1. What goes to many streams in turn is framed once."""
    return b"%X\r\n%b\r\n" % (len(data), data)


class _Channel(HTTPChannel):  # type: ignore[misc]  # waitress has no types
    """One connection. While it carries a stream that was sent all there is, the server's loop has nothing to ask it.

    Waitress asks every channel at every turn of its loop, two turns a request: 200 streams cost more than the request.
    """

    task_class = _Task
    _resting = False
    """Whether the loop leaves it out. Only the loop's thread changes it."""

    def service(self) -> None:
        """Answer one request."""
        super().service()
        self._wake()
        self.server.answered.set()

    def write_soon(self, data: Any) -> int:
        """Send `data` or leave it to the loop, from the request's own thread."""
        with self.outbuf_lock:
            self._wake()
            return int(super().write_soon(data))

    def handle_close(self) -> None:
        """Close the connection."""
        super().handle_close()
        self._resting = False

    def send_now(self, data: bytes) -> bool:
        """Send what the client's socket takes, and leave the rest to the server's loop. False where it takes nothing.

        It does not go through waitress's buffers, which wake the loop for every channel.
        """
        lock = self.outbuf_lock
        lock.acquire()
        try:
            if self.total_outbufs_len or not self.connected:
                return False  # earlier data still waits for the client, or the client has gone
            try:
                sent = self.socket.send(data)
            except OSError:
                return False  # the stream's own thread waits for the client, or notices that it has gone
            if sent < len(data):
                self.outbufs[-1].append(data[sent:])
                self.current_outbuf_count += len(data) - sent
                self.total_outbufs_len += len(data) - sent
                self._in_loop(self._rejoin)
            elif not self._resting:
                self._in_loop(self._rest)
        finally:
            lock.release()
        return True

    def _wake(self) -> None:
        if self._resting:
            self._in_loop(self._rejoin)

    def _in_loop(self, deed: Callable[[], None]) -> None:
        with contextlib.suppress(OSError):  # the server has stopped, and its trigger is closed
            self.server.trigger.pull_trigger(deed)

    def _rest(self) -> None:
        # The loop must not wait: who holds this lock may wait for the trigger's, which the loop holds now.
        if not self.outbuf_lock.acquire(blocking=False):
            return
        try:
            if self.connected and self.requests and not self.writable():
                self._resting = True
                self._map.pop(self._fileno, None)
        finally:
            self.outbuf_lock.release()

    def _rejoin(self) -> None:
        if self._resting:
            self._resting = False
            self._map[self._fileno] = self


class Server:
    """A running web server.

    :raises OSError: the port is taken or not ours to open.
    """

    def __init__(self, app: Flask, site: Site, host: str = "0.0.0.0") -> None:  # noqa: S104  # phones on the LAN are what it is for
        self._app = app
        self._server: Any = create_server(
            app,
            host=host,
            port=site.port,
            threads=site.streams_most + site.threads_spare,
            connection_limit=site.streams_most + 100,  # beside the streams that rest
            channel_timeout=60,
            outbuf_high_watermark=OUTBUF_HIGH_BYTES,
            ident=None,
            asyncore_use_poll=True,
            clear_untrusted_proxy_headers=True,
        )
        self._server.channel_class = _Channel
        self._server.answered = threading.Event()
        options = [*self._server.adj.socket_options, (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, VANISHED_AFTER_MS)]
        self._server.adj.socket_options = options
        self.port = int(self._server.effective_port)
        self.warmed_up = threading.Event()
        """Whether all templates and catalogues are loaded."""
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Serve in a thread. Another thread loads templates and catalogues, after the first answer."""
        self._thread = threading.Thread(target=self.run, name="web", daemon=True)
        self._thread.start()
        threading.Thread(target=self._warm_up, name="warm-up", daemon=True).start()

    def _warm_up(self) -> None:
        self._server.answered.wait(WARM_UP_AFTER_S)
        self._app.extensions["smugglers"].renderer.warm_up()
        # What was loaded stays. Looking through it for garbage would hold every thread up for some 30 ms.
        gc.collect()
        gc.freeze()
        self.warmed_up.set()

    def run(self) -> None:
        """Serve until `stop`."""
        self._server.run()

    def stop(self) -> None:
        """End the streams and stop serving."""
        self._app.extensions["smugglers"].live.close()
        self._server.task_dispatcher.shutdown(timeout=TASKS_END_S)
        # The loop ends when it has no sockets. Only its own thread may close them.
        with contextlib.suppress(OSError):  # the trigger may be closed already by an earlier pull
            self._server.trigger.pull_trigger(self._close_all)
        ended(self._thread)
        gc.unfreeze()

    def _close_all(self) -> None:
        for sockets in (dict(self._server.active_channels), self._server._map):
            wasyncore.close_all(sockets, ignore_all=True)
