"""Where an answer is to stand, and what else than an answer a request is for: "as notes.md", "so as to fix it"."""

import re

from . import question_words as known
from .question_parts import Words, is_file, pairs

DOCUMENT = re.compile(r"[\w./~-]+\.(?:md|txt|csv|tsv|json|rst|html?|pdf|ya?ml|docx?|xlsx?|adoc|tex|log|svg|png|sql)")
BESIDES = r"\b(?:by|while|whilst|besides|well as|after|instead of|rather than) (?:\w+ly )?\w+ing\b"
ONCE_CHANGED = r"\bafter (?:the (?:fix|change|update)|you)\b|\bwith (?:\w+ ){1,3}\w+ed(?: off| on)?$"
DOING_SO = re.compile(f"{BESIDES}|{ONCE_CHANGED}")
WITH_CHANGED = re.compile(r"\bwith\b.*\w(?<!e)ed\b|\bright in\b|\bwhere it is\b|\bincluding\b")


def asks_written(words: Words) -> bool:
    """Tell whether the answer is to stand in a file or on a page: "as notes.md", "in a comment above it"."""
    return any(is_written_place(word, words[at + 1 : at + 5]) for at, word in enumerate(words))


def is_written_place(preposition: str, near: Words) -> bool:
    first, place = near[:1], set(before_preposition(near))
    if preposition in ("in", "as") and "comments" in place and first != ("the",):
        return True
    if preposition in ("in", "as", "using", "into") and near[1:2] == ("new",):
        return True
    if preposition in ("as", "into", "to", "onto") and first and DOCUMENT.fullmatch(first[0]):
        return True
    if preposition in ("as", "in", "into") and known.FORMATS & set(first):
        return True
    if preposition in ("in", "as") and {"a", "an"} & set(first):
        return not (known.ANSWER_FORMS | known.ANSWERS) & set(near) or bool(known.WRITTEN_PLACES & place)
    if preposition in ("in", "into", "as", "onto", "on", "to", "at"):
        return any(word in known.WRITTEN_PLACES or word.startswith("--") for word in place) or (
            preposition == "to" and bool(known.AUDIENCE & set(near))
        )
    return preposition == "for" and bool((known.PUBLISHED | known.AUDIENCE) & place)


def before_preposition(words: Words) -> Words:
    """Return the words before the next preposition, or all where the first is one."""
    ends = [at for at, word in enumerate(words) if word in known.PREPOSITIONS]
    return words[: ends[0]] if ends and ends[0] else words


def is_in_document(words: Words) -> bool:
    """Tell "describe the columns in columns.md", which may be its place or its source."""
    return any(word == "in" and DOCUMENT.fullmatch(after) for word, after in pairs(words))


def is_in_file(words: Words) -> bool:
    return any(word == "in" and is_file(after) for word, after in pairs(words))


def has_purpose(words: Words) -> bool:
    """Tell "read it to fix it" and "explain it by fixing it" from "the steps to fix it" and "explain it to me"."""
    if DOING_SO.search(" ".join(words)):
        return True
    if words[:1] in (("how",), ("what",)):
        return False
    return any(
        word == "to" and after in known.CHANGING and before not in known.MEANS
        for before, (word, after) in zip(("", *words), pairs(words), strict=False)
    )


def has_manner(words: Words) -> bool:
    """Tell whether it is said when or how, as of a program: "before deleting", "newest first", "adding hints"."""
    gerunds = known.GERUND_OF_CHANGE - known.NO_CHANGE
    if gerunds & set(words) or is_alternative(words) or WITH_CHANGED.search(" ".join(words)):
        return True
    return bool((known.TAIL_BANS | known.WITH_CHANGE) & set(words)) or ("followed", "by") in pairs(words)


def is_alternative(words: Words) -> bool:
    """Tell "check if it has a header or add one" and "if tests pass else fix"."""
    return any(
        (after == "else" and word not in known.PRONOUNS_OF_ALL) or (word == "or" and after in known.CHANGING)
        for word, after in pairs(words)
    )
