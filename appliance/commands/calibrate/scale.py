"""`smugglers calibrate scale`: from recordings of known masses, or guided at the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from appliance.commands.calibrate.terminal import CalibrationTerminal, run
from appliance.devices.scale_session import LiveSample, must_answer
from calibration.save_results import keep_scale
from calibration.scale.coins import CURRENCIES, KnownMass, MassError, mass_said, parse_mass
from calibration.scale.count_recording import CountRecording, load_recording
from calibration.scale.guide import PointCollector
from calibration.scale.points import scale_silent
from hardware.scale.load_cell import ReadFailure

_POINT_HELP = "A mass and its recording: 0=empty.csv, 100=hundred.csv, 4*euro:2=coins.csv. At least two."


@click.command()
@click.option("--point", "points", multiple=True, metavar="MASS=FILE", help=_POINT_HELP)
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; left out, where the table reads it.")
@click.option("--report", type=click.Path(path_type=Path), help="Also write a one-page report, as HTML and PNG.")
@click.option("--twin", is_flag=True, help="Try it with a simulated scale, on which any mass you type lies at once.")
@click.option("--undo", "undo_last", is_flag=True, help="Restore the calibration before the last one.")
@click.option(
    "--inverted/--not-inverted",
    default=None,
    help="Whether the cell is wired the other way round, so that its counts fall as the mass grows. Left out, as the "
    "scale file before has it, else not. What does not fit is refused: recordings may have been swapped.",
)
@click.option("--coins", "list_coins", is_flag=True, help="List the coins that may serve as masses.")
def command(
    points: tuple[str, ...],
    out: Path | None,
    report: Path | None,
    twin: bool,
    undo_last: bool,
    inverted: bool | None,
    list_coins: bool,
) -> None:
    """Find zero, span, noise and drift of the scale, from recordings or guided at the table.

    Without --point it guides you: empty pan first, then two or more known masses; coins will do.
    """
    if list_coins:
        print_coins()
        return

    def calibrate(terminal: CalibrationTerminal) -> bool:
        if points:
            finish(terminal, [_read_point(text) for text in points], report, inverted)
        else:
            bench = terminal.bench()
            must_answer(bench.samples())
            guide(terminal, bench.samples, bench.laid, report, inverted)
        return True

    run("scale", out, calibrate, report=report, twin=twin, undo=undo_last)


def _read_point(text: str) -> tuple[KnownMass, CountRecording]:
    mass, equals, file = text.partition("=")
    if not equals or not file:
        raise MassError(text, f"--point {text!r}: write it as MASS=FILE, such as 100=hundred.csv")
    return parse_mass(mass), load_recording(Path(file))


def finish(
    terminal: CalibrationTerminal,
    points: Sequence[tuple[KnownMass, CountRecording]],
    report: Path | None,
    inverted: bool | None,
) -> None:
    """Fit and store a scale, write its report and say what it means.

    :param inverted: whether the cell is said to be wired the other way round; None: as the file before has it.
    :raises FitError: the points do not make a scale; nothing is written.
    :raises StoreError: a file cannot be written; the scale file is then as it was.
    """
    fit, judged, written = keep_scale(points, terminal.out, report, terminal.words, inverted=inverted)
    model = fit.model
    terminal.say("zero", zero_counts=model.zero_counts, error_counts=fit.zero_se_counts)
    terminal.say("span", counts_per_gram=model.counts_per_gram, error=fit.span_se)
    for point in fit.points:
        mass = mass_said(point.known, terminal.words)
        terminal.say("point", mass=mass, off_g=point.residual_g, sd_g=point.residual_sd_g)
    terminal.say(
        "noise",
        white_g=model.white_sd_g,
        rate_hz=model.rate_hz,
        drift_g=model.drift_g_per_sqrt_s,
        spikes_per_min=model.spikes_per_min,
    )
    terminal.tell_verdict(judged, written)


def print_coins() -> None:
    """Print every coin that may serve as a mass, with its mass in g and who publishes it."""
    for key, currency in CURRENCIES.items():
        click.echo(f"{currency.name} ({currency.source})")
        for name, mass_g in currency.coins.items():
            click.echo(f"  {key}:{name:<5} {mass_g:7.3f} g")


def guide(
    terminal: CalibrationTerminal,
    samples: Callable[[], Iterator[LiveSample]],
    laid: Callable[[float], None],
    report: Path | None,
    inverted: bool | None = None,
) -> None:
    """Lead through an empty pan and two or more known masses, then fit, show and store.

    :param samples: opens a fresh stream of the load cell; called once for each mass.
    :param laid: is told what lies on the pan now, in g.
    :raises FitError: the points do not make a scale, or it stops answering; nothing is written.
    """
    terminal.ask("empty")
    known: KnownMass | None = KnownMass(0.0, 0.0, "0")
    points: list[tuple[KnownMass, CountRecording]] = []
    while known is not None:
        laid(known.mass_g)
        points.append(_collect(terminal, known, samples()))
        known = _ask_mass(terminal, len(points))
    finish(terminal, points, report, inverted)


def _ask_mass(terminal: CalibrationTerminal, already: int) -> KnownMass | None:
    """Ask for the next mass until it makes sense; None when the person has enough."""
    while True:
        text = terminal.ask("mass_or_enough" if already >= 2 else "mass", number=already + 1).strip()
        if text == "?":
            print_coins()
        elif not text and already >= 2:
            return None
        else:
            try:
                known = parse_mass(text)
            except MassError as error:
                terminal.console.print(terminal.why(error), markup=False)
                continue
            if known.mass_g > 0:
                return known
            terminal.say("empty_is_known")


def _collect(
    terminal: CalibrationTerminal, known: KnownMass, samples: Iterator[LiveSample]
) -> tuple[KnownMass, CountRecording]:
    collector = PointCollector(known)
    mass = mass_said(known, terminal.words)

    def told(code: str, **values: object) -> str:
        return terminal.words.say(f"calibrate.told.{code}", {"mass": mass, **values})

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[noise]}"))
    with Progress(*columns, console=terminal.console) as progress:
        task = progress.add_task(mass, total=1.0, noise="")
        for sample in samples:
            if isinstance(sample, ReadFailure):
                code = "end_stop" if sample.saturated else "no_answer"
                progress.update(task, description=told(code, reason=sample.reason))
                continue
            state = collector.feed(sample.t_s, sample.counts)
            noise = told("noise_counts", counts=state.scatter_counts)
            description = told("still" if state.still else "not_still")
            progress.update(task, completed=state.share, description=description, noise=noise)
            if state.done:
                return known, collector.recording()
    raise scale_silent()
