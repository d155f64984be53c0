"""The column of the cursor behind 200 drafts of wide, joined and combining characters, on a screen that is drawn."""

import asyncio
import io
import random

from prompt_toolkit.application import create_app_session
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.output.vt100 import Vt100_Output
from wcwidth import wcswidth

from openkoi_chat.chat_application import ChatApplication
from openkoi_chat.graphemes import map_position
from openkoi_chat.layout import PROMPT, Rows, make_layout

PIECES = (
    *("a", "Z", " ", "\u00e9", "e\u0301", "o\u0308\u0323", "\u6f22", "\u5b57", "\uff76", "\u30ab\u3099", "\ud55c"),
    *("\U0001f469\u200d\U0001f4bb", "\U0001f1e9\U0001f1ea", "\u2764\ufe0f", "\U0001f44d\U0001f3fd", "\U0001f680"),
    *("\u0915\u094d\u0937\u093f", "\u05e9\u05b8", "\u0e01\u0e33", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),
)
CHOICE = random.Random(20)
DRAFTS = [*PIECES, *("".join(CHOICE.choices(PIECES, k=CHOICE.randint(2, 12))) for _ in range(180))]


async def read_columns(drafts: list[str]) -> tuple[list[int], str]:
    """Draw each draft, with the cursor at its end; return the columns of the cursor, and all that was written."""
    written, columns = io.StringIO(), []
    buffer = Buffer()
    with create_pipe_input() as keys, create_app_session(input=keys):
        output = Vt100_Output(written, lambda: Size(rows=10, columns=100), enable_cpr=False)
        app = ChatApplication(layout=make_layout(buffer, Rows()), key_bindings=KeyBindings(), output=output)

        async def draw() -> None:
            for draft in drafts:
                buffer.text = draft
                buffer.cursor_position = len(draft)
                app._redraw()
                columns.append(app.renderer._cursor_pos.x)
            app.exit(result=0)

        def begin() -> None:
            app.create_background_task(draw())

        await app.run_async(pre_run=begin)
    return columns, written.getvalue()


def test_the_cursor_is_where_wcwidth_says() -> None:
    columns, text = asyncio.run(read_columns(DRAFTS))

    assert 200 == len(DRAFTS)
    assert [len(PROMPT) + wcswidth(draft) for draft in DRAFTS] == columns
    assert [] == [piece for piece in PIECES if piece not in text]  # nothing of a character is lost


def test_a_position_within_a_character_is_its_beginning() -> None:
    starts, places = [0, 2, 7, 9], [0, 1, 3, 4]

    assert [0, 0, 1, 1, 3, 4, 6] == [map_position(at, starts, places) for at in (0, 1, 2, 6, 7, 9, 11)]
