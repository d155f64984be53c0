"""Requests that are answered and not done: "tell me", "list the tests", "run them and report"."""

import re

from . import question_phrases as said
from . import question_words as known
from .question_parts import Kind, Words, after_phrase, is_file, pairs, strip_fillers
from .question_places import (
    asks_written,
    before_preposition,
    has_manner,
    has_purpose,
    is_alternative,
    is_in_document,
    is_in_file,
)
from .question_words import EMBEDDING

YOU_DO_IT = r"\b(?:you (?:should|would|might|will)|(?:you|we) (?:can|could)) (?:\w+ly |just |please |also )?(\w+)"
ATTRIBUTE = re.compile(r"\w+\.\w{6,}")


def classify_polite(words: Words, asked: bool) -> Kind | None:
    """Say of "can you list" and "would you rename" what the verb after it says."""
    rest = after_phrase(words, said.POLITE)
    if rest is None:
        return None
    rest = strip_fillers(rest)
    if not rest:
        return Kind.WORK
    if words[1] == "you" and asks_ability(words[0], rest):
        return Kind.ASKS
    return classify_telling(rest, asked) or classify_reading(rest, asked) or Kind.WORK


def asks_ability(verb: str, rest: Words) -> bool:
    """Tell "would you recommend it" and "can you see it" from "can you see to it" and "can you see what you can do"."""
    opinion = verb == "would" and rest[0] in known.OPINIONS
    able = verb in ("can", "could") and rest[0] in ("see", "access", "remember")
    return (opinion or able) and not {"to", "about", "what"} & set(rest[1:3])


# --- what is said to be told


def classify_telling(words: Words, asked: bool) -> Kind | None:
    """Recognise what asks for an answer to the user: "tell me", "I wonder whether", "I would like an overview"."""
    words = tuple(word for at, word in enumerate(words) if at not in (1, 2) or word not in known.SOFTENING)
    wanted = after_phrase(words, said.WANTING)
    if wanted is not None and is_answer(wanted):
        return Kind.WORK if asks_written(wanted) or is_in_file(wanted) else Kind.TELLS
    rest = after_phrase(words, said.TELLING)
    if rest is None:
        return None
    rest = rest[1:] if rest[:1] == ("about",) else rest
    return Kind.TELLS if not rest or is_told(words, rest) else Kind.WORK


def is_told(words: Words, rest: Words) -> bool:
    """Tell whether what follows "tell me" or "give me" is only an answer."""
    if rest[0] in ("once", "as", "after", "before", "until", "that", "you") or supposes(words, rest):
        return False
    if rest[0] in EMBEDDING:
        return only_embeds(rest)
    if (
        words[0] in ("report", "remind")
        or asks_written(rest)
        or has_purpose(rest)
        or rest[:3] == ("the", "answer", "in")
    ):
        return False  # "report the errors to Sentry", "remind me to deploy"
    if rest[0] in ("a", "an", "another", "some", "one") and known.NOT_ANSWERS & set(rest):
        return False
    return words[0] not in ("give", "show") or is_shown(words[0], rest)


def is_shown(verb: str, rest: Words) -> bool:
    """Tell "give me an overview" and "show me the tests" from "give me a script" and "show me the fixed version"."""
    written = is_in_file(rest) and known.ANSWERS & set(rest)
    made = verb == "give" or rest[0] in ("a", "an", "some", "it")
    if verb == "show" and (rest[0] in known.PREPOSITIONS | {"your", "code"} or has_manner(rest)):
        return False
    return not written and not (known.CHANGED | known.RUNTIME) & {*rest[:3], rest[-1]} and (not made or is_answer(rest))


def is_answer(rest: Words) -> bool:
    """Tell "a list of endpoints" from "a list view"."""
    goes_on = known.PREPOSITIONS | EMBEDDING | {"or", "that", "please", ""}
    return any(word in known.ANSWERS and after in goes_on for word, after in pairs(rest))


def supposes(words: Words, rest: Words) -> bool:
    """Tell what supposes that something is done, or states it: "let me know when", "I am not sure this is right"."""
    near = set(rest[1:4])
    done = rest[0] == "when" and not {"was", "were", "did", "had", "last", "first"} & set(rest)
    your = any(word == "you" and after not in known.OPINIONS for word, after in pairs(rest))
    doing = words[0] == "let" and (your or {"need", "goes", "went", "unclear"} & near or rest[0] == "by")
    unsure = {"not"} & set(words[:4]) and {"sure", "know"} & set(words[:5]) and rest[0] not in EMBEDDING
    return bool(done or doing or unsure)


def only_embeds(words: Words) -> bool:
    """Tell "what it does" from "what you can do", "whether you could add it" and "how it works in the README"."""
    condition = words[0] in ("if", "whether")
    you = re.search(YOU_DO_IT, " ".join(words))
    wanted = you and you[1] not in known.USAGE and (condition or "would" not in you[0])
    wished = condition and {"could", "can"} & set(words) and (known.COMPARATIVES | {"be"}) & set(words)
    return not (
        is_alternative(words)
        or wanted
        or wished
        or words[1:2] == ("about",)
        or asks_written(words)
        or has_purpose(words)
    )


# --- what is to be read


