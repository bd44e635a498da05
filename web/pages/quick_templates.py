"""Faster Jinja templates: a page writes some hundred numbers and safe texts, and loads some ten other templates."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import MutableMapping
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

import jinja2
from flask import Flask
from flask.templating import Environment
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame, MacroRef
from jinja2.runtime import Context, Macro
from jinja2.utils import missing
from markupsafe import Markup, escape

from hardware.files.compiled import compiled

_encode = json.JSONEncoder(sort_keys=True).encode
_ESCAPED = (("&", r"\u0026"), ("<", r"\u003c"), (">", r"\u003e"), ("'", r"\u0027"))
_UNSAFE = re.compile(r"""[&<>"']""").search


@cache
def _compiler() -> tuple[str, bytes]:
    """Return what else than a template decides its code: the release of Jinja, and this file."""
    return jinja2.__version__, hashlib.sha256(Path(__file__).read_bytes()).digest()


def written(value: Any) -> str:
    """Return the text that a template writes for `value`. It is that of `markupsafe.escape`, which is slower."""
    kind = type(value)
    if kind is Markup:
        return value  # type: ignore[no-any-return]  # its type says so
    if kind is str:
        return str(escape(value)) if _UNSAFE(value) else str(value)
    if kind is int or kind is float:
        return str(value)
    return str(escape(value))


def tojson(value: Any) -> Markup:
    """Return `value` as JSON that may stand in HTML and in attributes with single quotes, as by Jinja's filter."""
    text = _encode(value)
    for character, escaped in _ESCAPED:
        text = text.replace(character, escaped)
    return Markup(text)  # noqa: S704  # nothing of HTML is left in it


class _QuickMacro(Macro):
    """A macro. A call that names no argument is a call of its function, without Jinja's handling of others."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        plain = not (self.caller or self.catch_kwargs or self.catch_varargs) and self._default_autoescape
        self._most = self._argument_count if plain else -1

    def __call__(self, *args: Any, **kwargs: Any) -> str:
        if kwargs or len(args) > self._most:
            return super().__call__(*args, **kwargs)
        given = (*args, *(missing,) * (self._most - len(args)))
        return Markup(self._func(*given))  # noqa: S704  # its function escapes what it writes


class _QuickContext(Context):
    def get_exported(self) -> dict[str, Any]:
        """Return the macros that another template imports, and keep none of them.

        A macro holds its context. If the context held it, too, every page would leave some hundred objects that only
        the garbage collector can free.
        """
        exported = super().get_exported()
        self.vars.clear()
        return exported


class _QuickCode(CodeGenerator):
    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        """Write a plain call. Jinja's asks every time whether what is called takes the context; nothing here does."""
        self.visit(node.node, frame)
        self.write("(")
        given = [("", one) for one in node.args], [("*", node.dyn_args)], [("", one) for one in node.kwargs]
        for stars, argument in (*chain(*given), ("**", node.dyn_kwargs)):
            if argument is not None:
                self.write(stars)
                self.visit(argument, frame)
                self.write(", ")
        self.write("caller=caller)" if forward_caller else ")")

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        self.write("environment.")
        super().macro_def(macro_ref, frame)

    def _output_child_pre(self, node: Any, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.volatile or not frame.eval_ctx.autoescape or finalize.src is not None:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write("environment.written(")


class QuickEnvironment(Environment):
    """The environment of all templates. An undefined value is an error; a template is loaded once and kept.

    What a template is compiled to is kept on disk, too.
    """

    code_generator_class = _QuickCode
    context_class = _QuickContext
    written = staticmethod(written)
    """What compiled templates call."""
    Macro = _QuickMacro
    """What compiled templates make their macros of."""

    def __init__(self, app: Flask, **options: Any) -> None:
        super().__init__(app, undefined=jinja2.StrictUndefined, **options)
        self.filters["tojson"] = tojson
        self._known: dict[str, jinja2.Template] = {}

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Return the globals of a template: the environment's own, which Jinja would look up through a `ChainMap`."""
        return super().make_globals(d) if d else self.globals

    def compile(
        self, source: Any, name: str | None = None, filename: str | None = None, raw: bool = False, *more: Any
    ) -> Any:
        """Return a template's code: from the kept copy, if the template is a file."""
        make = partial(super().compile, source, name, filename, raw, *more)
        if filename is None or raw or more:
            return make()
        made_from = (_compiler(), self.trim_blocks, self.lstrip_blocks, name, source)
        return compiled(Path(filename), repr(made_from).encode(), make)

    def get_template(self, name: str | jinja2.Template, *more: Any, **named: Any) -> jinja2.Template:
        """Return a template. Pages include and import some ten each time, so one that was loaded is kept by name."""
        if not isinstance(name, str):
            return name
        if name not in self._known:
            self._known[name] = super().get_template(name, *more, **named)
        return self._known[name]


def drawn(template: jinja2.Template, values: dict[str, Any]) -> str:
    """Return what `template` writes from `values` and the globals among them.

    The templates of a page share the mapping. `Template.render` would copy it, and the globals, for each of them.
    """
    try:
        return "".join(template.root_render_func(template.new_context(values, shared=True)))
    except Exception:
        template.environment.handle_exception()


class QuickFlask(Flask):
    """A Flask application with such an environment."""

    jinja_environment = QuickEnvironment  # type: ignore[assignment]  # Flask infers the exact class
