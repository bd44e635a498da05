"""A whole game by taps alone: robots decide, and a finger does it on the screen where a person would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import msgspec

from appliance.games.catalogue import the_game
from appliance.games.protocol import Action, Choice, ManyOf, OneOf, Prompt
from tests.appliance.games.playing import action_of
from tests.end_to_end.party import Page, Party
from tests.end_to_end.served import Served

# Where on a page an action can be done: a button that sends it, or a form that is filled in and sent.
FIND = """action => {
    const text = value => Array.isArray(value) ? `[${value.map(text)}]` : value && typeof value === "object"
        ? `{${Object.keys(value).sort().map(key => key + ":" + text(value[key]))}}` : JSON.stringify(value);
    const shut = e => !e.checkVisibility({visibilityProperty: true}) && !e.closest("details:not([open])");
    const within = e => {
        const details = e.closest("details:not([open])");
        return details ? Array.from(document.querySelectorAll("details")).indexOf(details) : -1;
    };
    const first = (kind, does) => {
        const all = Array.from(document.querySelectorAll(kind));
        const nth = all.findIndex(e => !shut(e) && !e.disabled && does(e));
        return nth < 0 ? null : {kind, nth, details: within(all[nth])};
    };
    const without = field => Object.fromEntries(Object.entries(action).filter(([key]) => key !== field));
    const offers = (form, values) => [values].flat().every(value => form.querySelector(`[data-value="${value}"]`));
    const fits = (form, field) => text(JSON.parse(form.dataset.action || "{}")) === text(without(field));
    return first("[data-send][data-prompt]", e => text(JSON.parse(e.dataset.send)) === text(action))
        || first("form[data-many]", e => fits(e, e.dataset.many) && offers(e, action[e.dataset.many]))
        || first("form[data-keypad]", e => fits(e, e.dataset.keypad));
}"""


class TappedGame(Party):
    """People who play a game to its end, each on their screen, as robots advise them.

    :param seen: is called after every step.
    """

    SAID_BY_EYE = ".asking [data-send]:visible:not([disabled])"
    """The buttons of what sensors would say."""

    def __init__(
        self,
        served: Served,
        game: str,
        names: Sequence[str],
        phones: dict[int, str],
        seen: Callable[[TappedGame], None] = lambda game: None,
        seed: int = 1,
        **options: str,
    ) -> None:
        super().__init__(served, game, names, phones, **options)
        self._game = the_game(game)
        assert self._game.robots is not None
        made, self._random = self._game.robots(), Random(seed)
        self._advisers = [made.Robot(seat, list(made.SKILLS)[-1], seed + seat) for seat in range(len(names))]
        self._seen = seen
        self.steps = 0

    @property
    def is_over(self) -> bool:
        return self._game.rules.outcome(self.state) is not None

    def play(self, most: int) -> None:
        """Play to the end, which must come within `most` steps."""
        for self.steps in range(most):
            self._seen(self)
            if self.is_over:
                return
            self._step()
        raise AssertionError("the game does not end")

    def _step(self) -> None:
        for seat, adviser in enumerate(self._advisers):
            view = self._game.rules.view(self.state, seat)
            chosen = adviser.choose(view, tuple(one for one in view.expects if one.by == "seat"))
            if chosen is not None:
                self.do(seat, chosen[1])
                return
        self._let_the_table_act()

    def _let_the_table_act(self) -> None:
        """Say on the touchscreen what sensors would say, or ask for an electronic die."""
        view = self._game.rules.view(self.state, None)
        prompts: list[Prompt] = [one for one in view.expects if not one.optional]
        if any(one.chance == "may" for one in prompts):
            self.act_at_the_table("[data-chance]")
            return
        buttons = self.kiosk.locator(self.SAID_BY_EYE)
        if buttons.count():
            nth = self._random.randrange(buttons.count())
            self.act_at_the_table(f"{self.SAID_BY_EYE} >> nth={nth}")
            return
        # What only hands and eyes know, as what lies in an opened sphere.
        prompt = next(one for one in prompts if one.seat is not None)
        fields = {name: self._any_of(choice) for name, choice in prompt.choices.items()}
        self.do(prompt.seat or 0, action_of(self._game.rules, prompt, fields))

    def _any_of(self, choice: Choice) -> Any:
        match choice:
            case ManyOf(values=values):
                return (self._random.choice(values),)
            case OneOf(values=values):
                return self._random.choice(values)
        raise AssertionError(f"nothing to choose from {choice}")

    def do(self, seat: int, action: Action) -> None:
        """Let `seat` do `action` by taps where it plays."""
        wanted = msgspec.to_builtins(action)
        screen = self.screen_of(seat)
        self._wait_until_asked(seat, screen, wanted["do"])
        place = screen.evaluate(FIND, wanted)
        if place is None and seat not in self.phones:
            self.tap(seat, f'[data-hold="/kiosk/hand/{seat}"]')
            screen.wait_for_selector(".curtain[open]")
            place = screen.evaluate(FIND, wanted)
        assert place is not None, f"step {self.steps}: no way to do {wanted} on {screen.url}"
        if place["details"] >= 0:
            self.tap(seat, f"details >> nth={place['details']} >> summary")
        where = f"{place['kind']} >> nth={place['nth']}"
        if "data-many" in place["kind"]:
            self._fill(seat, screen, where, wanted)
            self.act(seat, f"{where} >> [type=submit]")
        elif "data-keypad" in place["kind"]:
            field = screen.locator(where).get_attribute("data-keypad")
            for digit in str(int(wanted[field])):
                self.tap(seat, f"{where} >> [data-key='{digit}']")
            self.act(seat, f"{where} >> [type=submit]")
        else:
            if screen.locator(where).get_attribute("data-sure") is not None:
                self.tap(seat, where)
            self.act(seat, where)

    def _wait_until_asked(self, seat: int, screen: Page, do: str) -> None:
        """Wait until a screen shows the situation in which `seat` may do that, or where its hand is held."""
        asked = {one.prompt for one in self._game.rules.expects(self.state, seat) if one.do == do}
        shown = [f'[data-prompt="{prompt}"], [data-for="{prompt}"]' for prompt in asked]
        screen.locator(", ".join(shown)).first.wait_for(state="attached")

    def _fill(self, seat: int, screen: Page, where: str, wanted: dict[str, Any]) -> None:
        values = wanted[screen.locator(where).get_attribute("data-many")]
        for value in values if isinstance(values, list | tuple) else [values]:
            counter = screen.locator(f"{where} >> [data-value='{value}'] .what")
            if counter.count():
                self.tap(seat, f"{where} >> [data-value='{value}'] .what")
            else:
                self.tap(seat, f"{where} >> .chip[data-value='{value}'][aria-pressed=false]")
