"""Extract corrections from what the user wrote in a run: in answers, and in follow-ups and messages that object.

A correction applies as widely as the user stated, and otherwise to its task only: then it is not kept in the user's
words. Text that the user quotes from a mail or a page is not a correction by the user.
"""

import re
from collections.abc import Iterator

from openkoi_hookspecs import LearningStatus, Task
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .entry import MAX_TEXT_CHARACTERS, EntryEvidence, LearningEntry, Trust, shorten
from .lesson import Lesson, make_entry
from .thresholds import OUTCOME_WORTH, VERIFIED_WORTH

YES_OR_NO = lazy_pattern(
    r"(?:y|n|yes|no|ok|okay|sure|always|never|allow|deny|stop|continue|go on|\d+)[.!]?", re.IGNORECASE
)
INSTRUCTION_QUESTION = "What should be done?"
PERMISSION_QUESTION = lazy_pattern(r"\AAllow (\S+) |\nAllow (\S+) ")
MAX_TOPIC_CHARACTERS = 120  # of the question or objection that an entry shows as its evidence (estimate)
ONE_TIME = lazy_pattern(
    r"\b(?:this time|just once|only once|this once|for now|today|(?:for|in) this (?:task|run|one|case|session))\b",
    re.IGNORECASE,
)
LOCATION = lazy_pattern(
    r"\b(?:add|insert|leave|look|move|paste|place|put|save|start|stop|wait|write)\b[^.;]*\bhere\b", re.I
)
PROJECT = lazy_pattern(
    r"(?<!not )\b(?:in|for|of|across|throughout) (?:this|our|the whole|the entire)(?: \w+)? "
    r"(?:project|repo|repository|code ?base|workspace|package)\b"
    r"|\b(?<!in )(?:this|our) (?:project|repo|repository|code ?base)\b|\bproject-wide\b|\b(?:around )?here\b",
    re.IGNORECASE,
)
EVERYWHERE = lazy_pattern(
    r"(?<!not )(?<!it )(?<!you )(?<!they )\b(?:always|never)\b(?! mind)"
    r"|\b(?:from now on|in general|generally|as a rule|everywhere|every time)\b|,\s*ever\b"
    r"|\bin (?:the )?future\b|\b(?:in|for|across) (?:all|every|any)(?: of)?(?: my| our)? (?:projects?|repos?|tasks?)\b",
    re.IGNORECASE,
)
NARRATED = lazy_pattern(  # the subject is one thing of this task, or what it did: "the tests never pass"
    r"\b(?:the|this|that|these|those|my|your|i|its|which|who)\s+(?:[\w()./-]+\s+){0,3}(?:always|never)\b",
    re.IGNORECASE,
)
FORWARDED = lazy_pattern(
    r"^\s*(?:-{2,}\s*(?:original|forwarded) message|begin forwarded message|on .{4,120} wrote:\s*$|from:\s|subject:\s)",
    re.IGNORECASE | re.MULTILINE,
)
QUOTED_LINES = lazy_pattern(r"^[ \t]*[>|][^\n]*$|```.*?(?:```|\Z)", re.MULTILINE | re.DOTALL)
IN_QUOTES = lazy_pattern('"[^"]*(?:\\s[^"\\s]+){2,}"|“[^”]*(?:\\s[^”\\s]+){2,}”|«[^»]*(?:\\s[^»\\s]+){2,}»')


def find_corrections(lesson: Lesson) -> Iterator[LearningEntry]:
    """Yield the user's corrections in their own words, if they apply beyond this task."""
    yield from find_answered(lesson)
    for objection in (find_objection(lesson.result.task), *map(strip_objection, lesson.messages)):
        if (rule := find_rule(objection)) and not YES_OR_NO.fullmatch(rule):
            proof = EntryEvidence(run=lesson.run, finding=shorten(objection, MAX_TOPIC_CHARACTERS))
            yield make_preference(lesson, rule, proof, scope_of(rule), trust_of(objection))


def find_objection(task: Task) -> str:
    """Return what the user wrote in a follow-up that objects to earlier work; empty if it does not."""
    return strip_objection(task.text) if task.history else ""


def strip_objection(text: str) -> str:
    """Return what the user wrote, without quotations, if it objects to work; else an empty text."""
    from .objections import is_objection

    own = strip_quotes(text)
    return own if is_objection(own) else ""


def find_rule(objection: str) -> str:
    """Return the part of an objection that applies beyond its task; empty if all of it is about this task."""
    if not objection:
        return ""
    from .objections import is_single_change, split_sentences, strip_opening

    rule = strip_opening(objection)
    if len(rule) > MAX_TEXT_CHARACTERS:
        rule = " ".join(one for one in split_sentences(rule) if scope_of(one))
    scope = scope_of(rule)
    specific = is_single_change(rule) if scope == "project" else bool(NARRATED.search(rule))
    return "" if not scope or specific else rule


def find_answered(lesson: Lesson) -> Iterator[LearningEntry]:
    """Yield the user's answers to questions.

    The answer to a model's question is trusted no more than the question.
    """
    for question, answer in lesson.answers:
        correction = strip_quotes(answer).removeprefix("no:").strip()
        scope = scope_of(correction)
        if not scope or YES_OR_NO.fullmatch(correction):
            continue
        refused = PERMISSION_QUESTION.search(question)
        tool = next(filter(None, refused.groups()), "") if refused else ""
        topic = shorten(question.partition("\n")[0], MAX_TOPIC_CHARACTERS)
        text, fields = correction, trust_of(correction)
        if tool:
            text = f"Before using {tool}: {correction}"
        elif not question.endswith(INSTRUCTION_QUESTION):
            text = f'Asked "{topic}", the user answered: {correction}'
            fields = fields if fields["trust"] is Trust.PAGE else {"base": OUTCOME_WORTH}
        yield make_preference(lesson, text, EntryEvidence(run=lesson.run, finding=topic), scope, fields)


def trust_of(correction: str) -> dict[str, object]:
    """Return how far a correction is trusted; one that contains a quotation is trusted like a page."""
    if IN_QUOTES.search(correction):
        return {"trust": Trust.PAGE, "base": OUTCOME_WORTH}
    return {"trust": Trust.PERSON, "standing": LearningStatus.ACTIVE, "base": VERIFIED_WORTH}


def make_preference(
    lesson: Lesson, text: str, proof: EntryEvidence, scope: str, facts: dict[str, object]
) -> LearningEntry:
    """Make a preference that applies in a scope."""
    home = lesson.project if scope == "project" else ""
    return make_entry(lesson, "preference", text, proof, origin="user", scope=scope, project=home, **facts)


def scope_of(correction: str) -> str:
    """Return how widely a correction applies: ``project``, ``user``, or empty for this task only."""
    if ONE_TIME.search(correction):
        return ""
    if PROJECT.search(LOCATION.sub("", correction)):
        return "project"
    return "user" if EVERYWHERE.search(correction) else ""


def strip_quotes(answer: str) -> str:
    """Return an answer without its quotations: marked lines, and what follows a mail's header."""
    head = FORWARDED.search(answer)
    return QUOTED_LINES.sub("", answer[: head.start()] if head else answer).strip()


def quoted_text(answer: str) -> str:
    """Return the quotations in an answer, each on lines of its own; empty if there are none."""
    head = FORWARDED.search(answer)
    mine, theirs = (answer[: head.start()], answer[head.start() :]) if head else (answer, "")
    return "\n".join(filter(None, (*QUOTED_LINES.findall(mine), *IN_QUOTES.findall(mine), theirs)))
