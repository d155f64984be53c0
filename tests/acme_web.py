"""Define a plugin that is a web server: tasks, questions, and events as a resumable stream.

It knows the contract, click and the log's library alone; a real one would bring a web framework of its own.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from typing import Any

import click

from openkoi_hookspecs import Handle, Koi, KoiError, PluginNotFoundError, Record, RunState, Task
from openkoi_runlog import to_dict

OVER = (RunState.FINISHED, RunState.FAILED, RunState.INTERRUPTED)


class Site:
    """The runs that were begun here, and the followers of records."""

    def __init__(self, koi: Koi) -> None:
        self.koi = koi
        self.handles: dict[str, Handle] = {}
        self.followers: set[asyncio.Queue[Record]] = set()

    def hear(self, record: Record) -> None:
        """Queue the record for each follower."""
        for queue in self.followers:
            queue.put_nowait(record)

    async def answer(self, method: str, path: str, body: Mapping[str, Any]) -> object:
        """Answer everything except streams."""
        match method, path.strip("/").split("/"):
            case "POST", ["tasks"]:
                handle = self.koi.begin(Task(body["task"], channel="web"))
                self.handles[handle.id] = handle
                return {"id": handle.id}
            case "GET", ["tasks"]:
                return [{"id": one.id, "state": one.state, "text": one.text} for one in self.koi.runs()]
            case "POST", ["tasks", id, "stop"]:
                self.handles[id].stop()
                return {}
            case "GET", ["questions"]:
                waiting = await self.koi.pending_questions()
                return [{"id": one.id, "run": one.run, "text": one.question.text} for one in waiting]
            case "POST", ["questions", id]:
                return {"answered": (await self.koi.answer_question(id, body["answer"])).id}
        raise PluginNotFoundError("page", path)

    async def stream(self, run: str, last: str) -> AsyncGenerator[Record, None]:
        """Yield the records of a run after one of them, from the log and then as they come: none twice, none lost."""
        queue: asyncio.Queue[Record] = asyncio.Queue()
        self.followers.add(queue)
        try:
            logged = [one for one in self.koi.records(self.koi.session) if one.run == run]
            ids = [one.id for one in logged]
            for record in logged[ids.index(last) + 1 if last in ids else 0 :]:
                yield record
            known = set(ids)
            while not queue.empty() or not self.is_over(run):
                with suppress(TimeoutError):
                    record = await asyncio.wait_for(queue.get(), 0.2)
                    if record.run == run and record.id not in known:
                        yield record
        finally:
            self.followers.discard(queue)

    def is_over(self, run: str) -> bool:
        return any(one.id == run and one.state in OVER for one in self.koi.runs())

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        method, path, _ = (await reader.readline()).decode().split()
        headers: dict[str, str] = {}
        while line := (await reader.readline()).decode().strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        with suppress(ConnectionError):
            if path.endswith("/events"):
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
                async for record in self.stream(path.split("/")[2], headers.get("last-event-id", "")):
                    data = {"name": record.event.name, "at": record.at, "data": to_dict(record.event)}
                    writer.write(f"id: {record.id}\ndata: {json.dumps(data, default=str)}\n\n".encode())
                    await writer.drain()
            else:
                body = json.loads(await reader.readexactly(int(headers.get("content-length", 0))) or b"{}")
                writer.write(await self.page(method, path, body))
        writer.close()

    async def page(self, method: str, path: str, body: Mapping[str, Any]) -> bytes:
        try:
            status, answer = "200 OK", await self.answer(method, path, body)
        except KoiError as error:
            status, answer = "404 Not Found", {"error": str(error)}
        data = json.dumps(answer).encode()
        return f"HTTP/1.1 {status}\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n".encode() + data


@click.command()
@click.pass_obj
async def web(koi: Koi) -> None:
    """Serve on loopback; print the port."""
    site = Site(koi)
    koi.listen(site.hear)
    server = await asyncio.start_server(site.serve, "127.0.0.1", 0)
    click.echo(server.sockets[0].getsockname()[1])
    async with server:
        await server.serve_forever()
