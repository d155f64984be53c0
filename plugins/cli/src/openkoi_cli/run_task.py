"""Define ``openkoi TASK...``, which runs a task from the command line, and its options (flags); print the result."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .invocation import Invocation
from .setting_names import SANDBOX_MINIMUM
from .streams import restore_terminal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from openkoi_hookspecs import Koi, OpenedKoi, Task

    from .follow_up import FollowUp
    from .renderers import Renderer


class RunOptions(NamedTuple):
    """The command line: words, flags that override the configuration, what it continues, and the agent to assign.

    Without words, what is piped in is the task; otherwise it is the context.
    """

    words: Sequence[str]
    flags: dict[str, Any]
    from_stdin: bool
    dry: bool = False
    yes: bool = False
    images: Sequence[str] = ()
    category: str = ""
    follow_up: "FollowUp | None" = None
    command: str = "openkoi"
    given_to: "Callable[[Task, Koi], Task]" = lambda task, _: task

    @property
    def typed_text(self) -> str:
        """The task on the command line; empty if it is piped in."""
        text = " ".join(self.words).strip()
        return "" if text == "-" else text

    @property
    def task(self) -> tuple[str, str]:
        """The task's text, and piped input as its context."""
        text = self.typed_text
        if self.from_stdin and text:
            raise click.UsageError(
                "--stdin reads the task from standard input. Omit --stdin, or omit the words of the task."
            )
        if self.from_stdin or (self.words and not text):
            return read_stdin(), ""
        piped = read_piped()
        return (text, piped) if text else (piped, "")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("words", nargs=-1, metavar="TASK...")
@click.option("-c", "--continue", "continued", is_flag=True, help="Continue the last session in this folder.")
@click.option("-m", "--model", metavar="MODEL", help="Model for every role: provider/model or a short name.")
@click.option(
    "-i", "--iterate", type=click.IntRange(0), metavar="N", help="Maximum iterations (0 = run once without evaluation)."
)
@click.option("-q", "--quality", type=click.FloatRange(0, 1), metavar="0..1", help="Minimum score to accept.")
@click.option("--executor", metavar="MODEL", help="Model that does the work, and the default for other roles.")
@click.option("--evaluator", metavar="MODEL", help="Model that evaluates the work. [default: the executor]")
@click.option("--budget", type=click.FloatRange(0), metavar="USD", help="Maximum cost in US dollars.")
@click.option(
    "--category", default="", metavar="NAME", help="Task category, which selects the rubric. [default: inferred]"
)
@click.option("--no-judge", is_flag=True, default=None, help="Accept when checks pass, without a judge.")
@click.option("--record", metavar="FILE", help="Record model responses to FILE (secrets redacted).")
@click.option("--replay", metavar="FILE", help="Replay model responses from FILE.")
@click.option("--dry-run", "dry", is_flag=True, help="Run on a copy and show the diff; leave your files untouched.")
@click.option(
    "--image", "images", multiple=True, metavar="FILE", help="Attach an image; may be repeated. @FILE attaches a file."
)
@click.option(
    "-y",
    "--yes",
    is_flag=True,
    help="Approve changes that `openkoi undo` can revert, and what the `yes` setting of [hooks.guard] allows.",
)
@click.option("-p", "--print", "as_task", is_flag=True, help="Run the words as a task even if they name a command.")
@click.option("--why", is_flag=True, help="Explain the decision: checks, weights and votes.")
@click.option("--stdin", "from_stdin", is_flag=True, help="Read the task from standard input.")
@click.option(
    "--format",
    "layout",
    type=click.Choice(["text", "json", "jsonl"]),
    default="text",
    envvar="OPENKOI_FORMAT",
    show_default=True,
    help="Output format.",
)
@click.pass_obj
def command(invocation: Invocation, /, words: Sequence[str], layout: str, why: bool, **flags: Any) -> int:
    """Run a task. Piped input is added as context. Every option can be set as OPENKOI_<OPTION>."""
    from .renderers import open_renderer

    with open_renderer(layout, invocation) as renderer:
        renderer.shows_reasons = why
        run_task(read_options(words, flags), renderer)
    return renderer.report.status


