"""Classify clauses by form: a clause asks, wants something read, states, forbids changes, or asks for work."""

import re

from .question_forms import begins_with, consists_of, contains, find_form, matches_whole, skip_form
from .question_reading import classify_reading, is_answerable
from .speech_act import SpeechAct


def classify_clause(words: str, asked: bool, before: SpeechAct) -> SpeechAct:
    """Return the speech act of a clause by itself."""
    original, words = words, strip_fillers(words)
    if matches_whole("agrees", original) or matches_whole("agrees", words):
        return SpeechAct.WORK
    if consists_of("talking", original) and not matches_whole("file_please", original):
        return SpeechAct.NOTHING if consists_of("neutral", original) else SpeechAct.TALK
    if (act := classify_forbidding(original) or classify_forbidding(words)) is not None:
        return act
    if consists_of("neutral", words):
        return SpeechAct.UNKNOWN if matches_whole("file_please", original) else SpeechAct.NOTHING
    if matches_whole("only_answer", original) and not contains("written", words):
        return SpeechAct.ASK
    act = classify_request(words) or classify_asking(words, asked, before)
    if act is None and before is SpeechAct.CONDITION and classify_reading(words):
        return SpeechAct.WORK  # "when a test fails, list its log" says what a program does
    return act or classify_imperative(words) or classify_statement(words, original, asked, before)


def strip_fillers(words: str) -> str:
    """Remove fillers: "ok, now please" before a clause, "please" after it."""
    words = re.sub(r"\bplease (?=(?:why|how|what|which|whether|if)\b)", "", words)
    while rest := skip_form("filler", words):
        words = rest
    return re.sub(r"( (?:please|thanks|roughly|lol))+$", "", "" if matches_whole("filler", words) else words)


def classify_forbidding(words: str) -> SpeechAct | None:
    """Distinguish "do not change anything" from "do not touch the tests", and both from "do not log passwords"."""
    rest = skip_form("not_doing", words)
    if rest is not None:
        everything = all(matches_whole("sparing_all", word) for word in rest.split())
        harmless = all(matches_whole("harmless", word) for word in rest.split())
        return SpeechAct.FORBID if everything else SpeechAct.NOTHING if harmless else None
    if contains("except", words):
        return None
    return (
        SpeechAct.FORBID
        if begins_with("forbids", words)
        else SpeechAct.NOTHING
        if begins_with("spares", words)
        else None
    )


# --- requests


def classify_request(words: str) -> SpeechAct | None:
    """Classify the verb after "can you list" and "would you rename"."""
    if begins_with("ability", words):
        return SpeechAct.ASK
    rest = skip_form("polite", words)
    if rest is None:
        return None
    return classify_imperative(re.sub(r"^(\w+[^e])(?:ed|ing)\b", r"\1", strip_fillers(rest))) or SpeechAct.WORK


def classify_imperative(words: str) -> SpeechAct | None:
    return classify_answer_request(words) or classify_reading(words)


def classify_answer_request(words: str) -> SpeechAct | None:
    """Recognise requests for an answer to the user: "tell me", "I wonder whether", "I would like an overview"."""
    wanted = skip_form("wants", words)
    if wanted is not None and contains("answer_noun", wanted):
        made = any(contains(form, words) for form in ("written", "answer_in", "in_document"))
        return SpeechAct.WORK if made else SpeechAct.ASK
    rest = skip_form("tells", words)
    if rest is None:
        return None
    return SpeechAct.ASK if not rest or is_only_answer(words.removesuffix(rest).strip(), rest) else SpeechAct.WORK


def is_only_answer(telling: str, rest: str) -> bool:
    """Return whether what follows "tell me" or "give me" is only an answer."""
    if begins_with("embedded", rest) or re.match(r"about (?:how|what|why)\b", rest):
        own = begins_with("speaker", telling)
        return is_answerable(rest) and not begins_with("no_report", rest) and (own or not contains("written", rest))
    if matches_whole("unsure", telling) or begins_with("no_report", rest):
        return False
    if any(contains(form, rest) for form in ("written", "purpose", "by_doing")) or begins_with("no_report_noun", rest):
        return False
    if not begins_with("shows_me", telling):
        return not contains("made_noun", rest)
    made = telling.startswith("give") or begins_with("one", rest)
    if begins_with("made_noun", rest) or begins_with("shown_how", rest) or (made and not contains("answer_noun", rest)):
        return False
    return not (contains("in_file", rest) or contains("manner", rest))


