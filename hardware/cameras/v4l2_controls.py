"""Controls of a V4L2 camera, by ioctl.

OpenCV cannot set the mains frequency and does not report which controls a camera lacks. Numbers and structures are
those of the kernel's `videodev2.h` and `v4l2-controls.h`. A device may be opened while another handle streams from it.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol

import msgspec

Control = Literal[
    "gain",
    "auto_white_balance",
    "power_line_frequency",
    "exposure_auto",
    "exposure_time",
    "exposure_dynamic_framerate",
    "focus",
    "focus_auto",
]

_BASE, _CAMERA_BASE = 0x0098_0900, 0x009A_0900
CONTROL_IDS: dict[Control, int] = {
    "gain": _BASE + 19,
    "auto_white_balance": _BASE + 12,
    "power_line_frequency": _BASE + 24,
    "exposure_auto": _CAMERA_BASE + 1,
    "exposure_time": _CAMERA_BASE + 2,
    "exposure_dynamic_framerate": _CAMERA_BASE + 3,
    "focus": _CAMERA_BASE + 10,
    "focus_auto": _CAMERA_BASE + 12,
}
"""V4L2_CID_GAIN and its neighbours."""

EXPOSURE_UNIT_US = 100
"""Unit of V4L2_CID_EXPOSURE_ABSOLUTE."""
EXPOSURE_MANUAL, EXPOSURE_APERTURE_PRIORITY = 1, 3
"""V4L2_EXPOSURE_MANUAL and V4L2_EXPOSURE_APERTURE_PRIORITY, the automatic mode of USB cameras."""
MAINS_50, MAINS_60 = 1, 2
"""V4L2_CID_POWER_LINE_FREQUENCY_50HZ, …_60HZ."""

BUFFER_TYPE_CAPTURE, MEMORY_MMAP = 1, 1
"""V4L2_BUF_TYPE_VIDEO_CAPTURE and V4L2_MEMORY_MMAP."""

_QUERY = struct.Struct("=II32siiiiI8x")
_VALUE = struct.Struct("=Ii")
_BUFFERS = struct.Struct("=IIII4x")


def _both_ways(number: int, size: int) -> int:
    """Return the request number of a read-write ioctl (`_IOWR`) of the group "V"."""
    return 3 << 30 | size << 16 | ord("V") << 8 | number


VIDIOC_REQBUFS = _both_ways(8, _BUFFERS.size)
VIDIOC_G_CTRL = _both_ways(27, _VALUE.size)
VIDIOC_S_CTRL = _both_ways(28, _VALUE.size)
VIDIOC_QUERYCTRL = _both_ways(36, _QUERY.size)
_FLAG_DISABLED = 1


class Range(msgspec.Struct, frozen=True):
    """The lowest and the highest value of a control."""

    low: int
    high: int


class Controls(Protocol):
    """The controls of one camera."""

    def range(self, control: Control) -> Range | None:
        """Return the range of a control; None if the camera lacks it."""
        ...

    def get(self, control: Control) -> int | None:
        """Return the present value; None if the camera lacks the control."""
        ...

    def set(self, control: Control, value: int) -> bool:
        """Set a control. Return False if the camera refused."""
        ...

    def in_use(self) -> bool:
        """Return whether another program streams from the camera."""
        ...

    def close(self) -> None:
        """Close the device."""
        ...


class KernelControls:
    """The controls of `/dev/videoN`. Nothing raises: if the camera refuses, stalls or is unplugged, the call fails.

    :param ioctl: for tests; same signature as `fcntl.ioctl`.
    """

    def __init__(self, device: Path, ioctl: Callable[[int, int, bytearray], int] = fcntl.ioctl) -> None:
        self._ioctl = ioctl
        self._handle: int | None = None
        try:
            self._handle = os.open(device, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:  # no such camera: the driver reports it
            return

    def range(self, control: Control) -> Range | None:
        """Return the control's range, or None."""
        asked = bytearray(_QUERY.pack(CONTROL_IDS[control], 0, b"", 0, 0, 0, 0, 0))
        if not self._call(VIDIOC_QUERYCTRL, asked):
            return None
        _, _, _, low, high, _, _, flags = _QUERY.unpack(asked)
        return None if flags & _FLAG_DISABLED else Range(low, high)

    def get(self, control: Control) -> int | None:
        """Return the control's value, or None."""
        asked = bytearray(_VALUE.pack(CONTROL_IDS[control], 0))
        return int(_VALUE.unpack(asked)[1]) if self._call(VIDIOC_G_CTRL, asked) else None

    def set(self, control: Control, value: int) -> bool:
        """Set the control."""
        return self._call(VIDIOC_S_CTRL, bytearray(_VALUE.pack(CONTROL_IDS[control], value)))

    def in_use(self) -> bool:
        """Ask for no buffers, which the kernel refuses while another handle streams. Do not ask while this one does."""
        try:
            self._must(VIDIOC_REQBUFS, bytearray(_BUFFERS.pack(0, BUFFER_TYPE_CAPTURE, MEMORY_MMAP, 0)))
        except OSError as error:
            return error.errno == errno.EBUSY
        return False

    def close(self) -> None:
        """Close the device. A second call does nothing."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _call(self, number: int, argument: bytearray) -> bool:
        """Call the ioctl. Return whether it succeeded."""
        try:
            self._must(number, argument)
        except OSError:  # EINVAL: no such control; EIO, EPIPE: it stalled; ENODEV: unplugged; EBUSY
            return False
        return True

    def _must(self, number: int, argument: bytearray) -> None:
        """Call the ioctl, and repeat it when a signal interrupts it.

        :raises OSError: it failed, or there is no such device.
        """
        if self._handle is None:
            raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
        while True:
            with contextlib.suppress(InterruptedError):
                self._ioctl(self._handle, number, argument)
                return
