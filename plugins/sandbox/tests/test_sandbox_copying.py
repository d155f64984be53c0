"""Test that a sandbox with a copy of the workspace keeps the contract: it shows all changes at the end."""

import asyncio
import shutil
from collections import defaultdict
from filecmp import cmp
from pathlib import Path

from openkoi_hookspecs import Command, CommandResult, Sandbox
from openkoi_sandbox import UnconfinedSandbox
from openkoi_testing import SandboxContract


class Copying:
    """Run each command in a copy, and bring back what it did, one command of a workspace after another."""

    def __init__(self, inner: Sandbox, folder: Path) -> None:
        self.inner, self.folder = inner, folder
        self.turns: defaultdict[Path, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def probe_level(self) -> int:
        """The inner sandbox alone enforces limits."""
        return await self.inner.probe_level()

    async def execute(self, command: Command, root: Path) -> CommandResult:
        """Run the command in a copy; bring back its changes, even if it was cut off or cancelled."""
        async with self.turns[root]:
            copy = self.folder / "copy"
            shutil.copytree(root, copy, symlinks=True)
            try:
                return await self.inner.execute(command, copy)
            finally:
                bring_back(copy, root)
                shutil.rmtree(copy)


def bring_back(copy: Path, root: Path) -> None:
    """Make a workspace equal to the copy; leave equal files untouched."""
    for path in sorted(root.rglob("*"), reverse=True):
        if not is_there(copy / path.relative_to(root)):
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    for path in sorted(copy.rglob("*")):
        there = root / path.relative_to(copy)
        if path.is_dir() and not path.is_symlink():
            there.mkdir(exist_ok=True)
        elif not is_same(path, there):
            there.unlink(missing_ok=True)
            shutil.copy2(path, there, follow_symlinks=False)


def is_there(path: Path) -> bool:
    return path.is_symlink() or path.exists()


def is_same(one: Path, other: Path) -> bool:
    if one.is_symlink() or not other.is_file() or other.is_symlink():
        return False
    return one.stat().st_mode == other.stat().st_mode and cmp(one, other, shallow=False)


def copying(folder: Path) -> Copying:
    folder.mkdir(parents=True, exist_ok=True)
    return Copying(UnconfinedSandbox(folder=folder / "inner", grace=0.1), folder)


class TestCopying(SandboxContract):
    subject = staticmethod(copying)
