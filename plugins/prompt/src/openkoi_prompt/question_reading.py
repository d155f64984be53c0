"""Recognise a clause that only asks to read and report something."""

import re

from .question_forms import begins_with, contains, find_form, matches_whole
from .speech_act import SpeechAct


def classify_reading(words: str) -> SpeechAct | None:
    """Recognise an imperative to read and report; None if it does not start with a reading verb."""
    if matches_whole("tries", words):
        return SpeechAct.RUN
    if begins_with("executes", words):
        return (
            SpeechAct.READ
            if matches_whole("runs", words)
            else SpeechAct.WORK
            if contains("risky_run", words)
            else SpeechAct.RUN
        )
    if begins_with("proposes", words):
        return SpeechAct.READ
    for verbs, reads in (("free", reads_freely), ("program", reads_workspace)):
        found = find_form(verbs).match(words)
        if found:
            return reads(found[0], re.sub(r"^(?:me|us)(?: |$)", "", words[found.end() :].strip()))
    return None


def reads_freely(verb: str, rest: str) -> SpeechAct:
    """Distinguish "explain the login" from "examine the input" and "describe it in the README"."""
    if contains("in_document", rest) or contains("written", rest):
        return SpeechAct.WORK
    if begins_with("embedded", rest):
        return SpeechAct.ASK if is_answerable(rest) else SpeechAct.WORK
    runs = begins_with("choosy", verb) and contains("runtime", rest)
    return SpeechAct.WORK if runs or makes_something(rest) else SpeechAct.READ


def makes_something(rest: str) -> bool:
    """Return whether the request also wants something made or done with the text that is read."""
    return any(contains(form, rest) for form in ("by_doing", "written", "purpose", "manner", "on_it", "else"))


def reads_workspace(verb: str, rest: str) -> SpeechAct:
    """Distinguish "list the tests" from "list the customers on the page": both are in the workspace."""
    if begins_with("embedded", rest) or rest.startswith("that "):
        return SpeechAct.ASK if reads_embedded(verb, rest) else SpeechAct.WORK
    if not rest:
        return SpeechAct.READ if begins_with("looks", verb) else SpeechAct.WORK
    rest = re.sub("^every ", "all ", rest)
    if makes_something(rest) or matches_whole("specified", rest) or matches_whole("specified_for", f"{verb} {rest}"):
        return SpeechAct.WORK
    head = find_form("head").split(rest)[0].strip()
    if contains("runtime", head) or not is_in_workspace(verb, rest.removeprefix(head)):
        return SpeechAct.WORK
    last = head.split()[-1]
    if begins_with("output", verb):
        return (
            SpeechAct.READ
            if contains("shown", rest) or (verb == "show" and matches_whole("unseen", last))
            else SpeechAct.WORK
        )
    named = matches_whole("thing", last) or contains("named", head) or verb == "compare"
    return SpeechAct.READ if named or begins_with("sought", f"{verb} {rest}") else SpeechAct.WORK


def is_in_workspace(verb: str, rest: str) -> bool:
    """Distinguish "in the parser module" from "in yellow"."""
    places = find_form("place_of").finditer(find_form("relative").split(rest)[0])
    return verb == "compare" or all(
        contains("workspace", place[0]) or (place[0].startswith("for ") and begins_with("seeks", verb))
        for place in places
    )


def reads_embedded(verb: str, rest: str) -> bool:
    """Distinguish "check whether the tests pass" from "check that the password is long enough"."""
    if not is_answerable(rest) or contains("written", rest) or matches_whole("how_done", f"{verb} {rest}"):
        return False  # "figure out how to get it green"
    shows = begins_with("shows", verb)
    condition = begins_with("whether", rest) or rest.startswith("that ")
    if (contains("runtime", " ".join(rest.split()[1:6])) and (shows or condition)) or (
        shows and contains("in_document", rest)
    ):
        return False
    if not rest.startswith("that ") and (not shows or verb == "count" or rest.startswith("how to ")):
        return True
    things = find_form("thing").findall(rest)
    plural = [thing for thing in things if not begins_with("output", verb) or thing.endswith("s")]
    return bool(plural) and verb != "see" and not makes_something(rest) and " exists" not in rest


def is_answerable(words: str) -> bool:
    """Distinguish "what it does" from "what you can do" and "whether you could add it"."""
    if contains("by_doing", words) and not begins_with("whether", words):
        return False
    return not any(contains(form, words) for form in ("no_answer", "else", "purpose"))
