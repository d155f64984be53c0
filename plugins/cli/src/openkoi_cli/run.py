"""``openkoi TASK...``: do a task and say how it went. The result is on stdout, progress on stderr."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from .invocation import Invocation
from .streams import terminal_again

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from openkoi_hookspecs import Koi, OpenedKoi, Task

    from .renderers import Renderer


@dataclass(frozen=True, slots=True)
class Asked:
    """What the line said: words, flags that outrank the configuration, and to whom the task is given."""

    words: Sequence[str]
    flags: dict[str, Any]
    from_stdin: bool
    dry: bool = False
    category: str = ""
    given_to: "Callable[[Task, Koi], Task]" = lambda task, _: task

    @property
    def task(self) -> tuple[str, str]:
        """The task's text, and the context that was piped in."""
        text = " ".join(self.words).strip()
        if self.from_stdin and text:
            raise click.UsageError("--stdin reads the task itself. Leave out the words, or pipe without --stdin.")
        if self.from_stdin or text == "-":
            return standard_input(), ""
        return text, piped()


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("words", nargs=-1, metavar="TASK...")
@click.option("-m", "--model", metavar="MODEL", help="Model for every role: provider/model or a short name.")
@click.option("-i", "--iterate", type=click.IntRange(0), metavar="N", help="Attempts at most; 0: one, not judged.")
@click.option("-q", "--quality", type=click.FloatRange(0, 1), metavar="0..1", help="How good is good enough.")
@click.option("--executor", metavar="MODEL", help="Model that does the work. Roles without a model use it too.")
@click.option("--evaluator", metavar="MODEL", help="Model that judges the work. [default: the executor's]")
@click.option("--budget", type=click.FloatRange(0), metavar="USD", help="Dollars that this task may cost.")
@click.option("--category", default="", metavar="NAME", help="The kind of task, for rubrics; else its words tell.")
@click.option("--no-judge", is_flag=True, default=None, help="Accept on passing checks alone, without a judge.")
@click.option("--record", metavar="FILE", help="Write down what the models answer, without secrets.")
@click.option("--replay", metavar="FILE", help="Let a recording answer instead of the models.")
@click.option("--dry-run", "dry", is_flag=True, help="Work on a copy, and show what would be changed.")
@click.option("--why", is_flag=True, help="Say at the end why it was decided so: checks, weights, each vote.")
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
def command(invocation: Invocation, /, words: Sequence[str], format: str, why: bool, **flags: Any) -> int:
    """Do a task. What is piped in is its context. Every option can be set as OPENKOI_<OPTION>, too."""
    from .renderers import rendering

    with rendering(format, invocation) as renderer:
        renderer.explains = why
        stdin, dry, category = (flags.pop(name) for name in ("from_stdin", "dry", "category"))
        do(Asked(words, flags, from_stdin=stdin, dry=dry, category=category.strip().lower()), renderer)
    return renderer.report.status


def do(asked: Asked, renderer: "Renderer") -> None:
    """Do what was asked for, and show it."""
    text, context = asked.task
    if not text:
        raise click.UsageError('There is no task. Say what to do: openkoi "Fix the failing tests"')
    from openkoi_hookspecs import NoModelError

    from .first_run import prepared

    terminal_again()
    try:
        begin(asked, text, context, renderer)
    except NoModelError:
        if not prepared(renderer.invocation):
            raise
        begin(asked, text, context, renderer)


def begin(asked: Asked, text: str, context: str, renderer: "Renderer") -> None:
    """Open OpenKoi as it is configured now, and do the task."""
    from openkoi_hookspecs import Task
    from openkoi_settings import keys

    from .interruptible import interruptible
    from .logs import set_up_logs

    with place(asked.dry) as folder:
        # a dry run may write in its copy alone
        settings = {keys.SANDBOX_MINIMUM.name: "confined"} if asked.dry else {}
        koi = renderer.invocation.open(asked.flags, workspace=folder, settings=settings)
        set_up_logs(renderer.invocation.verbose, koi)
        task = asked.given_to(Task(text, context=context, category=asked.category), koi)
        diff = interruptible(work(koi, task, renderer))
        if asked.dry:
            renderer.changes(diff)


@contextmanager
def place(dry: bool) -> "Iterator[Path]":
    """The folder that is worked in: this one, or a copy of it."""
    from pathlib import Path

    if not dry:
        yield Path.cwd()
        return
    from .workplace import copied

    with copied(Path.cwd()) as copy:
        yield copy


async def work(koi: "OpenedKoi", task: "Task", renderer: "Renderer") -> str:
    """Do the task while OpenKoi is alive, and return its diff; the result is shown before what is left is done."""
    from .first_run import greeting
    from .person import attended

    koi.listen(greeting(renderer))
    koi.listen(renderer.tell)
    attended(koi)
    async with koi:
        result = await koi.solve(task)
        renderer.show()
    renderer.afterwards(koi)
    return result.best.work.diff


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
    return standard_input()


def standard_input() -> str:
    """All that comes, bytes that are no text replaced."""
    return sys.stdin.buffer.read().decode(errors="replace").strip()
