"""Whether a task only asks, told from its words: plain rules over closed lists, and where in doubt it is work.

A text is a question if every part of it is recognised as asking, as small talk or as forbidding changes. Whatever is
not recognised is work: a gap in the lists costs one judgement and lets no work pass unjudged (issue 14, number 2).
"""

from collections.abc import Sequence

from . import question_phrases as said
from . import question_words as known
from .question_forms import classify_asking
from .question_parts import Kind, Part, Words, after_phrase, is_file, pairs, split_sentences, strip_fillers
from .question_places import DOCUMENT, asks_written, is_in_file
from .question_requests import classify_polite, classify_reading, classify_telling
from .question_words import EMBEDDING, QUOTED

MAX_CHARACTERS = 5_000  # some rules take time that grows with the square of the length: 0.2 s at this one
ASKING = {Kind.ASKS, Kind.READS, Kind.TELLS, Kind.SMALL_TALK}
CONDITIONS = known.words(
    "if when while after since given because whenever once where as in for on at with about regarding"
)
RULES = (classify_polite, classify_telling, classify_asking, classify_reading)


def asks_question(text: str) -> bool:
    """Tell whether a text asks for nothing to be made or changed."""
    if len(text) > MAX_CHARACTERS:
        return False
    kinds = {kind for parts, asked in split_sentences(text) for kind in classify_sentence(parts, asked)}
    return bool(ASKING & kinds) and Kind.WORK not in kinds


def classify_sentence(parts: Sequence[Part], asked: bool) -> set[Kind]:
    """Say of each part what it does; one that does nothing by itself may go on with what stood before it."""
    if asked and is_tagged(parts):
        return {Kind.ASKS}
    kinds: list[Kind] = []
    head = Part(()), Kind.NOTHING
    for part in parts:
        kind = classify_part(part, head[1], asked)
        if kind is None:
            kind = head[1] if continues(part, head, asked) else Kind.WORK
        elif kind is not Kind.NOTHING:
            head = part, kind
        kinds.append(kind)
    return {Kind.WORK} if Kind.BUILDS in kinds and Kind.TELLS not in kinds else set(kinds)


def is_tagged(parts: Sequence[Part]) -> bool:
    """Tell "the parser is recursive, right?" from "you will sort it, right?" and "it should be blue, right?"."""
    stated = set(parts[0].words)
    wanted = known.REQUESTING & stated or ("you" in stated and "did" not in stated)
    return len(parts) == 2 and " ".join(parts[1].words) in said.TAGS and bool(known.STATING & stated) and not wanted


def classify_part(part: Part, before: Kind, asked: bool) -> Kind | None:
    """Say what a part does by itself; None where that is not known."""
    words = strip_fillers(part.words)
    if is_agreement(part.words):
        return Kind.WORK
    if is_small_talk(part.words):
        return Kind.SMALL_TALK
    if is_neutral(words) or forbids_changes(part.words) or forbids_changes(words):
        return Kind.NOTHING
    kind = next((kind for rule in RULES if (kind := rule(words, asked)) is not None), None)
    if kind is Kind.READS and before is Kind.CONDITION:
        return Kind.WORK  # "when a test fails, list its log" says what a program does
    return kind if kind or before not in (Kind.NOTHING, Kind.CONDITION, Kind.SMALL_TALK) else classify_context(words)


def is_neutral(words: Words) -> bool:
    return all(word in known.NEUTRAL or word == QUOTED for word in words)


def is_agreement(words: Words) -> bool:
    """Tell "yes" and "please do" from "please do not"."""
    rest = after_phrase(words, said.AGREEMENT)
    return rest is not None and rest[:1] != ("not",)


def is_small_talk(words: Words) -> bool:
    """Tell "ok thanks" and "thanks for your help" from "ok" and from "thanks for renaming it"."""
    rest: Words | None = words
    while rest:
        rest = rest[1:] if rest[0] in known.NEUTRAL else after_phrase(rest, said.SMALL_TALK)
    return rest is not None and not is_neutral(words)


def forbids_changes(words: Words) -> bool:
    """Tell "do not change anything" from "do not log passwords" and "do not just explain it"."""
    rest = after_phrase(words, said.FORBIDDING)
    if rest is None:
        verb, *objects = after_phrase(words, said.NOT_DOING) or ("",)
        stem = verb.removesuffix("ing")
        if not {verb, stem, stem + "e", stem[:-1]} & (known.CHANGING | {"touch"}):
            return False
        rest = tuple(objects)
    return all(word in known.HARMLESS_OBJECTS for word in rest)


