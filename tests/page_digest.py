"""Print a digest of every page's HTML, to compare what pages were before a change with what they are after it.

python -m tests.page_digest [GAME ...] prints lines "game/recording step viewer language sha256".
"""

from __future__ import annotations

import hashlib
import sys

from appliance.games.catalogue import GAMES
from tests.moments import moments_of
from tests.pages import Pages


def main() -> None:
    pages = Pages()
    for game in sys.argv[1:] or GAMES:
        for moment in moments_of(game):
            where = f"{game}/{moment.source} {moment.step}"
            try:
                for page in pages.of(moment):
                    digest = hashlib.sha256(page.html.encode()).hexdigest()
                    print(where, page.viewer, page.language, digest)
            except Exception as error:  # a page that fails is a line like any other
                print(where, type(error).__name__, error)


if __name__ == "__main__":
    main()
