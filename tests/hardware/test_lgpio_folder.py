"""The real `lgpio` where a system service imports it: in `/`, as a user who may not write there."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from appliance.devices.real_table import RealTable
from appliance.settings import Settings
from hardware.clock import ManualClock
from hardware.gpio import lgpio_folder
from hardware.readings import DeviceHealth
from hardware.scale.load_cell import LoadCell, LoadCellError
from tests.places import ROOT

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

needs_lgpio = pytest.mark.skipif(importlib.util.find_spec("lgpio") is None, reason="lgpio is not installed here")
needs_another_user = pytest.mark.skipif(
    os.getuid() == 0 and shutil.which("setpriv") is None, reason="root may write anywhere, and there is no setpriv here"
)


def in_the_root_folder(code: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*(NOBODY if os.getuid() == 0 else []), sys.executable, "-c", code],
        cwd="/",
        env={"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", **environ},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A RuntimeDirectory: anybody may write there, which stands for the service's own user."""
    folder = tmp_path_factory.mktemp("run")
    for parent in (folder, *folder.parents[:2]):
        parent.chmod(0o777 if parent == folder else 0o755)
    return folder


@needs_lgpio
@needs_another_user
def test_lgpio_itself_cannot_be_imported_there() -> None:
    assert "FileNotFoundError" in in_the_root_folder("import lgpio").stderr


@needs_lgpio
@needs_another_user
@pytest.mark.parametrize("named", [True, False], ids=["in the unit's folder", "by hand"])
def test_the_beams_pins_are_opened_there(named: bool, runtime: Path) -> None:
    asked = in_the_root_folder(
        "import os, sys\n"
        "from appliance.devices.real_table import gpio_pins\n"
        "try: gpio_pins()\n"
        "except Exception as error: print(type(error).__module__, error)\n"
        "print(sys.modules['lgpio']._notify_thread.is_alive(), os.getcwd(), os.environ.get('LG_WD'))\n",
        **({"LG_WD": str(runtime)} if named else {}),
    )
    assert asked.returncode == 0, asked.stderr
    assert "lgd-nfy" not in asked.stdout, "what is missing is a header of pins, not a pipe"
    assert asked.stdout.splitlines()[-1] == f"True / {runtime if named else None}"
    assert not list(runtime.iterdir()), "nothing is left behind"


@needs_lgpio
@needs_another_user
def test_the_scale_s_own_process_imports_it_too() -> None:
    asked = in_the_root_folder(
        "import sys\n"
        "from hardware.scale.load_cell import LoadCell, LoadCellError\n"
        "try: LoadCell()\n"
        "except LoadCellError as error: print(error.code, error)\n"
        "print(sys.modules['lgpio']._notify_thread.is_alive())\n"
    )
    assert asked.returncode == 0, asked.stderr
    assert "lgd-nfy" not in asked.stdout
    assert asked.stdout.splitlines()[-1] == "True"


@needs_lgpio
@needs_another_user
def test_edges_still_arrive_through_the_pipe_whose_name_is_gone() -> None:
    """lgpio's C half writes a report into the pipe for every edge, and its thread reads it: here we write one."""
    asked = in_the_root_folder(
        "import os, queue, struct\n"
        "from hardware.gpio.lgpio_folder import import_on_lgpio\n"
        "lgpio = import_on_lgpio('lgpio')\n"
        "told = queue.Queue()\n"
        "lgpio.callback(0, 17, func=lambda *edge: told.put(edge))\n"
        "links = {int(link.name): os.readlink(link) for link in os.scandir('/proc/self/fd') if link.is_symlink()}\n"
        "pipes = {fd for fd, name in links.items() if '.lgd-nfy' in name and name.endswith('(deleted)')}\n"
        "[theirs] = pipes - {lgpio._notify_thread._file.fileno()}\n"
        "os.write(theirs, struct.pack('QBBBBI', 7000, 0, 17, 0, 0, 0))\n"
        "print(told.get(timeout=60))\n"
    )
    assert asked.stdout.strip() == "(0, 17, 0, 7000)", asked.stderr


class Told:
    def __init__(self) -> None:
        self.codes: list[str] = []

    def sense(self, reading: object) -> None:
        if isinstance(reading, DeviceHealth):
            self.codes.append(reading.code)

    def attention(self) -> frozenset[str]:
        return frozenset()


@pytest.fixture
def nowhere_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "lgpio", raising=False)
    monkeypatch.setattr(lgpio_folder, "_temporary", list)
    for name in ("LG_WD", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, "/proc")


@pytest.mark.usefixtures("nowhere_to_write")
def test_a_table_that_may_write_nowhere_says_that_and_not_that_it_is_no_pi(tmp_path: Path) -> None:
    told = Told()
    table = RealTable(told, ManualClock(), Settings(data_dir=str(tmp_path), camera="none"))  # type: ignore[arg-type]
    table._scale = None  # type: ignore[assignment]
    table.start()
    table.stop()
    assert "beams_no_folder" in told.codes
    assert "beams_no_gpio" not in told.codes


@pytest.mark.usefixtures("nowhere_to_write")
def test_a_scale_that_may_write_nowhere_says_so() -> None:
    with pytest.raises(LoadCellError) as caught:
        LoadCell(ManualClock())
    assert caught.value.code == "scale_no_folder"
    assert "LG_WD" in str(caught.value)
