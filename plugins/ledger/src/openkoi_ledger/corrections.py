"""What a person said in a run, in words of their own. Knows questions and answers; knows no ledger."""

import re
from collections.abc import Iterator

from openkoi_hookspecs import Standing

from .entry import Entry, Proof, Trust, short
from .lesson import Lesson, noted

YES_OR_NO = re.compile(
    r"(?:y|n|yes|no|ok|okay|sure|always|never|allow|deny|stop|continue|go on|\d+)[.!]?", re.IGNORECASE
)
WHAT_NOW = "What should be done?"
REFUSED = re.compile(r"\AAllow (\S+) |\nAllow (\S+) ")
GUESSED, CORRECTION = 0.75, 0.95


def corrections(lesson: Lesson) -> Iterator[Entry]:
    """What a person said in words of their own: what to do, or why not.

    The answer to a question that a model made up is worth no more than the question.
    """
    for question, answer in lesson.answers:
        said = answer.strip().removeprefix("no:").strip()
        if not said or YES_OR_NO.fullmatch(said):
            continue
        refused = REFUSED.search(question)
        tool = next(filter(None, refused.groups()), "") if refused else ""
        asked = short(question.partition("\n")[0], 120)
        proof = Proof(run=lesson.run, finding=asked)
        if not tool and not question.endswith(WHAT_NOW):
            text = f'Asked "{asked}", the person said: {said}'
            yield noted(lesson, "preference", text, proof, origin="user", base=GUESSED)
            continue
        text = f"When about to use {tool}: {said}" if tool else said
        yield noted(
            lesson,
            "preference",
            text,
            proof,
            origin="user",
            trust=Trust.PERSON,
            standing=Standing.ACTIVE,
            base=CORRECTION,
        )
