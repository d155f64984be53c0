"""Find the shell lines in git commands: aliases, settings for one command, and arguments that git runs."""

import re
from collections.abc import Iterator, Sequence

from .shell_words import Word
from .wrapper_table import InnerCommand, join_as_line, skip_options

TAKING_LINES = frozenset({"rebase", "difftool", "mergetool"})


def unwrap_git(words: Sequence[Word]) -> Iterator[InnerCommand]:
    """Yield the lines that git runs: aliases and programs for one command, ``--exec``, ``bisect run``, ``foreach``."""
    names = [word.text for word in words]
    for at, word in enumerate(words[:-1]):
        if word.text == "-c":
            yield from unwrap_git_setting(words[at + 1])
        elif word.text in {"-x", "--exec", "--extcmd"} and TAKING_LINES & set(names[:at]):
            yield InnerCommand(line=words[at + 1])
        elif word.text == "run" and "bisect" in names[:at]:
            yield InnerCommand(tuple(words[at + 1 :]))
        elif word.text == "foreach" and "submodule" in names[:at]:
            yield from join_as_line(skip_options(words[at + 1 :], frozenset(), 0))
    for word in words:
        option, given, line = word.text.partition("=")
        if given and option in {"--exec", "--extcmd", "--open-files-in-pager"}:
            yield InnerCommand(line=Word(line, word.is_known))


def unwrap_git_setting(word: Word) -> Iterator[InnerCommand]:
    key, _, value = word.text.partition("=")
    runs = re.fullmatch(r"alias\..*|core\.(pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy)", key.lower())
    named = re.fullmatch(r"pager\..*|.*\.(cmd|command|textconv|external|helper|program|clean|smudge)", key.lower())
    if (runs or named) and (value.startswith("!") or not key.lower().startswith("alias.")):
        yield InnerCommand(line=Word(value.lstrip("!"), word.is_known))
