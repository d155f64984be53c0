"""What a clause does, told from its form: it asks, has something read, states, forbids changes, or asks for work."""

import re
from enum import Enum, auto

from .question_forms import begins, find_form, fits, holds, is_made_of, skip


class Act(Enum):
    """What is done by saying a clause."""

    WORK = auto()  # "rename it", "it should be blue", "can you add one", "yes"
    ASK = auto()  # "what does it do", "tell me whether it is fast"
    READ = auto()  # "list the tests", "look at the parser"
    RUN = auto()  # "build it": only reads where an answer is asked for after it
    TALK = auto()  # "thanks"
    FORBID = auto()  # "do not change anything"
    CONDITION = auto()  # "when the tests fail", "in parser.py"
    OWN = auto()  # "I am new here": states something of the speaker
    STATE = auto()  # "the header is blue": background of a question after it, a complaint otherwise
    NOTHING = auto()  # "ok"
    UNKNOWN = auto()


def classify_clause(words: str, asked: bool, before: Act) -> Act:
    """Say what a clause does by itself."""
    said, words = words, strip_fillers(words)
    if fits("agrees", said) or fits("agrees", words):
        return Act.WORK
    if is_made_of("talking", said) and not fits("file_please", said):
        return Act.NOTHING if is_made_of("neutral", said) else Act.TALK
    if (act := classify_forbidding(said) or classify_forbidding(words)) is not None:
        return act
    if is_made_of("neutral", words):
        return Act.UNKNOWN if fits("file_please", said) else Act.NOTHING
    if fits("only_answer", said) and not holds("written", words):
        return Act.ASK
    act = classify_request(words) or classify_asking(words, asked, before)
    if act is None and before is Act.CONDITION and classify_reading(words):
        return Act.WORK  # "when a test fails, list its log" says what a program does
    return act or classify_imperative(words) or classify_statement(words, said, asked, before)


def strip_fillers(words: str) -> str:
    """Drop what says nothing: "ok, now please" before it, "please" after it."""
    words = re.sub(r"\bplease (?=(?:why|how|what|which|whether|if)\b)", "", words)
    while rest := skip("filler", words):
        words = rest
    return re.sub(r"( (?:please|thanks|roughly|lol))+$", "", "" if fits("filler", words) else words)


def classify_forbidding(words: str) -> Act | None:
    """Tell "do not change anything" from "do not touch the tests", and both from "do not log passwords"."""
    rest = skip("not_doing", words)
    if rest is not None:
        everything = all(fits("sparing_all", word) for word in rest.split())
        harmless = all(fits("harmless", word) for word in rest.split())
        return Act.FORBID if everything else Act.NOTHING if harmless else None
    if holds("except", words):
        return None
    return Act.FORBID if begins("forbids", words) else Act.NOTHING if begins("spares", words) else None


# --- requests


def classify_request(words: str) -> Act | None:
    """Say of "can you list" and "would you rename" what the verb after it says."""
    if begins("ability", words):
        return Act.ASK
    rest = skip("polite", words)
    if rest is None:
        return None
    return classify_imperative(re.sub(r"^(\w+[^e])(?:ed|ing)\b", r"\1", strip_fillers(rest))) or Act.WORK


def classify_imperative(words: str) -> Act | None:
    return classify_telling(words) or classify_reading(words)


def classify_telling(words: str) -> Act | None:
    """Recognise what asks for an answer to the user: "tell me", "I wonder whether", "I would like an overview"."""
    wanted = skip("wants", words)
    if wanted is not None and holds("answer_noun", wanted):
        made = any(holds(form, words) for form in ("written", "answer_in", "in_document"))
        return Act.WORK if made else Act.ASK
    rest = skip("tells", words)
    if rest is None:
        return None
    return Act.ASK if not rest or is_told(words.removesuffix(rest).strip(), rest) else Act.WORK


