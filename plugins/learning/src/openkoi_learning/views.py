"""Format entries as a line, a list, or a page with all the evidence."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from openkoi_base.counts import format_count
from openkoi_base.printable import visible
from openkoi_hookspecs import LearningStatus

from .credit_assignment import applicable_evidence, is_visible, refutations_needed
from .decay import DEFAULT_DECAY, Decay, decayed_worth
from .effectiveness import count_by_model, count_outcomes, estimate_uplift
from .entry import EntryEvidence, LearningEntry
from .figures import to_learning
from .promotion import promote_entry
from .relevance import count_unlike, first_need, is_needed_everywhere, usual_share
from .selection import in_scope, is_unconditional
from .state import LearningState

MAX_OUTCOMES = 10
SAME_LINE = "fixed by the same line"
NOT_MEASURED = "not measured yet"  # it comes from runs that an entry was held out of
TRUST_LABELS = (
    "from a page or a message",
    "from a tool or a file",
    "a model's words",
    "a model's words, verified by a check",
    "your words, or approved by you",
)


def format_line(state: LearningState, entry: LearningEntry) -> str:
    """Format an entry as a line, without characters that control a terminal: a page or a model may have written it."""
    known = to_learning(state, entry)
    marks = ", ".join(
        filter(None, (str(entry.standing), "pinned" * entry.pinned, "quoted as data" * entry.is_untrusted))
    )
    counts = f"shown {known.shown}, helped {known.helpful}, harmed {known.harmful}{format_effect(state, entry)}"
    return visible(f"{entry.id}  {entry.kind}: {entry.text}  ({marks}; {counts})")


def format_effect(state: LearningState, entry: LearningEntry) -> str:
    """Return in how many runs an entry was held out, and its uplift, if it is active or was in a run."""
    uses = state.outcomes(entry.id)
    if not uses and entry.standing is not LearningStatus.ACTIVE:
        return ""
    withheld = count_outcomes(uses).withheld
    if not withheld:
        return f", held out 0; uplift {NOT_MEASURED}"
    found = estimate_uplift(uses, state.success_rate(entry.project))
    return f", held out {withheld}; uplift {found.mean:+.2f}, between {found.low:+.2f} and {found.high:+.2f}"


def format_list(state: LearningState, entries: Sequence[LearningEntry]) -> str:
    """List entries, the most useful first."""
    if not entries and state.known:
        return "All entries are archived. To list them, run `openkoi learn list --all`."
    if not entries:
        return "Nothing learned yet. Entries are created from what a task's evaluation found, and from reflection."
    ranked = sorted(entries, key=lambda one: (-to_learning(state, one).confidence, one.id))
    groups: dict[str, list[LearningEntry]] = {}
    for entry in ranked:
        groups.setdefault(entry.fixing_line or entry.id, []).append(entry)
    return "\n".join(line for group in groups.values() for line in format_group(state, group))


def format_group(state: LearningState, group: Sequence[LearningEntry]) -> Iterator[str]:
    """Yield the lines of entries with one fixing line, which only the first repeats."""
    yield format_line(state, group[0])
    for entry in group[1:]:
        yield format_line(state, replace(entry, text=entry.text.replace(entry.fixing_line, SAME_LINE)))


def format_page(state: LearningState, entry: LearningEntry, now: str, decay: Decay = DEFAULT_DECAY) -> str:
    """Format everything that is known about an entry."""
    return "\n".join(
        [
            format_line(state, entry),
            *map(visible, format_facts(state, entry, now, decay)),
            *map(visible, format_all_evidence(entry)),
            *format_outcomes(state, entry),
        ]
    )


def format_facts(state: LearningState, entry: LearningEntry, now: str, decay: Decay) -> Iterator[str]:
    """Yield where an entry applies, its sources, and its current worth."""
    where = f"project {entry.project}" if entry.scope == "project" else entry.scope
    about = "" if entry.is_past_tasks else f"; about: {', '.join(entry.keys) or 'nothing specific'}"
    yield f"  applies:   {where}{about}"
    yield f"  from:      {explain_source(entry)}"
    if entry.reason:
        yield f"  status:    {entry.standing}, {entry.reason}"
    if entry.until:
        after = f", replaced by {entry.superseded_by}" if entry.superseded_by else ""
        yield f"  valid:     {entry.since} to {entry.until}{after}"
    if not entry.is_past_tasks:
        yield f"  worth:     {format_worth(state, entry, now, decay)}"
    yield f"  uplift:    {format_uplift(state, entry)}"
    if not entry.has_no_advice:
        yield f"  refuted:   {explain_refutation(state, entry)}"
    if entry.scope == "project" and not (entry.has_no_advice or entry.is_past_tasks or is_unconditional(entry)):
        yield f"  needed:    {explain_need(state, entry)}"
    yield from format_proposal(state, entry, now)


def format_worth(state: LearningState, entry: LearningEntry, now: str, decay: Decay) -> str:
    """Return what an entry is worth, and until when it is shown."""
    known = to_learning(state, entry, decay)
    left = decayed_worth(known.confidence, state.last_helped(entry), now, decay)
    fades = f"; shown until {known.expires_at[:10]}" if known.expires_at else ""
    return f"confidence {known.confidence:.2f}, decayed to {left:.2f}{fades}"


def format_proposal(state: LearningState, entry: LearningEntry, now: str) -> Iterator[str]:
    """Yield the proposal to show an entry in all projects, if it helped in several."""
    if promote_entry(state, entry, now):
        yield (
            f"  proposal:  use it in all projects, because it helped in another one: `openkoi learn approve {entry.id}`"
        )


def explain_need(state: LearningState, entry: LearningEntry) -> str:
    """Explain which tasks needed the subject of an entry, and in which tasks it is therefore shown."""
    same = (one for one in state.entries.values() if one.topic == entry.topic and in_scope(one, entry.project))
    needed = {task for one in same for task in state.tasks_needing(one, entry.project)}
    history = state.history(entry.project)
    everywhere = is_needed_everywhere(needed, usual_share(needed, history))
    total = max(len(needed), history.count - first_need(needed, history))
    where = "every task of the project" if everywhere else "similar tasks"
    unlike = count_unlike(needed, total)
    return f"by {len(needed)} of {format_count(total, 'task')}, {unlike} not counting near-copies; shown in {where}"


def explain_refutation(state: LearningState, entry: LearningEntry) -> str:
    """Explain which outcome archives an entry."""
    if entry.pinned:
        return "never, because it is pinned"
    if entry.is_past_tasks:
        return "archived when held-out runs show that first attempts pass less often with past tasks"
    if content := entry.visible_content or entry.forbidden_content:
        what, how = "accepted result", f" {'without' if entry.visible_content else 'with'} `{'`, `'.join(content)}`"
    else:
        what, how = "first attempt", " with a finding about it"
    evidence = applicable_evidence(state, entry, entry.project)[entry.id]
    needed = refutations_needed(evidence, visible=is_visible(entry))
    runs = f"{needed} {what}s in a row{how}" if needed > 1 else f"{'an' if what[0] == 'a' else 'a'} {what}{how}"
    return f"archived after {runs}, or when held-out runs rule out that it helps"


def explain_source(entry: LearningEntry) -> str:
    """Explain what an entry was made from, and how it is shown."""
    if entry.is_past_tasks:
        return "memory; past tasks that resemble a run's task are shown to it as quoted data"
    return f"{entry.origin}, {explain_trust(entry)}; {explain_display(entry)}"


def explain_trust(entry: LearningEntry) -> str:
    """Explain how far an entry is trusted: by its source, unless its approval ended."""
    return "not trusted, because you approved and then dismissed it" if entry.withdrawn else TRUST_LABELS[entry.trust]


def explain_display(entry: LearningEntry) -> str:
    """Explain how an entry is shown, and what would change that."""
    if not entry.is_untrusted:
        return "shown as an instruction"
    until = "you approve it" if entry.is_from_source else "you approve it, or held-out runs prove that it helps"
    return f"shown as quoted data until {until}"


def format_uplift(state: LearningState, entry: LearningEntry) -> str:
    """Return how much more often first attempts pass with an entry, with an interpretation."""
    uses = state.outcomes(entry.id)
    if not uses:
        return "unknown: this entry has not matched an evaluated task yet"
    if not count_outcomes(uses).withheld:
        return f"{NOT_MEASURED}: it was shown in {format_count(len(uses), 'run')}, and held out of none"
    found = estimate_uplift(uses, state.success_rate(entry.project))
    known = "it helps" if found.low > 0 else "it harms" if found.high < 0 else "too few runs"
    share = f"{found.mean:+.2f} (between {found.low:+.2f} and {found.high:+.2f})"
    return f"{share} in the share of passed first attempts: {known}"


def format_all_evidence(entry: LearningEntry) -> Iterator[str]:
    """Yield the runs that taught an entry."""
    for proof in entry.proofs:
        yield f"  learned:   {format_evidence(proof)}"
    for task in entry.when:
        yield f"  in a task: {task}"


def format_evidence(proof: EntryEvidence) -> str:
    """Return a piece of evidence as a line."""
    parts = [f"run {proof.run[:8]}, iteration {proof.iteration + 1}"]
    if proof.finding:
        parts.append(f"{proof.finding} {proof.where}".rstrip())
    if proof.before or proof.after:
        parts.append(
            f"failing before: {', '.join(proof.before) or 'nothing'}; after: {', '.join(proof.after) or 'nothing'}"
        )
    if proof.diff:
        parts.append(f"diff {proof.diff}")
    return "; ".join(parts)


def format_outcomes(state: LearningState, entry: LearningEntry) -> Iterator[str]:
    """Yield when an entry was shown or held out, and how that went."""
    for model, known in count_by_model(state.outcomes(entry.id)).items():
        text = f"shown {known.shown}, helped {known.helpful}, harmed {known.harmful}, held out {known.withheld}"
        yield f"  with {model or 'any model'}: {text}"
    for use in state.outcomes(entry.id)[-MAX_OUTCOMES:]:
        how = "passed" if use.passed else "failed because of this entry" if use.blamed else "failed for another reason"
        what = "shown" if use.shown else "held out"
        yield f"  {state.exposures[use.run].at[:16]}  run {use.run[:8]}: {what}, the first attempt {how}"


def format_json(state: LearningState, entries: Iterable[LearningEntry], now: str, decay: Decay = DEFAULT_DECAY) -> str:
    """Format entries as JSON."""
    return json.dumps([entry_json(state, entry, now, decay) for entry in entries], indent=2, ensure_ascii=False)


def entry_json(state: LearningState, entry: LearningEntry, now: str, decay: Decay) -> dict[str, object]:
    uses, known = state.outcomes(entry.id), to_learning(state, entry, decay)
    found = estimate_uplift(uses, state.success_rate(entry.project))
    withheld = count_outcomes(uses).withheld
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
        "withheld": withheld,
        "lift": [round(found.low, 3), round(found.mean, 3), round(found.high, 3)] if withheld else None,
        "confidence": known.confidence,
        "faded": round(decayed_worth(known.confidence, state.last_helped(entry), now, decay), 3),
        "last_used": known.last_used,
        "expires_at": known.expires_at,
        "quoted": entry.is_untrusted,
        "evidence": [proof.run for proof in entry.proofs],
        "valid_from": entry.since,
        "valid_to": entry.until,
        "superseded_by": entry.superseded_by,
    }
