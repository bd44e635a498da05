"""Builds the Debian package: `python systemd/deb/build_deb.py --arch arm64 --out dist`.

Debian gives Python, and numpy, because its picamera2 is built on that; on a Raspberry Pi also picamera2 and lgpio.
Everything else lies in the package as wheels of PyPI, unpacked: Debian 12 has no msgspec and too old a Flask, OpenCV
and gpiozero, and its matplotlib and OpenCV bring hundreds of megabytes along. There is one environment for each Python
(`python3.11`, `python3.13`); what both share lies in `shared`. The installation needs neither network nor compiler.

The tool needs pip, dpkg-deb and the package index, no root and no compiler.
"""

from __future__ import annotations

import argparse
import email.parser
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name, parse_wheel_filename

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
PACKAGES = ("appliance", "hardware", "vision", "calibration", "web")
PYTHONS = {"3.11": {"numpy": "1.24.2"}, "3.13": {"numpy": "2.2.4"}}
"""Python's version → what Debian gives beside it, by its version: Debian 12 and 13."""
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
INSTEAD = {"opencv-python": "opencv-python-headless>=4.8,<4.12"}
"""The same library without windows: its other form needs Debian's libGL. Below 4.12 it runs on numpy 1 and 2."""
WITHOUT_ITS_OWN = ("rpi-lgpio",)
"""Its `lgpio` has no wheel for Python 3.13; there Raspberry Pi OS's python3-lgpio serves."""
GLIBC_MOST = 36
"""Debian 12's C library is 2.36."""


def environment(python: str, machine: str) -> dict[str, str]:
    """Return what markers of requirements see on the target."""
    return {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "platform_machine": machine,
        "sys_platform": "linux",
        "platform_system": "Linux",
        "os_name": "posix",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "extra": "",
    }


def wanted(dependencies: list[str], python: str, machine: str) -> tuple[list[str], list[str]]:
    """Return what pip resolves, and what it fetches without its own dependencies."""
    whole, alone = [], []
    for text in dependencies:
        requirement = Requirement(text)
        name = canonicalize_name(requirement.name)
        if name in WITHOUT_ITS_OWN:
            alone.append(f"{requirement.name}{requirement.specifier}")
        elif requirement.marker is None or requirement.marker.evaluate(environment(python, machine)):
            whole.append(INSTEAD.get(name, f"{requirement.name}{requirement.specifier}"))
    whole += [f"{name}=={version}" for name, version in PYTHONS[python].items()]
    if python == "3.11":
        whole.append("lgpio>=0.2.2")
    return whole, alone


