"""What arrives on the chat's terminal: pieces of characters, input methods, pastes, and keys of many terminals."""

import os
import random
import re
from pathlib import Path

import pyte
import pytest
from chat_terminal import COLUMNS, PROMPT, UPDATES, ChatTerminal, chat, runs, says
from cli_process import Shell, shell
from pseudo_terminal import MOVES, ROWS
from wcwidth import wcswidth

PIECES = (
    *("a", "Z", "\u00e9", "e\u0301", "o\u0308\u0323", "\u6f22", "\u5b57", "\uff76", "\u30ab\u3099", "\ud55c"),
    *("\U0001f469\u200d\U0001f4bb", "\U0001f1e9\U0001f1ea", "\u2764\ufe0f", "\U0001f44d\U0001f3fd", "\U0001f680"),
    *("\u0915\u094d\u0937\u093f", "\u05e9\u05b8", "\u0e01\u0e33", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),
)
CHARACTERS = re.compile("|".join(map(re.escape, sorted(PIECES, key=len, reverse=True))))
STANDS_FOR = {1: "x", 2: "\u6f22"}
SLOW = says("I wait.", "slow", calls=runs("sleep 30"))
WELL = says("Well.", "")
END = "~"  # a character that no draft contains: behind it the cursor stands still


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    return openkoi


def type_in_pieces(terminal: ChatTerminal, data: bytes, chance: random.Random) -> None:
    """Write bytes in pieces that end anywhere, also within a character; the chat reads each before the next."""
    while data:
        size = chance.randint(1, 3)
        os.write(terminal.inner.master, data[:size])
        data = data[size:]
        terminal.inner.hear(0.02)


def redraw(terminal: ChatTerminal) -> str:
    """Draw the rows again; return what was written."""
    seen = len(terminal.inner.raw)
    terminal.inner.type("\x0c")
    terminal.waits(lambda: PROMPT in terminal.inner.raw[seen:], "the redrawn rows", 40)
    terminal.inner.hear(0.1)
    return UPDATES.sub("", terminal.inner.raw[seen:])


def read_column(drawn: str) -> int:
    """Return the cursor's column; read unsupported sequences as one character of their width."""
    screen = pyte.Screen(COLUMNS, ROWS)
    pyte.Stream(screen).feed(CHARACTERS.sub(lambda found: STANDS_FOR[wcswidth(found[0])], drawn))
    return screen.cursor.x


@pytest.mark.parametrize("bracketed", [False, True], ids=["typed", "pasted"])
def test_characters_that_arrive_in_pieces_are_whole_and_the_cursor_is_behind_them(
    openkoi: Shell, *, bracketed: bool
) -> None:
    chance = random.Random(4 + bracketed)
    drafts = ["".join(chance.choices(PIECES, k=chance.randint(2, 8))) for _ in range(12)]
    begin, end = ("\x1b[200~", "\x1b[201~") if bracketed else ("", "")
    with chat(openkoi, WELL) as terminal:
        for number, draft in enumerate(drafts):
            text, drawn = f"{draft}{END}{number}", [""]
            terminal.inner.type(begin)
            type_in_pieces(terminal, text.encode(), chance)
            terminal.inner.type(end)

            def is_drawn(text: str = text, drawn: list[str] = drawn) -> bool:
                drawn.append(redraw(terminal))
                return text in MOVES.sub("", drawn[-1].replace("  \b\b", ""))  # spaces clear what was there

            terminal.waits(is_drawn, text, 40)
            assert len("> ") + wcswidth(text) == read_column(drawn[-1]), ascii(draft)
            terminal.inner.type("\x15")


def test_the_keys_of_a_new_line_in_any_terminal_send_nothing(openkoi: Shell) -> None:
    keys = ("\n", "\x1b\r", "\\\r", "\x1b[13;2u", "\x1b[27;2;13~", "\x1b[13;5u")
    with chat(openkoi, WELL) as terminal:
        for number, key in enumerate(keys):
            terminal.type(f"line {number}")
            terminal.shows(f"line {number}")
            terminal.type(key)
            terminal.type("|")
            terminal.shows(f"line {number}\n  |")
        assert "[done]" not in terminal.display
        terminal.type("\r")
        terminal.shows("Well.")
        terminal.shows("> line 0\n  |line 1\n  |line 2")
        assert "\\" not in terminal.display


@pytest.mark.parametrize("length", [16, 32, 57])
def test_a_paste_without_marks_sends_nothing_however_it_is_read(openkoi: Shell, length: int) -> None:
    """Keys are read 1,024 bytes at a time: lines of 16 or 32 bytes end where that does."""
    lines = b"".join(b"\r" + b"%*d" % (length - 1, number) for number in range(8_000 // length))
    for shift in (b"x" * (length - 1), b"x" * length):  # the line end is the last byte that is read, or the first
        with chat(openkoi, WELL) as terminal:
            text = shift + lines + b"END"
            while text:
                text = text[os.write(terminal.inner.master, text) :]
            terminal.shows("END")
            assert not any("Well." in line for line in terminal.scrollback)
            terminal.type("\x03")
            terminal.shows("Draft set aside")


def test_tab_does_not_send_a_shell_command(openkoi: Shell) -> None:
    with chat(openkoi, SLOW + WELL) as terminal:
        terminal.send("slow please")
        terminal.shows("Running sleep 30…")
        for draft in ("!touch made.txt", "  !touch made.txt"):
            terminal.type(draft)
            terminal.shows(f"> {draft}")
            terminal.type("\t|")
            terminal.shows(f"> {draft}|")
            assert "queued" not in terminal.display
            terminal.type("\x15")
            terminal.hides("made.txt")
    assert not (openkoi.folder / "made.txt").exists()


def test_escape_closes_a_list_then_a_question_and_then_interrupts(openkoi: Shell) -> None:
    turns = says("I push.", "push", calls=runs("git push --force origin main")) + says(
        "Then I wait.", "", calls=runs("sleep 30")
    )
    with chat(openkoi, turns) as terminal:
        terminal.send("push it")
        terminal.shows("3. No, and tell OpenKoi")
        terminal.settles()
        terminal.type("\x1b")
        terminal.shows("! Rejected")
        terminal.shows("Running sleep 30…")
        terminal.type("/mod")
        terminal.shows("▸ /model")
        terminal.type("\x1b")
        terminal.hides("▸ /model")
        terminal.shows("esc to interrupt")
        assert "Interrupted" not in terminal.display
        terminal.type("\x1b")
        terminal.shows("Interrupted. No files were changed.")
        terminal.shows("> /mod")


@pytest.mark.parametrize("sign", ["\u202e", "\u2067", "\u200f", "\u061c"])
def test_what_would_reorder_a_line_is_shown_in_the_input(openkoi: Shell, sign: str) -> None:
    with chat(openkoi, WELL) as terminal:
        terminal.type(f"\x1b[200~rm {sign}txt.a\x1b[201~")
        terminal.shows(f"> rm <U+{ord(sign):04X}>txt.a")
        terminal.type("!")
        terminal.shows("txt.a!")
        assert len(f"> rm <U+{ord(sign):04X}>txt.a!") == terminal.emulator.cursor.x
        assert sign not in terminal.inner.raw
