"""Stream 24 KB in 2,000 chunks above a live prompt: ``chat_stream_run.py ours|bare|first REPORT``.

``bare`` is a prompt of prompt_toolkit with the same text printed above it, to compare with.
"""

import asyncio
import json
import sys
import time
from pathlib import Path

CHUNKS, PAUSE = 2_000, 0.002
PART = (
    "## Heading{n}\n\nSome *prose* of paragraph{n} with `code` and **bold** words in it.\n\n- item{n}\n- other{n}\n\n"
    "```python\ndef function{n}(x):\n    return x + {n}\n```\n\n"
)
TEXT = "".join(PART.format(n=number) for number in range(500))[:24_000]
SIZE = len(TEXT) // CHUNKS
PIECES = [TEXT[start : start + SIZE] for start in range(0, len(TEXT), SIZE)]


async def stream_ours() -> None:
    """Stream it through the screen of the chat."""
    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.key_binding import KeyBindings

    from openkoi_chat.screen_view import ScreenView
    from openkoi_terminal import Style, render_markdown

    bindings = KeyBindings()
    screen = ScreenView(Buffer(multiline=True), bindings, Style())
    bindings.add("c-d")(lambda event: event.app.exit(result=0))
    render_markdown(PART.format(n=0), Style())  # imports

    async def feed() -> None:
        await asyncio.sleep(0.1)
        began = time.process_time()
        screen.start_clock(lambda width: "Writing… (1s · esc to interrupt)")
        for piece in PIECES:
            screen.add_answer(piece)
            await asyncio.sleep(PAUSE)
        screen.end_answer()
        screen.stop_clock()
        await asyncio.sleep(0.2)
        report(cpu=time.process_time() - began)

    def begin() -> None:
        screen.app.create_background_task(feed())

    await screen.app.run_async(pre_run=begin)


async def begin_answers() -> None:
    """Begin 40 answers; report how many milliseconds each took to be drawn."""
    from prompt_toolkit.buffer import Buffer
    from prompt_toolkit.key_binding import KeyBindings

    from openkoi_chat.screen_view import ScreenView
    from openkoi_terminal import Style

    screen = ScreenView(Buffer(multiline=True), KeyBindings(), Style())
    delays: list[float] = []
    drawn = asyncio.Event()
    screen.app.after_render += lambda _: drawn.set()

    async def feed() -> None:
        screen.start_clock(lambda width: "Thinking… (1s · esc to interrupt)")
        for _ in range(40):
            await asyncio.sleep(0.03)
            screen.draw()  # the frame of the clock, just before
            began = time.monotonic()
            drawn.clear()
            screen.add_answer("Words")
            await drawn.wait()
            delays.append((time.monotonic() - began) * 1000)
            screen.end_answer()
        report(delays=delays)
        screen.app.exit(result=0)

    def begin() -> None:
        screen.app.create_background_task(feed())

    await screen.app.run_async(pre_run=begin)


async def stream_bare() -> None:
    """Stream it above a bare prompt."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.patch_stdout import patch_stdout

    async def feed() -> None:
        await asyncio.sleep(0.1)
        began = time.process_time()
        for piece in PIECES:
            print(piece, end="")
            await asyncio.sleep(PAUSE)
        await asyncio.sleep(0.4)
        report(cpu=time.process_time() - began)

    with patch_stdout():
        feeding = asyncio.create_task(feed())
        await PromptSession("> ").prompt_async()
        await feeding


def report(**measured: object) -> None:
    """Write the measurements."""
    Path(sys.argv[2]).write_text(json.dumps(measured))


if __name__ == "__main__":
    asyncio.run({"ours": stream_ours, "bare": stream_bare, "first": begin_answers}[sys.argv[1]]())
