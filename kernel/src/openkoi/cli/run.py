"""``openkoi TASK...``: do a task and say how it went. The result is on stdout, progress on stderr."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from .group import Invocation

if TYPE_CHECKING:
    from openkoi.assembly import Assembly
    from openkoi_hookspecs import Task

    from .faces import Face


@dataclass(frozen=True, slots=True)
class Asked:
    """What the line said: words, and flags that outrank the configuration."""

    words: Sequence[str]
    flags: dict[str, Any]
    from_stdin: bool
    format: str

    @property
    def task(self) -> tuple[str, str]:
        """The task's text, and the context that was piped in."""
        text = " ".join(self.words).strip()
        if self.from_stdin or text == "-":
            return sys.stdin.read().strip(), ""
        return text, piped()


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("words", nargs=-1, metavar="TASK...")
@click.option("-m", "--model", metavar="PROVIDER/MODEL", help="The model for every role.")
@click.option("-i", "--iterate", type=click.IntRange(0), metavar="N", help="Attempts at most; 0: one, not judged.")
@click.option("-q", "--quality", type=click.FloatRange(0, 1), metavar="0..1", help="How good is good enough.")
@click.option("--executor", metavar="PROVIDER/MODEL", help="The model that does the work.")
@click.option("--evaluator", metavar="PROVIDER/MODEL", help="The model that judges it.")
@click.option("--budget", type=click.FloatRange(0), metavar="USD", help="Dollars that this task may cost.")
@click.option("--stdin", "from_stdin", is_flag=True, help="Read the task itself from standard input.")
@click.option(
    "--format",
    type=click.Choice(["text", "json", "jsonl"]),
    default="text",
    envvar="OPENKOI_FORMAT",
    show_default=True,
    help="What is printed on stdout.",
)
@click.pass_obj
def command(invocation: Invocation, /, words: Sequence[str], from_stdin: bool, format: str, **flags: Any) -> int:
    """Do a task. What is piped in is its context. Every option can be set as OPENKOI_<OPTION>, too."""
    asked = Asked(words, flags, from_stdin, format)
    text, context = asked.task
    if not text:
        raise click.UsageError('There is no task. Say what to do: openkoi "Fix the failing tests"')
    import asyncio

    from openkoi_hookspecs import KoiError, Task

    from .entry import EXIT_INTERRUPTED, status_of
    from .faces import face_for
    from .logs import set_up_logs

    koi = invocation.open(flags)
    set_up_logs(invocation.verbose, koi)
    face = face_for(asked.format, koi)
    try:
        asyncio.run(work(koi, Task(text, context=context, limits=koi.config.limits), face))
    except KoiError as error:
        if not face.failed():
            raise
        return status_of(error)
    except (KeyboardInterrupt, asyncio.CancelledError):
        if not face.failed():
            raise KeyboardInterrupt from None
        return EXIT_INTERRUPTED
    finally:
        face.close()
    return face.status


async def work(koi: "Assembly", task: "Task", face: "Face") -> None:
    """Do the task while OpenKoi is alive; the result is shown before what is left is done."""
    from .person import ask_person, somebody_there

    stop_on_terminate()
    koi.listeners.append(face.tell)
    koi.person = ask_person if somebody_there() else None
    async with koi:
        await koi.solve(task)
        face.show()
        await koi.drain()
        face.afterwards()


def stop_on_terminate() -> None:
    """A polite request to end is an interruption like any other."""
    import asyncio
    import signal

    task = asyncio.current_task()
    if hasattr(signal, "SIGTERM") and sys.platform != "win32" and task is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)


def piped() -> str:
    """What is piped in; nothing from a terminal or where there is no standard input."""
    import os
    import stat

    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError, AttributeError):
        return ""
    if not (stat.S_ISFIFO(mode) or stat.S_ISREG(mode)):
        return ""
    return sys.stdin.buffer.read().decode(errors="replace").strip()
