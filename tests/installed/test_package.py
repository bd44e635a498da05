"""What lies in the package, made without its wheels: paths, modes, what systemd and dpkg say of it."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from appliance.service.machine.updates import READY, WISH
from tests.places import ROOT

needs_dpkg = pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="no dpkg-deb here")
needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze here")
UNITS = sorted((ROOT / "systemd").glob("smugglers-*.*"))


@pytest.fixture(scope="module")
def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_deb", ROOT / "systemd" / "deb" / "build_deb.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tree(builder: ModuleType, tmp_path: Path) -> Path:
    """The package's tree with an empty release."""
    (tmp_path / "tree/opt/smugglers-table/release").mkdir(parents=True)
    builder.lay_machine(tmp_path / "tree")
    return tmp_path / "tree"


def test_every_file_lies_where_its_reader_looks(tree: Path) -> None:
    files = {str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file()}
    assert {f"usr/lib/systemd/system/{unit.name}" for unit in UNITS} <= files
    assert len(UNITS) >= 6
    assert {
        "usr/bin/smugglers",
        "usr/lib/sysusers.d/smugglers-table.conf",
        "usr/lib/systemd/system.conf.d/50-smugglers-table.conf",
        "usr/lib/tmpfiles.d/smugglers-table.conf",
        "usr/lib/udev/rules.d/70-smugglers-table.rules",
        "usr/share/doc/smugglers-table/copyright",
        "usr/share/doc/smugglers-table/install.md",
    } <= files


def test_only_commands_may_be_run(tree: Path) -> None:
    runs = {path.name for path in tree.rglob("*") if path.is_file() and os.access(path, os.X_OK)}
    assert runs == {"smugglers", "guard", "answers", "welcome", "put_back", "update", "nightly"}


def test_units_run_and_name_only_what_the_package_brings(tree: Path) -> None:
    brought = {"/" + str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file()}
    brought |= {f"/opt/smugglers-table/current/bin/{name}" for name in ("smugglers", "machine")}
    brought |= {"/bin/sh", "/usr/bin/env"}
    for unit in UNITS:
        text = unit.read_text(encoding="utf-8")
        for named in re.findall(r"^(?:ExecStart\w*|Documentation)=(?:file:|[-+!@:]*)(\S+)", text, re.MULTILINE):
            assert named in brought, (unit.name, named)


