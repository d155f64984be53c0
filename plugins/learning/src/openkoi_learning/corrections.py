"""Extract corrections from what the user said in a run.

A correction applies as widely as the user said, and otherwise to its task only: then nothing is kept. What the user
quotes from a mail or a page is not a correction by the user.
"""

import re
from collections.abc import Iterator

from openkoi_hookspecs import LearningStatus

from .entry import EntryEvidence, LearningEntry, Trust, short
from .lesson import Lesson, make_entry

YES_OR_NO = re.compile(
    r"(?:y|n|yes|no|ok|okay|sure|always|never|allow|deny|stop|continue|go on|\d+)[.!]?", re.IGNORECASE
)
WHAT_NOW = "What should be done?"
REFUSED = re.compile(r"\AAllow (\S+) |\nAllow (\S+) ")
GUESSED, CORRECTION = 0.75, 0.95
ONCE = re.compile(
    r"\b(?:this time|just once|only once|this once|for now|today|(?:for|in) this (?:task|run|one|case|session))\b",
    re.IGNORECASE,
)
PLACED = re.compile(
    r"\b(?:add|insert|leave|look|move|paste|place|put|save|start|stop|wait|write)\b[^.;]*\bhere\b", re.I
)
PROJECT = re.compile(
    r"(?<!not )\b(?:in|for|of|across|throughout) (?:this|our|the whole|the entire)(?: \w+)? "
    r"(?:project|repo|repository|code ?base|workspace|package)\b"
    r"|\b(?<!in )(?:this|our) (?:project|repo|repository|code ?base)\b|\bproject-wide\b|\b(?:around )?here\b",
    re.IGNORECASE,
)
EVERYWHERE = re.compile(
    r"(?<!not )(?<!it )(?<!you )(?<!they )\b(?:always|never)\b(?! mind)"
    r"|\b(?:from now on|in general|generally|as a rule|everywhere|every time)\b"
    r"|\bin (?:the )?future\b|\b(?:in|for|across) (?:all|every|any)(?: of)?(?: my| our)? (?:projects?|repos?|tasks?)\b",
    re.IGNORECASE,
)
FORWARDED = re.compile(
    r"^\s*(?:-{2,}\s*(?:original|forwarded) message|begin forwarded message|on .{4,120} wrote:\s*$|from:\s|subject:\s)",
    re.IGNORECASE | re.MULTILINE,
)
MARKED = re.compile(r"^[ \t]*[>|][^\n]*$|```.*?(?:```|\Z)", re.MULTILINE | re.DOTALL)
IN_QUOTES = re.compile('"[^"]*(?:\\s[^"\\s]+){2,}"|“[^”]*(?:\\s[^”\\s]+){2,}”|«[^»]*(?:\\s[^»\\s]+){2,}»')


def corrections(lesson: Lesson) -> Iterator[LearningEntry]:
    """Yield what the user said in their own words, what to do or why not, if it applies beyond this task.

    The answer to a question that a model made up is worth no more than the question.
    """
    for question, answer in lesson.answers:
        said = strip_quotes(answer).removeprefix("no:").strip()
        scope = scope_of(said)
        if not scope or YES_OR_NO.fullmatch(said):
            continue
        refused = REFUSED.search(question)
        tool = next(filter(None, refused.groups()), "") if refused else ""
        asked = short(question.partition("\n")[0], 120)
        text, facts = said, {"trust": Trust.PERSON, "standing": LearningStatus.ACTIVE, "base": CORRECTION}
        if tool:
            text = f"When about to use {tool}: {said}"
        elif not question.endswith(WHAT_NOW):
            text, facts = f'Asked "{asked}", the user said: {said}', {"base": GUESSED}
        if IN_QUOTES.search(said):
            facts = {"trust": Trust.PAGE, "base": GUESSED}
        yield make_preference(lesson, text, EntryEvidence(run=lesson.run, finding=asked), scope, facts)


def make_preference(
    lesson: Lesson, text: str, proof: EntryEvidence, scope: str, facts: dict[str, object]
) -> LearningEntry:
    """Make a preference that applies in a scope."""
    home = lesson.project if scope == "project" else ""
    return make_entry(lesson, "preference", text, proof, origin="user", scope=scope, project=home, **facts)


def scope_of(said: str) -> str:
    """Return how widely a correction applies: ``project``, ``user``, or empty for this task only."""
    if ONCE.search(said):
        return ""
    if PROJECT.search(PLACED.sub("", said)):
        return "project"
    return "user" if EVERYWHERE.search(said) else ""


def strip_quotes(answer: str) -> str:
    """Return an answer without its quotations: marked lines, and what follows a mail's header."""
    head = FORWARDED.search(answer)
    return MARKED.sub("", answer[: head.start()] if head else answer).strip()
