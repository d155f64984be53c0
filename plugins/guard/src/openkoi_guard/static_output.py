"""Predict the output of ``echo``, ``printf`` and ``cat`` without running them."""

from collections.abc import Sequence

from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .redirects import StdinSource
from .shell import SimpleCommand, read_script
from .shell_generators import read_substitution
from .shell_words import Word

PERCENT = lazy_pattern(r"%[sb]")


def predict_output(line: str) -> str | None:
    """Return the output of a line that is one plain echo or printf; None for everything else."""
    script = read_script(line) if line else None
    if script is None or script.broken or len(script.commands) != 1:
        return None
    return predict_command_output(script.commands[0])


def predict_command_output(simple: SimpleCommand) -> str | None:
    """Return the output of one command if its words determine it."""
    name, *words = simple.words
    if name.text == "cat" and not words and simple.stdin:
        return simple.stdin.text
    if name.text not in {"echo", "printf"} or not all(word.is_known for word in words):
        return None
    return predict_echo(words) if name.text == "echo" else predict_printf(words)


def predict_echo(words: Sequence[Word]) -> str | None:
    at = 0
    while at < len(words) and words[at].text in {"-n", "-e", "-E", "-en", "-ne"}:
        at += 1
    text = " ".join(word.text for word in words[at:])
    return None if "\\" in text else text


def predict_printf(words: Sequence[Word]) -> str | None:
    if not words:
        return None
    form, *values = (word.text for word in words)
    form = form.replace("\\n", "\n")
    if "\\" in form or any("\\" in value for value in values):
        return None
    if not values or "%" not in form:
        plain = form.replace("%%", "")
        return None if "%" in plain else form.replace("%%", "%")
    return fill_format(form, values)


def fill_format(form: str, values: Sequence[str]) -> str | None:
    """Fill a format with values, and repeat it until no value is left."""
    count = len(PERCENT.findall(form))
    if not count or form.count("%") != count:
        return None
    padded = [*values, *[""] * (-len(values) % count)]
    pieces = PERCENT.split(form)
    rounds = (padded[at : at + count] for at in range(0, len(padded), count))
    return "".join("".join(a + b for a, b in zip(pieces, [*taken, ""], strict=True)) for taken in rounds)


def predict_stdin(feed: StdinSource | None) -> str | None:
    """Return a command's input if the line contains it."""
    if feed is None or feed.text is not None:
        return feed.text if feed else None
    return predict_output(read_substitution(feed.producer) or feed.producer)
