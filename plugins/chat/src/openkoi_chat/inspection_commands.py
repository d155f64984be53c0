"""Commands that show tasks, memory and costs. Most run a command of ``openkoi`` in this folder."""

import asyncio
from collections.abc import Iterator
from io import StringIO

from openkoi_hookspecs import KoiError
from openkoi_runlog import find_task, read_task_records
from openkoi_runlog.report import RunReport, build_cycle_tree, build_report, format_tree, truncate_line
from openkoi_terminal import render_diff, strip_controls

from .chat import ChatProgram
from .line_mode import PlainView
from .session_tasks import read_session_tasks
from .task_view import TaskView

NO_TASK = "No task in this session yet."
NO_ITERATION = "No iteration has ended yet."
MEMORY = "/memory WORDS searches memory, # TEXT remembers a preference, /learn shows what was learned."
NO_TERMINAL = "No terminal is attached"  # what a command says that asks
NO_SOUL = "No installed plugin has a soul to review. To list the plugins, run `openkoi plugins`."


async def diff(chat: ChatProgram, words: str) -> None:
    """Show what a task changed since the checkpoint before it; by default, the last task that changed files."""
    done = await chat.run_cli("diff", *words.split())
    if done.status or "diff --git" not in done.text:
        chat.view.note(strip_controls(done.text))
        return
    chat.view.print("\n".join(render_diff(f"{done.text}\n", chat.view.style, most=0)))


async def undo(chat: ChatProgram, words: str) -> None:
    """Undo a task's changes."""
    await show(chat, "undo", *words.split())


async def redo(chat: ChatProgram, words: str) -> None:
    """Reapply undone changes."""
    await show(chat, "redo", *words.split())


async def why(chat: ChatProgram, words: str) -> None:
    """Explain the score of a task."""
    from .why import explain

    id, sessions = words or chat.session.last_run, chat.session.sessions
    try:
        past = find_task(sessions, id)
    except KoiError as error:
        chat.view.note(strip_controls(str(error)) if words else NO_TASK)
        return
    koi = chat.require_koi()
    report = build_report(read_task_records(sessions, past), past.run)
    lines = await explain(report, koi, chat.view.style)
    chat.view.note("\n".join(koi.redact(line) for line in lines))


async def status(chat: ChatProgram, words: str) -> None:
    """Show memory, recent tasks, the cost of today, and the skills that are used here."""
    await show(chat, "status", *words.split())
    await chat.added.find_skills(chat.require_koi().workspace, again=True)
    chat.view.note(f"  Skills here: {strip_controls(', '.join(chat.added.of_skills)) or 'none'}")


async def cost(chat: ChatProgram, words: str) -> None:
    """Show what this session cost, its most expensive step and a cheaper way."""
    from openkoi_runlog.run_replay import find_lost_requests

    from .costs import describe_costs, list_steps

    koi, session = chat.require_koi(), chat.session.session
    steps = list_steps(koi.records(session), find_lost_requests(koi.records(session)))
    chat.view.note("\n".join(koi.redact(line) for line in describe_costs(steps, koi)))


async def progress(chat: ChatProgram, words: str) -> None:
    """List the plan, and the iterations and scores so far."""
    turn = chat.session.turn
    if turn is None:
        chat.view.note(NO_TASK)
        return
    ended = [line for one in turn.report.iterations for line in turn.display.progress.format_iteration(one.number)]
    lines = [*format_plan(turn.report), *(ended or [NO_ITERATION])]
    chat.view.note("\n".join(strip_controls(turn.redact(line)) for line in lines))


def format_plan(report: RunReport) -> Iterator[str]:
    """Yield the steps of the plan, and the findings that the current iteration must fix."""
    plan = report.view.current.plan
    if plan.steps:
        yield "Plan:"
        yield from (f"  {number}. {step}" for number, step in enumerate(plan.steps, 1))
    elif not plan.feedback:
        yield "Plan: the task as it was given, in one step."
    if plan.feedback and not report.completion:
        yield f"To fix in iteration {len(report.iterations) + 1}:"
        yield from (f"  - {truncate_line(one.title, 100)}" for one in plan.feedback)


async def transcript(chat: ChatProgram, words: str) -> None:
    """Show a task again in the pager, as it was shown live, then every model call with its cost."""
    id, koi, sessions = words or chat.session.last_run, chat.require_koi(), chat.session.sessions
    if not id:
        chat.view.note(NO_TASK)
        return
    past = find_task(sessions, id)
    records = await asyncio.to_thread(read_task_records, sessions, past)
    page = StringIO()
    TaskView(PlainView(page), past.run, koi.redact).replay(records, whole=True)
    calls = format_tree(build_cycle_tree(records, past.run))
    lines = [strip_controls(koi.redact(line)) for line in ("", "Model calls:", "", *calls)]
    await chat.show_in_pager("\n".join((page.getvalue().strip("\n"), *lines)))


async def context(chat: ChatProgram, words: str) -> None:
    """Show the prompt of the last task."""
    if not (words or chat.session.last_run):
        chat.view.note(NO_TASK)
        return
    await show(chat, "context", *(words.split() or [chat.session.last_run]))


async def learn(chat: ChatProgram, words: str) -> None:
    """Show what was learned; let the user review pending entries on the terminal."""
    done = await chat.run_cli("learn", *words.split())
    if NO_TERMINAL in done.text:
        await chat.hand_over("learn", *words.split())
    else:
        chat.view.note(strip_controls(done.text))


async def soul(chat: ChatProgram, words: str) -> None:
    """Show or review the soul, with the command of the plugin that has one."""
    if not any(one.name == "soul" for one in chat.require_koi().plugins("commands")):
        chat.view.note(NO_SOUL)
        return
    await chat.hand_over("soul", *words.split())


async def memory(chat: ChatProgram, words: str) -> None:
    """Search memory."""
    if words:
        await show(chat, "memory", "search", words)
    else:
        chat.view.note(MEMORY)


async def export(chat: ChatProgram, words: str) -> None:
    """Write the session's messages to a Markdown file."""
    from .transcript import write_transcript

    koi, session = chat.require_koi(), chat.session.session
    runs = {one.run for one in read_session_tasks(chat.session.sessions, session).current}
    path = write_transcript(koi, session, runs, koi.workspace, words)
    chat.view.note(f"Wrote {strip_controls(str(path))}")


async def show(chat: ChatProgram, *words: str) -> None:
    """Run a command of ``openkoi``, and print its output."""
    done = await chat.run_cli(*words)
    chat.view.note(strip_controls(done.text))
