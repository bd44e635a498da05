"""The first file system of the guest: busybox, the modules it needs in their order, and our `init`."""

from __future__ import annotations

import lzma
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.machine.packages import CannotRunError, Kernel, need

INIT = Path(__file__).parent / "guest" / "init.sh"
MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay")
"""What the guest needs to see this machine's files."""


def build_initrd(kernel: Kernel, own: Mapping[Path, str], folder: Path, *, more: Sequence[str] = ()) -> Path:
    """Write the initrd and return it.

    :param own: modules that were built here, loaded last, each with its parameters.
    :param more: names of the kernel's modules that this run needs as well.
    :raises CannotRunError: a tool is missing, or the kernel has no such module.
    """
    need(("busybox", "cpio", "depmod", "modprobe"), "busybox-static cpio kmod")
    tree = folder / "initrd"
    shutil.rmtree(tree, ignore_errors=True)
    for name in ("bin", "dev", "proc", "sys", "modules", "host", "guest"):
        (tree / name).mkdir(parents=True)
    shutil.copy(shutil.which("busybox") or "busybox", tree / "bin" / "busybox")
    shutil.copy(INIT, tree / "init")
    order: list[str] = []
    for source in [*_in_order(kernel, (*MODULES, *more)), *own]:
        name = source.name.removesuffix(".xz")
        content = source.read_bytes()
        (tree / "modules" / name).write_bytes(lzma.decompress(content) if source.suffix == ".xz" else content)
        order.append(f"{name} {own.get(source, '')}".rstrip())
    (tree / "modules" / "order").write_text("\n".join(order) + "\n")
    return _packed(tree, folder / "initrd.gz")


def _in_order(kernel: Kernel, names: Sequence[str]) -> list[Path]:
    modules = kernel.root / "lib" / "modules" / kernel.release
    if not (modules / "modules.dep").exists():
        subprocess.run(["depmod", "-b", str(kernel.root), kernel.release], check=True, capture_output=True)
    order: list[Path] = []
    for name in names:
        command = ["modprobe", "-d", str(kernel.root), "-S", kernel.release, "--show-depends", name]
        told = subprocess.run(command, capture_output=True, text=True, check=False)
        if told.returncode:
            raise CannotRunError(f"Debian's kernel {kernel.release} has no module {name}")
        for line in told.stdout.splitlines():
            kind, _, rest = line.partition(" ")
            if kind == "insmod" and (path := Path(rest.split()[0])) not in order:
                order.append(path)
    return order


def _packed(tree: Path, packed: Path) -> Path:
    listed = "\n".join(str(path.relative_to(tree)) for path in sorted(tree.rglob("*")))
    with packed.open("wb") as file:
        archive = subprocess.Popen(
            ["cpio", "--quiet", "-o", "-H", "newc", "-R", "0:0"],
            cwd=tree,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=False,
        )
        squeezed = subprocess.Popen(["gzip", "-1"], stdin=archive.stdout, stdout=file)
        assert archive.stdin is not None
        archive.stdin.write(listed.encode())
        archive.stdin.close()
        if archive.wait() or squeezed.wait():
            raise CannotRunError("the initrd cannot be packed")
    return packed
