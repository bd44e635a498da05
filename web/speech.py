"""Says codes in one language, for templates."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from appliance.games.catalogue import GAMES, the_game
from appliance.games.game_words import words_of
from appliance.games.protocol import Happening, Rejection, Setup
from appliance.snapshot import AmendmentPreview, Announcement, Deed, Offer, Pending
from appliance.words import language_names
from web.labels import Labels, readable

_log = logging.getLogger(__name__)
_YOURS = {"seat": "you", "winner": "you", "winners": "you", "target": "at_you", "source": "at_you", "owner": "at_you"}
"""By the value that names the reader's own seat: the ending of the code whose sentence speaks to them."""


class Speech(Labels):
    """Says codes in one language, for templates.

    :param you: the seat of the reader, who is not spoken of by name where the catalogue has words for it: a code that
        ends in `.you` where the sentence is about that seat, in `.at_you` where something is done to it.
    """

    def __init__(
        self, language: str, game_name: str | None, names: tuple[str, ...] = (), you: int | None = None
    ) -> None:
        super().__init__(words_of(language, game_name), names)
        # A game without pages of its own may do without words; what another one lacks is a bug to be found.
        self._complete = game_name is None or the_game(game_name).pages is not None
        self.language = language
        self.you = you
        self._alone = (you, [you], (you,))

    def __call__(self, code: str, values: Mapping[str, Any] | None = None, **more: Any) -> str:
        """Return the sentence of `code`; an unknown one is made readable: no wall goes dark for a word."""
        given = {**(values or {}), **more}
        if self.you is not None:
            yours = (f"{code}.{_YOURS[key]}" for key in _YOURS if given.get(key) in self._alone)
            code = next((one for one in yours if one in self.words), code)
        try:
            return self.words.say(code, given, self.names)
        except KeyError:
            if self._complete:
                _log.warning("no words in %s for %s", self.language, code)
            return self.made_readable(code, given)

    def other_languages(self) -> dict[str, str]:
        """Return what the languages but this one call themselves, by their tags."""
        return {tag: name for tag, name in language_names().items() if tag != self.language}

    def called(self, seats: Sequence[int]) -> list[str]:
        """Return the names of `seats`, for a sentence that only lists them; the reader is "you"."""
        return [self.words.say("you") if seat == self.you else self.names[seat] for seat in seats]

    def choice(self, deed: str, field: str | None, value: Any, action: Mapping[str, Any]) -> str:
        """Return the words of a button that does `deed`, choosing `value` for `field`: the most particular there are.

        They are those of `button.<deed>.<field>.<value>`, of `button.<deed>.<field>`, or of `button.<deed>`.
        """
        particular = [f"button.{deed}.{field}.{value}".lower(), f"button.{deed}.{field}"] if field is not None else []
        return self(next((code for code in particular if code in self.words), f"button.{deed}"), action)

    def option(self, deed: str, field: str, value: Any) -> str:
        """Return the words of one value that `deed` can have in `field`."""
        code = f"button.{deed}.{field}.{value}".lower()
        return self.words.say(code) if code in self.words else self.value(field, value)

    def tap(self, deed: str, field: str | None, value: Any, action: Mapping[str, Any]) -> str:
        """Return the words of a button as `choice` does; where there are none, the value that it chooses.

        A button that chooses nothing says what is asked, in a game that has no words for buttons.
        """
        if field is None and not self._complete and f"button.{deed}" not in self.words:
            return self.deed(deed)
        codes = (f"button.{deed}.{field}.{value}".lower(), f"button.{deed}.{field}", f"button.{deed}")
        said = field is None or any(code in self.words for code in codes[:2])
        return self.choice(deed, field, value, action) if said else self.value(str(field), value)

    def game(self, name: str) -> str:
        """Return what the game called `name` is called: by the frame or by itself, or its name, readable."""
        known = self.words if f"game.{name}" in self.words or name not in GAMES else words_of(self.language, name)
        return known.say(f"game.{name}") if f"game.{name}" in known else readable(name)

    def given(self, field: str, value: Any) -> str:
        """Return the words of an earlier choice: `given.<field>`, `given.<field>.<value>`, or its label and value."""
        if f"given.{field}" in self.words:
            return self(f"given.{field}", {field: value})
        code = f"given.{field}.{value}"
        return self(code) if code in self.words else f"{self.label(field)}: {self.value(field, value)}"

    def deed(self, deed: str) -> str:
        """Return what is asked: the words of `ask.<deed>`, of `button.<deed>`, or the deed's own name, readable."""
        code = next((code for code in (f"ask.{deed}", f"button.{deed}") if code in self.words), None)
        return self.words.say(code) if code is not None else readable(deed)

    def first(self, *codes: str) -> str:
        """Return the words of the first of `codes` that has some, or ""."""
        return next((self.words.say(code) for code in codes if code in self.words), "")

    def number(self, number: int) -> str:
        """Return a whole number with the thousands mark of the language."""
        return self.words.number(number, ",")

    def several(self, family: str, names: Sequence[str]) -> str:
        """Return the words of `family` for `names`, joined as a list is spoken."""
        said = [self(f"{family}.{name}") for name in names]
        if len(said) == 1:
            return said[0]
        return self("list.and", first=", ".join(said[:-1]), last=said[-1])

    def pending(self, pending: Pending) -> str:
        """Return what the sensors say, and which of them say it."""
        do, values = pending.action["do"], pending.action
        kinds = (f"pending.{do}.{'nothing' if value == [] else value}" for value in values.values())
        what = self(next((code for code in kinds if code in self.words), f"pending.{do}"), values)
        code = "pending.says" if len(pending.because) > 1 else "pending.says_one"
        said = self(code, senses=self.several("sense", pending.because), what=what)
        return said[:1].upper() + said[1:]

    def did(self, deed: Deed, *, in_full: bool = False) -> str:
        """Return what came of a deed, as everybody heard it; `in_full`: all of it, not its beginning."""
        heard = deed.happened if in_full else deed.happened[:2]
        return " ".join(map(self.happened, heard)) or self("deed.recorded")

    def correction(self, preview: AmendmentPreview) -> tuple[str, str]:
        """Return what a correction replaces and what the table would say then, told apart where words can."""
        for in_full in (False, True):
            was = self.did(preview.deed, in_full=in_full)
            if preview.instead is None:
                return was, self("corrections.take_back")
            instead = self.did(preview.instead, in_full=in_full)
            if was != instead:
                return was, instead
        return was, self("corrections.hidden_value")

    def offered(self, offer: Offer) -> tuple[str, str]:
        """Return what an offered correction replaces and what the table would say then."""
        was = self.did(offer.deed)
        if offer.instead is None:
            return was, self("corrections.take_back")
        instead = self.did(offer.instead)
        return was, instead if instead != was else self.did(offer.instead, in_full=True)

    def happened(self, happening: Happening) -> str:
        """Return the sentence of something that happened."""
        return self(f"happening.{happening.code}", happening.values)

    def announced(self, announcement: Announcement) -> Markup:
        """Return one line of the log, with the kind of correction it tells of."""
        text = escape(self.happened(announcement.happening))
        if announcement.kind == "happening":
            return text
        return Markup("<b>{}</b> {}").format(self(f"log.{announcement.kind}"), text)

    def rejected(self, rejection: Rejection) -> str:
        """Return why something was refused and what to do."""
        return self(f"rejection.{rejection.code}", rejection.values)


def speech_of(setup: Setup, language: str) -> Speech:
    """Return the words of a game that was played, or the frame's for a game that this release does not know."""
    game = setup.game if setup.game in GAMES else None
    return Speech(language, game, tuple(player.name for player in setup.players))
