"""Gzip for text, for clients that accept it. Each static file is compressed once, without comments and indentation.

Streams are not compressed, because each of their messages must be sent at once.
"""

from __future__ import annotations

import gzip
import re
import threading

from flask import Flask, Response, request

LEAST_BYTES = 600
"""Shorter answers fit one packet anyway."""
LEVEL, LEVEL_ONCE = 6, 9
"""gzip levels of pages and of static files."""
KEPT_MOST = 64
"""Most compressed files in the cache. A process serves fewer."""
_TEXT = frozenset(
    {"text/html", "text/css", "text/javascript", "application/json", "image/svg+xml", "application/jsonl"}
)
_FOR_READERS: dict[str, re.Pattern[bytes]] = {
    "text/css": re.compile(rb"/\*.*?\*/\n?|^[ \t]+", re.DOTALL | re.MULTILINE),
    "text/javascript": re.compile(rb"^[ \t]*//.*$", re.MULTILINE),
}
"""What only a reader of the source needs, by type: comments, and the indentation of styles. Of scripts only whole
lines, which stay as empty lines: errors are reported by their number."""
_FONTS_LAST = "public, max-age=31536000, immutable"


def compress(app: Flask) -> None:
    """Make `app` gzip text, and let browsers cache fonts."""
    kept: dict[str, bytes] = {}
    turn = threading.Lock()

    def compressed(file: str, response: Response) -> bytes:
        small = kept.get(file)
        if small is None:
            whole = response.get_data()
            for_readers = _FOR_READERS.get(response.mimetype or "")
            said = whole if for_readers is None else for_readers.sub(b"", whole)
            small = gzip.compress(said, LEVEL_ONCE, mtime=0)
            with turn:
                while len(kept) >= KEPT_MOST:
                    del kept[next(iter(kept))]
                kept[file] = small
        response.close()  # closes the file, which is not read if its compressed form is in the cache
        return small

    @app.after_request
    def shrink(response: Response) -> Response:
        if response.mimetype == "font/woff2":
            response.headers["Cache-Control"] = _FONTS_LAST
        if response.mimetype not in _TEXT:
            return response
        response.vary.add("Accept-Encoding")
        if response.status_code != 200 or request.accept_encodings["gzip"] <= 0:
            return response
        response.direct_passthrough = False
        file, _ = response.get_etag()
        if file is None:
            data = response.get_data()
            if len(data) < LEAST_BYTES:
                return response
            small = gzip.compress(data, LEVEL, mtime=0)
        else:
            small = compressed(file, response)
            # Another representation has another ETag.
            response.set_etag(f"{file}.gzip")
        response.set_data(small)
        response.headers["Content-Encoding"] = "gzip"
        if file is not None:
            response.make_conditional(request)
        return response
