"""Create a virtualenv with only what ``pip install openkoi`` installs: no pytest, no linter, no test plugin."""

import shutil
import subprocess
import venv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution
from pathlib import Path
from sysconfig import get_path

from packaging.requirements import Requirement

PROGRAMS = ("git", "bwrap")  # of this machine; a linter that is found beside them would be one more check


@dataclass(frozen=True, slots=True)
class BareInstall:
    """A virtualenv and the only folder that PATH names beside it."""

    folder: Path
    programs: Path

    def run(self, *arguments: str, home: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """Run openkoi in it."""
        python = self.folder / "bin" / "python"
        own = {"PATH": f"{python.parent}:{self.programs}", "VIRTUAL_ENV": "", "TMPDIR": str(home)}
        return subprocess.run(
            [python, "-m", "openkoi", *arguments],
            cwd=home,
            env={**env, **own},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


def make_bare_install(root: Path) -> BareInstall:
    """Link the files of openkoi and its dependencies into a virtualenv."""
    install = BareInstall(root / "venv", root / "programs")
    venv.create(install.folder, symlinks=True)
    packages = Path(get_path("purelib", vars={"base": str(install.folder)}))
    for needed in needed_by("openkoi", {}).values():
        for name in {file.parts[0] for file in needed.files or () if file.parts[0] != ".."}:
            place = packages / name
            if not place.exists():
                place.symlink_to(Path(str(needed.locate_file(name))))
    install.programs.mkdir()
    for name in PROGRAMS:
        if found := shutil.which(name):
            (install.programs / name).symlink_to(found)
    return install


def needed_by(name: str, known: dict[str, Distribution]) -> dict[str, Distribution]:
    """Return the distribution and its dependencies without extras, by name."""
    known[name] = distribution(name)
    for required in required_names(known[name]):
        if required not in known:
            needed_by(required, known)
    return known


def required_names(one: Distribution) -> Iterator[str]:
    """Yield the names of a distribution's dependencies on this platform, without extras."""
    for line in one.requires or ():
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield requirement.name