def is_told(telling: str, rest: str) -> bool:
    """Tell whether what follows "tell me" or "give me" is only an answer."""
    if begins("embedded", rest) or re.match(r"about (?:how|what|why)\b", rest):
        own = begins("speaker", telling)
        return is_answered(rest) and not begins("not_told", rest) and (own or not holds("written", rest))
    if fits("unsure", telling) or begins("not_told", rest):
        return False
    if any(holds(form, rest) for form in ("written", "purpose", "by_doing")) or begins("not_told_noun", rest):
        return False
    if not begins("shows_me", telling):
        return not holds("made_noun", rest)
    made = telling.startswith("give") or begins("one", rest)
    if begins("made_noun", rest) or begins("shown_how", rest) or (made and not holds("answer_noun", rest)):
        return False
    return not (holds("in_file", rest) or holds("manner", rest))


def is_answered(words: str) -> bool:
    """Tell "what it does" from "what you can do", "whether you could add it" and "what is wrong by fixing it"."""
    if holds("by_doing", words) and not begins("whether", words):
        return False
    return not any(holds(form, words) for form in ("no_answer", "else", "purpose"))


# --- what is to be read


def classify_reading(words: str) -> Act | None:
    """Recognise an imperative that reads and reports; None where it does not begin with a reading verb."""
    if fits("tries", words):
        return Act.RUN
    if begins("executes", words):
        return Act.READ if fits("runs", words) else Act.WORK if holds("risky_run", words) else Act.RUN
    if begins("proposes", words):
        return Act.READ
    for verbs, reads in (("free", reads_freely), ("program", reads_workspace)):
        found = find_form(verbs).match(words)
        if found:
            return reads(found[0], re.sub(r"^(?:me|us)(?: |$)", "", words[found.end() :].strip()))
    return None


def reads_freely(verb: str, rest: str) -> Act:
    """Tell "explain the login" from "examine the input" and "describe it in the README"."""
    if holds("in_document", rest) or holds("written", rest):
        return Act.WORK
    if begins("embedded", rest):
        return Act.ASK if is_answered(rest) else Act.WORK
    runs = begins("choosy", verb) and holds("runtime", rest)
    return Act.WORK if runs or is_made(rest) else Act.READ


def is_made(rest: str) -> bool:
    """Tell whether something is to be made of what is read, or done while it is read."""
    return any(holds(form, rest) for form in ("by_doing", "written", "purpose", "manner", "on_it", "else"))


def reads_workspace(verb: str, rest: str) -> Act:
    """Tell "list the tests" from "list the customers on the page": object and place are of the workspace."""
    if begins("embedded", rest) or rest.startswith("that "):
        return Act.ASK if reads_embedded(verb, rest) else Act.WORK
    if not rest:
        return Act.READ if begins("looks", verb) else Act.WORK
    rest = re.sub("^every ", "all ", rest)
    if is_made(rest) or fits("specified", rest) or fits("specified_for", f"{verb} {rest}"):
        return Act.WORK
    head = find_form("head").split(rest)[0].strip()
    if holds("runtime", head) or not is_in_workspace(verb, rest.removeprefix(head)):
        return Act.WORK
    last = head.split()[-1]
    if begins("output", verb):
        return Act.READ if holds("shown", rest) or (verb == "show" and fits("unseen", last)) else Act.WORK
    named = fits("thing", last) or holds("named", head) or verb == "compare"
    return Act.READ if named or begins("sought", f"{verb} {rest}") else Act.WORK


def is_in_workspace(verb: str, rest: str) -> bool:
    """Tell "in the parser module" from "in yellow"."""
    places = find_form("place_of").finditer(find_form("relative").split(rest)[0])
    return verb == "compare" or all(
        holds("workspace", place[0]) or (place[0].startswith("for ") and begins("seeks", verb)) for place in places
    )


def reads_embedded(verb: str, rest: str) -> bool:
    """Tell "check whether the tests pass" from "check that the password is long enough"."""
    if not is_answered(rest) or holds("written", rest) or fits("how_done", f"{verb} {rest}"):
        return False  # "figure out how to get it green"
    shows = begins("shows", verb)
    condition = begins("whether", rest) or rest.startswith("that ")
    if (holds("runtime", " ".join(rest.split()[1:6])) and (shows or condition)) or (
        shows and holds("in_document", rest)
    ):
        return False
    if not rest.startswith("that ") and (not shows or verb == "count" or rest.startswith("how to ")):
        return True
    things = find_form("thing").findall(rest)
    plural = [thing for thing in things if not begins("output", verb) or thing.endswith("s")]
    return bool(plural) and verb != "see" and not is_made(rest) and " exists" not in rest


