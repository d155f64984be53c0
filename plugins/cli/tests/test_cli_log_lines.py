"""Lines of the log beside the progress of a run."""

import asyncio
import logging
from io import StringIO
from threading import Thread
from types import SimpleNamespace
from typing import Any, cast

from openkoi_cli.live_output import LineOutput, TerminalOutput
from openkoi_cli.logs import LineHandler
from openkoi_hookspecs import Koi
from openkoi_terminal import PLAIN, LiveAnswer

KOI = cast(Koi, SimpleNamespace(redact=str))  # all that the handler needs of it


def warn(handler: logging.Handler) -> None:
    handler.handle(logging.LogRecord("openkoi", logging.WARNING, "", 0, "memory is slow", None, None))


def test_a_line_of_another_thread_waits_for_the_one_that_draws() -> None:
    stream = StringIO()
    output = TerminalOutput(LiveAnswer(stream, PLAIN), PLAIN, shows_text=True)
    thread = Thread(target=warn, args=(LineHandler(output.print_line, KOI),))

    async def run() -> str:
        async with output.keep_time():
            thread.start()
            await asyncio.to_thread(thread.join)
            return stream.getvalue()

    assert not asyncio.run(run())
    assert "memory is slow\n" == stream.getvalue()


def test_a_closed_stream_does_not_fail_what_logs(capsys: Any) -> None:
    stream = StringIO()
    handler = LineHandler(LineOutput(stream).print_line, KOI)
    warn(handler)
    stream.close()
    warn(handler)

    assert "closed file" in capsys.readouterr().err
