"""Compute the segment that a batch of records adds to an index.

Every document depends on all facts of its run or learning, in the order of time and id, so that the order and the
batches in which records arrive do not matter. Facts that follow all known facts of a run only add pieces to its
transcript, so that a run can be added in parts while it is under way.
"""

import json
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field

from openkoi_hookspecs import Learning, Record
from openkoi_hookspecs.events import LearningSaved, ModelResponse
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import build_view, decode, encode, sort_records

from .documents import MemoryDocument, document_of_state, documents_by_number, is_hidden, number
from .lexical.hashing import sparse_vector
from .lexical.words import count_words
from .recall_facts import (
    Batch,
    Fact,
    Latest,
    Save,
    decode_facts,
    decode_latest,
    decode_saves,
    encode_latest,
    encode_lines,
    learnings_of,
    project_of,
)
from .segment import EntryKind, StoredDocument, encode_name
from .segment_file import pack
from .segment_index import SegmentIndex
from .segment_writer import IndexedDocument, SegmentContent, make_content, piece_order
from .words import boost_definitions

Documents = dict[int, MemoryDocument | None]


@dataclass(slots=True)
class Changes:
    """What a batch changes: entries, and documents.

    ``replaced`` are the documents of each run and learning that the index knows, by their numbers, None for one that
    can no longer be found.
    """

    index: SegmentIndex
    batch: Batch
    entries: dict[bytes, bytes] = field(default_factory=dict)
    replaced: list[Documents] = field(default_factory=list)
    documents: list[MemoryDocument] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)
    joins: "array[int]" = field(default_factory=lambda: array("q"))
    facts: dict[str, list[Fact]] = field(default_factory=dict)

    def add_run(self, run: str, facts: Sequence[Fact]) -> list[str]:
        """Add the new facts of a run; return the learnings that it saved, if its project was not known before."""
        if self.extend_run(run, facts):
            return []
        known = [*self.course(run), *decode_facts(self.index.read_all(EntryKind.MESSAGES, run))]
        ids = {fact.id for fact in known}
        fresh = list({fact.id: fact for fact in facts if fact.id not in ids}.values())
        self.facts[run] = [*known, *fresh]
        if not fresh:
            return []
        records = make_records(run, self.facts[run])
        view = build_view(sort_records(records))
        documents: Documents = {number(False, run): None}
        if view.started:
            documents = documents_by_number(view, records)
        self.replace(documents, is_known=bool(known))
        places = sort_pieces(documents.values())
        latest = Latest(max(fact.at for fact in self.facts[run]), places[-1].number if places else None)
        self.add_facts(run, fresh, None if is_hidden(view) else latest)
        return learnings_of(self.facts[run]) if project_of(known) is None else []

    def extend_run(self, run: str, facts: Sequence[Fact]) -> bool:
        """Add new facts of a run, its summary and pieces, if they follow the known ones; return whether they do."""
        latest = decode_latest(self.index.read_newest(EntryKind.LATEST, run))
        if latest is None or min(fact.at for fact in facts) <= latest.at:
            return False
        fresh, known = list({fact.id: fact for fact in facts}.values()), self.course(run)
        records = make_records(run, fresh)
        view = build_view(sort_records([*make_records(run, known), *records]))
        if is_hidden(view):
            return False
        documents = documents_by_number(view, records)
        summary = number(False, run)
        self.replace({summary: documents.pop(summary)}, is_known=True)
        pieces = sort_pieces(documents.values())
        self.documents += pieces
        if pieces and latest.piece is not None:
            self.joins.extend((latest.piece, pieces[0].number))
        last = pieces[-1].number if pieces else latest.piece
        self.add_facts(run, fresh, Latest(max(fact.at for fact in fresh), last))
        return True

    def add_facts(self, run: str, facts: Sequence[Fact], latest: Latest | None) -> None:
        """Add entries with new facts of a run, messages apart from the few others, and how far it is indexed now."""
        name = encode_name(run)
        for kind, are_messages in ((EntryKind.FACTS, False), (EntryKind.MESSAGES, True)):
            if some := [fact for fact in facts if (fact.name == ModelResponse.name) is are_messages]:
                self.entries[kind.value + name] = encode_lines(some)
        self.entries[EntryKind.LATEST.value + name] = encode_latest(latest)

    def add_learning(self, id: str, saves: Iterable[Save]) -> None:
        """Add the new saves of a learning."""
        known = decode_saves(self.index.read_newest(EntryKind.LEARNING, id))
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
        """Add the documents of a run or learning; if it is already known, they replace its documents."""
        if is_known:
            self.replaced.append(documents)
        else:
            self.documents += filter(None, documents.values())

    def project(self, run: str) -> str | None:
        """Return the project of a run, if its start is known."""
        return project_of(self.course(run))

    def course(self, run: str) -> list[Fact]:
        """Return the known facts of a run, without its messages."""
        if run not in self.facts:
            self.facts[run] = decode_facts(self.index.read_all(EntryKind.FACTS, run))
        return self.facts[run]

    def replace_changed(self) -> None:
        """Replace all documents of a run or learning, if anything about them changed.

        So all pieces of a transcript that were known are in one segment then.
        """
        before = self.index.documents([doc for documents in self.replaced for doc in documents])
        for documents in self.replaced:
            if not all(is_same(before.get(doc), document) for doc, document in documents.items()):
                self.gone += [doc for doc in documents if doc in before]
                self.documents += [document for document in documents.values() if document]

    def moved_offsets(self) -> dict[str, int]:
        """Return the offsets that are beyond those of the index."""
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
        if self.joins:
            self.entries[EntryKind.NEXT.value] = pack(self.joins)
        if not (self.entries or self.documents or self.gone):
            return None
        return make_content((index_document(one, dimensions) for one in self.documents), self.gone, self.entries)


def make_records(run: str, facts: Iterable[Fact]) -> list[Record]:
    """Return the records that the documents of a run depend on."""
    return [fact.record(run) for fact in facts if fact.name != LearningSaved.name]


def sort_pieces(documents: Iterable[MemoryDocument | None]) -> list[MemoryDocument]:
    """Return the pieces of a transcript among documents, in their order."""
    pieces = (document for document in documents if document and document.run)
    return sorted(pieces, key=lambda piece: piece_order(piece.moment, piece.memo.id))


def is_same(stored: StoredDocument | None, document: MemoryDocument | None) -> bool:
    """Return whether a document is stored unchanged."""
    if stored is None or document is None:
        return stored is None and document is None
    return stored == store_document(document, stored.length)


def index_document(document: MemoryDocument, dimensions: int) -> IndexedDocument:
    """Return a document with everything by which it can be found."""
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