def classify_reading(words: Words, asked: bool) -> Kind | None:
    """Recognise an imperative that reads and reports; None where it does not begin with a reading verb."""
    if words[0] in ("build", "compile"):
        return Kind.BUILDS if words[1:] in ((), ("it",), ("this",), ("the", "project"), ("the", "code")) else None
    if words[0] in ("run", "execute", "git"):
        return Kind.READS if runs_only(words) else Kind.WORK
    rest = after_phrase(words, said.FREE_READING)
    if rest is not None:
        return Kind.READS if reads_freely(words[0], rest) else Kind.WORK
    rest = after_phrase(words, said.PROGRAM_READING)
    if rest is not None:
        return Kind.READS if reads_workspace(words[0], rest) else Kind.WORK
    return None


def runs_only(words: Words) -> bool:
    """Tell "run the tests" from "run the migration" and "run the tests in parallel"."""
    after = after_phrase(words if words[0] == "git" else words[1:], said.RUNNABLE)
    return after is not None and all(is_file(word) or word in known.AGAIN for word in after)


def reads_freely(verb: str, rest: Words) -> bool:
    """Tell "explain the login" from "examine the input" and "describe it in the README"."""
    if rest[:1] and rest[0] in EMBEDDING:
        return only_embeds(rest) and not is_in_document(rest)
    if verb in known.CHOOSY and known.RUNTIME & set(rest):
        return False
    return not (asks_written(rest) or is_in_document(rest) or has_purpose(rest) or has_manner(rest))


def reads_workspace(verb: str, rest: Words) -> bool:
    """Tell "list the tests" from "list the customers on the page": object and place are of the workspace."""
    rest = rest[1:] if rest[:1] in (("me",), ("us",)) else rest
    if not rest:
        return verb in ("look", "check", "read")
    if rest[0] in EMBEDDING or rest[0] == "that":
        return reads_embedded(verb, rest)
    if is_specified(verb, rest):
        return False
    relative = next((at for at, word in enumerate(rest) if word in EMBEDDING or word == "that"), len(rest))
    ends = [at for at, word in enumerate(rest[:relative]) if word in known.PREPOSITIONS]
    head = rest[: min([*ends, relative])]
    if known.RUNTIME & set(head):
        return False
    if verb in ("suggest", "recommend"):
        return rest[0] in known.COUNTED and not {"on", "to"} & set(rest[:-1])
    return is_named(verb, head, rest) and all(is_place_of_workspace(verb, rest[at:]) for at in ends)


def is_specified(verb: str, rest: Words) -> bool:
    """Tell whether it is said where, when or how a program does it."""
    if rest[0] in known.PREPOSITIONS | {"out"} or "if" in rest or verb in known.EMBEDDED_ONLY:
        return True
    if any(word.endswith("ly") for word in rest):
        return True
    if verb == "read" and {"from", "as"} & set(rest):
        return True
    written = asks_written(rest) or (verb != "count" and is_in_document(rest))
    return (
        has_manner(rest[1:] if rest[0] == "every" else rest) or has_purpose(rest) or (verb in known.SHOWING and written)
    )


def is_named(verb: str, head: Words, rest: Words) -> bool:
    """Tell whether the object is something that a workspace contains."""
    files = any(is_file(word) for word in rest)
    if verb in known.OUTPUT and not files and not known.TOPICS & set(rest):
        return verb == "show" and head[-1] in known.ARTEFACTS - known.VISIBLE
    if verb in known.SEEKING - {"check"} and rest[0] in ("all", "every", "any"):
        return True
    if verb in known.SEEKING - {"check", "find"} and files:
        return True
    return verb == "compare" or head[-1] in ("it", "them", "here") or is_thing(head[-1]) or any(map(is_file, head))


def is_thing(word: str) -> bool:
    return is_file(word) or word in known.ARTEFACTS or word in known.TOPICS


def is_place_of_workspace(verb: str, words: Words) -> bool:
    """Tell "in the parser module" from "in yellow" and "with hmac.compare_digest"."""
    if ATTRIBUTE.fullmatch("".join(words[1:2])):
        return False
    if words[0] not in ("in", "from", "on", "to", "as", "with", "for", "under", "into", "at"):
        return True
    near = before_preposition(words[1:6])
    if any(map(is_thing, near)) or {"me", "us", "it", "this", "here", "them"} & set(near[-1:]):
        return True
    if words[0] == "for":
        return verb in known.SEEKING or verb == "compare"
    return verb == "compare" and words[0] in ("to", "with") and words[1:2] != ("a",)


def reads_embedded(verb: str, rest: Words) -> bool:
    """Tell "check whether the tests pass" from "check that the password is long enough"."""
    condition = rest[0] in ("if", "whether", "that")
    if not only_embeds(rest) or {"before", "instead", "otherwise"} & set(rest):
        return False
    if (rest[:2] == ("how", "to") and verb in ("figure", "work", "find")) or (rest[0] == "that" and "exists" in rest):
        return False  # "figure out how to get it green"
    if known.RUNTIME & set(rest[1:6]) and (condition or verb in known.SHOWING):
        return False
    if verb in known.SHOWING and is_in_document(rest):
        return False
    program = verb in known.SHOWING - {"count"} and rest[:2] != ("how", "to")
    if rest[0] != "that" and not program:
        return True
    things = [word for word in rest[1:] if is_thing(word) and (verb not in known.OUTPUT or word.endswith("s"))]
    return bool(things) and verb != "see" and not has_manner(rest[1:])