# --- questions


def classify_asking(words: str, asked: bool, before: SpeechAct = SpeechAct.NOTHING) -> SpeechAct | None:
    """Recognise a question by its form; a request in the form of a question is work."""
    if (foreign := classify_foreign(words, asked, before)) is not None:
        return foreign
    if begins_with("requests", words) or begins_with("urges", words):
        return SpeechAct.WORK
    if begins_with("wh_opening", words):
        if before in (SpeechAct.STATE, SpeechAct.OWN) and not asked and begins_with("which", words):
            return None  # "it refers to the old one, which we stopped supporting"
        return SpeechAct.ASK if asked or begins_with("inverted", words) else None
    if matches_whole("polar", words) and (
        asked or (begins_with("loose", words) and before not in (SpeechAct.STATE, SpeechAct.OWN))
    ):
        return SpeechAct.WORK if matches_whole("wishes", words) and not contains("or_else", words) else SpeechAct.ASK
    if before in (SpeechAct.ASK, SpeechAct.READ, SpeechAct.RUN) and (rest := skip_form("reports", words)) is not None:
        return SpeechAct.ASK if is_answerable(rest) else SpeechAct.WORK
    return (
        SpeechAct.ASK if begins_with("fragment", words) or (asked and matches_whole("asked_fragment", words)) else None
    )


def classify_foreign(words: str, asked: bool, before: SpeechAct) -> SpeechAct | None:
    """Recognise questions in some other languages; None if the words are English or no known form."""
    if matches_whole("foreign_forbids", words):
        return SpeechAct.FORBID
    if contains("script_any", words):
        return classify_script(words, asked)
    doubt = contains("foreign_doubt", find_form("foreign_between").sub("", words))
    if matches_whole("foreign_thanks", words) and not doubt:
        return SpeechAct.TALK
    if matches_whole("foreign_greets", words):
        return SpeechAct.NOTHING
    if matches_whole("foreign_tells", words) and not contains(
        "foreign_and", find_form("foreign_between").sub("", words)
    ):
        return SpeechAct.ASK
    if before is SpeechAct.ASK and begins_with("foreign_conditions", words) and not contains("foreign_request", words):
        return SpeechAct.NOTHING
    opens = begins_with("foreign_opens", words) and (asked or before is SpeechAct.ASK)
    if (opens or begins_with("foreign_sure", words) or (asked and begins_with("foreign_stated", words))) and not doubt:
        return SpeechAct.ASK
    return SpeechAct.WORK if contains("foreign", words) else None


def classify_script(words: str, asked: bool) -> SpeechAct:
    """Recognise questions in Russian, Chinese, Japanese and Korean; in doubt, the clause is work."""
    if contains("script_tells", words):
        return SpeechAct.ASK
    if contains("script_requests", words):
        return SpeechAct.WORK
    if contains("script_thanks", words):
        return SpeechAct.TALK
    return SpeechAct.ASK if asked or contains("script_asks", words) else SpeechAct.WORK


# --- statements


def classify_statement(words: str, original: str, asked: bool, before: SpeechAct) -> SpeechAct:
    """Distinguish background from a wish; a statement with a question mark asks."""
    if contains("wish", find_form("wanted_by_others").sub("", words)):
        return SpeechAct.WORK
    if begins_with("when", words):
        return classify_late(words, asked) or SpeechAct.CONDITION
    if (
        asked
        and before in (SpeechAct.STATE, SpeechAct.OWN, SpeechAct.ASK, SpeechAct.READ)
        and matches_whole("tag", words)
    ):
        return SpeechAct.ASK
    if begins_with("states", words):
        return (
            SpeechAct.ASK
            if asked and not contains("rhetorical", original)
            else SpeechAct.OWN
            if begins_with("own", words)
            else SpeechAct.STATE
        )
    topic = not asked and before not in (SpeechAct.ASK, SpeechAct.READ) and begins_with("noun_phrase", words)
    return SpeechAct.STATE if topic else SpeechAct.UNKNOWN


def classify_late(words: str, asked: bool) -> SpeechAct | None:
    """Recognise a question after a condition without a comma: "if I drop it what breaks"."""
    telling = find_form("tells").search(words)
    if telling and begins_with("speaker", telling[0]):
        return classify_answer_request(words[telling.start() :])
    late = find_form("asked_late").search(words) or (find_form("asked_polar").search(words) if asked else None)
    return classify_asking(words[late.start() :], asked) if late else None
