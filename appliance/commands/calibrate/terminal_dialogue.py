"""The dialogue of a calibration in a terminal: a status of a few lines, and prompts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Self

import click
from rich.console import Console, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from appliance.commands.screen.live_screen import LiveScreen
from appliance.commands.screen.told import tell
from appliance.guided_calibration.dialogue import FEWEST, GuideStep, Tick
from appliance.guided_calibration.errors import why
from appliance.journal.open_game_check import GameOpenError
from appliance.words.catalogues import Words
from calibration.balls.fit import KnownBall, ball_said
from calibration.scale.coins import CURRENCIES, KnownMass, MassError, parse_mass
from hardware.cameras.camera import CameraError
from hardware.clock import Clock, MonotonicClock
from hardware.scale.load_cell import LoadCellError

UNATTENDED_WAIT_S = 60.0
"""How long a lost camera or scale is waited for where the input is no terminal, so that nobody can stop it."""
_SEEN, _UNSEEN = "███", "░░░"


class TerminalDialogue:
    """A dialogue in a terminal; used in a `with` block, which leaves the screen as it was. Ctrl-C stops it.

    :param game_open: whether a game is open, which stops the calibration (SM-26).
    :param balls: which balls are shown, one after the other: the command line names them.
    :param clock: limits the wait for a lost device to `UNATTENDED_WAIT_S` where the input is no terminal.
    """

    def __init__(
        self,
        console: Console,
        words: Words,
        game_open: Callable[[], bool],
        balls: Sequence[KnownBall] = (),
        clock: Clock | None = None,
    ) -> None:
        self._console, self._words, self._game_open = console, words, game_open
        self._balls: Iterator[KnownBall] = iter(balls)
        self._live: LiveScreen | None = None
        self._told = ""
        self._clock = clock or MonotonicClock()
        self._lost_s: float | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close_screen()

    def show(self, step: GuideStep) -> None:
        """Show a step; where no terminal is, only when it asks for something else."""
        self._go_on()
        screen = guide_step_screen(step, self._words)
        if not self._console.is_terminal:
            if step.ask != self._told:
                self._console.print(screen)
                self._told = step.ask
        elif self._live is None:
            self._live = LiveScreen(screen, console=self._console, refresh_per_second=8, transient=True)
            self._live.start()
        else:
            self._live.update(screen)
        self._wait_for(step.lost)

    def _wait_for(self, lost: CameraError | LoadCellError | None) -> None:
        if lost is None or _is_attended():
            self._lost_s = None
        elif self._lost_s is None:
            self._lost_s = self._clock.now_s()
            waits = self._words.say("calibrate.told.waits", {"seconds": UNATTENDED_WAIT_S})
            self._console.print(waits, markup=False)
        elif self._clock.now_s() - self._lost_s >= UNATTENDED_WAIT_S:
            raise lost

    def ask_mass(self, step: GuideStep, weighed: Sequence[KnownMass]) -> KnownMass | None:
        """Ask for the next mass until the answer is valid."""
        enough = len(weighed) >= FEWEST["scale"]
        how = "mass_or_enough" if enough else "mass" if weighed else "enter"
        while True:
            text = self._asked(step, len(weighed) + 1, how)
            if not weighed:
                return KnownMass(0.0, 0.0, "0")
            if text == "?":
                print_coins()
            elif not text and enough:
                return None
            else:
                try:
                    return parse_mass(text)
                except MassError as error:
                    self._console.print(why(error, self._words), markup=False, emoji=False)

    def ask_ball(self, step: GuideStep, shown: Sequence[KnownBall]) -> KnownBall | None:
        """Ask for the next of the balls that the command line named."""
        known = next(self._balls, None)
        if known is not None:
            lay = GuideStep(ask="calibrate.balls.lay", share=step.share)
            self._asked(lay, len(shown) + 1, "enter", f": {ball_said(known, self._words)}")
        return known

    def _asked(self, step: GuideStep, number: int, how: str, what: str = "") -> str:
        """Return what was typed after the question: an earlier Enter is no answer.

        :raises EOFError: nobody is there to answer.
        """
        self._go_on()
        self._close_screen()
        _forget_typed_ahead()
        if sys.stdin is None:
            raise EOFError
        say = self._words.say
        prompt = f"{number}. {say(step.ask, step.values)}{what}. {say(f'calibrate.type.{how}')} "
        answer = self._console.input(prompt, markup=False).strip()
        if not _is_attended():  # no Enter ended the line on the screen
            self._console.print()
        return answer

    def _close_screen(self) -> None:
        if self._live is not None:
            self._live.stop()
        self._live, self._told = None, ""

    def _go_on(self) -> None:
        if self._game_open():
            raise GameOpenError


def guide_step_screen(step: GuideStep, words: Words) -> RenderableType:
    """Return a step as a few lines."""
    say = words.say
    facts = Table.grid(padding=(0, 2))
    if step.covered:
        rows = (Text(" ").join(Text(_SEEN, "green") if seen else Text(_UNSEEN, "dim") for seen in row)
                for row in step.covered)  # fmt: skip
        facts.add_row(say("calibrate.screen.seen"), Text("\n").join(rows))
    for fact in step.facts:
        shown = _ticked(fact.ticks, words) if fact.said is None else Text(say(fact.said.code, fact.said.values))
        facts.add_row(say(fact.name), shown)
    if step.sharpness is not None:
        facts.add_row(say("calibrate.sharpness"), ProgressBar(total=1.0, completed=step.sharpness, width=24))
    facts.add_row(say("calibrate.still"), ProgressBar(total=1.0, completed=step.still, width=24))
    facts.add_row(say("calibrate.share"), ProgressBar(total=1.0, completed=step.share, width=24))
    return Group(Text(say(step.ask, step.values), "bold"), facts)


def _ticked(ticks: Sequence[Tick], words: Words) -> Text:
    said = (f"{'●' if tick.done else '○'} {words.say(tick.said.code, tick.said.values)}" for tick in ticks)
    return Text("  ").join(Text(one, "green" if tick.done else "red") for one, tick in zip(said, ticks, strict=True))


def print_coins() -> None:
    """Print every coin that may serve as a mass, with its mass in g and who publishes it."""
    for key, currency in CURRENCIES.items():
        tell(f"{currency.name} ({currency.source})")
        for name, mass_g in currency.coins.items():
            click.echo(f"  {key}:{name:<5} {mass_g:7.3f} g")


def _is_attended() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _forget_typed_ahead() -> None:
    if not _is_attended():
        return
    try:
        import termios
    except ImportError:  # no terminal of this kind: nothing is kept
        return
    termios.tcflush(sys.stdin, termios.TCIFLUSH)