def classify_context(words: Words) -> Kind | None:
    """Recognise what is said before the question: "I am new here", "when I run the tests", "in parser.py"."""
    if known.REQUESTING & set(words) or asks_written(words):
        return None
    if after_phrase(words, said.CONTEXT) is not None:
        return Kind.NOTHING
    return Kind.CONDITION if words[0] in CONDITIONS else None


# --- what goes on with the part before it


def continues(part: Part, head: tuple[Part, Kind], asked: bool) -> bool:
    """Tell "and the lexer" from "and fix it": whatever could be an imperative goes on with nothing."""
    words = strip_fillers(part.words)
    if head[1] not in (Kind.ASKS, Kind.READS, Kind.TELLS) or known.REQUESTING & set(words):
        return False
    if part.joint in ("then", "plus", "but", ":", "so") or {"please", "then", "also"} & set(part.words[:2]):
        return False
    while len(words) > 1 and (
        words[0] in known.ADVERBS or (words[0].endswith("ly") and words[0] not in known.CHANGING)
    ):
        words = words[1:]
    if asked and part.joint == "and" and continues_how(words, head[0].words):
        return True
    if commands(words) or asks_written(words) or (part.joint == "," and any(map(DOCUMENT.fullmatch, words))):
        return False
    if part.joint == "," and head[1] is not Kind.ASKS and words[0] not in EMBEDDING:
        return part.words[0] != "no" and is_listed(words)
    return goes_on(words, head[1], part.joint) or is_noun(words, head)


def commands(words: Words) -> bool:
    """Tell "after which rename it" and "we need one": somebody is to do something."""
    return words[0] in ("i", "we", "you") or any(
        word in known.CHANGING and after in ("it", "them") for word, after in pairs(words)
    )


def continues_how(words: Words, opening: Words) -> bool:
    """Recognise "how do I build and run it": a second verb after the first, or one of mere use."""
    if opening[:1] != ("how",) or opening[1:2] not in (("do",), ("can",), ("to",), ("would",), ("should",)):
        return False
    verbs = [word for word in opening[2:] if word not in ("i", "we", "one", "you") and not word.endswith("ly")]
    return len(verbs) <= 1 or words[0] in known.USAGE


def goes_on(words: Words, kind: Kind, joint: str) -> bool:
    """Tell whether the first word alone shows that this is no imperative."""
    first = words[0]
    if first == "to":
        return words[1:2] != () and words[1] not in known.CHANGING
    if known.STATING & set(words) and not EMBEDDING & set(words):
        return False  # "look at main.py, the loop is slow" states a defect
    if first in ("if", "whether"):
        return (
            kind is not Kind.READS and words[1:2] != () and words[1] in known.DETERMINERS | {"there", "they", "i", "we"}
        )
    if first == "by":
        return False
    if first in known.DETERMINERS | known.PREPOSITIONS | EMBEDDING or is_file(first):
        return True
    if first in known.CHANGING | known.FOREIGN:
        return False
    if first.endswith("ing"):
        return kind is Kind.ASKS and joint != ","
    return first.endswith(("ed", "s")) and not first.endswith("ss")


def is_listed(words: Words) -> bool:
    """Tell "the lexer" and "with an example" from "no globals allowed" and "the slow ones out" after a comma."""
    if known.STATING & set(words):
        return False
    if words[0] in known.PREPOSITIONS:
        return bool((known.ANSWERS | known.ANSWER_FORMS) & set(words)) and not is_in_file(words)
    if len(words) == 1 and words[0].endswith("ed"):
        return words[0] not in known.CHANGING  # "how they are stored, exported and wrapped"
    if len(words) > 1 and words[0] not in known.DETERMINERS | known.ARTEFACTS and not is_file(words[0]):
        return False
    return words[0] not in known.CHANGING and (
        words[-1] in known.ARTEFACTS or is_file(words[-1]) or words[-1].endswith(known.NOUN_ENDINGS)
    )


def is_noun(words: Words, head: tuple[Part, Kind]) -> bool:
    """Tell "and rebase" after "compare merge" from "and harden": a bare word without an object."""
    first, after = words[0], "".join(words[1:2])
    if first in known.CHANGING | known.FOREIGN | CONDITIONS or after in known.DETERMINERS | known.PARTICLES:
        return False
    if first in known.DETERMINERS | known.PREPOSITIONS | known.PRONOUNS:
        return False
    if first.endswith(("ing", *known.VERB_ENDINGS)) or is_file(after):
        return False
    bare = head[0].words[:1] == ("compare",) and after in known.PREPOSITIONS | {""}
    nominal = first in known.ARTEFACTS or first.endswith(known.NOUN_ENDINGS) or after == "or"
    return head[1] is Kind.ASKS or nominal or bare
