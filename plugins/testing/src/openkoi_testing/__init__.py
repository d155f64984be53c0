"""What plugin authors test with: a real run over a scripted model, fake servers, contract suites."""

from openkoi_rehearsal import Scripted

from .rehearsing import Rehearsed, Stage, lend, perform, rehearse

__all__ = ["Rehearsed", "Scripted", "Stage", "lend", "perform", "rehearse"]
