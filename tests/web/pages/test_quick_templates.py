"""Templates write what `markupsafe.escape` would, and nothing unsafe gets through."""

from __future__ import annotations

import enum
import gc
from typing import Any

import jinja2
import pytest
from flask import Flask
from markupsafe import Markup, escape

from tests.web.calls import calls_of
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


CALLED = (
    "{% macro pair(a, b='?') %}{{ a }}={{ b }};{% endmacro %}{% macro around(x) %}{{ x }}{{ caller() }};{% endmacro %}"
    "{% macro more(a) %}{{ a }}{{ varargs }}{{ kwargs }};{% endmacro %}",
    "{{ pair(name, 2) }}{{ pair(name) }}{{ pair(b=name, a=1) }}{{ pair(*[name, 1]) }}{{ pair(**{'a': name}) }}",
    "{{ more(name) }}{{ more(name, 1, b=2) }}{% call around(name) %}!{% endcall %}{{ around(name, caller=shout) }}",
    "{% for one in name %}{{ shout(one, end='<') }}{{ pair(shout(one), loop.index) }}{% endfor %}{{ name.lower() }}",
)


def test_calls_are_those_of_jinja(stand: Stand) -> None:
    def shout(word: str = "", *, end: str = "!") -> str:
        return f"{word.upper()}{end}"

    text, given = "".join(CALLED), {"name": "Ann & Ben", "shout": shout}
    said = stand.app.jinja_env.overlay(autoescape=True).from_string(text).render(given)
    assert said == jinja2.Environment(autoescape=True).from_string(text).render(given)


def test_a_macro_with_too_many_arguments_is_an_error(stand: Stand) -> None:
    with pytest.raises(TypeError, match="not more than 1"):
        stand.app.jinja_env.from_string("{% macro m(x) %}{{ x }}{% endmacro %}{{ m(1, 2) }}").render()


def test_a_call_in_a_template_takes_no_more_than_what_is_called(stand: Stand) -> None:
    def calls(written: str) -> int:
        text = "{% macro m(x, y=1) %}[{{ 7 }}]{% endmacro %}{% for one in range(100) %}{{ WRITTEN }}{% endfor %}"
        environment = stand.app.jinja_env.overlay(autoescape=True)
        template = environment.from_string(text.replace("WRITTEN", written))
        return calls_of(lambda: template.render(say=str))

    assert calls("say(one)") == calls("say and one")
    for written_call in ("m(one, one)", "m(one)"):
        assert calls(written_call) <= calls("m and one") + 400, "the macro, its function, its arguments and safe text"


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
