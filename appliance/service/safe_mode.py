"""The safe mode: one page that shows why the table does not start, and that can restore the journal.

It uses nothing that may have failed: no journal, no sensors, no web framework. Anybody may read it. Only a browser on
the table's own machine, the touchscreen, may change something.
"""

from __future__ import annotations

import html
import logging
import re
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

from appliance.journal.media.medium import Medium
from appliance.journal.media.removable_media import Sticks
from appliance.journal.safekeeping.keys import SEAL_KEY, SPARES
from appliance.journal.safekeeping.records import COPY, SECOND_COPY
from appliance.journal.safekeeping.restoring import put_back
from appliance.service.failed_starts import FailedStart
from appliance.service.sender import host_name, is_own, is_passed_on, may_be_asked_as, own_names
from appliance.settings import Settings
from appliance.words.catalogues import words_for
from appliance.words.errors import TableError, where_raised
from hardware.files.file_names import percent_encoded, shown
from hardware.files.regular_file import kind_of
from hardware.listening import bound_socket

_log = logging.getLogger(__name__)
LONGEST_FORM_BYTES = 4096
SOURCES = ("*.sqlite3", "*.copy")
"""Names of backups and copies at the top level of a stick."""
_LOCAL = "127.0.0.1"
_PAGE = """<!doctype html><html lang="{language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title><style>
:root {{ color-scheme: dark; font: 18px/1.5 system-ui, sans-serif; background: #14302a; color: #f6f1e4; }}
body {{ max-width: 46rem; margin: 0 auto; padding: 1.5rem; overflow-wrap: anywhere; }}
h1 {{ font-size: 1.6rem; line-height: 1.2; }} li {{ margin: .4rem 0; }}
button {{ font: inherit; min-height: 48px; padding: .5rem 1.2rem; border: 0; border-radius: .6rem;
  background: #f2c14e; color: #1d1a12; text-align: left; }} form {{ margin: .6rem 0; }} .quiet {{ color: #cfd8d0; }}
</style></head><body><h1>{title}</h1>{body}</body></html>"""
_AGAIN = """<script data-safe-mode>
setInterval(() => fetch("/", { cache: "no-store" }).then(answer => answer.text())
  .then(text => text.includes("data-safe-mode") || location.replace(location.pathname)).catch(() => {}), 2000);
</script>"""
"""Loads the table's own page as soon as the table answers again."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Log where an error was raised. The address, which the standard library prints, is private."""
        if not isinstance(error := sys.exception(), OSError):  # else the browser has gone
            _log.error("%s; the page goes on", where_raised(error) if error is not None else "unknown")

    def server_bind(self) -> None:
        self.socket.close()
        self.socket = bound_socket(str(self.server_address[0]), self.server_address[1])
        self.server_address = self.socket.getsockname()


def _bound(settings: Settings, handler: type[BaseHTTPRequestHandler]) -> ThreadingHTTPServer:
    """Listen where the settings say. If that fails, as it may have at the starts, listen on 127.0.0.1 or any port."""
    host, port = settings.host, settings.port
    places = [(host, port), (_LOCAL, port), (host, 0), (_LOCAL, 0)]
    for place in places[:-1]:
        with suppress(OSError, ValueError):
            return _Server(place, handler)
    return _Server(places[-1], handler)


