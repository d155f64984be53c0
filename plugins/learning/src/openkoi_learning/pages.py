"""Format entries as a line, a list, or a page with all the evidence."""

import json
from collections.abc import Iterable, Iterator, Sequence

from .book import LearningState
from .credit import by_model, counts, lift
from .decay import USUAL, Decay, confidence
from .entry import EntryEvidence, LearningEntry
from .figures import to_learning

LATEST = 10
TRUST = (
    "made of what a page or a message says",
    "made of what a tool or a file says",
    "in a model's words",
    "in a model's words, and verified by a check",
    "in your words, or approved by you",
)


def line(book: LearningState, entry: LearningEntry) -> str:
    """An entry in a line."""
    known = to_learning(book, entry)
    marks = ", ".join(
        filter(None, (str(entry.standing), "pinned" * entry.pinned, "quoted as data" * entry.is_untrusted))
    )
    return f"{entry.id}  {entry.kind}: {entry.text}  ({marks}; shown {known.shown}, helped {known.helpful}, harmed {known.harmful})"  # noqa: E501  # one line of output


def overview(book: LearningState, entries: Sequence[LearningEntry]) -> str:
    """All entries, the most useful first."""
    if not entries:
        return "Nothing was learned yet. Entries are made when a task took more than one attempt."
    return "\n".join(
        line(book, entry) for entry in sorted(entries, key=lambda one: (-to_learning(book, one).confidence, one.id))
    )


def page(book: LearningState, entry: LearningEntry, now: str, decay: Decay = USUAL) -> str:
    """Everything that is known about an entry; it fades like this."""
    return "\n".join([line(book, entry), *facts(book, entry, now, decay), *evidence(entry), *outcomes(book, entry)])


def facts(book: LearningState, entry: LearningEntry, now: str, decay: Decay) -> Iterator[str]:
    """Where it holds, what it stands on, and what it is worth now."""
    where = f"project {entry.project}" if entry.scope == "project" else entry.scope
    yield f"  holds in:  {where}; about: {', '.join(entry.keys) or 'nothing by name'}"
    yield f"  from:      {entry.origin}, {TRUST[entry.trust]}; {explain_display(entry)}"
    if entry.reason:
        yield f"  standing:  {entry.standing}, {entry.reason}"
    if entry.until:
        after = f", replaced by {entry.superseded_by}" if entry.superseded_by else ""
        yield f"  valid:     {entry.since} to {entry.until}{after}"
    known = to_learning(book, entry, decay)
    left = confidence(known.confidence, book.last_helped(entry), now, decay)
    fades = f"; without help it is shown until {known.expires_at[:10]}" if known.expires_at else ""
    yield f"  worth:     confidence {known.confidence:.2f}, faded to {left:.2f}{fades}"
    yield f"  lift:      {format_uplift(book, entry)}"


def explain_display(entry: LearningEntry) -> str:
    """How it stands in a prompt, and what would change that."""
    if not entry.is_untrusted:
        return "shown as an instruction"
    until = "you approve it" if entry.read else "you approve it, or runs without it prove that it helps"
    return f"shown as quoted data until {until}"


def format_uplift(book: LearningState, entry: LearningEntry) -> str:
    """Return how much more often first attempts pass with an entry, and what that means."""
    uses = book.uses(entry.id)
    if not uses:
        return "not known: no task that was judged has met it yet"
    found = lift(uses, book.usual(entry.project))
    known = "it helps" if found.low > 0 else "it harms" if found.high < 0 else "too few to tell"
    return f"{found.mean:+.2f} (between {found.low:+.2f} and {found.high:+.2f}) of first attempts that pass: {known}"


def evidence(entry: LearningEntry) -> Iterator[str]:
    """The runs that taught it."""
    for proof in entry.proofs:
        yield f"  learned:   {format_evidence(proof)}"
    for task in entry.when:
        yield f"  in a task: {task}"


def format_evidence(proof: EntryEvidence) -> str:
    """Return one piece of evidence."""
    said = [f"run {proof.run[:8]}, iteration {proof.iteration + 1}"]
    if proof.finding:
        said.append(f"{proof.finding} {proof.where}".rstrip())
    if proof.before or proof.after:
        said.append(f"red before: {', '.join(proof.before) or 'nothing'}; after: {', '.join(proof.after) or 'nothing'}")
    if proof.diff:
        said.append(f"diff {proof.diff}")
    return "; ".join(said)


def outcomes(book: LearningState, entry: LearningEntry) -> Iterator[str]:
    """When it was shown or withheld, and how that went."""
    for model, known in by_model(book.uses(entry.id)).items():
        said = f"shown {known.shown}, helped {known.helpful}, harmed {known.harmful}, withheld {known.withheld}"
        yield f"  with {model or 'any model'}: {said}"
    for use in book.uses(entry.id)[-LATEST:]:
        how = "passed" if use.passed else "failed in this" if use.blamed else "failed in something else"
        what = "shown" if use.shown else "withheld"
        yield f"  {book.visits[use.run].at[:16]}  run {use.run[:8]}: {what}, the first attempt {how}"


def as_json(book: LearningState, entries: Iterable[LearningEntry], now: str, decay: Decay = USUAL) -> str:
    """The same for programs."""
    return json.dumps([plain(book, entry, now, decay) for entry in entries], indent=2, ensure_ascii=False)


def plain(book: LearningState, entry: LearningEntry, now: str, decay: Decay) -> dict[str, object]:
    uses, known = book.uses(entry.id), to_learning(book, entry, decay)
    found = lift(uses, book.usual(entry.project))
    return {
        "id": entry.id,
        "kind": entry.kind,
        "text": entry.text,
        "standing": str(entry.standing),
        "scope": entry.scope,
        "project": entry.project,
        "origin": entry.origin,
        "trust": entry.trust.name.lower(),
        "pinned": entry.pinned,
        "keys": list(entry.keys),
        "shown": known.shown,
        "helpful": known.helpful,
        "harmful": known.harmful,
        "withheld": counts(uses).withheld,
        "lift": [round(found.low, 3), round(found.mean, 3), round(found.high, 3)],
        "confidence": known.confidence,
        "faded": round(confidence(known.confidence, book.last_helped(entry), now, decay), 3),
        "last_used": known.last_used,
        "expires_at": known.expires_at,
        "quoted": entry.is_untrusted,
        "evidence": [proof.run for proof in entry.proofs],
        "valid_from": entry.since,
        "valid_to": entry.until,
        "superseded_by": entry.superseded_by,
    }
