"""Find the shell lines in arguments of editors, pagers and debuggers."""

from collections.abc import Iterator, Sequence

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .shell_words import Word
from .wrapper_table import InnerCommand, unwrap_by_table, unwrap_options

SHELL_COMMAND = lazy_pattern(r"^(?:platform\s+)?(?:shell|sh|!|make)\s*(?=\S)|^(?:python|script)\b.*\bsystem\(.")


def unwrap_debugger(words: Sequence[Word]) -> Iterator[InnerCommand]:
    yield from unwrap_by_table("gdb", words)
    for word in words:
        match = SHELL_COMMAND.match(word.text)
        if match:
            yield InnerCommand(line=Word(word.text[match.end() :], word.is_known))


def unwrap_pager(words: Sequence[Word]) -> Iterator[InnerCommand]:
    yield from unwrap_options("-P", "-H", "--pager", "--html")(words)
    yield from unwrap_vim(words)


def unwrap_vim(words: Sequence[Word]) -> Iterator[InnerCommand]:
    for at, word in enumerate(words):
        text = words[at + 1].text if word.text in {"-c", "--cmd"} and at + 1 < len(words) else word.text
        if (word.text in {"-c", "--cmd"} or word.text.startswith("+")) and "!" in text:
            yield InnerCommand(line=Word(text.partition("!")[2], word.is_known))