class SafeMode:
    """The page, served until somebody wants the table to try again.

    :param starts: the starts that failed, oldest first.
    :param folder: the data folder.
    :raises OSError: the page cannot be served on any address.
    """

    def __init__(self, settings: Settings, starts: Sequence[FailedStart], sticks: Sticks) -> None:
        self._settings, self._starts, self._sticks = settings, starts, sticks
        self._words = words_for(settings.language)
        self._again = threading.Event()
        self._said = ""
        self._second = Medium()
        mode, names = self, own_names((settings.host,))

        class Handler(BaseHTTPRequestHandler):
            timeout = 20

            def do_GET(self) -> None:
                if self._is_asked_by_its_name():
                    self._answer(200, mode.page(local=self._is_local()))

            def do_POST(self) -> None:
                if not self._is_asked_by_its_name():
                    return
                if not self._is_local() or self.headers.get("Origin") != f"http://{self.headers.get('Host')}":
                    self._answer(403, mode.page(local=False))
                    return
                length = self.headers.get("Content-Length", "")
                if not re.fullmatch("[0-9]{1,9}", length):
                    self._answer(411, mode.page(local=True))
                    return
                form = parse_qs(self.rfile.read(min(int(length), LONGEST_FORM_BYTES)).decode("utf-8", "replace"))
                mode.take(form.get("restore", [""])[0])
                self._answer(200, mode.page(local=True))

            def _is_asked_by_its_name(self) -> bool:
                """Refuse DNS rebinding, as the table does: the page names files, its buttons put the journal back."""
                may = may_be_asked_as(host_name(self.headers.get("Host", "")), names)
                if not may:
                    self._answer(400, mode.refusal())
                return may

            def _is_local(self) -> bool:
                host = host_name(self.headers.get("Host", ""))
                own = is_own(self.client_address[0]) and (host == "localhost" or is_own(host))
                return own and not is_passed_on(name.lower() for name in self.headers)

            def _answer(self, status: int, page: str) -> None:
                body = page.encode("utf-8", "replace")  # what is said of a file may hold its name
                self.send_response(status)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Cache-Control", "no-store")
                self.send_header("X-Frame-Options", "DENY")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Log no request, because the addresses of guests are private."""

        self._server = _bound(settings, Handler)

    @property
    def port(self) -> int:
        """The port on which the page is served."""
        return int(self._server.server_address[1])

    def serve(self, ended: Callable[[], bool]) -> None:
        """Serve until somebody wants the table to try again, or `ended` returns True. It may block for a second."""
        thread = threading.Thread(target=self._server.serve_forever, name="safe-mode", daemon=True)
        thread.start()
        while not self._again.is_set() and not ended():
            pass
        self._server.shutdown()
        self._server.server_close()

    def sources(self) -> tuple[Path, ...]:
        """Return the files that the journal can be restored from. A medium that hangs is left out."""
        found: list[Path] = []
        own = self._settings.table_folder(demo=False) / SPARES / COPY
        if kind_of(own) == "file":
            found.append(own)
        second = Path(self._settings.copy_dir) / SECOND_COPY
        if self._settings.copy_dir:
            self._second.does(lambda: found.append(second) if kind_of(second) == "file" else None)
        return (*found, *self._sticks.named(*SOURCES))

    def take(self, wish: str) -> None:
        """Restore the journal from the source of this percent-encoded path; "": let the table try to start again."""
        if not wish:
            self._again.set()
            return
        source = next((path for path in self.sources() if percent_encoded(path) == wish), None)
        if source is None:
            return
        try:
            done = put_back(source, self._settings.table_folder(demo=False))
        except TableError as error:
            self._said = self._words.say(f"error.{error.code}", error.values)
        else:
            self._said = self._words.say("safe.restored", {"games": done.games, "entries": done.entries})
            if done.given_up:
                self._said += " " + self._words.say("safe.given_up", {"entries": done.given_up, "path": str(done.kept)})
            if done.unread:
                self._said += " " + self._words.say("restore.damaged", {"path": str(source), "entries": done.unread})
            if done.closed:
                key = str(self._settings.path(SEAL_KEY))
                self._said += " " + self._words.say("restore.key_missing", {"games": done.closed, "path": key})

    def page(self, *, local: bool) -> str:
        """Return the page. Its buttons are only on the table's own screen (`local`)."""
        say = self._words.say
        reasons = "".join(
            f"<li>{datetime.fromtimestamp(start.wall_s):%Y-%m-%d %H:%M:%S} "
            f"{html.escape(start.reason or say('safe.no_word'))}</li>"
            for start in self._starts
        )
        body = f"<p>{html.escape(say('safe.lead'))}</p><ul>{reasons}</ul>"
        if self._said:
            body += f'<p role="status"><b>{html.escape(self._said)}</b></p>'
        if not local:
            body += f'<p class="quiet">{html.escape(say("safe.at_the_table"))}</p>'
        else:
            body += self._button("", say("safe.again"))
            body += f"<h2>{html.escape(say('safe.restore'))}</h2><p class='quiet'>{html.escape(say('safe.kept'))}</p>"
            found = [self._button(percent_encoded(path), shown(path)) for path in self.sources()]
            body += "".join(found) or f"<p>{html.escape(say('safe.none'))}</p>"
        return _PAGE.format(language=self._words.language, title=html.escape(say("safe.title")), body=body + _AGAIN)

    def refusal(self) -> str:
        """Return a page that says that this name is not the table's, and nothing else."""
        title = html.escape(self._words.say("rejection.unknown_host"))
        return _PAGE.format(language=self._words.language, title=title, body="")

    def _button(self, wish: str, text: str) -> str:
        field = f'<input type="hidden" name="restore" value="{html.escape(wish, quote=True)}">'
        return f'<form method="post">{field}<button>{html.escape(text)}</button></form>'
