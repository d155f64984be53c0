"""Shell lines within git commands: aliases, settings for one command, and all that git hands on to a shell."""

import re
from collections.abc import Iterator, Sequence

from .words import Word
from .wrappers import Inner, after_options, joined

TAKING_LINES = frozenset({"rebase", "difftool", "mergetool"})


def git(words: Sequence[Word]) -> Iterator[Inner]:
    """Shell lines within git: aliases and programs given for one command, ``--exec``, ``bisect run``, ``foreach``."""
    names = [word.text for word in words]
    for at, word in enumerate(words[:-1]):
        if word.text == "-c":
            yield from git_setting(words[at + 1])
        elif word.text in {"-x", "--exec", "--extcmd"} and TAKING_LINES & set(names[:at]):
            yield Inner(line=words[at + 1])
        elif word.text == "run" and "bisect" in names[:at]:
            yield Inner(tuple(words[at + 1 :]))
        elif word.text == "foreach" and "submodule" in names[:at]:
            yield from joined(after_options(words[at + 1 :], frozenset(), 0))
    for word in words:
        option, given, line = word.text.partition("=")
        if given and option in {"--exec", "--extcmd", "--open-files-in-pager"}:
            yield Inner(line=Word(line, word.known))


def git_setting(word: Word) -> Iterator[Inner]:
    key, _, value = word.text.partition("=")
    runs = re.fullmatch(r"alias\..*|core\.(pager|editor|sshcommand|fsmonitor|hookspath|askpass|gitproxy)", key.lower())
    named = re.fullmatch(r"pager\..*|.*\.(cmd|command|textconv|external|helper|program|clean|smudge)", key.lower())
    if (runs or named) and (value.startswith("!") or not key.lower().startswith("alias.")):
        yield Inner(line=Word(value.lstrip("!"), word.known))
