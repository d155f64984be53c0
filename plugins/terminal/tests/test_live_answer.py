"""An answer on a terminal, as a terminal emulator shows it."""

from collections.abc import Sequence
from io import StringIO
from time import process_time

import pyte
import pytest

from openkoi_terminal import ERASE_BELOW, PLAIN, LiveAnswer, Style
from openkoi_terminal.live_answer import TAIL_ROWS

PARTS = range(60)
ANSWER = "".join(
    f"## Heading{n}\n\nSome *prose* of paragraph{n} with `code`.\n\n- item{n}\n- other{n}\n\n"
    f"```python\ndef f{n}(x):\n    return x\n```\n\n"
    for n in PARTS
)


class Screen(StringIO):
    """A terminal emulator with its scrollback; each write is kept."""

    def __init__(self, columns: int = 80, rows: int = 24) -> None:
        super().__init__()
        self.screen = pyte.HistoryScreen(columns, rows, history=10_000)
        self.screen.set_mode(pyte.modes.LNM)
        self.stream = pyte.Stream(self.screen)
        self.writes: list[str] = []

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.writes.append(text)
        self.stream.feed(text.replace("\x1b[?2026h", "").replace("\x1b[?2026l", ""))
        return len(text)

    @property
    def lines(self) -> Sequence[str]:
        """The scrollback and the screen."""
        above = ["".join(row[column].data for column in range(self.screen.columns)) for row in self.screen.history.top]
        return [line.rstrip() for line in (*above, *self.screen.display)]


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.002
        return self.now


@pytest.fixture
def sized(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")


def stream(answer: LiveAnswer, text: str, size: int = 12) -> None:
    for start in range(0, len(text), size):
        answer.working_line = f"Writing… ({start} · esc to interrupt)"
        answer.add(text[start : start + size])
    answer.finish()


def test_every_block_is_in_the_scrollback_once(sized: None) -> None:
    screen = Screen()
    stream(LiveAnswer(screen, Style(), clock=Clock()), ANSWER)

    words = " ".join(screen.lines).replace("(x):", "").split()
    for word in ("Heading", "paragraph", "item", "other", "f"):
        assert [1] * len(PARTS) == [words.count(f"{word}{n}") for n in PARTS]
    assert "interrupt)" not in words


def test_a_frame_is_one_write_of_few_rows(sized: None) -> None:
    screen = Screen()
    clock = Clock()
    stream(LiveAnswer(screen, Style(), clock=clock), ANSWER)

    assert clock.now * 10 + 2 >= len(screen.writes)
    for write in screen.writes:
        assert write.startswith("\x1b[?2026h")
        assert write.endswith("\x1b[?2026l")
        assert 1 == write.count("\x1b[?2026h")
    ups = [
        int(part.partition("A")[0]) for write in screen.writes for part in write.split("\x1b[")[1:] if "A" in part[:3]
    ]
    assert TAIL_ROWS > max(ups)


def test_24_kb_in_2000_chunks_cost_little(sized: None) -> None:
    text = (ANSWER * 4)[:24_000]
    stream(LiveAnswer(Screen(), Style(), clock=Clock()), text[:2000])  # imports
    written = StringIO()
    began = process_time()
    stream(LiveAnswer(written, Style(), clock=Clock()), text)

    assert 1.0 > process_time() - began  # 0.25 on an idle machine
    assert 12 * len(text) > len(written.getvalue())


def test_never_clears_the_screen_or_sets_a_region(sized: None) -> None:
    screen = Screen()
    stream(LiveAnswer(screen, Style(), clock=Clock()), ANSWER)

    out = "".join(screen.writes)
    assert [] == [code for code in ("\x1b[2J", "\x1b[3J", "\x1b[?1049h", "\x1b[?1000h", "\x1b[?1006h") if code in out]
    assert not any(part.partition("r")[0].replace(";", "").isdigit() for part in out.split("\x1b[") if "r" in part[:6])


def test_plain_output_has_no_escape_sequence_and_keeps_the_source() -> None:
    written = StringIO()
    stream(LiveAnswer(written, PLAIN), ANSWER)

    assert "\x1b" not in written.getvalue()
    assert ANSWER.strip() == written.getvalue().strip()


def test_rows_that_a_narrower_terminal_has_wrapped_are_erased(monkeypatch: pytest.MonkeyPatch) -> None:
    written = StringIO()
    answer = LiveAnswer(written, Style(), clock=Clock())
    monkeypatch.setenv("COLUMNS", "80")
    answer.text.add("w" * 70)
    answer.draw()
    monkeypatch.setenv("COLUMNS", "40")
    answer.text.add("x")
    answer.draw()

    assert f"\r\x1b[1A{ERASE_BELOW}" in written.getvalue()
