"""Operations of the API: views with typed requests and answers. `web.routes.api.document` describes them from these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec
from flask import Blueprint, Response, request

from hardware.files.regular_file import UNDECODABLE
from web.errors import Refused

JSON = "application/json"
STREAM = "text/event-stream"
Struct = type[msgspec.Struct]
View = TypeVar("View", bound=Callable[..., msgspec.Struct | Response])
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


@dataclass(frozen=True)
class Operation:
    """A method of a path, such as "POST" of "/undo": what it takes as body or query string, and its answers."""

    method: str
    path: str
    doc: str
    body: Struct | None
    query: Struct | None
    gives: tuple[Struct, ...]
    content_type: str


class ApiBlueprint(Blueprint):
    """A blueprint of operations. `description` is for the API's document."""

    def __init__(self, name: str, import_name: str, *, description: str) -> None:
        super().__init__(name, import_name)
        self.description = description
        self.operations: list[Operation] = []

    def operation(self, rule: str, *, streams: Struct | None = None) -> Callable[[View], View]:
        """Route `rule`, such as "POST /undo", to a view.

        The view's parameter `body` or `query` has the type of what it takes, its return type is that of its answers.

        :param streams: the type of what the view streams as server-sent events, if that is its answer.
        """
        method, path = rule.split(" ")

        def add(view: View) -> View:
            types = get_type_hints(view)
            body, query, given = types.get("body"), types.get("query"), types["return"]
            gives, content_type = ((streams,), STREAM) if streams else (get_args(given) or (given,), JSON)
            self.operations.append(Operation(method, path, view.__doc__ or "", body, query, gives, content_type))

            def answer(**arguments: Any) -> Response:
                if body is not None:
                    arguments["body"] = _body_of(body)
                if query is not None:
                    arguments["query"] = _checked(request.args.to_dict(), query, strict=False)
                answered = view(**arguments)
                return answered if isinstance(answered, Response) else Response(_encode(answered), mimetype=JSON)

            self.add_url_rule(path, view.__name__, answer, methods=[method])
            return view

        return add


def _body_of(kind: Struct) -> msgspec.Struct:
    """Return the body of the request.

    :raises Refused: `malformed_request`: 400 if it is not JSON, 422 if it is none of this kind.
    """
    if not request.is_json:
        raise Refused(422, "malformed_request")
    try:
        decoded = _decode(request.get_data())
    except UNDECODABLE:
        raise Refused(400, "malformed_request") from None
    return _checked(decoded, kind, strict=True)


def _checked(given: Any, kind: Struct, *, strict: bool) -> msgspec.Struct:
    try:
        return msgspec.convert(given, kind, strict=strict)
    except msgspec.ValidationError:
        raise Refused(422, "malformed_request") from None
