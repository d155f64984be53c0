"""Shell lines within what editors, pagers and debuggers are told to do."""

import re
from collections.abc import Iterator, Sequence

from .words import Word
from .wrappers import Inner, lines_after, wrapped

TELLS_A_SHELL = re.compile(r"^(?:platform\s+)?(?:shell|sh|!|make)\s*(?=\S)|^(?:python|script)\b.*\bsystem\(.")


def debugger(words: Sequence[Word]) -> Iterator[Inner]:
    yield from wrapped("gdb", words)
    for word in words:
        told = TELLS_A_SHELL.match(word.text)
        if told:
            yield Inner(line=Word(word.text[told.end() :], word.known))


def pager(words: Sequence[Word]) -> Iterator[Inner]:
    yield from lines_after("-P", "-H", "--pager", "--html")(words)
    yield from vim(words)


def vim(words: Sequence[Word]) -> Iterator[Inner]:
    for at, word in enumerate(words):
        text = words[at + 1].text if word.text in {"-c", "--cmd"} and at + 1 < len(words) else word.text
        if (word.text in {"-c", "--cmd"} or word.text.startswith("+")) and "!" in text:
            yield Inner(line=Word(text.partition("!")[2], word.known))
