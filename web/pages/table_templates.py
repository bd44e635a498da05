"""The templates of a table's pages: where they are found, what all of them may call, and loading them all at once."""

from __future__ import annotations

import itertools
from pathlib import Path

import jinja2
from flask import Flask

from appliance.games.catalogue import GAMES
from appliance.games.game_words import words_of
from appliance.words.catalogues import LANGUAGES
from web.pages.game_pages import has_style, pages_of, template_of
from web.pages.general import changes_of
from web.pages.marked import marked
from web.words.asks import seats_asked

HUBS = "hub/"
"""The folder of the templates of a hub, which shares a few others with tables."""


def prepare_templates(app: Flask) -> None:
    """Let templates be found in the folders of the frame and of every game, and call what they share."""
    app.jinja_env.filters["marked"] = marked
    app.jinja_env.globals |= {
        "has_style": has_style,
        "template_of": template_of,
        "changes_of": changes_of,
        "seats_asked": seats_asked,
    }
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    own = (pages_of(name) for name in GAMES)
    folders = [Path(app.root_path) / "templates", *(pages.FOLDER / "templates" for pages in own if pages is not None)]
    app.jinja_env.loader = jinja2.FileSystemLoader(folders)


def load_all(environment: jinja2.Environment) -> None:
    """Load every template and catalogue of a table, so that the first tap of the first game need not wait for them."""
    for name in environment.list_templates(extensions=["html"]):
        if not name.startswith(HUBS):
            environment.get_template(name)
    for game, language in itertools.product(GAMES, LANGUAGES):
        words_of(language, game)
