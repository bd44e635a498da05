"""Returns the words of codes in one language, for templates."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from appliance.games.catalogue import GAMES, the_game
from appliance.games.game_words import words_of
from appliance.games.protocol import Happening, Rejection, Setup
from appliance.snapshot import LOG_LINES, AmendmentPreview, Announcement, Deed, Offer, Pending
from appliance.words.catalogues import language_names
from web.words.labels import Labels, readable

_log = logging.getLogger(__name__)
_YOURS = {"seat": "you", "winner": "you", "winners": "you", "target": "at_you", "source": "at_you", "owner": "at_you"}
"""By the value that contains the reader's own seat: the suffix of the code whose sentence addresses them directly."""


class Speech(Labels):
    """Returns the words of codes in one language, for templates.

    :param you: the reader's seat. The reader is addressed directly where the catalogue has words for it: a code that
        ends in `.you` if the sentence is about that seat, in `.at_you` if something is done to it.
    """

    def __init__(
        self, language: str, game_name: str | None, names: tuple[str, ...] = (), you: int | None = None
    ) -> None:
        super().__init__(words_of(language, game_name), names)
        # A game without pages of its own may lack words. In any other game a missing word is a bug, so it is logged.
        self._complete = game_name is None or the_game(game_name).pages is not None
        self.language = language
        self.game_name = game_name
        self.you = you
        self._alone = (you, [you], (you,))
        self._announced: dict[int, tuple[Announcement, Markup]] = {}  # keyed by id(); the value keeps the line alive

    def __call__(self, code: str, values: Mapping[str, Any] | None = None, **more: Any) -> str:
        """Return the sentence of `code`. A code without words is made readable, so that the page is still shown."""
        given = {**(values or {}), **more}
        if given and self.you is not None:
            yours = (f"{code}.{_YOURS[key]}" for key in _YOURS if given.get(key) in self._alone)
            code = next((one for one in yours if one in self.words), code)
        try:
            return self.words.say(code, given, self.names)
        except KeyError:
            if self._complete:
                _log.warning("no words in %s for %s", self.language, code)
            return self.made_readable(code, given)

    def other_languages(self) -> dict[str, str]:
        """Return the other languages' own names for themselves, by tag."""
        return {tag: name for tag, name in language_names().items() if tag != self.language}

    def called(self, seats: Sequence[int]) -> list[str]:
        """Return the names of `seats`, for a sentence that only lists them. The reader's name is "you"."""
        return [self.words.say("you") if seat == self.you else self.names[seat] for seat in seats]

    def choice(self, deed: str, field: str | None, value: Any, action: Mapping[str, Any]) -> str:
        """Return the label of a button that does `deed`, choosing `value` for `field`.

        It is the first that exists of `button.<deed>.<field>.<value>`, `button.<deed>.<field>` and `button.<deed>`.
        """
        particular = [_button_code(deed, field, value), f"button.{deed}.{field}"] if field is not None else []
        return self(next((code for code in particular if code in self.words), f"button.{deed}"), action)

    def option(self, deed: str, field: str, value: Any) -> str:
        """Return the words of one possible value of `field` in `deed`."""
        code = _button_code(deed, field, value)
        return self.words.say(code) if code in self.words else self.value(field, value)

    def tap(self, deed: str, field: str | None, value: Any, action: Mapping[str, Any]) -> str:
        """Return the label of a button as `choice` does; if it has no words of its own, the value that it chooses.

        In a game without words for buttons, a button that chooses nothing shows the words of the deed.
        """
        if field is None and not self._complete and f"button.{deed}" not in self.words:
            return self.deed(deed)
        codes = (_button_code(deed, field, value), f"button.{deed}.{field}", f"button.{deed}")
        said = field is None or any(code in self.words for code in codes[:2])
        return self.choice(deed, field, value, action) if said else self.value(str(field), value)

    def game(self, name: str) -> str:
        """Return the title of the game called `name`: from the general words, else the game's own, else readable."""
        known = self.words if f"game.{name}" in self.words or name not in GAMES else words_of(self.language, name)
        return known.say(f"game.{name}") if f"game.{name}" in known else readable(name)

    def given(self, field: str, value: Any) -> str:
        """Return the words of an earlier choice: `given.<field>`, `given.<field>.<value>`, or its label and value."""
        if f"given.{field}" in self.words:
            return self(f"given.{field}", {field: value})
        code = f"given.{field}.{value}"
        return self(code) if code in self.words else f"{self.label(field)}: {self.value(field, value)}"

    def deed(self, deed: str) -> str:
        """Return the words of a deed: of `ask.<deed>`, else of `button.<deed>`, else its name in readable form."""
        code = next((code for code in (f"ask.{deed}", f"button.{deed}") if code in self.words), None)
        return self.words.say(code) if code is not None else readable(deed)

    def first(self, *codes: str) -> str:
        """Return the words of the first of `codes` that has words, or ""."""
        return next((self.words.say(code) for code in codes if code in self.words), "")

    def number(self, number: int) -> str:
        """Return a whole number with the thousands mark of the language."""
        return self.words.number(number, ",")

    def several(self, family: str, names: Sequence[str]) -> str:
        """Return the words of `family` for `names`, joined to a spoken list ("a, b and c")."""
        said = [self(f"{family}.{name}") for name in names]
        if len(said) == 1:
            return said[0]
        return self("list.and", first=", ".join(said[:-1]), last=said[-1])

    def pending(self, pending: Pending) -> str:
        """Return a sentence with the sensors' proposal and the sensors that made it."""
        do, values = pending.action["do"], pending.action
        kinds = (f"pending.{do}.{'nothing' if value == [] else value}" for value in values.values())
        what = self(next((code for code in kinds if code in self.words), f"pending.{do}"), values)
        code = "pending.says" if len(pending.because) > 1 else "pending.says_one"
        said = self(code, senses=self.several("sense", pending.because), what=what)
        return said[:1].upper() + said[1:]

    def did(self, deed: Deed, *, in_full: bool = False) -> str:
        """Return the public happenings of a deed as text: the first two, or all of them with `in_full`."""
        heard = deed.happened if in_full else deed.told()
        return " ".join(map(self.happened, heard)) or self._told_by_itself(deed.action) or self("deed.recorded")

    def _told_by_itself(self, action: Mapping[str, Any]) -> str:
        """Return the sentence of `deed.<deed>` for an action of which nothing else is told, else its button."""
        code = f"deed.{action.get('do')}"
        return self(code, action) if code in self.words else self._button_of(action)

    def _chosen(self, action: Mapping[str, Any]) -> str:
        """Return what an action itself says, without what follows from it; "" if nothing of that is public."""
        chosen = []
        for field, value in action.items():
            if field not in ("do", "seat"):
                code = _button_code(action["do"], field, value)
                chosen.append(self(code) if code in self.words else f"{self.label(field)}: {self.value(field, value)}")
        return self._told_by_itself(action) or ", ".join(chosen)

    def _button_of(self, action: Mapping[str, Any]) -> str:
        """Return who tapped which button, for an action that chooses nothing; "" if its button has no words."""
        code = f"button.{action.get('do')}"
        if set(action) != {"do", "seat"} or code not in self.words:
            return ""
        return self("deed.tapped", seat=action["seat"], button=self(code, action))

    def taken_back(self, deed: Deed) -> str:
        """Return what it means that a deed did not happen: the sentence of `taken_back.<deed>`, else a general one."""
        code = f"taken_back.{deed.action.get('do')}"
        return self(code if code in self.words else "corrections.take_back", deed.action)

    def correction(self, preview: AmendmentPreview) -> tuple[str, str]:
        """Return the texts of what a correction replaces and of what replaces it. They differ if words can show it."""
        for in_full in (False, True):
            was = self.did(preview.deed, in_full=in_full)
            if preview.instead is None:
                return was, self.taken_back(preview.deed)
            if preview.covered and not preview.instead.happened:
                return was, self._chosen(preview.instead.action) or self("corrections.covered_value")
            instead = self.did(preview.instead, in_full=in_full)
            if was != instead:
                return was, instead
        return was, self("corrections.hidden_value")

    def offered(self, offer: Offer) -> tuple[str, str]:
        """Return the texts of what an offered correction replaces and of what replaces it."""
        was = self.did(offer.deed)
        if offer.instead is None:
            return was, self.taken_back(offer.deed)
        instead = self.did(offer.instead)
        return was, instead if instead != was else self.did(offer.instead, in_full=True)

    def happened(self, happening: Happening) -> str:
        """Return the sentence of something that happened. A corrected deed of which nothing was told tells itself."""
        if happening.code == "corrected" and (told := self._told_by_itself(happening.values["deed"] or {})):
            return told
        return self(f"happening.{happening.code}", happening.values)

    def announced(self, announcement: Announcement) -> Markup:
        """Return one line of the log, after the kind of correction if it is one. Its words are kept: a log is shown
        again with every action, and few of its lines are new."""
        known = self._announced.get(id(announcement))
        if known is None:
            if len(self._announced) >= LOG_LINES:
                self._announced.clear()
            known = self._announced[id(announcement)] = announcement, self._line(announcement)
        return known[1]

    def _line(self, announcement: Announcement) -> Markup:
        text = escape(self.happened(announcement.happening))
        if announcement.kind == "happening":
            return text
        return Markup("<b>{}</b> {}").format(self(f"log.{announcement.kind}"), text)

    def rejected(self, rejection: Rejection) -> str:
        """Return the sentence that says why something was refused and what to do."""
        return self(f"rejection.{rejection.code}", rejection.values)


def speech_of(setup: Setup, language: str) -> Speech:
    """Return the words for a past game, or only the general words for a game that this release does not know."""
    game = setup.game if setup.game in GAMES else None
    return Speech(language, game, tuple(player.name for player in setup.players))


def _button_code(deed: str, field: str | None, value: Any) -> str:
    """Return the code of the words of the button that does `deed`, choosing `value` for `field`."""
    return f"button.{deed}.{field}.{value}".lower()
