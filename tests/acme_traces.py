"""Define a plugin that exports traces: an OpenTelemetry span for each run, model call and tool call.

It knows the contract alone. Spans that are over are queued and written by a task of its own.
"""

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path
from time import time_ns
from typing import Annotated, Self

from openkoi_hookspecs import DataDir, Event, Run, events, hookimpl


@dataclass(slots=True)
class Span:
    """An open span."""

    name: str
    parent: str
    begun: int = field(default_factory=time_ns)
    ended: int = 0
    failed: bool = False
    attributes: dict[str, object] = field(default_factory=dict)


class Traces:
    """``[hooks.acme] path = "..."``."""

    def __init__(self, *, path: Annotated[Path, DataDir("acme-traces.jsonl")]) -> None:
        self.path = path
        self.open: dict[tuple[str, str], Span] = {}
        self.over: asyncio.Queue[Span] = asyncio.Queue()

    async def __aenter__(self) -> Self:
        self.sender = asyncio.create_task(self.send())
        return self

    async def __aexit__(self, *error: object) -> None:
        """Write the remaining spans, including unfinished ones."""
        for key in list(self.open):
            self.end(*key, failed=True)
        await self.over.join()
        self.sender.cancel()

    @hookimpl
    def on_event(self, event: Event, run: Run) -> None:
        match event:
            case events.TaskStarted(task=task):
                self.open[run.id, ""] = Span("invoke_agent", task.parent, attributes={"run": run.id, "text": task.text})
            case events.ModelResponse():
                begun = time_ns() - event.milliseconds * 1_000_000
                facts = {"model": event.model, "tokens": event.usage.total, "role": event.role}
                self.open[run.id, "chat"] = Span("chat", run.id, begun, attributes={**facts})
                self.end(run.id, "chat")
            case events.ToolCallStarted(call=call):
                self.open[run.id, call.id] = Span(f"execute_tool {call.tool}", run.id)
            case events.ToolCallFinished(result=result):
                self.end(run.id, result.call, failed=result.failed)
            case events.RunCompleted() | events.RunFailed():
                for key in [key for key in self.open if key[0] == run.id]:
                    self.end(*key, failed=isinstance(event, events.RunFailed))

    def end(self, run: str, call: str, *, failed: bool = False) -> None:
        if span := self.open.pop((run, call), None):
            span.ended, span.failed = time_ns(), failed
            self.over.put_nowait(span)

    async def send(self) -> None:
        while True:
            span = await self.over.get()
            await asyncio.to_thread(self.write, span)
            self.over.task_done()

    def write(self, span: Span) -> None:
        facts = {"name": span.name, "parent": span.parent, "failed": span.failed, "ns": span.ended - span.begun}
        with self.path.open("a") as file:
            file.write(json.dumps({**facts, **span.attributes}) + "\n")
