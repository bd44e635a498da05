"""Codes of a game as types. Each game lists its codes once, in `rules/codes.py`, and mypy checks every call."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar, get_args

from appliance.games.protocol import Json, Rejection

CodeT = TypeVar("CodeT", bound=str)

CommonRejection = Literal[
    "bad_name",
    "game_over",
    "name_twice",
    "no_such_seat",
    "option_range",
    "option_type",
    "player_count",
    "unknown_command",
    "unknown_option",
    "unknown_rules_revision",
]
"""Rejection codes of the rules and referees of all games. Their sentences are in the frame's catalogue; a game may
override them."""


class Reject(Generic[CodeT]):
    """Makes the rejections of one game: `reject = Reject[RejectionCode]()`."""

    def __call__(self, code: CodeT, rule: str, values: dict[str, Json] | None = None) -> Rejection:
        """Return the rejection `code` by `rule`, with values for its sentence."""
        return Rejection(code, rule, values or {})


reject = Reject[CommonRejection]()


def composed(codes: Any, code: str) -> Any:
    """Return `code`, which was built from parts. Assert that it is one of `codes` (a `Literal`)."""
    assert code in get_args(codes), code
    return code
