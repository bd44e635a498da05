"""Errors of web requests: a status and a stable code. The sentence is in the word catalogues."""

from __future__ import annotations

from typing import Any

from appliance.games.protocol import Rejection


class Refused(Exception):  # noqa: N818  # it is an answer, not an error
    """Ends a request with `status` and the sentence of `rejection.<code>`; `back` is the page to go on from.

    `game` names the game whose words say it, where that is not the open one."""

    def __init__(
        self,
        status: int,
        code: str,
        rule: str = "",
        values: dict[str, Any] | None = None,
        *,
        back: str | None = None,
        game: str | None = None,
    ) -> None:
        super().__init__(code)
        self.status = status
        self.back = back
        self.game = game
        self.rejection = Rejection(code, rule, values or {})

    @classmethod
    def because(cls, rejection: Rejection, status: int = 409, game: str | None = None) -> Refused:
        """Return the answer for what the table or the rules refused; 503 when the table gave no answer in time."""
        status = 503 if rejection.code == "table_busy" else status
        return cls(status, rejection.code, rejection.rule, rejection.values, game=game)
