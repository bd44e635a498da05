"""Imports libraries that depend on `lgpio`, with a working directory in which `lgpio` can write.

While it is imported, `lgpio` changes to the folder `LG_WD`, makes a pipe `.lgd-nfy…` there and opens it by bare name
(joan2937/lg#22). Without `LG_WD` it uses the working directory. That of a system service is `/`, which is not writable.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType


class LgpioFolderError(RuntimeError):
    """There is no folder in which `lgpio` can make its pipe."""


def import_on_lgpio(name: str) -> ModuleType:
    """Import a module that imports `lgpio`, in a private temporary folder.

    Two processes in one folder could open each other's pipe. The pipe is open when the import ends, so the folder is
    then removed. The working directory is restored. Call this from one thread only.

    :raises LgpioFolderError: no folder is writable. Set `LG_WD` to one that is.
    :raises ImportError: the module or `lgpio` is not installed.
    """
    if "lgpio" in sys.modules:
        return importlib.import_module(name)
    with _private_folder(os.environ) as folder, _working_in(folder):
        return importlib.import_module(name)


@contextmanager
def _private_folder(environ: Mapping[str, str]) -> Iterator[str]:
    bases = [environ.get("LG_WD", ""), environ.get("XDG_RUNTIME_DIR", ""), *_temporary()]
    for base in filter(None, bases):
        try:
            made = tempfile.TemporaryDirectory(prefix="smugglers-lgpio-", dir=base)
        except OSError:
            continue
        with made as folder:
            yield folder
        return
    raise LgpioFolderError(
        "lgpio finds no folder to write in; set LG_WD to one, as RuntimeDirectory= does in the table's unit"
    )


def _temporary() -> list[str]:
    try:
        return [tempfile.gettempdir()]
    except FileNotFoundError:
        return []


@contextmanager
def _working_in(folder: str) -> Iterator[None]:
    before, wished = _working_directory(), os.environ.get("LG_WD")
    os.environ["LG_WD"] = folder
    try:
        yield
    finally:
        if wished is None:
            del os.environ["LG_WD"]
        else:
            os.environ["LG_WD"] = wished
        os.chdir(before)


def _working_directory() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:  # the working directory was removed meanwhile and cannot be restored
        return Path("/")
