"""Weigh the speech acts of a task's sentences: questions, statements and requests.

A task is a question if some clause asks, no clause asks for work, and the others only state what the question is about.
A clause that is not recognised is work: a gap in the lists costs one judgement and lets no work pass unjudged (issue
14, number 2).
"""

from collections.abc import Iterator

from .question_acts import classify_clause, strip_fillers
from .question_clauses import Clause, Sentence, split_sentences
from .question_forms import begins_with, contains, matches_whole, skip_form
from .question_reading import makes_something
from .speech_act import SpeechAct

CONTEXT_ACTS = (SpeechAct.STATE, SpeechAct.OWN, SpeechAct.CONDITION)


def only_asks(text: str) -> bool:
    """Return whether a text asks for nothing to be made or changed."""
    return is_question_of_acts([act for sentence in split_sentences(text) for act in classify_sentence(sentence)])


def is_question_of_acts(acts: list[SpeechAct]) -> bool:
    """Weigh the acts of a text: a statement before a question is its background, one after it a complaint."""
    if SpeechAct.WORK in acts or not {SpeechAct.ASK, SpeechAct.READ, SpeechAct.TALK} & set(acts):
        return False
    last = max((at for at, act in enumerate(acts) if act is SpeechAct.ASK), default=0)
    if SpeechAct.RUN in acts and acts.index(SpeechAct.RUN) > last:
        return False
    complains = {SpeechAct.STATE, SpeechAct.CONDITION} & set(acts[last:])
    return SpeechAct.UNKNOWN not in acts and (SpeechAct.FORBID in acts or not complains)


def classify_sentence(sentence: Sentence) -> Iterator[SpeechAct]:
    """Yield the act of each clause; a clause without its own act may continue the previous one."""
    head, opening = SpeechAct.NOTHING, ""
    for clause, after in zip(sentence.clauses, [*sentence.clauses[1:], None], strict=True):
        act = classify_clause(clause.text, sentence.asked, head)
        if (
            act is SpeechAct.UNKNOWN
            and head in (SpeechAct.NOTHING, SpeechAct.TALK)
            and after
            and is_topic(clause, after)
        ):
            act = (
                SpeechAct.STATE
                if classify_clause(after.text, sentence.asked, SpeechAct.STATE) is SpeechAct.ASK
                else act
            )
        if act is SpeechAct.UNKNOWN and head not in (SpeechAct.NOTHING, SpeechAct.TALK, SpeechAct.FORBID):
            act = classify_continuation(clause, head, opening, sentence.asked)
        elif act is SpeechAct.CONDITION and head in (SpeechAct.ASK, SpeechAct.READ):
            act = classify_addition(clause.text, head)
        elif act not in (SpeechAct.NOTHING, SpeechAct.FORBID):
            head, opening = act, clause.text
        yield act


def is_topic(clause: Clause, after: Clause) -> bool:
    """Return whether a clause is a topic: "the tests, do they pass", but not "harden it: is it weak"."""
    return matches_whole("topic", clause.text + (":" if after.joint == ":" else ""))


def classify_addition(words: str, head: SpeechAct) -> SpeechAct:
    """Distinguish "for a newcomer" after a request from "with examples in examples/" and "while you are there"."""
    made = any(contains(form, words) for form in ("written", "purpose", "on_it", "you")) or matches_whole(
        "added", words
    )
    return SpeechAct.UNKNOWN if made or (head is SpeechAct.READ and makes_something(words)) else SpeechAct.NOTHING


def classify_continuation(clause: Clause, head: SpeechAct, opening: str, asked: bool) -> SpeechAct:
    """Distinguish "and the lexer" from "and fix it": a possible imperative is not a continuation."""
    words = strip_fillers(clause.text)
    if head in CONTEXT_ACTS:
        return SpeechAct.NOTHING if continues_context(clause.joint, words, head, opening) else SpeechAct.UNKNOWN
    if head is SpeechAct.ASK and continues_question(clause.joint, words, opening, asked):
        return SpeechAct.NOTHING
    if clause.joint in ("then", "plus", "but", ":", "so") or begins_with("requested", clause.text):
        return SpeechAct.UNKNOWN
    while (rest := skip_form("adverbs", words)) is not None:
        words = rest
    if not words:
        return SpeechAct.NOTHING
    if any(contains(form, words) for form in ("on_it", "written", "you")) or begins_with("speaker", words):
        return SpeechAct.UNKNOWN
    if begins_with("change", words):
        return SpeechAct.WORK
    if clause.joint == "," and head is SpeechAct.READ:
        return SpeechAct.NOTHING if matches_whole("listed", words) else SpeechAct.UNKNOWN
    goes_on = begins_with("function_word", words) or (clause.joint == "and" and begins_with("third_person", words))
    compared = opening.startswith("compare ") and matches_whole("bare", words)
    return SpeechAct.NOTHING if goes_on or compared or begins_with("continuing_noun", words) else SpeechAct.UNKNOWN


def continues_context(joint: str, words: str, head: SpeechAct, opening: str) -> bool:
    """Distinguish "we join on an id, then dedupe" from "we use moment, switch to date-fns"."""
    if joint in ("and", "then", "but") and (begins_with("speaker", opening) or not contains("on_it", words)):
        return True
    loose = begins_with("function_word", words) or begins_with("participle", words)
    return loose or (head is not SpeechAct.CONDITION and not begins_with("imperative", words))


def continues_question(joint: str, words: str, opening: str, asked: bool) -> bool:
    """Recognise "do I build and run it", ", by user or by row" and "and then added again" after a question."""
    if joint == "and" and continues_how(words, opening):
        return True
    if asked and joint != "then" and matches_whole("choice", words):
        return True
    return (joint == "then" or opening.endswith("ed")) and begins_with("past", words)


def continues_how(words: str, opening: str) -> bool:
    """Recognise "how do I build and run it": a second verb after the first, or a verb that only refers to use."""
    rest = skip_form("how_to", opening)
    verbs = [word for word in (rest or "").split() if not word.endswith("ly")]
    return rest is not None and (len(verbs) <= 1 or begins_with("usage", words))
