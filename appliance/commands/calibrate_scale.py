"""`smugglers calibrate scale`: from recordings of known masses, or guided at the table."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from appliance.commands.verdicts import print_verdict
from appliance.live_scale import LiveSample
from appliance.words import negotiate, words
from calibration import store
from calibration.coins import CURRENCIES, KnownMass, MassError, parse_mass
from calibration.count_recording import CountRecording, RecordingError, load_recording
from calibration.results import keep_scale
from calibration.said import Speaker
from calibration.scale import FitError
from calibration.scale_guide import PointCollector
from hardware.load_cell import LoadCellError, ReadFailure

_POINT_HELP = "A mass and its recording: 0=empty.csv, 100=hundred.csv, 4*euro:2=coins.csv. At least two."


@click.command()
@click.option("--point", "points", multiple=True, metavar="MASS=FILE", help=_POINT_HELP)
@click.option("--out", type=click.Path(path_type=Path), help="Where to write; left out, where the table reads it.")
@click.option("--report", type=click.Path(path_type=Path), help="Also write a one-page report, as HTML and PNG.")
@click.option("--twin", is_flag=True, help="Try it with a simulated scale, on which any mass you type lies at once.")
@click.option("--undo", "undo_last", is_flag=True, help="Restore the calibration before the last one.")
@click.option("--coins", "list_coins", is_flag=True, help="List the coins that may serve as masses.")
def command(
    points: tuple[str, ...], out: Path | None, report: Path | None, twin: bool, undo_last: bool, list_coins: bool
) -> None:
    """Find zero, span, noise and drift of the scale, from recordings or guided at the table.

    Without --point it guides you: empty pan first, then two or more known masses; coins will do.
    """
    if list_coins:
        print_coins()
        return
    if twin and out is None:
        raise click.UsageError("--twin needs --out: the simulated scale is not this table's")
    from appliance import bootstrap

    settings = bootstrap.read_settings(None)
    out, speaker = out or settings.scale_path, words(negotiate([settings.language]))
    try:
        if undo_last:
            store.undo(out)
            click.echo(f"{out}: the calibration before the last one is back")
        elif points:
            finish([_read_point(text) for text in points], out, report, speaker)
        else:
            bench = bootstrap.build_bench(twin=twin)
            guide(out, report, speaker, bench.samples, Console(), bench.laid)
    except (KeyboardInterrupt, EOFError):
        click.echo(f"\naborted; {out} is as it was", err=True)
        sys.exit(1)
    except (LoadCellError, RecordingError, FitError, MassError, store.StoreError) as error:
        click.echo(f"smugglers calibrate scale: {error} [{error.code}]", err=True)
        sys.exit(2)


def _read_point(text: str) -> tuple[KnownMass, CountRecording]:
    mass, equals, file = text.partition("=")
    if not equals or not file:
        raise MassError(f"--point {text!r}: write it as MASS=FILE, such as 100=hundred.csv")
    return parse_mass(mass), load_recording(Path(file))


def finish(
    points: Sequence[tuple[KnownMass, CountRecording]], out: Path, report: Path | None, speaker: Speaker
) -> None:
    """Fit and store a scale, write its report and say what it means, in the speaker's language.

    :raises FitError: the points do not make a scale; nothing is written.
    :raises StoreError: a file cannot be written; the scale file is written first.
    """
    fit, judged, written = keep_scale(points, out, report, speaker)
    model = fit.model
    click.echo(f"zero    {model.zero_counts:.1f} ± {fit.zero_se_counts:.2g} counts")
    click.echo(f"span    {model.counts_per_gram:.4f} ± {fit.span_se:.2g} counts per gram")
    for point in fit.points:
        click.echo(
            f"point   {point.known.label:>12}  off the line by {point.residual_g:+.3f} ± {point.residual_sd_g:.3f} g"
        )
    click.echo(
        f"noise   white {model.white_sd_g:.3g} g a sample at {model.rate_hz:.1f} Hz, "
        f"drift {model.drift_g_per_sqrt_s:.3g} g/√s, spikes {model.spikes_per_min:.1f} a minute"
    )
    print_verdict(judged, speaker)
    for path in written:
        click.echo(f"written {path}")


def print_coins() -> None:
    """Print every coin that may serve as a mass, with its mass in g and who publishes it."""
    for key, currency in CURRENCIES.items():
        click.echo(f"{currency.name} ({currency.source})")
        for name, mass_g in currency.coins.items():
            click.echo(f"  {key}:{name:<5} {mass_g:7.3f} g")


def guide(
    out: Path,
    report: Path | None,
    speaker: Speaker,
    samples: Callable[[], Iterator[LiveSample]],
    console: Console,
    laid: Callable[[float], None] = lambda mass_g: None,
) -> None:
    """Lead through an empty pan and two or more known masses, then fit, show and store.

    :param samples: opens a fresh stream of the load cell; called once for each mass.
    :param laid: is told what lies on the pan now, in g.
    :raises FitError: the points do not make a scale; nothing is written.
    """
    console.print("[bold]Calibrating the scale.[/] Ctrl-C leaves everything as it is.")
    points = []
    console.input("1. Take everything off the pan, then press Enter. ")
    laid(0.0)
    points.append(_collect(KnownMass(0.0, 0.0, "empty pan"), samples(), console))
    while (known := _ask_mass(len(points), console)) is not None:
        laid(known.mass_g)
        points.append(_collect(known, samples(), console))
    finish(points, out, report, speaker)


def _ask_mass(already: int, console: Console) -> KnownMass | None:
    """Ask for the next mass until it makes sense; None when the person has enough."""
    while True:
        enough = " or Enter to finish" if already >= 2 else ""
        text = console.input(
            f"{already + 1}. Put a mass on and type it: 100, 4*euro:2, ? lists coins{enough}. "
        ).strip()
        if text == "?":
            print_coins()
        elif not text and already >= 2:
            return None
        else:
            try:
                known = parse_mass(text)
            except MassError as error:
                console.print(str(error), markup=False)
                continue
            if known.mass_g > 0:
                return known
            console.print("The empty pan is known already; put something on it.")


def _collect(known: KnownMass, samples: Iterator[LiveSample], console: Console) -> tuple[KnownMass, CountRecording]:
    collector = PointCollector(known)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[noise]}"))
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(known.label, total=1.0, noise="")
        for sample in samples:
            if isinstance(sample, ReadFailure):
                progress.update(task, description=f"{known.label}: the scale does not answer ({sample.reason})")
                continue
            state = collector.feed(sample.t_s, sample.counts)
            what = "holding still" if state.still else "waiting until it holds still"
            noise = f"noise {state.scatter_counts:.0f} counts"
            progress.update(task, completed=state.share, description=f"{known.label}: {what}", noise=noise)
            if state.done:
                return known, collector.recording()
    raise FitError("scale_silent", "the scale stopped answering; check its power and the DOUT and SCK wires")