def read_options(words: Sequence[str], flags: dict[str, Any]) -> RunOptions:
    """Return the options of a command line, apart from those that override the configuration."""
    own = {name: flags.pop(name) for name in ("from_stdin", "dry", "yes", "images")}
    category, continued = flags.pop("category").strip().lower(), flags.pop("continued")
    flags.pop("as_task", None)  # it has decided which command the line is
    options = RunOptions(words, flags, category=category, **own)
    if not continued:
        return options
    from .follow_up import FollowUp

    return options._replace(follow_up=FollowUp())


def run_task(asked: RunOptions, renderer: "Renderer") -> None:
    """Run the task and show it; offer the setup if there is no model."""
    text, context = asked.task
    if not text:
        raise click.UsageError(f'No task given. For example: {asked.command} "Fix the failing tests"')
    from openkoi_hookspecs import NoModelError

    from .first_run import offer_setup

    restore_terminal()
    try:
        open_and_run(asked, text, context, renderer)
    except NoModelError:
        if not offer_setup(renderer.invocation):
            raise
        open_and_run(asked, text, context, renderer)


def open_and_run(asked: RunOptions, text: str, context: str, renderer: "Renderer") -> None:
    """Open OpenKoi with the current configuration, and run the task."""
    from openkoi_hookspecs import Task

    from .interruptible import run_interruptible
    from .logs import set_up_logs

    with open_workspace(asked.dry) as folder:
        task, settings = Task(text, context=context, category=asked.category), dict[str, object]()
        if asked.follow_up:
            from pathlib import Path

            from .follow_up import continue_session

            task, settings = continue_session(task, asked.follow_up, asked.flags, renderer.invocation.paths)
            folder = Path(task.workspace) if task.workspace else folder
        if asked.dry:  # it may only write in its copy
            settings[SANDBOX_MINIMUM] = "confined"
        koi = renderer.invocation.open(asked.flags, workspace=folder, settings=settings)
        set_up_logs(renderer.invocation.verbose, koi, renderer.live.print_line)
        task = asked.given_to(task, koi)
        diff = run_interruptible(run_and_show(koi, task, renderer, asked))
        if asked.dry:
            renderer.show_diff(diff)


@contextmanager
def open_workspace(dry: bool) -> "Iterator[Path]":
    """Yield the folder to work in: the root of this repository or project, or a copy of it."""
    from pathlib import Path

    from openkoi_base.files import find_workspace

    here = find_workspace(Path.cwd())
    if not dry:
        yield here
        return
    from .workspace_copy import copy_folder

    with copy_folder(here) as copy:
        yield copy


async def run_and_show(koi: "OpenedKoi", task: "Task", renderer: "Renderer", asked: RunOptions) -> str:
    """Run the task and return its diff; show the result before the cleanup."""
    from .first_run import make_greeting

    koi.listen(make_greeting(renderer))
    renderer.attend(koi, yes=asked.yes)
    koi.listen(renderer.add_record)
    async with koi, renderer.live.keep_time():
        if asked.images or "@" in task.text:
            from .attach import attach_files

            task = await attach_files(task, asked.images, koi, piped=not asked.typed_text)
        result = await koi.solve(task)
        renderer.show()
    renderer.show_afterwards(koi)
    return result.best.work.diff


def read_piped() -> str:
    """Return piped input; empty if standard input is a terminal or closed."""
    import os
    import stat

    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError, AttributeError):
        return ""
    if not (stat.S_ISFIFO(mode) or stat.S_ISREG(mode)):
        return ""
    return read_stdin()


def read_stdin() -> str:
    """Return all of standard input as text."""
    return decode_input(sys.stdin.buffer.read())


def decode_input(data: bytes) -> str:
    """Return piped bytes as text, in the encoding that they are in; replace bytes of what is not text."""
    from openkoi_base.files.text_encoding import decode_text

    found = decode_text(data)
    return (found.text if found else data.decode(errors="replace")).removeprefix("\ufeff").strip()
