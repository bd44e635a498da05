"""What Picamera2 lacks beside libcamera's `virtual` pipeline; everything else of it runs as it comes.

The pipeline has no raw stream and no sensor, and gives NV12 alone, in buffers of two planes of its own. `lay` must run
before Picamera2 is imported, `patch` after it.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import cv2
import numpy as np


class _AnyName(type):
    """A class whose attributes are all there: names of pixel formats."""

    def __getattr__(cls, name: str) -> str:
        return name


class _PixelFormat(metaclass=_AnyName):
    pass


def lay() -> None:
    """Stand in for the modules of screens and of raw files, which the product does not use."""
    stood_in: dict[str, dict[str, object]] = {
        "pykms": {"PixelFormat": _PixelFormat},
        "pidng": {},
        "pidng.camdefs": {"Picamera2Camera": object},
        "pidng.core": {"PICAM2DNG": object},
    }
    for name, inside in stood_in.items():
        module = ModuleType(name)
        module.__dict__.update(inside)
        sys.modules[name] = module


def patch(picamera2: Any) -> None:
    """Give it one raw mode on paper, libcamera's own buffers, and pictures in the format that was asked for."""
    from picamera2.allocators import LibcameraAllocator
    from picamera2.request import CompletedRequest

    camera = picamera2.Picamera2
    opens = camera.__init__

    def with_its_buffers(self: Any, number: int = 0) -> None:
        opens(self, number)
        self.allocator = LibcameraAllocator(self.camera)

    def as_asked(self: Any, name: str) -> Any:
        (width, height), stride = self.config[name]["size"], self.config[name]["stride"]
        lines = self.make_buffer(name)[: stride * height * 3 // 2].reshape(-1, stride)
        return np.asarray(cv2.cvtColor(lines[:, :width], cv2.COLOR_YUV2BGR_NV12))

    camera._get_raw_modes = lambda self: [{"format": "SRGGB10", "size": (2304, 1296)}]
    camera.__init__ = with_its_buffers
    CompletedRequest.make_array = as_asked