# --- questions


def classify_asking(words: str, asked: bool, before: Act = Act.NOTHING) -> Act | None:
    """Recognise a question by its form; one that is a request in the shape of a question is work."""
    if (foreign := classify_foreign(words, asked, before)) is not None:
        return foreign
    if begins("requests", words) or begins("urges", words):
        return Act.WORK
    if begins("wh_opening", words):
        if before in (Act.STATE, Act.OWN) and not asked and begins("which", words):
            return None  # "it refers to the old one, which we stopped supporting"
        return Act.ASK if asked or begins("inverted", words) else None
    if fits("polar", words) and (asked or (begins("loose", words) and before not in (Act.STATE, Act.OWN))):
        return Act.WORK if fits("wishes", words) and not holds("or_else", words) else Act.ASK
    if before in (Act.ASK, Act.READ, Act.RUN) and (rest := skip("reports", words)) is not None:
        return Act.ASK if is_answered(rest) else Act.WORK
    return Act.ASK if begins("fragment", words) or (asked and fits("asked_fragment", words)) else None


def classify_foreign(words: str, asked: bool, before: Act) -> Act | None:
    """Recognise what is said in some other languages; None where the words are English or no known form."""
    if fits("foreign_forbids", words):
        return Act.FORBID
    if holds("script_any", words):
        return classify_script(words, asked)
    doubt = holds("foreign_doubt", find_form("foreign_between").sub("", words))
    if fits("foreign_thanks", words) and not doubt:
        return Act.TALK
    if fits("foreign_greets", words):
        return Act.NOTHING
    if fits("foreign_tells", words) and not holds("foreign_and", find_form("foreign_between").sub("", words)):
        return Act.ASK
    if before is Act.ASK and begins("foreign_conditions", words) and not holds("foreign_request", words):
        return Act.NOTHING
    opens = begins("foreign_opens", words) and (asked or before is Act.ASK)
    if (opens or begins("foreign_sure", words) or (asked and begins("foreign_stated", words))) and not doubt:
        return Act.ASK
    return Act.WORK if holds("foreign", words) else None


def classify_script(words: str, asked: bool) -> Act:
    """Recognise what is said in Russian, Chinese, Japanese and Korean; where in doubt it is work."""
    if holds("script_tells", words):
        return Act.ASK
    if holds("script_requests", words):
        return Act.WORK
    if holds("script_thanks", words):
        return Act.TALK
    return Act.ASK if asked or holds("script_asks", words) else Act.WORK


# --- statements


def classify_statement(words: str, said: str, asked: bool, before: Act) -> Act:
    """Tell background from a wish; a statement with a question mark asks."""
    if holds("wish", find_form("wanted_by_others").sub("", words)):
        return Act.WORK
    if begins("when", words):
        return classify_late(words, asked) or Act.CONDITION
    if asked and before in (Act.STATE, Act.OWN, Act.ASK, Act.READ) and fits("tag", words):
        return Act.ASK
    if begins("states", words):
        return Act.ASK if asked and not holds("rhetorical", said) else Act.OWN if begins("own", words) else Act.STATE
    topic = not asked and before not in (Act.ASK, Act.READ) and begins("noun_phrase", words)
    return Act.STATE if topic else Act.UNKNOWN


def classify_late(words: str, asked: bool) -> Act | None:
    """Recognise a question after a condition without a comma: "if I drop it what breaks"."""
    told = find_form("tells").search(words)
    if told and begins("speaker", told[0]):
        return classify_telling(words[told.start() :])
    late = find_form("asked_late").search(words) or (find_form("asked_polar").search(words) if asked else None)
    return classify_asking(words[late.start() :], asked) if late else None
