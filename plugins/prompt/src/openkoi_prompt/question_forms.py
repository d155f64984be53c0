"""Compile the forms of clauses in `question.toml` to regular expressions when they are first used."""

import re
import tomllib
from functools import cache
from pathlib import Path


@cache
def read_tables() -> dict[str, dict[str, str]]:
    """Return the tables of words, of phrases and of forms."""
    return tomllib.loads(Path(__file__).with_name("question.toml").read_text(encoding="utf-8"))


@cache
def find_pattern(name: str) -> str:
    """Return a group with the alternatives of a name, with a nested group for each name in angle brackets."""
    tables = read_tables()
    if name in tables["words"]:
        return f"(?:{'|'.join(tables['words'][name].split())})"
    text = tables["phrases"].get(name) or tables["forms"][name]
    joined = re.sub(r"\n\s*", "", text)
    return f"(?:{re.sub(r'<([a-z_]+)>', lambda found: find_pattern(found[1]), joined)})"


@cache
def find_form(name: str) -> re.Pattern[str]:
    """Compile a form; it matches whole words, unless its script has no spaces."""
    pattern = find_pattern(name)
    return re.compile(pattern if name.startswith("script_") else rf"(?<!\S){pattern}(?!\S)")


def begins_with(name: str, words: str) -> bool:
    return find_form(name).match(words) is not None


def contains(name: str, words: str) -> bool:
    return find_form(name).search(words) is not None


def matches_whole(name: str, words: str) -> bool:
    return find_form(name).fullmatch(words) is not None


def skip_form(name: str, words: str) -> str | None:
    """Return the words after a form with which they start; None if they do not start with it."""
    found = find_form(name).match(words)
    return words[found.end() :].strip() if found else None


def consists_of(name: str, words: str) -> bool:
    """Return whether the words consist only of forms with one name: "ok thanks"."""
    while words and (rest := skip_form(name, words)) is not None and rest != words:
        words = rest
    return not words
