"""Exchange messages with a child process, one per line, in linear time and with a limit on each line.

The SDK's own reader copies an unfinished line with each chunk, and keeps it whatever its length.
"""

import asyncio
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import StdioServerParameters
from mcp.client._transport import TransportStreams
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from openkoi_base.child_process import start_process

from .error_output import ErrorOutput
from .message_limits import MAX_MESSAGE_BYTES, REFUSED, MessageTooLargeError, check_length, check_values

CHUNK_BYTES = 2**16  # bytes that are read at once: what a pipe of Linux holds
FLUSH_SECONDS = 0.5  # for a message that waits, such as the one that cancels a call; as the SDK has it
END_SECONDS = 2.0  # for a server to end, after its input is closed and again after SIGTERM; as the SDK has it
POLL_SECONDS = 0.01  # Process.wait also waits for what the server started and what keeps its output open

FromServer = MemoryObjectSendStream[SessionMessage | Exception]
ToServer = MemoryObjectReceiveStream[SessionMessage]


@asynccontextmanager
async def open_child(
    parameters: StdioServerParameters, errors: ErrorOutput, descriptor: int
) -> AsyncIterator[TransportStreams]:
    """Yield the streams of a child whose standard error goes to a descriptor; at the end the child is stopped."""
    process = await start_process(
        parameters.command,
        *parameters.args,
        stdin=PIPE,
        stdout=PIPE,
        stderr=descriptor,
        limit=CHUNK_BYTES,
        env=parameters.env,
        cwd=parameters.cwd,
        start_new_session=True,
    )
    from_server, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    sent, to_server = anyio.create_memory_object_stream[SessionMessage](0)
    reading = asyncio.create_task(read_messages(process, from_server, errors))
    writing = asyncio.create_task(write_messages(process, to_server, from_server))
    try:
        yield received, sent
    finally:
        received.close()  # which lets the reader discard the rest: a server whose output is full cannot end
        sent.close()
        try:
            await asyncio.wait([writing], timeout=FLUSH_SECONDS)
            await stop(process, errors)
        finally:
            reading.cancel()
            writing.cancel()
            await asyncio.gather(reading, writing, return_exceptions=True)


async def read_messages(process: Process, from_server: FromServer, errors: ErrorOutput) -> None:
    """Forward the server's output; after the session or a line without end, discard it."""
    assert process.stdout
    try:
        async with from_server:
            async for line in read_lines(process.stdout):
                await from_server.send(parse_message(line))
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass  # the session has ended
    except MessageTooLargeError as error:
        errors.fault = REFUSED.format(error)
        errors.signal_group(signal.SIGKILL)
    discarded = 0
    while chunk := await process.stdout.read(CHUNK_BYTES):
        discarded += len(chunk)
        if discarded > MAX_MESSAGE_BYTES:
            errors.signal_group(signal.SIGKILL)


async def read_lines(stream: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Yield the complete lines of a stream; raise MessageTooLargeError for one that does not end."""
    parts: list[bytes] = []
    length = 0
    while chunk := await stream.read(CHUNK_BYTES):
        *whole, rest = chunk.split(b"\n")
        for line in whole:
            yield b"".join((*parts, line))
            parts, length = [], 0
        parts.append(rest)
        length += len(rest)
        check_length(length)


def parse_message(line: bytes) -> SessionMessage | Exception:
    """Return the message in a line, or an error that the session ignores; raise for one that is too large."""
    check_values(line)
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


async def write_messages(process: Process, to_server: ToServer, from_server: FromServer) -> None:
    """Send messages to the server; when it reads no more, the session sees that the connection has ended."""
    assert process.stdin
    try:
        async with to_server:
            async for message in to_server:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                process.stdin.write(f"{text}\n".encode())
                await process.stdin.drain()
    except OSError:
        await from_server.aclose()


async def stop(process: Process, errors: ErrorOutput) -> None:
    """Close the server's input and wait for its end; then ask it to end, with all that it started, then kill them."""
    assert process.stdin
    process.stdin.close()
    for number in (signal.SIGTERM, signal.SIGKILL):
        if await has_ended(process):
            return
        errors.signal_group(number)
    await has_ended(process)


async def has_ended(process: Process) -> bool:
    """Wait briefly for the end of a process; return whether it has ended."""
    until = asyncio.get_running_loop().time() + END_SECONDS
    while process.returncode is None and asyncio.get_running_loop().time() < until:  # noqa: ASYNC110  # see POLL_SECONDS
        await asyncio.sleep(POLL_SECONDS)
    return process.returncode is not None
