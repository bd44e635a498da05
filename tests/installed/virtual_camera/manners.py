"""How Picamera2 answers the calls that the driver makes: the same questions to the real package and to its stand-in.

Each manner is what a call returned or raised, in words. Messages of which the driver or a person reads a part are
compared; what comes before and after them is not.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

SMALL, LARGE = (768, 432), (1536, 864)
SOON_S, IN_TIME_S = 0.3, 10.0
Manner = Callable[[Any], str]


def said(call: Callable[[], Any]) -> str:
    """What a call raised, with its causes; or the type of what it returned."""
    try:
        result = call()
    except BaseException as error:
        told = list[str]()
        chain: BaseException | None = error
        while chain is not None:
            told.append(f"{type(chain).__name__}: {chain}".rstrip(": "))
            chain = chain.__cause__
        return " ← ".join(told)
    return "returns" if result is None else f"returns {type(result).__name__}"


def _running(module: Any) -> Any:
    camera = module.Picamera2(0)
    video = camera.create_video_configuration(main={"size": SMALL, "format": "RGB888"}, controls={}, buffer_count=4)
    camera.configure(video)
    camera.start()
    return camera


def _closing(manner: Manner) -> Manner:
    def with_camera(module: Any) -> str:
        camera = _running(module)
        try:
            return manner(camera)
        finally:
            camera.close()

    with_camera.__doc__ = manner.__doc__
    return with_camera


def no_such_camera(module: Any) -> str:
    """a number that no camera has"""
    return said(lambda: module.Picamera2(7)).split("7")[0]


def opened_twice(module: Any) -> str:
    """opened while it is open"""
    camera = module.Picamera2(0)
    try:
        return said(lambda: module.Picamera2(0))
    finally:
        camera.close()


def unknown_in_configuration(module: Any) -> str:
    """a configuration with a control that it lacks"""
    camera = module.Picamera2(0)
    try:
        controls = {"ColourTemperature": 4000}
        video = camera.create_video_configuration(main={"size": SMALL, "format": "RGB888"}, controls=controls)
        return said(lambda: camera.configure(video))
    finally:
        camera.close()


@_closing
def unknown_control(camera: Any) -> str:
    """a control that it lacks, told while it runs"""
    return said(lambda: camera.set_controls({"ColourTemperature": 4000}))


@_closing
def configured_while_running(camera: Any) -> str:
    """configured while it runs"""
    video = camera.create_video_configuration(main={"size": SMALL, "format": "RGB888"}, controls={}, buffer_count=4)
    return said(lambda: camera.configure(video))


@_closing
def request(camera: Any) -> str:
    """a request: its stamp, its picture, handed back"""
    taken = camera.wait(camera.capture_request(wait=False), timeout=IN_TIME_S)
    metadata, array = taken.get_metadata(), taken.make_array("main")
    taken.release()
    stamp = type(metadata["SensorTimestamp"]).__name__
    return f"stamp {stamp}, {array.dtype} rows {array.shape[0]}, colours {array.shape[2]}"


@_closing
def read_after_release(camera: Any) -> str:
    """metadata of a request that was handed back"""
    taken = camera.wait(camera.capture_request(wait=False), timeout=IN_TIME_S)
    taken.release()
    return said(taken.get_metadata)


@_closing
def most_held(camera: Any) -> str:
    """requests that are held while another is asked for, of four buffers"""
    held: list[Any] = []
    try:
        while len(held) < 9:
            held.append(camera.wait(camera.capture_request(wait=False), timeout=SOON_S))
    except TimeoutError:
        return f"{len(held)}, then TimeoutError"
    finally:
        camera.cancel_all_and_flush()
        for taken in held:
            taken.release()
    return "no end"


@_closing
def cancelled(camera: Any) -> str:
    """a job that was cancelled"""
    with suppress(TimeoutError):
        held = [camera.wait(camera.capture_request(wait=False), timeout=SOON_S) for _ in range(9)]
        del held
    job = camera.capture_request(wait=False)
    camera.cancel_all_and_flush()
    return said(lambda: camera.wait(job, timeout=IN_TIME_S))


@_closing
def still(camera: Any) -> str:
    """a still, and the stream after it"""
    large = camera.create_still_configuration(main={"size": LARGE, "format": "RGB888"})
    taken = camera.wait(camera.switch_mode_and_capture_request(large, wait=False), timeout=IN_TIME_S)
    first = taken.make_array("main").shape[0]
    taken.release()
    taken = camera.wait(camera.capture_request(wait=False), timeout=IN_TIME_S)
    second = taken.make_array("main").shape[0]
    taken.release()
    return f"{first} rows, then {second}"


@_closing
def still_with_unknown_control(camera: Any) -> str:
    """a still with a control that it lacks"""
    large = camera.create_still_configuration(main={"size": LARGE, "format": "RGB888"})
    large["controls"] = {**large.get("controls", {}), "ColourTemperature": 4000}

    def take() -> None:
        camera.wait(camera.switch_mode_and_capture_request(large, wait=False), timeout=IN_TIME_S).release()

    return said(take)


def after_close(module: Any) -> str:
    """a request of a camera that is closed"""
    camera = _running(module)
    camera.close()
    return said(lambda: camera.wait(camera.capture_request(wait=False), timeout=SOON_S))


def closed_twice(module: Any) -> str:
    """closed twice, with its jobs cancelled before"""
    camera = _running(module)
    for _ in range(2):
        camera.cancel_all_and_flush()
        camera.close()
    return "returns"


def opened_again(module: Any) -> str:
    """opened again after it was closed"""
    _running(module).close()
    camera = _running(module)
    camera.close()
    return "returns"


MANNERS: tuple[Manner, ...] = (
    no_such_camera,
    opened_twice,
    unknown_in_configuration,
    unknown_control,
    configured_while_running,
    request,
    read_after_release,
    most_held,
    cancelled,
    still,
    still_with_unknown_control,
    after_close,
    closed_twice,
    opened_again,
)
