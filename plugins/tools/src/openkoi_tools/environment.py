"""State the environment in the prompt: folder, platform, shell, date and version control.

Run no program. The facts are collected once, before the plan, and recorded with it: a run that is resumed on another
day, or on another branch, sends what it sent before.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from openkoi_hookspecs import Run, Section, hookimpl
from openkoi_hookspecs.lazy_pattern import lazy_pattern

HEAD_LINE = lazy_pattern(r"ref: refs/heads/(?P<branch>[^\s\x00-\x1f]{1,100})|(?P<commit>[0-9a-f]{40,64})")
OPERATIONS = {
    "MERGE_HEAD": "a merge is in progress",
    "rebase-merge": "a rebase is in progress",
    "rebase-apply": "a rebase is in progress",
    "CHERRY_PICK_HEAD": "a cherry-pick is in progress",
    "REVERT_HEAD": "a revert is in progress",
}
OTHER_SYSTEMS = {".jj": "Jujutsu", ".hg": "Mercurial", ".svn": "Subversion"}
MAX_HEAD_BYTES = 1_000  # bytes of a file that names a branch or a folder


class Environment:
    """Add the section ``environment``. There is nothing to configure."""

    @hookimpl
    def before_plan(self, run: Run) -> Sequence[Section]:
        """Return the facts, a line each."""
        return [Section("environment", "\n".join(environment_facts(run.workspace)))]


def environment_facts(workspace: Path) -> Iterator[str]:
    """Yield the facts about its environment that a model cannot know."""
    yield f"Working directory: {workspace}"
    if below := users_folder(workspace):
        yield f"The user is in its subfolder {below}"
    yield f"Platform: {platform_name()}"
    yield f"Shell: {Path(find_shell()[0]).name}"
    yield f"Date: {date.today().isoformat()}"
    yield f"Version control: {describe_version_control(workspace)}"


def users_folder(workspace: Path) -> str:
    """Return the folder inside the workspace that OpenKoi was started in; empty if that is the workspace or none."""
    try:
        here = Path.cwd()
    except OSError:  # it was deleted
        return ""
    return str(here.relative_to(workspace)) if workspace in here.parents else ""


def find_shell() -> list[str]:
    """Return the shell to use: bash, else sh, else the system's equivalent."""
    program = shutil.which("bash") or shutil.which("sh")
    if not program and os.name == "nt":
        return [os.environ.get("COMSPEC", "cmd.exe"), "/c"]
    return [program or "sh", "-c"]


def platform_name() -> str:
    """Return the system with its release; macOS is marked, because the options of its tools differ."""
    import platform

    system, machine = platform.system(), platform.machine()
    if system == "Darwin":
        return f"macOS {platform.mac_ver()[0]} {machine} (BSD tools)"
    if system == "Linux":
        return f"{linux_name()}, Linux {machine}"
    return " ".join(filter(None, (system, platform.release(), machine)))


def linux_name() -> str:
    """Return the distribution's name, which implies the package manager."""
    import platform

    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return "unknown distribution"


def describe_version_control(workspace: Path) -> str:
    """Return the system, and for git the branch and an unfinished operation."""
    for folder in (workspace, *workspace.parents):
        if git := find_git_folder(folder / ".git"):
            top = "" if folder == workspace else f", repository root {folder}"
            return f"git, {', '.join([describe_head(git), *unfinished_operations(git)])}{top}"
        if other := next((name for mark, name in OTHER_SYSTEMS.items() if (folder / mark).is_dir()), ""):
            return other
    return "none"


def find_git_folder(place: Path) -> Path | None:
    """Return the folder of git's state; in a worktree or a submodule, a file contains its path."""
    if place.is_dir():
        return place
    named = read_first_line(place).removeprefix("gitdir: ")
    return place.parent / named if named else None


def describe_head(git: Path) -> str:
    """Return the branch, or the commit if no branch is checked out."""
    found = HEAD_LINE.fullmatch(read_first_line(git / "HEAD"))
    if found is None:
        return "unknown branch"
    return f"branch {found['branch']}" if found["branch"] else f"detached at {found['commit'][:10]}"


def unfinished_operations(git: Path) -> list[str]:
    """Return the operations that are not finished, each once."""
    return list(dict.fromkeys(words for mark, words in OPERATIONS.items() if (git / mark).exists()))


def read_first_line(file: Path) -> str:
    """Return the first line of a small file; empty if it cannot be read."""
    try:
        with file.open("rb") as opened:
            return opened.readline(MAX_HEAD_BYTES).decode("utf-8", "replace").strip()
    except OSError:
        return ""
