"""Ask git what there is, and take out an older state. Knows git's words; changes nothing of a repository.

An index of our own stands in for the repository's. Nothing is fetched, and no hook or monitor of the project is run.
"""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from openkoi_hookspecs import ConfigError, KoiError

ALONE = {"GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "GIT_LFS_SKIP_SMUDGE": "1"}
STEADY = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
ABOUT = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"})
NO_REPOSITORY = "{folder} is in no git repository, so there is no {revision} to compare it with. Leave out --diff."
NO_REVISION = "There is no revision {revision!r} in {folder}. git log --all --oneline lists what there is."


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository that a folder is in, by the folder at its top."""

    top: Path

    def commit(self, revision: str) -> str:
        """The commit that a revision names; raises ConfigError when it names none."""
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        said = git(self.top, *words)
        if said.returncode:
            raise ConfigError(NO_REVISION.format(revision=revision, folder=self.top))
        return said.stdout.decode().strip()

    def present(self, folder: Path) -> list[str]:
        """The files in a folder that git knows, or would take in."""
        words = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
        return paths(sound(git(folder, *words)))

    def hidden(self, folder: Path) -> list[str]:
        """What the project's ignore rules hide in a folder; whole folders end with a slash."""
        words = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
        return paths(sound(git(folder, *words)))

    def export(self, commit: str, folder: Path, into: Path) -> None:
        """Lay the files of a folder out as they were in a commit, and leave the repository alone."""
        below = folder.relative_to(self.top).as_posix()
        with TemporaryDirectory(prefix="openkoi-export-", dir=into.parent) as private:
            index = {"GIT_INDEX_FILE": str(Path(private) / "index")}
            sound(git(self.top, "read-tree", commit, env=index))
            listed = sound(git(self.top, "ls-files", "-z", "--", below, env=index))
            out = Path(private) / "out"
            sound(git(self.top, "checkout-index", "-z", "--stdin", f"--prefix={out}/", env=index, stdin=listed))
            there = out if below == "." else out / below
            for path in there.iterdir() if there.is_dir() else ():
                path.rename(into / path.name)


def repository_of(folder: Path) -> Repository | None:
    """The repository around a folder; None without one, or without git."""
    try:
        said = git(folder, "rev-parse", "--show-toplevel")
    except KoiError:
        return None
    top = said.stdout.decode(errors="surrogateescape").rstrip("\n")
    return Repository(Path(top).resolve()) if said.returncode == 0 and top else None


def repository_with(folder: Path, revision: str) -> Repository:
    """The repository around a folder; raises ConfigError when there is none to have a revision."""
    found = repository_of(folder)
    if found is None:
        raise ConfigError(NO_REPOSITORY.format(folder=folder, revision=revision))
    return found


def git(
    folder: Path, *words: str, env: dict[str, str] | None = None, stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run git in a folder."""
    ours = {name: value for name, value in os.environ.items() if name not in ABOUT}
    command = ["git", "-C", str(folder), *STEADY, *words]
    try:
        return subprocess.run(
            command, input=stdin, capture_output=True, check=False, env={**ours, **ALONE, **(env or {})}
        )
    except OSError as error:
        raise KoiError(f"git cannot be run: {error}. Install it, or evaluate without --diff.") from error


def sound(said: subprocess.CompletedProcess[bytes]) -> bytes:
    """What git said; raises KoiError with its own words where it failed."""
    if said.returncode:
        reason = said.stderr.decode(errors="replace").strip()
        raise KoiError(f"git {' '.join(said.args[7:8])} failed: {reason}. Look whether git status works here.")
    return said.stdout


def paths(listing: bytes) -> list[str]:
    """The paths of a listing; one that is no text in UTF-8 keeps its bytes."""
    return [os.fsdecode(path) for path in listing.split(b"\0") if path]


def within(path: str, folders: Sequence[str]) -> bool:
    """Whether a path lies in one of these folders."""
    return path.startswith(tuple(f"{folder}/" for folder in folders))
