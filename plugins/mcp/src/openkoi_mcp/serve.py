"""Serve OpenKoi as an MCP server: other programs run tasks, search memory, evaluate work and answer questions."""

import asyncio
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel

from openkoi_hookspecs import Handle, Koi, KoiError, NextAction, Query, Record, Result, Task, events

INSTRUCTIONS = """\
OpenKoi works on tasks in a folder: it changes files, evaluates the result and tries again. A task that \
needs permission stops and returns its question; answer it with answer_question, which resumes the task."""
EVALUATED = {0, 3, 4, 5}  # exit statuses of `openkoi evaluate` that come with a verdict


class OpenQuestion(BaseModel):
    """A question that waits for an answer."""

    id: str
    text: str
    choices: tuple[str, ...]
    run: str


class TaskResult(BaseModel):
    """How a task ended. ``accepted`` is null if it finished without an evaluation."""

    run: str
    text: str
    accepted: bool | None
    decision: str
    reason: str
    score: float | None
    changed_files: tuple[str, ...]
    usd: float
    questions: tuple[OpenQuestion, ...] = ()


async def serve_stdio(koi: Koi) -> None:
    """Serve on standard input and output until the client leaves; the tasks under way are stopped then."""
    await build_server(koi).run_stdio_async()


def build_server(koi: Koi) -> MCPServer:
    """Return the server with its tools."""
    server = MCPServer("openkoi", instructions=INSTRUCTIONS, log_level="CRITICAL")
    tools = Tools(koi)
    for tool in (tools.run_task, tools.recall, tools.evaluate, tools.list_questions, tools.answer_question):
        server.add_tool(tool)
    return server


class Tools:
    """What a client may call. The docstrings are what its model reads."""

    def __init__(self, koi: Koi) -> None:
        self.koi = koi

    async def run_task(
        self, task: str, ctx: Context, workspace: str = "", context: str = "", max_usd: float | None = None
    ) -> TaskResult:
        """Run a task in a folder, by default in OpenKoi's own, and judge the work; files in it are changed."""
        limits = None if max_usd is None else replace(self.koi.limits, usd=max_usd)
        handle = self.koi.begin(Task(task, context=context, workspace=workspace, limits=limits, channel="mcp"))
        return await self.follow(handle, ctx)

    async def recall(self, query: str, limit: int = 10) -> list[str]:
        """Search what OpenKoi remembers of earlier tasks, and what it learned."""
        hits = await self.koi.search(Query(query, scope="all", limit=limit))
        return [self.koi.redact(hit.item.text) for hit in hits]

    async def evaluate(self, path: str = ".", since: str = "", purpose: str = "", judge: bool = True) -> dict[str, Any]:
        """Evaluate a folder with its tests, linters and a judge, or only what changed since a git revision."""
        words = [sys.executable, "-P", "-m", "openkoi", "evaluate", path, "--format", "json"]
        words += [*(["--diff", since] if since else []), *(["--for", purpose] if purpose else [])]
        words += [] if judge else ["--no-judge"]
        child = await asyncio.create_subprocess_exec(
            *words, cwd=self.koi.workspace, stdin=DEVNULL, stdout=PIPE, stderr=PIPE
        )
        try:
            output, errors = await child.communicate()
        finally:
            if child.returncode is None:
                child.kill()
                await child.wait()
        if child.returncode not in EVALUATED:
            raise ToolError(self.koi.redact(errors.decode(errors="replace").strip()))
        verdict: dict[str, Any] = json.loads(output)
        return verdict

    async def list_questions(self) -> list[OpenQuestion]:
        """List the questions of tasks that wait for an answer of the user."""
        return await self.questions()

    async def answer_question(self, id: str, answer: str, ctx: Context) -> TaskResult | str:
        """Answer a question for the user; a task that stopped for it is resumed, and its result is returned."""
        try:
            question = await self.koi.answer_question(id, answer)
        except KoiError as error:
            raise ToolError(str(error)) from error
        if question.alive or not question.run:
            return "The task has received the answer and continues."
        return await self.follow(self.koi.resume(question.outermost), ctx)

    async def follow(self, handle: Handle, ctx: Context) -> TaskResult:
        """Report a run's events until it ends; a cancelled call stops the run."""
        try:
            async with reporting(handle, self.koi, ctx):
                result = await handle.result()
        except KoiError as error:
            raise ToolError(self.koi.redact(str(error))) from error
        except asyncio.CancelledError:
            handle.stop()
            raise
        return await self.describe(result)

    async def describe(self, result: Result) -> TaskResult:
        """Return the result as the client reads it, with the questions that the run waits for."""
        waits = result.decision.action is NextAction.ESCALATE
        evaluation = result.best.evaluation
        return TaskResult(
            run=result.run,
            text=self.koi.redact(result.text),
            accepted=result.accepted,
            decision=result.decision.action.value,
            reason=self.koi.redact(result.decision.reason),
            score=evaluation.score if evaluation else None,
            changed_files=tuple(result.best.work.files),
            usd=round(result.cost.usd, 6),
            questions=tuple(await self.questions(result.run)) if waits else (),
        )

    async def questions(self, run: str = "") -> list[OpenQuestion]:
        """Return the open questions of a run, or of all."""
        return [
            OpenQuestion(
                id=one.id, text=self.koi.redact(one.question.text), choices=one.question.choices, run=one.outermost
            )
            for one in await self.koi.pending_questions()
            if run in ("", one.outermost)
        ]


@asynccontextmanager
async def reporting(handle: Handle, koi: Koi, ctx: Context) -> AsyncIterator[None]:
    """Report a run's events to the client as progress."""
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    stop = koi.listen(partial(note_line, handle.id, lines))
    sender = asyncio.create_task(send_progress(lines, koi, ctx))
    try:
        yield
    finally:
        stop()
        lines.put_nowait(None)
        await asyncio.gather(sender, return_exceptions=True)


def note_line(run: str, lines: "asyncio.Queue[str | None]", record: Record) -> None:
    """Keep the line that users read about an event."""
    if record.run != run:
        return
    match record.event:
        case events.ToolCallStarted(progress_text=text) if text:
            lines.put_nowait(text)
        case events.QuestionAsked(id=id, text=text):
            lines.put_nowait(f"Waiting for an answer to question {id}: {text}")
        case event if event.line:
            lines.put_nowait(event.line)


async def send_progress(lines: "asyncio.Queue[str | None]", koi: Koi, ctx: Context) -> None:
    """Send each line as it arrives, until the last one."""
    count = 0
    while (line := await lines.get()) is not None:
        count += 1
        await ctx.report_progress(count, message=koi.redact(line))
