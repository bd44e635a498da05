"""Serves the pages with waitress, in one process. Stopping does not wait for streams.

Each live stream has its own waitress thread, which mostly waits. One thread sends the changes to all streams.
"""

from __future__ import annotations

import contextlib
import gc
import socket
import threading
from typing import Any

from flask import Flask
from waitress import wasyncore
from waitress.adjustments import Adjustments

from hardware.clock import ended
from hardware.listening import EVERY, bound_socket
from web.live.connections import FairDispatcher, FairServer
from web.pages.table_templates import load_all
from web.site import Site

OUTBUF_HIGH_BYTES = 64 * 1024
"""Most unsent bytes of a stalled client before its stream waits."""
HEADERS_MOST_BYTES = 32 * 1024
"""Largest header of a request. A phone that plays every seat of a table sends 3 KiB of cookies."""
BODY_MOST_BYTES = 2 * 1024 * 1024
"""Largest body that is read at all: twice the largest file, so that a slightly too large one gets an error page."""
TASKS_END_S = 0.4
"""Longest wait for running requests at a stop. Streams end by themselves within it; waitress logs what does not."""
WARM_UP_AFTER_S = 10.0
"""Templates are preloaded after the first page was answered, or after this time at the latest."""
PROXY_HEADERS = frozenset({"x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"})
"""The headers that a reverse proxy is trusted with: the client's address, the host name, and http or https."""
VANISHED_AFTER_MS = 20_000
"""Longest time that sent bytes stay unacknowledged before the connection is closed."""


class PageServer:
    """A web server for pages alone.

    :param host: the address that it listens on (`bound_socket`).
    :param port: 0: a free one.
    :param connections_most: most simultaneous connections.
    :param behind: the address of the trusted reverse proxy, whose `PROXY_HEADERS` are used; "": there is none.
    :raises OSError: the port is taken, or this process may not open it.
    :raises ValueError: `host` is no address of this machine, nor the name of one.
    """

    def __init__(
        self, app: Flask, dispatcher: FairDispatcher, host: str, port: int, connections_most: int, behind: str = ""
    ) -> None:
        trusted = {"trusted_proxy": behind, "trusted_proxy_headers": PROXY_HEADERS} if behind else {}
        listening = bound_socket(host, port)
        settings = Adjustments(
            sockets=[listening],
            connection_limit=connections_most,
            channel_timeout=60,
            outbuf_high_watermark=OUTBUF_HIGH_BYTES,
            max_request_header_size=HEADERS_MOST_BYTES,
            max_request_body_size=BODY_MOST_BYTES,
            ident=None,
            asyncore_use_poll=True,
            # Who passed a request on is no own screen (`from_this_machine`). Nothing else reads untrusted headers.
            clear_untrusted_proxy_headers=False,
            **trusted,
        )
        self._server: Any = FairServer(app, listening, dispatcher, settings)
        options = [*self._server.adj.socket_options, (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, VANISHED_AFTER_MS)]
        self._server.adj.socket_options = options
        self.port = int(self._server.effective_port)
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Serve in a thread."""
        self._thread = threading.Thread(target=self.run, name="web", daemon=True)
        self._thread.start()

    def run(self) -> None:
        """Serve until `stop`."""
        self._server.run()

    def stop(self) -> None:
        """Stop serving."""
        self._server.task_dispatcher.shutdown(timeout=TASKS_END_S)
        # The loop ends when it has no sockets. Only its own thread may close them.
        with contextlib.suppress(OSError):  # the trigger may be closed already by an earlier pull
            self._server.trigger.pull_trigger(self._close_all)
        ended(self._thread)

    def _close_all(self) -> None:
        for sockets in (dict(self._server.active_channels), self._server._map):
            wasyncore.close_all(sockets, ignore_all=True)


class Server(PageServer):
    """A table's web server, with its live streams.

    :raises OSError: the port is taken, or this process may not open it.
    :raises ValueError: `host` is no address of this machine, nor the name of one.
    """

    def __init__(self, app: Flask, site: Site, host: str = EVERY) -> None:
        self._app = app
        dispatcher = FairDispatcher(site.streams_most, site.threads_spare)
        super().__init__(app, dispatcher, host, site.port, connections_most=2 * site.streams_most + 100)
        self.warmed_up = threading.Event()
        """Whether all templates and catalogues are loaded."""

    def start(self) -> None:
        """Serve in a thread. Another thread loads templates and catalogues, after the first answer."""
        super().start()
        threading.Thread(target=self._warm_up, name="warm-up", daemon=True).start()

    def _warm_up(self) -> None:
        self._server.answered.wait(WARM_UP_AFTER_S)
        load_all(self._app.jinja_env)
        # The loaded objects stay alive. Scanning them for garbage would stop every thread for some 30 ms.
        gc.collect()
        gc.freeze()
        self.warmed_up.set()

    def stop(self) -> None:
        """End the streams and stop serving."""
        web = self._app.extensions["smugglers"]
        web.live.close()
        web.feed.close()
        super().stop()
        gc.unfreeze()
