"""Questions by their form: "what does it do", "is it fast", "vim or emacs?", and requests in the shape of one."""

import re

from . import question_phrases as said
from . import question_words as known
from .question_parts import Kind, Words, after_phrase

# "Why is there still a print", "why don't you", "when can you", "what can you do about": they ask for a change.
URGING = tuple(
    map(
        re.compile,
        (
            r"^how come\b.*\b(?:still|no|not)\b",
            r"\bwhy (?:is|are) there (?:still|no|not)\b",
            r"\bwhy (?:would|could|will|can|do|are|did) not (?:you|we)\b",
            r"\b(?:can|could|will) you (?!(?:tell|explain|see|find|say|read)\b|do$|do for me$)\w",
            r"\byou\b.*\bdo about\b",
            r"^what if\b.*\b(?:was|were|we|you)\b",
            r"^which is why\b|^what is\b.*\bshould be\b",
        ),
    )
)
YOU_CAN_DO = re.compile(r"\byou (?:can|could) (?:do|change|fix)\b|^is there (?:a|any) reason\b.*\bnot\b")


def classify_asking(words: Words, asked: bool) -> Kind | None:
    """Recognise a question by its form; one that is a request in the shape of a question is work."""
    if is_foreign_question(words, asked):
        return Kind.SMALL_TALK  # no second part would be understood, so none may follow
    if after_phrase(words, said.REQUESTS) is not None or is_foreign(words):
        return Kind.WORK
    inner = words[1:] if words[0] in known.PREPOSITIONS | {"since", "until"} and len(words) > 1 else words
    if inner[0] in known.WH:
        return classify_wh(inner, asked)
    if words[0] in known.AUXILIARY:
        return classify_polar(words, asked)
    return Kind.ASKS if is_asking_fragment(words, asked) else None


def is_foreign_question(words: Words, asked: bool) -> bool:
    return asked and after_phrase(words, said.FOREIGN_ASKING) is not None and not known.FOREIGN_DOUBT & set(words)


def is_foreign(words: Words) -> bool:
    """Tell words of languages, and of alphabets, that these rules do not know."""
    return bool(known.FOREIGN & set(words)) or any(letter > "\u024f" and letter.isalpha() for letter in "".join(words))


def classify_wh(words: Words, asked: bool) -> Kind | None:
    """Recognise "what does it do" and "how to run it"; "how the config is loaded should be documented" is not one."""
    first, rest, line = words[0], words[1:], " ".join(words)
    thought = after_phrase(words, ("what do you think of", "what do you think about"))
    if any(urging.search(line) for urging in URGING) or (thought and thought[0].endswith("ing")):
        return Kind.WORK
    if first in ("who", "which", "whose") or not rest or after_phrase(words, said.QUANTITIES) is not None:
        return Kind.ASKS
    if rest[0] in known.AUXILIARY or (rest[0] == "to" and first in ("how", "where", "what")):
        return Kind.ASKS
    if first in ("when", "where"):
        inverted = rest[0] in known.PREPOSITIONS and known.AUXILIARY & set(rest)  # "where in the code do we"
        return Kind.ASKS if inverted else None  # "when the user clicks", "where we use print"
    plain = first == "what" and rest[0] not in known.DETERMINERS | known.PRONOUNS
    return Kind.ASKS if asked or plain else None


def classify_polar(words: Words, asked: bool) -> Kind | None:
    """Recognise "is it fast" and "do the tests pass"; "isn't it slow" hints at a change."""
    verb, rest = words[0], words[1:]
    if not rest or rest[0] == "not" or (not asked and verb not in known.LOOSE_AUXILIARY):
        return None
    if YOU_CAN_DO.search(" ".join(words)):
        return Kind.WORK
    if verb in ("do", "have") and not has_subject(rest):
        return None
    if rest[0] == "you":
        return Kind.ASKS if asks_you(verb, rest[1:]) else Kind.WORK
    return Kind.WORK if is_wish(verb, rest) else Kind.ASKS


def is_wish(verb: str, rest: Words) -> bool:
    """Tell "can it be faster", "could the README mention it" and "should it be blue", which wish for a change."""
    modal = verb in ("can", "could", "may", "might", "must")
    wished = modal and (known.COMPARATIVES | known.WISHES) & set(rest)
    passive = modal and "be" in rest[:-1] and rest[rest.index("be") + 1] not in known.BE_PASSIVE
    weak = verb == "could" and not known.COULD & set(rest[1:4])
    opinion = verb == "should" and rest[0] not in ("i", "we") and "or" not in rest
    return bool(wished or passive or weak or opinion or verb in ("must", "shall"))


def has_subject(rest: Words) -> bool:
    """Tell "do the tests pass" and "do we have one" from "do the migration"."""
    if rest[0] in known.PRONOUNS - {"it"} or rest[0] in ("these", "those", "any", "all"):
        return True
    plurals = [at for at, word in enumerate(rest[:-1]) if at and word.endswith("s") and not word.endswith(("ss", "is"))]
    return (
        rest[0] in known.DETERMINERS
        and bool(plurals)
        and rest[plurals[-1] + 1] not in known.ADVERBS | known.PREPOSITIONS | known.NOT_VERBS
    )


def asks_you(verb: str, rest: Words) -> bool:
    """Tell "do you know" and "did you rename it" from "do you want to rename it"."""
    if verb == "do":
        return bool(known.YOU_DO & set(rest[:1])) and not {"should", "can", "could", "need"} & set(rest)
    if verb == "are":
        return bool(known.YOU_ARE & set(rest[:1]))
    return verb in ("did", "have", "has", "were", "was", "had")


def is_asking_fragment(words: Words, asked: bool) -> bool:
    """Tell "any security problems?", "vim or emacs?" and "diff between a and b" from "any chance to fix it?"."""
    changing = known.CHANGING & set(words)
    if words[0] in ("any", "anything", "anyone", "anybody"):
        doubt = {"you", "chance", "way"} | known.GERUND_OF_CHANGE | changing - known.ARTEFACTS
        return asked and not doubt & set(words)
    choice = len(words) == 3 and words[1] in ("or", "vs", "versus") and not changing
    return after_phrase(words, said.FRAGMENTS) is not None or (asked and choice)
