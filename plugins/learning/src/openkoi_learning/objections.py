"""Recognize a follow-up that objects to earlier work, and extract the instruction in it.

A follow-up that asks for more work, asks a question or thanks is not an objection, whatever single words it contains.
"""

import re

from openkoi_hookspecs.lazy_pattern import lazy_pattern

SENTENCE_END = lazy_pattern(r"(?<=[.!?;])\s+|\n+")
FILLER = r"(?:(?:hm+|uh|oh|hey|well|but|and|sorry|please|ok|okay|again|also|so)\b[,.:;!\s-]*)*"
ENDS_HERE = r"(?=[\s,.:;!?\u2013\u2014-]|$)"
DENIAL = lazy_pattern(
    rf"\A{FILLER}(?:n(?:o|ope|ah)\b[\s,.:;!\u2013\u2014-]*)+"
    r"(?!thank|problem|worr|need|idea|doubt|more|rush|hurry|matter|wonder|one\b|reason|further|it is fine|it's fine|"
    r"that's (?:all|it|fine|ok)|that is (?:all|it|fine)|go (?:on|ahead)|changes?\b)(?=\w)",
    re.IGNORECASE,
)
BARE_DENIAL = lazy_pattern(r"\A\W*no\s+\w+\W*\Z", re.IGNORECASE)
COMPLAINT = lazy_pattern(
    rf"\A{FILLER}(?:"
    rf"(?:(?:that|this|it|which)(?:'s| is| was| looks)? )?(?:(?:still|just|simply|completely|all) )?"
    rf"(?:wrong|incorrect|not (?:quite |at all )?(?:right|correct|true|what|how|like (?:that|this|so)|the)){ENDS_HERE}"
    r"|(?:that|this|it) (?:still )?(?:didn't|did not|doesn't|does not|isn't|wasn't) "
    r"(?:look )?(?:work|help|right|correct|what|how)"
    r"|(?:that|this|it|the|your) ?(?:\w+ ){0,2}(?:'s|is|are|was|were) "
    r"(?:still |all |the )*(?:wrong|incorrect)\b(?! to\b)"
    r"|still (?:broken|wrong|failing|not)\b"
    r"|you (?:again |still |just |completely )?(?:forgot|missed|misunder|misread|ignored|broke|were supposed|"
    r"should(?: not|n't)? have|were asked|weren't|keep \w+ing|got .*\b(?:wrong|backwards|mixed))(?! nothing)"
    r"|(?:as|like) i (?:sa(?:id|y)|t(?:old|ell)|asked|wrote)\b"
    r"|i(?:'ve| have)? (?:already |clearly )?(?:t(?:old|ell) you|meant(?! to)|asked (?:for|you))\b"
    r"|i(?: already| clearly)? sa(?:id|y) (?:no|not|to|that|only|it|don't|do not|never|always|use|without|in)\b"
    r"|i (?:wanted(?! to)|would prefer|don't (?:like|want)|(?:didn't|did not) (?:ask|want|say|mean))\b"
    r"|(?:i'd prefer|let's not|prefer \w.*\bover)\b"
    r"|too (?:long|short|much|verbose|complex|complicated|slow|wordy)\b"
    r"|(?:undo|revert) (?:that|this|it)\s*(?:[,.;:!]|\Z)"
    r")",
    re.IGNORECASE,
)
RULE = lazy_pattern(
    rf"\A{FILLER}(?:(?:you|we)(?: should| must)? |remember to )?(?:"
    r"(?:always|never)\b(?! mind| been| had| did| got| nice| good| great| a\b)"
    r"|(?:from now on|in (?:the )?future|in general|as a rule)\b(?!,? (?:we|i|it|they) (?:want|will|plan|may|might))"
    r"|(?:do not|don't)\s+(?!worry|bother|forget|hesitate|mind|know|understand|think|see|need)\w"
    r"|stop \w+ing\b"
    r")",
    re.IGNORECASE,
)
REPLACEMENT = lazy_pattern(
    r"\b(?:use|should \w+)\b[^?]*(?:\binstead of\b|\brather than\b|,? not )",
    re.IGNORECASE,
)
ACTUALLY = lazy_pattern(
    rf"\A{FILLER}actually,?\s+(?!(?:that|this|it)(?:'s| is| looks| works| was) (?:\w+ )?"
    r"(?:great|good|fine|nice|perfect|ok|okay|right|better|well)"
    r"|looks|works|can|could|would|will|what|how|why|where|is|are|do|does|thanks|yes|let's)\w",
    re.IGNORECASE,
)
SINGLE_CHANGE = lazy_pattern(
    r"\A(?:please )?(?:add|build|change|commit|create|delete|fix|move|remove|rename|replace|revert|rewrite|run|undo|"
    r"update)\b",
    re.IGNORECASE,
)
OPENING = lazy_pattern(
    rf"\A{FILLER}(?:n(?:o|ope|ah)|actually|(?:undo|revert) (?:that|this|it)"
    r"|(?:(?:that|this|it)(?:'s| is| was) )?(?:wrong|incorrect|not (?:right|correct)))"
    r"[\s,.:;!\u2013\u2014-]+(?=\w)",
    re.IGNORECASE,
)


def is_objection(text: str) -> bool:
    """Return whether a follow-up calls earlier work wrong, or states how it should always be done."""
    sentences = split_sentences(text)
    if not sentences or BARE_DENIAL.match(text):
        return False
    first = sentences[0]
    complains = not first.endswith("?") and (DENIAL.match(text) or COMPLAINT.match(first))
    return bool(complains) or any(map(objects, sentences))


def objects(sentence: str) -> bool:
    """Return whether a sentence alone objects; a question does not."""
    if sentence.endswith("?"):
        return False
    return any(one.search(sentence) for one in (RULE, REPLACEMENT, ACTUALLY))


def is_single_change(rule: str) -> bool:
    """Return whether an objection requests one change, such as "rename it in this project", not how to do all work."""
    return bool(SINGLE_CHANGE.match(rule)) and not re.search(r"\b(?:always|every|all)\b", rule, re.IGNORECASE)


def strip_opening(text: str) -> str:
    """Return an objection without the words that only object, such as "No, that is wrong:"."""
    found = OPENING.match(text)
    return strip_opening(text[found.end() :]) if found else text


def split_sentences(text: str) -> list[str]:
    """Split a text into sentences."""
    return [one.strip() for one in SENTENCE_END.split(text) if one.strip()]
