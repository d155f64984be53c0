"""Read files and revisions from git, and export an older state, without changing the repository.

A separate index stands in for the repository's. Nothing is fetched, and no hook or monitor of the project runs.
"""

import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from openkoi_hookspecs import ConfigError, KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass

OFFLINE_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LFS_SKIP_SMUDGE": "1",
}
SAFE_OPTIONS = ("-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
REPOSITORY_VARIABLES = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"})
NO_REPOSITORY = "{folder} is not in a git repository, so it cannot be compared with {revision}. Omit --diff."
NO_REVISION = "Unknown revision {revision!r} in {folder}. `git log --all --oneline` lists the known revisions."


@dataclass(frozen=True, slots=True)
class GitRepository:
    """The repository that a folder is in, with its top folder."""

    top: Path

    def resolve_commit(self, revision: str) -> str:
        """Return the commit that a revision names; raise ConfigError if there is none."""
        words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        done = run_git(self.top, *words)
        if done.returncode:
            raise ConfigError(NO_REVISION.format(revision=revision, folder=self.top))
        return done.stdout.decode().strip()

    def tracked_or_new(self, folder: Path) -> list[str]:
        """Return the files in a folder that git tracks, or would add."""
        words = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
        return split_paths(require_success(run_git(folder, *words)))

    def ignored_paths(self, folder: Path) -> list[str]:
        """Return the paths in a folder that the project's ignore rules exclude; whole folders end with a slash."""
        words = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
        return split_paths(require_success(run_git(folder, *words)))

    def export(self, commit: str, folder: Path, into: Path) -> None:
        """Write the files of a folder as of a commit, without changing the repository."""
        below = folder.relative_to(self.top).as_posix()
        with TemporaryDirectory(prefix="openkoi-export-", dir=into.parent) as private:
            index = {"GIT_INDEX_FILE": str(Path(private) / "index")}
            require_success(run_git(self.top, "read-tree", commit, env=index))
            listed = require_success(run_git(self.top, "ls-files", "-z", "--", below, env=index))
            out = Path(private) / "out"
            require_success(
                run_git(self.top, "checkout-index", "-z", "--stdin", f"--prefix={out}/", env=index, stdin=listed)
            )
            there = out if below == "." else out / below
            for path in there.iterdir() if there.is_dir() else ():
                path.rename(into / path.name)


def find_repository(folder: Path) -> GitRepository | None:
    """Return the repository around a folder, or None if there is none or git is not installed."""
    try:
        done = run_git(folder, "rev-parse", "--show-toplevel")
    except KoiError:
        return None
    top = done.stdout.decode(errors="surrogateescape").rstrip("\n")
    return GitRepository(Path(top).resolve()) if done.returncode == 0 and top else None


def require_repository(folder: Path, revision: str) -> GitRepository:
    """Return the repository around a folder; raise ConfigError if there is none."""
    found = find_repository(folder)
    if found is None:
        raise ConfigError(NO_REPOSITORY.format(folder=folder, revision=revision))
    return found


def run_git(
    folder: Path, *words: str, env: dict[str, str] | None = None, stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run git in a folder."""
    ours = {name: value for name, value in os.environ.items() if name not in REPOSITORY_VARIABLES}
    command = ["git", "-C", str(folder), *SAFE_OPTIONS, *words]
    try:
        return subprocess.run(
            command, input=stdin, capture_output=True, check=False, env={**ours, **OFFLINE_ENVIRONMENT, **(env or {})}
        )
    except OSError as error:
        raise KoiError(f"git cannot be run: {error}. Install it, or evaluate without --diff.") from error


def require_success(done: subprocess.CompletedProcess[bytes]) -> bytes:
    """Return git's output; raise KoiError with its message if it failed."""
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip()
        raise KoiError(f"git {' '.join(done.args[7:8])} failed: {reason}. Check that `git status` works here.")
    return done.stdout


def split_paths(listing: bytes) -> list[str]:
    """Return the paths of a listing; one that is not UTF-8 keeps its bytes."""
    return [os.fsdecode(path) for path in listing.split(b"\0") if path]