def pip(*arguments: str) -> None:
    """Run pip quietly; its own words tell what failed."""
    subprocess.run([sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", *arguments], check=True)


def target(python: str, machine: str) -> list[str]:
    """Return pip's options that name the target instead of this machine."""
    platforms = [f"manylinux_2_{minor}_{machine}" for minor in range(17, GLIBC_MOST + 1)] + [f"manylinux2014_{machine}"]
    options = ["--only-binary=:all:", "--implementation=cp", f"--python-version={python}"]
    options += [f"--abi={abi}" for abi in (f"cp{python.replace('.', '')}", "abi3", "none")]
    return options + [f"--platform={one}" for one in platforms]


def fetch(wheels: Path, dependencies: list[str], python: str, machine: str) -> None:
    """Fetch every wheel that Debian does not give; pip refuses when one has none for the target."""
    whole, alone = wanted(dependencies, python, machine)
    pip("download", *target(python, machine), "--dest", str(wheels), *whole)
    pip("download", "--no-deps", *target(python, machine), "--dest", str(wheels), *alone)
    for wheel in wheels.glob("*.whl"):
        if parse_wheel_filename(wheel.name)[0] in PYTHONS[python]:
            wheel.unlink()


def unpack(wheels: list[Path], folder: Path, python: str, machine: str) -> None:
    """Unpack wheels as pip does, without compiling and without their commands."""
    # `pip install` asks whether a wheel suits the Python that runs pip; `pip download` asked for the target's.
    where = ["--no-deps", "--no-index", "--no-compile", "--ignore-requires-python", "--target", str(folder)]
    pip("install", *where, *target(python, machine), *map(str, wheels))
    shutil.rmtree(folder / "bin", ignore_errors=True)
    for tests in folder.glob("*/tests"):
        shutil.rmtree(tests)


def missing(release: Path, python: str, machine: str) -> list[str]:
    """Return requirements of the unpacked packages that neither the package nor Debian meets."""
    folders = (release / "shared", site_of(release, python))
    files = [one for folder in folders for one in folder.glob("*.dist-info/METADATA")]
    told = [email.parser.Parser().parsestr(one.read_text(encoding="utf-8")) for one in files]
    there = PYTHONS[python] | {canonicalize_name(str(one["Name"])): str(one["Version"]) for one in told}
    lacks = []
    for one in told:
        for text in one.get_all("Requires-Dist", []):
            needed = Requirement(text)
            name = canonicalize_name(needed.name)
            if needed.marker is not None and not needed.marker.evaluate(environment(python, machine)):
                continue
            if name in INSTEAD or (name == "lgpio" and python == "3.13"):
                continue
            if name not in there or not needed.specifier.contains(there[name], prereleases=True):
                lacks.append(f"{one['Name']} needs {text}; there is {there.get(name, 'none')}")
    return lacks


def site_of(release: Path, python: str) -> Path:
    """Return the folder of the packages that are for one Python only."""
    return release / f"python{python}" / "lib" / f"python{python}" / "site-packages"


def lay_release(release: Path, version: str, machine: str, work: Path) -> None:
    """Lay out the product with its environments."""
    source = work / "source"
    for name in PACKAGES:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("README.md", "LICENSE"):
        shutil.copy2(ROOT / name, source)
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = re.sub(r'^version = ".*"$', f'version = "{version}"', project, count=1, flags=re.MULTILINE)
    (source / "pyproject.toml").write_text(project, encoding="utf-8")
    pip("wheel", "--no-deps", "--wheel-dir", str(work), str(source))
    described = tomllib.loads(project)["project"]
    extras = described["optional-dependencies"]
    dependencies = [*described["dependencies"], *extras["mqtt"], *extras["outbox"]]
    sets = {}
    for python in PYTHONS:
        wheels = work / python
        wheels.mkdir()
        fetch(wheels, dependencies, python, machine)
        sets[python] = {wheel.name for wheel in wheels.glob("*.whl")}
    shared = set.intersection(*sets.values())
    newest = max(PYTHONS)
    own = next(work.glob("smugglers_table-*.whl"))
    unpack([own, *(work / newest / name for name in shared)], release / "shared", newest, machine)
    for python in PYTHONS:
        site = site_of(release, python)
        site.mkdir(parents=True)
        unpack([work / python / name for name in sets[python] - shared], site, python, machine)
        (site / "shared.pth").write_text("../../../../shared\n")
        there = release / f"python{python}"
        (there / "bin").mkdir()
        (there / "bin" / "python3").symlink_to(f"/usr/bin/python{python}")
        (there / "pyvenv.cfg").write_text(f"home = /usr/bin\ninclude-system-site-packages = true\nversion = {python}\n")
        if lacks := missing(release, python, machine):
            sys.exit("\n".join(lacks))
    (release / "VERSION").write_text(f"{version}\n")
    for name in ("smugglers", "machine"):
        copy(HERE / "release_command", release / "bin" / name, 0o755)


def copy(source: Path, to: Path, mode: int = 0o644) -> None:
    """Copy one file, with its folders and its mode."""
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, to)
    to.chmod(mode)


def lay_machine(tree: Path) -> None:
    """Lay out what the machine itself reads: commands, units, users, rules, docs."""
    copy(HERE / "command", tree / "usr/bin/smugglers", 0o755)
    for script in ("guard", "answers", "welcome", "put_back", "update", "nightly"):
        copy(HERE / script, tree / "opt/smugglers-table" / script, 0o755)
    for unit in sorted((ROOT / "systemd").glob("smugglers-*.*")):
        copy(unit, tree / "usr/lib/systemd/system" / unit.name)
    copy(HERE / "kiosk-policy.json", tree / "usr/share/smugglers-table/chromium-policies/managed/kiosk.json")
    copy(HERE / "sysusers.conf", tree / "usr/lib/sysusers.d/smugglers-table.conf")
    copy(HERE / "tmpfiles.conf", tree / "usr/lib/tmpfiles.d/smugglers-table.conf")
    copy(HERE / "watchdog.conf", tree / "usr/lib/systemd/system.conf.d/50-smugglers-table.conf")
    copy(HERE / "udev.rules", tree / "usr/lib/udev/rules.d/70-smugglers-table.rules")
    docs = tree / "usr/share/doc/smugglers-table"
    copy(ROOT / "LICENSE", docs / "copyright")
    for page in sorted((ROOT / "docs").glob("*.md")):
        copy(page, docs / page.name)


def build(arch: str, version: str, out: Path) -> Path:
    """Build the package for one architecture and return its file."""
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"smugglers-table_{version}_{arch}.deb"
    with tempfile.TemporaryDirectory(prefix="smugglers-deb-") as folder:
        work, tree = Path(folder), Path(folder) / "tree"
        lay_release(tree / "opt/smugglers-table/release", version, MACHINES[arch], work)
        lay_machine(tree)
        for script in ("preinst", "postinst", "prerm", "postrm"):
            copy(HERE / script, tree / "DEBIAN" / script, 0o755)
        size_kib = sum(one.lstat().st_size for one in tree.rglob("*") if one.is_file()) // 1024
        control = (HERE / "control").read_text(encoding="utf-8")
        (tree / "DEBIAN" / "control").write_text(control.format(version=version, arch=arch, size_kib=size_kib))
        for one in tree.rglob("*"):
            if one.is_dir():
                one.chmod(0o755)
            elif not one.is_symlink():
                one.chmod(0o755 if one.stat().st_mode & 0o100 else 0o644)
        tree.chmod(0o755)
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zzstd", "-z12", "--build", tree, file], check=True)
    return file


def main() -> None:
    """Build what the command line asks for."""
    native = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--arch", choices=MACHINES, default=native)
    parser.add_argument("--version", default=project["version"])
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    asked = parser.parse_args()
    print(build(asked.arch, asked.version, asked.out))  # noqa: T201  # a command


if __name__ == "__main__":
    main()
