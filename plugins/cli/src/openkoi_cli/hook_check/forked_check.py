"""Check in a fork of this process, and name the plugin whose code was running if that process ended or hung."""

import json
import os
import signal
import sys
import traceback
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING

from openkoi_hookspecs.lazy_dataclass import dataclass

from .synthetic_task import PROGRESS, HookReport

if TYPE_CHECKING:
    from collections.abc import Sequence

BLOCKED_SECONDS = 15.0  # without `[hooks] deadline_seconds`; estimate: an honest import of a large library takes less
POLL_SECONDS = 0.02
REPORT = "report.json"


@dataclass(frozen=True, slots=True)
class Progress:
    """The report of a fork of this process: the effects, the last plugin, whether it still runs, its time limit.

    ``suspects`` are the plugins that left something running, which may end the process later; ``hiding`` is the plugin
    (``hooks.NAME``) that changed which hooks are called, so that some were not checked.
    """

    effects: "Sequence[str]"
    suspects: "Sequence[str]"
    last: "Sequence[str]"
    is_running: bool
    hiding: str
    seconds: float


def check_in_fork(check: Callable[[], HookReport], folder: Path) -> tuple[HookReport, str]:
    """Return the report, and the plugin (``hooks.NAME``) that ended or blocked the process or hid hooks, if one did."""
    process = os.fork()
    if process == 0:
        run_in_copy(check, folder / REPORT)
    ending = wait_for(process, folder / PROGRESS)
    if (folder / REPORT).exists():
        report = json.loads((folder / REPORT).read_text(encoding="utf-8"))
        return HookReport(report["lines"], report["issues"]), read_progress(folder / PROGRESS).hiding
    progress = read_progress(folder / PROGRESS)
    issue, culprit = explain_ending(progress, ending)
    return HookReport([], [*progress.effects, issue]), culprit


def run_in_copy(check: Callable[[], HookReport], result: Path) -> None:
    """Check, write the report, and end this process."""
    status = 1
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        report = check()
        text = json.dumps({"lines": report.lines, "issues": report.issues})
        result.with_suffix(".part").write_text(text, encoding="utf-8")
        result.with_suffix(".part").rename(result)
        status = 0
    except BaseException:  # an error of ours, or one that a plugin caused in our code
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def wait_for(process: int, progress: Path) -> str:
    """Wait for a process, and end it if one call of a plugin takes too long; return how it ended."""
    changed, size = monotonic(), -1
    try:
        while True:
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended:
                return describe_status(status)
            before, size = size, progress.stat().st_size if progress.exists() else 0
            if size != before:
                changed = monotonic()
            elif monotonic() - changed > (now := read_progress(progress)).seconds and now.is_running:
                return f"did not return within {now.seconds:g} s"
            sleep(POLL_SECONDS)
    finally:
        end_group(process)


def end_group(process: int) -> None:
    """End a process and its child processes."""
    try:
        os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)
    except (ProcessLookupError, PermissionError, ChildProcessError):
        return


def describe_status(status: int) -> str:
    """Return how a process ended."""
    if os.WIFSIGNALED(status):
        from openkoi_base.child_process import signal_name

        return f"killed the process with {signal_name(os.WTERMSIG(status))}"
    return f"exited the process with status {os.WEXITSTATUS(status)}"


def read_progress(path: Path) -> Progress:
    """Read what was written so far; the last line may be incomplete."""
    from openkoi_base.side_effects.options import DEADLINE, EFFECT, END, HID, START

    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    found = defaultdict[str, list[list[str]]](list)
    state = ""
    for line in text.split("\n")[:-1]:
        event, *words = line.split("\t")
        found[event].append(words)
        state = event if event in (START, END) else state
    seconds = [float(words[0]) for words in found[DEADLINE] if words]
    effects = [words[0] for words in found[EFFECT]]
    suspects = [plugin for _, *plugins in found[EFFECT] for plugin in plugins]
    last = found[START][-1] if found[START] else ()
    hiding = next((f"{kind}.{plugin}" for kind, plugin, _ in found[HID]), "")
    return Progress(effects, suspects, last, state == START, hiding, *(seconds[-1:] or [BLOCKED_SECONDS]))


def explain_ending(progress: Progress, ending: str) -> tuple[str, str]:
    """Return the issue, and the plugin to leave out when the check is repeated."""
    from openkoi_hookspecs import PluginError

    if not progress.last:
        return f"The check failed before it loaded a plugin: some code {ending}.", ""
    kind, plugin, hook = progress.last
    suspect = progress.suspects[-1] if progress.suspects else plugin
    if suspect != plugin:
        return (
            f"In or after {hook} of {plugin}, some code {ending}. Code that {suspect} started was still running.",
            f"hooks.{suspect}",
        )
    if not progress.is_running:
        return f"After {hook} of {plugin} returned, some code {ending}.", ""
    return str(PluginError(plugin, hook, f"it {ending}")), f"{kind}.{plugin}"
