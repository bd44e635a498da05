"""Templates and catalogues are compiled once for all starts, and anew when they have changed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NoReturn

import jinja2
import pytest

from appliance.games import game_words
from appliance.words import catalogues
from web.pages import compile_all
from web.pages.quick_templates import QuickFlask


@pytest.fixture(autouse=True)
def kept_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "kept"))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


def page(folder: Path, **options: Any) -> str:
    app = QuickFlask("web", template_folder=str(folder))
    for name, value in options.items():
        setattr(app.jinja_env, name, value)
    return app.jinja_env.get_template("page.html").render(name="<Ada>")


def refuse(*given: object, **named: object) -> NoReturn:
    raise AssertionError("it is compiled again")


def test_a_template_is_compiled_once_and_anew_when_it_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "page.html"
    file.write_text("Hello {{ name }}", encoding="utf-8")
    assert page(tmp_path) == "Hello &lt;Ada&gt;"
    with monkeypatch.context() as second:
        second.setattr(jinja2.Environment, "_parse", refuse)
        assert page(tmp_path) == "Hello &lt;Ada&gt;"
    file.write_text("Hullo {{ name }}", encoding="utf-8")
    assert page(tmp_path) == "Hullo &lt;Ada&gt;"


def test_a_folder_that_is_reached_by_another_path_is_not_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package compiles in its folder; the table reaches it by the link to the release that runs."""
    monkeypatch.setattr(sys, "pycache_prefix", None)
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "page.html").write_text("Hello {{ name }}", encoding="utf-8")
    (tmp_path / "current").symlink_to("release")
    page(tmp_path / "release")
    monkeypatch.setattr(jinja2.Environment, "_parse", refuse)
    assert page(tmp_path / "current") == "Hello &lt;Ada&gt;"


def test_an_application_with_other_options_compiles_its_own(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("{% if name %}\nHello{% endif %}", encoding="utf-8")
    assert page(tmp_path) == "\nHello"
    assert page(tmp_path, trim_blocks=True) == "Hello"


def test_a_start_compiles_nothing_that_the_package_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    def forget() -> None:
        for remembered in (catalogues._read, catalogues.words_for, game_words.words_of):
            remembered.cache_clear()

    forget()
    compile_all.main()
    forget()
    monkeypatch.setattr(jinja2.Environment, "_parse", refuse)
    monkeypatch.setattr(catalogues, "_parsed", refuse)
    compile_all.main()
