"""A text into sentences, and a sentence into the parts that are looked at one by one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from . import question_phrases as said
from . import question_words as known
from .question_words import QUOTED

Words = tuple[str, ...]


class Kind(Enum):
    """What a part of a sentence does."""

    ASKS = auto()  # "what does it do", "is it fast"
    READS = auto()  # "list the tests", "explain the parser"
    TELLS = auto()  # "tell me", "let me know whether"
    BUILDS = auto()  # "build it": reads only where something TELLS how that went
    SMALL_TALK = auto()  # "thanks"
    NOTHING = auto()  # "ok", "I am new here", "do not change anything"
    CONDITION = auto()  # "when the tests fail", "in parser.py"
    WORK = auto()


@dataclass(frozen=True)
class Part:
    """A part of a sentence, and the comma or conjunction before it."""

    words: Words
    joint: str = ""


# Code and quotations are spoken about: "what does `fix()` do". An unfenced block begins with a definition.
DEFINITION = r"^(?:def|func|fn|function|const|var|let|class)\s+\w+\s*[(=:{].*(?:\n(?:[ \t]+.*|[)}\]]+;?)?)*"
MASKS = (
    re.compile(r"```.*?(?:```|\Z)", re.DOTALL),
    re.compile(DEFINITION, re.MULTILINE),
    re.compile(r"`[^`\n]+`"),
    re.compile(r'"[^"\n]+"|“[^”\n]+”|(?<!\w)\'[^\'\n]+\'(?!\w)'),
    re.compile(r"\bhttps?://\S+[\w/]"),
)
SPELLINGS = (("\u2019", "'"), ("\uff1f", "? "), ("\uff01", "! "), ("\u3002", ". "), ("\uff0c", ", "))
ASIDE = re.compile(r"(?<=\s)\(([^()\n]*)\)")
TLDR = re.compile(r"\btl;\s?dr\b", re.IGNORECASE)
SHORT = re.compile(r"\b(?:e\.g|i\.e|vs|etc|approx)\.", re.IGNORECASE)
ENDS = re.compile(r"([?!]+|\.{2,}|…|\.(?=\s|$)|(?<=[a-z])\.(?=[A-Z])|;|\n)")
SIGNS = r",(?!\d)|:(?=\s|$)|[\u2014\u2013]|\s-+\s|(?<=\s)[&+/](?=\s)"
CONJUNCTIONS = r"\b(?:and|then|but|plus)(?![\w.-])|\bso(?=\s+(?:that|i|we|you|it|they)\b)"
JOINTS = re.compile(f"({SIGNS}|{CONJUNCTIONS})", re.IGNORECASE)
# "between merge and rebase" is one object, "between both files and fix them" is not.
COMMAND = r"\s+\w+\s+(?:it|them|this|that|these|those|the|all|any|each)\b"
BETWEEN = re.compile(rf"\b(between(?:\s+(?!and\b)[^\s,?!]+){{1,5}})\s+and\b(?!{COMMAND})", re.IGNORECASE)
SUFFIXES = (("n't", " not"), ("'re", " are"), ("'ll", " will"), ("'ve", " have"), ("'d", " would"), ("'m", " am"))
SUBJECTS = known.words("what where who how that there it he she when why")
ARROWS = ("->", "=>", ">", ">>", "→")  # "README.md -> notes.md"
CODE = re.compile(r"[\\^$={}<>|~%]")
FILE = re.compile(r"[\w~.-]*[/_#()][\w/().#<>*-]*|[\w*-]+\.\w+|\W*\d[\w.]*")


def split_sentences(text: str) -> list[tuple[list[Part], bool]]:
    """Split a text into sentences and say of each whether a question mark ends it."""
    for spelling, plain in SPELLINGS:
        text = text.replace(spelling, plain)
    for mask in MASKS:
        text = mask.sub(QUOTED, text)
    text = SHORT.sub("", TLDR.sub("tldr", ASIDE.sub(r", \1 , ", text)))
    pieces = [*ENDS.split(text), ""]
    return [(split_parts(piece), "?" in end) for piece, end in zip(pieces[::2], pieces[1::2], strict=True)]


def split_parts(sentence: str) -> list[Part]:
    """Split a sentence at its commas and conjunctions."""
    pieces = JOINTS.split(BETWEEN.sub(r"\1 or", sentence))
    joints = ["", *(joint.strip().lower() for joint in pieces[1::2])]
    return [Part(read_words(piece), joint) for piece, joint in zip(pieces[::2], joints, strict=True)]


def read_words(piece: str) -> Words:
    """Return the words of a piece in lower case, contractions written out."""
    found = ("into" if word in ARROWS else word.strip(".\"'*¿¡[]{}|>") for word in piece.lower().split())
    return tuple(plain for word in found if re.search(r"\w", word) for plain in expand_word(word).split())


def expand_word(word: str) -> str:
    """Write out a contraction, and put one word in the place of code."""
    if CODE.search(word):
        return QUOTED
    if word in known.CONTRACTIONS:
        return known.CONTRACTIONS[word]
    for suffix, full in SUFFIXES:
        if word.endswith(suffix):
            return word.removesuffix(suffix) + full
    return f"{word[:-2]} is" if word.endswith("'s") and word[:-2] in SUBJECTS else word


def after_phrase(words: Words, openings: Sequence[str]) -> Words | None:
    """Return what follows the longest of some phrases that the words begin with; None where they begin with none."""
    line = " ".join(words[:8]) + " "
    for opening in openings:
        if line.startswith(opening + " "):
            return words[len(opening.split()) :]
    return None


def strip_fillers(words: Words) -> Words:
    """Drop what says nothing: "ok, now please" before it, "please" after it."""
    while (rest := after_phrase(words, said.FILLERS)) is not None:
        words = rest
    while len(words) > 1 and words[-1] in ("please", "thanks"):
        words = words[:-1]
    return words


def is_file(word: str) -> bool:
    return word == QUOTED or bool(FILE.fullmatch(word))


def pairs(words: Words) -> list[tuple[str, str]]:
    """Return each word with the one after it, which is empty after the last."""
    return list(zip(words, (*words[1:], ""), strict=False))
