"""Templates write what `markupsafe.escape` would, and nothing unsafe gets through."""

from __future__ import annotations

import enum
import gc
from typing import Any

import jinja2
import pytest
from flask import Flask
from markupsafe import Markup, escape

from tests.web.stand import Stand
from web.pages.quick_templates import written


class Drawn:
    def __html__(self) -> str:
        return "<i>drawn</i>"


class Loud(str):
    pass


class Mode(enum.IntEnum):
    FAST = 3


VALUES = [
    *(0, -7, 2.5, 1e300, True, None, (1, "<"), {"a": "'"}, Mode.FAST),
    *("", "plain", "a < b & c > \"d\" 'e'", "Grüße", Loud("<b>"), Markup("<b>safe</b>"), Drawn(), jinja2.Undefined()),
]


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_what_is_written_is_what_is_escaped(value: Any) -> None:
    assert str(written(value)) == str(escape(value))


def test_the_tables_templates_escape(stand: Stand) -> None:
    app: Flask = stand.app
    template = app.jinja_env.overlay(autoescape=True).from_string(
        "{{ text }}{% macro m(x) %}[{{ x }}]{% endmacro %}{{ m(text) }}{{ 1 + 1 }}"
    )
    assert template.render(text="<script>") == "&lt;script&gt;[&lt;script&gt;]2"


@jinja2.pass_context
def named(context: Any) -> str:
    return str(context["name"])


@jinja2.pass_environment
def braces(environment: Any) -> str:
    return str(environment.variable_start_string)


class Deep:
    @jinja2.pass_context
    def __call__(self, context: Any, word: str) -> str:
        return f"{word} {context['name']}"


class Plain:
    def __call__(self, word: str) -> str:
        return word


def test_calls_are_given_what_they_ask_for(stand: Stand) -> None:
    text = (
        "{% macro m(x) %}{{ x }}{% endmacro %}{% macro round(x) %}{{ x }}{{ caller() }}{% endmacro %}"
        "{% for name in 'ab' %}{{ named() }}{{ deep('of') }}{{ m(plain(name)) }} {% endfor %}"
        "{{ braces() }}{{ '%s'.__mod__(name) }}{% call round(name) %}!{% endcall %}"
    )
    given = {"name": "Ann", "named": named, "braces": braces, "deep": Deep(), "plain": Plain()}
    said = stand.app.jinja_env.overlay(autoescape=True).from_string(text).render(given)
    assert said == jinja2.Environment(autoescape=True).from_string(text).render(given)


def test_a_value_that_nobody_gave_is_an_error(stand: Stand) -> None:
    with pytest.raises(jinja2.UndefinedError, match="nobody"):
        stand.app.jinja_env.from_string("{{ nobody }}").render()


def test_included_and_imported_templates_see_the_globals(stand: Stand) -> None:
    env: Any = stand.app.jinja_env
    env.loader = jinja2.DictLoader(
        {
            "page": "{% from 'macros' import here %}{% include 'part' %}{{ here() }}{% include ['none', 'part'] %}",
            "part": "{{ shared }}{{ own }},",
            "macros": "{% macro here() %}{{ shared }};{% endmacro %}",
        }
    )
    env.globals["shared"] = "ours"
    assert env.get_template("page").render(own=1) == "ours1,ours;ours1,"
    assert env.get_template("page").render(own=2) == "ours2,ours;ours2,"
    with pytest.raises(jinja2.TemplateNotFound):
        env.get_template("none")


def test_macros_are_freed_with_the_page_that_imported_them(stand: Stand) -> None:
    env: Any = stand.app.jinja_env
    env.loader = jinja2.DictLoader(
        {
            "page": "{% from 'macros' import greets, twice with context %}{{ greets('Hello') }}{{ twice() }}",
            "macros": "{% set end = '!' %}{% macro greets(word) %}{{ word }} {{ name }}{{ end }}{% endmacro %}"
            "{% macro twice() %}{{ greets('And') }}{{ greets('again') }}{% endmacro %}",
        }
    )
    page = env.get_template("page")
    assert page.render(name="Ann") == "Hello Ann!And Ann!again Ann!"
    gc.collect()
    gc.disable()
    try:
        assert page.render(name="Ben") == "Hello Ben!And Ben!again Ben!"
        assert gc.collect() == 0, "what is left waits for the garbage collector, which stops every thread"
    finally:
        gc.enable()
