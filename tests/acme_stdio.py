"""Define a plugin that serves other programs over JSON lines: they start, steer, stop and count many runs.

It knows the contract and click alone. Each line is ``{"id": ..., "do": VERB, ...}``; answers have the same id.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import click

from openkoi_hookspecs import Agent, Handle, Koi, KoiError, Limits, Query, Record, Task, events


class Server:
    """The tasks under way, by the ids of their requests."""

    def __init__(self, koi: Koi) -> None:
        self.koi = koi
        self.runs: dict[object, Handle] = {}
        self.waiting: set[asyncio.Task[None]] = set()
        self.questions: asyncio.Queue[events.QuestionAsked] = asyncio.Queue()

    def hear(self, record: Record) -> None:
        """Forward a run's events to its client."""
        id = next((id for id, run in self.runs.items() if run.id == record.run), None)
        match record.event:
            case events.ToolCallStarted(progress_text=text) if id:
                say(id, progress=text)
            case events.ModelDelta(text=text) if id:
                say(id, delta=text)
            case events.QuestionAsked() as question:
                self.questions.put_nowait(question)

    async def take(self, request: Mapping[str, Any]) -> None:
        """Handle the request in a line."""
        verbs: Mapping[str, Callable[[Mapping[str, Any]], Awaitable[object]]] = {
            "run": self.run,
            "say": self.say,
            "stop": self.stop,
            "recall": self.recall,
            "pending": self.pending,
            "answer": self.answer,
            "cost": self.cost,
        }
        try:
            say(request["id"], result=await verbs[request["do"]](request))
        except KoiError as error:
            say(request["id"], error=str(error))

    async def run(self, request: Mapping[str, Any]) -> object:
        agent = Agent(name="caller", model=request["model"]) if "model" in request else None
        limits = Limits(usd=request["usd"], iterations=0) if "usd" in request else None
        task = Task(request["task"], channel="stdio", session=request.get("session", ""), agent=agent, limits=limits)
        handle = self.runs[request["id"]] = self.koi.begin(task)
        say(request["id"], begun=handle.id)
        return (await handle.result()).text

    async def say(self, request: Mapping[str, Any]) -> None:
        self.runs[request["to"]].say(request["text"])

    async def stop(self, request: Mapping[str, Any]) -> None:
        self.runs[request["to"]].stop()

    async def recall(self, request: Mapping[str, Any]) -> list[str]:
        await self.koi.drain()
        return [hit.item.text for hit in await self.koi.search(Query(request["text"], scope="all"))]

    async def pending(self, request: Mapping[str, Any]) -> list[str]:
        return [one.question.text for one in await self.koi.pending_questions()]

    async def answer(self, request: Mapping[str, Any]) -> str:
        """Answer the next question that is asked."""
        event = await self.questions.get()
        return (await self.koi.answer_question(event.id, request["text"])).question.text

    async def cost(self, request: Mapping[str, Any]) -> Mapping[str, object]:
        """The cost of a session, including runs without a result."""
        paid = [
            one.event for one in self.koi.records(request["session"]) if isinstance(one.event, events.ModelResponse)
        ]
        return {"calls": len(paid), "tokens": sum(one.usage.total for one in paid), "usd": sum(one.usd for one in paid)}


def say(id: object, **facts: object) -> None:
    print(json.dumps({"id": id, **facts}), flush=True)


@click.command()
@click.pass_obj
async def serve(koi: Koi) -> None:
    """Serve on standard input and output, until the input ends and all tasks are done."""
    server = Server(koi)
    koi.listen(server.hear)
    while line := await asyncio.to_thread(sys.stdin.readline):
        request = json.loads(line)
        if request["do"] == "wait":  # for these, before the next line is read
            await asyncio.gather(*server.waiting)
            continue
        taken = asyncio.create_task(server.take(request))
        server.waiting.add(taken)
        taken.add_done_callback(server.waiting.discard)
        if request["do"] == "run":
            await asyncio.sleep(0)
    await asyncio.gather(*server.waiting)
    await koi.drain()
