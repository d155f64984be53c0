"""Whether a task only asks, decided from its words: each clause is a speech act, and where in doubt it is work.

A task is a question if some clause asks, no clause asks for work, and the others only state what the question is about.
A clause that is not recognised is work: a gap in the lists costs one judgement and lets no work pass unjudged
(issue 14, number 2).
"""

from collections.abc import Iterator

from .question_acts import Act, classify_clause, is_made, strip_fillers
from .question_clauses import Clause, Sentence, split_sentences
from .question_forms import begins, fits, holds, skip

MAX_CHARACTERS = 5_000  # some rules take time that grows with the square of the length
CONTEXT = (Act.STATE, Act.OWN, Act.CONDITION)


def asks_question(text: str) -> bool:
    """Tell whether a text asks for nothing to be made or changed."""
    if len(text) > MAX_CHARACTERS:
        return False
    return only_asks([act for sentence in split_sentences(text) for act in classify_sentence(sentence)])


def only_asks(acts: list[Act]) -> bool:
    """Weigh the acts of a text: what is stated before a question is its background, after it a complaint."""
    if Act.WORK in acts or not {Act.ASK, Act.READ, Act.TALK} & set(acts):
        return False
    last = max((at for at, act in enumerate(acts) if act is Act.ASK), default=0)
    if Act.RUN in acts and acts.index(Act.RUN) > last:
        return False
    complains = {Act.STATE, Act.CONDITION} & set(acts[last:])
    return Act.UNKNOWN not in acts and (Act.FORBID in acts or not complains)


def classify_sentence(sentence: Sentence) -> Iterator[Act]:
    """Say of each clause what it does; one that does nothing by itself may go on with the one before it."""
    head, opening = Act.NOTHING, ""
    for clause, after in zip(sentence.clauses, [*sentence.clauses[1:], None], strict=True):
        act = classify_clause(clause.text, sentence.asked, head)
        if act is Act.UNKNOWN and head in (Act.NOTHING, Act.TALK) and after and is_topic(clause, after):
            act = Act.STATE if classify_clause(after.text, sentence.asked, Act.STATE) is Act.ASK else act
        if act is Act.UNKNOWN and head not in (Act.NOTHING, Act.TALK, Act.FORBID):
            act = classify_continuation(clause, head, opening, sentence.asked)
        elif act is Act.CONDITION and head in (Act.ASK, Act.READ):
            act = classify_addition(clause.text, head)
        elif act not in (Act.NOTHING, Act.FORBID):
            head, opening = act, clause.text
        yield act


def is_topic(clause: Clause, after: Clause) -> bool:
    """Tell "the tests, do they pass" and "follow-up: does it scale" from "harden it: is it weak"."""
    return fits("topic", clause.text + (":" if after.joint == ":" else ""))


def classify_addition(words: str, head: Act) -> Act:
    """Tell "for a newcomer" after a request from "with examples in examples/" and "while you are there"."""
    made = any(holds(form, words) for form in ("written", "purpose", "on_it", "you")) or fits("added", words)
    return Act.UNKNOWN if made or (head is Act.READ and is_made(words)) else Act.NOTHING


def classify_continuation(clause: Clause, head: Act, opening: str, asked: bool) -> Act:
    """Tell "and the lexer" from "and fix it": whatever could be an imperative goes on with nothing."""
    words = strip_fillers(clause.text)
    if head in CONTEXT:
        return Act.NOTHING if continues_context(clause.joint, words, head, opening) else Act.UNKNOWN
    if head is Act.ASK and continues_question(clause.joint, words, opening, asked):
        return Act.NOTHING
    if clause.joint in ("then", "plus", "but", ":", "so") or begins("requested", clause.text):
        return Act.UNKNOWN
    while (rest := skip("adverbs", words)) is not None:
        words = rest
    if not words:
        return Act.NOTHING
    if any(holds(form, words) for form in ("on_it", "written", "you")) or begins("speaker", words):
        return Act.UNKNOWN
    if begins("change", words):
        return Act.WORK
    if clause.joint == "," and head is Act.READ:
        return Act.NOTHING if fits("listed", words) else Act.UNKNOWN
    goes_on = begins("function_word", words) or (clause.joint == "and" and begins("third_person", words))
    compared = opening.startswith("compare ") and fits("bare", words)
    return Act.NOTHING if goes_on or compared or begins("continuing_noun", words) else Act.UNKNOWN


def continues_context(joint: str, words: str, head: Act, opening: str) -> bool:
    """Tell "we join on an id, then dedupe" from "we use moment, switch to date-fns"."""
    if joint in ("and", "then", "but") and (begins("speaker", opening) or not holds("on_it", words)):
        return True
    loose = begins("function_word", words) or begins("participle", words)
    return loose or (head is not Act.CONDITION and not begins("imperative", words))


def continues_question(joint: str, words: str, opening: str, asked: bool) -> bool:
    """Recognise "do I build and run it", ", by user or by row" and "and then added again" after a question."""
    if joint == "and" and continues_how(words, opening):
        return True
    if asked and joint != "then" and fits("choice", words):
        return True
    return (joint == "then" or opening.endswith("ed")) and begins("past", words)


def continues_how(words: str, opening: str) -> bool:
    """Recognise "how do I build and run it": a second verb after the first, or one of mere use."""
    rest = skip("how_to", opening)
    verbs = [word for word in (rest or "").split() if not word.endswith("ly")]
    return rest is not None and (len(verbs) <= 1 or begins("usage", words))