@needs_systemd
@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_systemd_has_nothing_to_say_against_a_unit(unit: Path, tmp_path: Path) -> None:
    for one in UNITS:
        text = re.sub(r"^(Exec\w+)=/opt\S+", r"\1=/bin/true", one.read_text(encoding="utf-8"), flags=re.MULTILINE)
        text = re.sub(r"^(ExecStart)=/usr/bin/env.*", r"\1=/bin/true", text, flags=re.MULTILINE)
        (tmp_path / one.name).write_text(text, encoding="utf-8")
    name = tmp_path / unit.name.replace("@.", "@1.")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", str(name)],
        env={**os.environ, "SYSTEMD_UNIT_PATH": f"{tmp_path}:"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@needs_systemd
@pytest.mark.parametrize(("name", "tenths"), [("smugglers-machine@.service", 30), ("smugglers-backup.service", 20)])
def test_what_runs_beside_the_table_is_confined_too(name: str, tenths: int, tmp_path: Path) -> None:
    copy = tmp_path / name.replace("@.", "@1.")
    copy.write_text((ROOT / "systemd" / name).read_text(encoding="utf-8"), encoding="utf-8")
    rated = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", f"--threshold={tenths}", "--no-pager", str(copy)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert rated.returncode == 0, rated.stdout.splitlines()[-1:]


@needs_dpkg
@pytest.mark.parametrize("arch", ["amd64", "arm64"])
def test_dpkg_reads_the_package(builder: ModuleType, tree: Path, arch: str, tmp_path: Path) -> None:
    for script in ("preinst", "postinst", "prerm", "postrm"):
        builder.copy(ROOT / "systemd/deb" / script, tree / "DEBIAN" / script, 0o755)
    control = (ROOT / "systemd/deb/control").read_text(encoding="utf-8")
    (tree / "DEBIAN/control").write_text(control.format(version="1.0", arch=arch, size_kib=1))
    file = tmp_path / "made.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, file], check=True, capture_output=True)
    fields = subprocess.run(["dpkg-deb", "-f", file], capture_output=True, text=True, check=True).stdout
    assert f"Architecture: {arch}" in fields
    assert re.search(r"^Depends: .*\bpython3-numpy\b", fields, re.MULTILINE)
    owners = subprocess.run(["dpkg-deb", "-c", file], capture_output=True, text=True, check=True).stdout
    assert {line.split()[1] for line in owners.splitlines()} == {"root/root"}


def test_each_release_of_debian_gets_what_its_python_can_run(builder: ModuleType) -> None:
    given = ["numpy>=1.24", "opencv-python>=4.8,<5", "flask>=3.1", "rpi-lgpio>=0.6; python_version < '3.13'"]
    old, alone = builder.wanted(given, "3.11", "aarch64")
    assert old == ["numpy>=1.24", "opencv-python-headless>=4.8,<4.12", "flask>=3.1", "numpy==1.24.2", "lgpio>=0.2.2"]
    assert alone == ["rpi-lgpio>=0.6"]
    new, _ = builder.wanted(given, "3.13", "aarch64")
    assert not [one for one in new if one.startswith("lgpio")], "PyPI has no wheel of it for Python 3.13"


def test_a_requirement_that_nobody_meets_is_found(builder: ModuleType, tmp_path: Path) -> None:
    builder.site_of(tmp_path, "3.13").mkdir(parents=True)
    for name, needs in (("one", ["two>=2", "numpy", 'three; python_version < "3.12"']), ("two", [])):
        told = tmp_path / "shared" / f"{name}-1.0.dist-info"
        told.mkdir(parents=True)
        lines = [f"Name: {name}", "Version: 1.0", *(f"Requires-Dist: {one}" for one in needs)]
        (told / "METADATA").write_text("\n".join(lines) + "\n")
    assert builder.missing(tmp_path, "3.13", "aarch64") == ["one needs two>=2; there is 1.0"]


@pytest.mark.parametrize("installed", ["3.11", "3.13"])
@pytest.mark.parametrize(
    ("name", "module"), [("smugglers", "appliance.commands.start"), ("machine", "appliance.service.machine.helper")]
)
def test_a_command_runs_with_the_python_that_is_there(installed: str, name: str, module: str, tmp_path: Path) -> None:
    release = tmp_path / "release"
    for python in ("3.11", "3.13"):
        (release / f"python{python}/bin").mkdir(parents=True)
        (release / f"python{python}/bin/python3").write_text(f'#!/bin/sh\necho {python} "$@"\n')
        (release / f"python{python}/bin/python3").chmod(0o755)
    command = (ROOT / "systemd/deb/release_command").read_text(encoding="utf-8")
    (tmp_path / f"python{installed}").write_text("#!/bin/sh\n")
    (tmp_path / f"python{installed}").chmod(0o755)
    (release / "bin").mkdir()
    (release / "bin" / name).write_text(command.replace("/usr/bin/python", f"{tmp_path}/python"))
    said = subprocess.run(["sh", release / "bin" / name, "run"], capture_output=True, text=True, check=True).stdout
    assert said == f"{installed} -P -m {module} run\n"


@pytest.mark.skipif(shutil.which("systemd-sysusers") is None, reason="no systemd-sysusers here")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may make users, also in a made-up root")
def test_systemd_makes_the_users_in_their_groups(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/group").write_text("video:x:44:\nrender:x:105:\ninput:x:106:\n")
    conf = ROOT / "systemd/deb/sysusers.conf"
    done = subprocess.run(["systemd-sysusers", f"--root={tmp_path}", conf], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    groups = dict(line.split(":x:")[0:2] for line in (tmp_path / "etc/group").read_text().splitlines())
    for group in ("gpio", "spi", "i2c", "video"):
        assert "smugglers" in groups[group].split(":")[1].split(",")
    for group in ("video", "render", "input"):
        assert "smugglers-kiosk" in groups[group].split(":")[1].split(",")


@pytest.mark.skipif(shutil.which("systemd-tmpfiles") is None, reason="no systemd-tmpfiles here")
def test_a_start_of_the_machine_frees_the_room_of_an_update_that_a_power_cut_stopped(tmp_path: Path) -> None:
    machine = tmp_path / "var/lib/smugglers-machine"
    machine.mkdir(parents=True)
    for name in (READY, WISH, "update.json"):
        (machine / name).write_text("some")
    conf = ROOT / "systemd/deb/tmpfiles.conf"
    running = ["systemd-tmpfiles", f"--root={tmp_path}", "--remove", str(conf)]
    left = []
    for words in (running, [*running, "--boot"]):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        left.append({one.name for one in machine.iterdir()})
    assert left[0] == {READY, WISH, "update.json"}, "only a start may remove them: an update may run"
    assert left[1] == {"update.json"}
