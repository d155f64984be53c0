"""What a piece of a shell line prints, when that can be told without running it. Knows echo, printf and cat."""

import re
from collections.abc import Sequence

from .redirects import Feed
from .shell import Simple, read_script
from .trusted import substituted
from .words import Word

PERCENT = re.compile(r"%[sb]")


def spoken(line: str) -> str | None:
    """The output of a line that is one plain echo or printf; None for everything else."""
    script = read_script(line) if line else None
    if script is None or script.broken or len(script.commands) != 1:
        return None
    return said(script.commands[0])


def said(simple: Simple) -> str | None:
    """The output of one command, if its words say it."""
    name, *words = simple.words
    if name.text == "cat" and not words and simple.feed:
        return simple.feed.text
    if name.text not in {"echo", "printf"} or not all(word.known for word in words):
        return None
    return echoed(words) if name.text == "echo" else printed(words)


def echoed(words: Sequence[Word]) -> str | None:
    at = 0
    while at < len(words) and words[at].text in {"-n", "-e", "-E", "-en", "-ne"}:
        at += 1
    text = " ".join(word.text for word in words[at:])
    return None if "\\" in text else text


def printed(words: Sequence[Word]) -> str | None:
    if not words:
        return None
    form, *values = (word.text for word in words)
    form = form.replace("\\n", "\n")
    if "\\" in form or any("\\" in value for value in values):
        return None
    if not values or "%" not in form:
        plain = form.replace("%%", "")
        return None if "%" in plain else form.replace("%%", "%")
    return repeated(form, values)


def repeated(form: str, values: Sequence[str]) -> str | None:
    """A format filled with its values, again and again until none is left."""
    count = len(PERCENT.findall(form))
    if not count or form.count("%") != count:
        return None
    padded = [*values, *[""] * (-len(values) % count)]
    pieces = PERCENT.split(form)
    rounds = (padded[at : at + count] for at in range(0, len(padded), count))
    return "".join("".join(a + b for a, b in zip(pieces, [*taken, ""], strict=True)) for taken in rounds)


def spoken_feed(feed: Feed | None) -> str | None:
    """What a command reads, when that is written in the line."""
    if feed is None or feed.text is not None:
        return feed.text if feed else None
    return spoken(substituted(feed.of) or feed.of)
