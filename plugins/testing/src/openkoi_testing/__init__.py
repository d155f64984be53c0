"""What plugin authors test with: a real run over a scripted model, fake servers, contract suites."""

from openkoi_rehearsal import Line, Scripted, Turn

from .rehearsing import Rehearsed, Stage, lend, perform, rehearse

__all__ = ["Line", "Rehearsed", "Scripted", "Stage", "Turn", "lend", "perform", "rehearse"]
