"""Compute the segment that a batch of records adds to an index.

Every document depends on all facts of its run or learning, in the order of time and id, so that the order and the
batches in which records arrive do not matter.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field

from openkoi_hookspecs import Learning
from openkoi_hookspecs.events import LearningSaved
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import build_view, decode, encode, sort_records

from .documents import MemoryDocument, document_of_state, documents_by_number, number
from .lexical.hashing import sparse_vector
from .lexical.words import count_words
from .recall_facts import (
    Batch,
    Fact,
    Save,
    decode_facts,
    decode_saves,
    encode_lines,
    learnings_of,
    project_of,
)
from .segment import EntryKind, StoredDocument, encode_name
from .segment_index import SegmentIndex
from .segment_writer import IndexedDocument, SegmentContent, make_content
from .words import boost_definitions

Documents = dict[int, MemoryDocument | None]


@dataclass(slots=True)
class Changes:
    """What a batch changes: entries, and documents.

    ``replaced`` are the documents of each run and learning that the index knows, by their numbers, None for one that is
    no longer found.
    """

    index: SegmentIndex
    batch: Batch
    entries: dict[bytes, bytes] = field(default_factory=dict)
    replaced: list[Documents] = field(default_factory=list)
    documents: list[MemoryDocument] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)
    facts: dict[str, list[Fact]] = field(default_factory=dict)

    def add_run(self, run: str, facts: Sequence[Fact]) -> list[str]:
        """Add the new facts of a run; return the learnings that it saved, if its project was not known before."""
        known = decode_facts(self.index.facts(run))
        ids = {fact.id for fact in known}
        fresh = list({fact.id: fact for fact in facts if fact.id not in ids}.values())
        self.facts[run] = [*known, *fresh]
        if not fresh:
            return []
        self.entries[EntryKind.FACTS.value + encode_name(run)] = encode_lines(fresh)
        self.replace(documents_now(run, self.facts[run]), is_known=bool(known))
        return learnings_of(self.facts[run]) if project_of(known) is None else []

    def add_learning(self, id: str, saves: Iterable[Save]) -> None:
        """Add the new saves of a learning."""
        known = decode_saves(self.index.saves(id))
        ordered = sorted({save.id: save for save in (*saves, *known)}.values(), key=lambda save: (save.at, save.id))
        latest = ordered[-1]
        if latest.learning is None:
            raise ValueError(f"the learning {id!r} was never saved completely")
        kept = [Save(save.at, save.id, save.run, None) for save in ordered[:-1]]
        if [*kept, latest] != known:
            self.entries[EntryKind.LEARNING.value + encode_name(id)] = encode_lines([*kept, latest])
        projects = (self.project(save.run) for save in ordered)
        home = next((project for project in projects if project is not None), "")
        learning = decode(Learning, latest.learning)
        self.replace({number(True, id): document_of_state(learning, home, latest.at)}, is_known=bool(known))

    def replace(self, documents: Documents, *, is_known: bool) -> None:
        """Add the documents of a run or learning; those that it had are replaced, if it is known from before."""
        if is_known:
            self.replaced.append(documents)
        else:
            self.documents += filter(None, documents.values())

    def project(self, run: str) -> str | None:
        """Return the project of a run, if its start is known."""
        if run not in self.facts:
            self.facts[run] = decode_facts(self.index.facts(run))
        return project_of(self.facts[run])

    def replace_changed(self) -> None:
        """Replace all documents of a run or learning, if anything about them changed.

        So all pieces of a transcript are always in one segment.
        """
        before = self.index.documents([doc for documents in self.replaced for doc in documents])
        for documents in self.replaced:
            if not all(is_same(before.get(doc), document) for doc, document in documents.items()):
                self.gone += [doc for doc in documents if doc in before]
                self.documents += [document for document in documents.values() if document]

    def moved_offsets(self) -> dict[str, int]:
        """Return the offsets that are further than those of the index."""
        return {name: end for name, end in self.batch.ends.items() if end > self.index.offsets.get(name, 0)}

    def content(self, dimensions: int, *, moving: bool) -> SegmentContent | None:
        """Return the new segment; None if nothing changed. Offsets move with it if ``moving``."""
        learnings = dict.fromkeys(self.batch.saves)
        for run, facts in self.batch.facts.items():
            learnings |= dict.fromkeys(self.add_run(run, facts))
        for id in learnings:
            self.add_learning(id, self.batch.saves.get(id, ()))
        self.replace_changed()
        if moving and (offsets := self.moved_offsets()):
            self.entries[EntryKind.OFFSETS.value] = json.dumps(offsets).encode()
        if not (self.entries or self.documents or self.gone):
            return None
        return make_content((index_document(one, dimensions) for one in self.documents), self.gone, self.entries)


def documents_now(run: str, facts: Sequence[Fact]) -> Documents:
    """Return the documents of a run by number; None for one that cannot be found."""
    records = [fact.record(run) for fact in facts if fact.name != LearningSaved.name]
    view = build_view(sort_records(records))
    return documents_by_number(view, records) if view.started else {number(False, run): None}


def is_same(stored: StoredDocument | None, document: MemoryDocument | None) -> bool:
    """Return whether a document is stored as it is."""
    if stored is None or document is None:
        return stored is None and document is None
    return stored == store_document(document, stored.length)


def index_document(document: MemoryDocument, dimensions: int) -> IndexedDocument:
    """Return a document with all that it can be found by."""
    words = Counter(document.terms)
    vector = sparse_vector(count_words(boost_definitions(document.memo.text)), dimensions) if dimensions else {}
    return IndexedDocument(store_document(document, words.total()), words, vector)


def store_document(document: MemoryDocument, length: int) -> StoredDocument:
    """Return a document as it is stored."""
    memo = document.memo
    text = json.dumps(encode(memo), separators=(",", ":"))
    learned = isinstance(memo, Learning)
    return StoredDocument(
        document.number,
        memo.id,
        memo.kind,
        learned,
        document.scope,
        document.moment,
        document.run,
        document.keys,
        length,
        text,
    )
