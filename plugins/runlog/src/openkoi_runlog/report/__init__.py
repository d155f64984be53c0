"""Compute costs, progress and results of runs from their records: a library for frontends."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .charges import CHARGE_EVENTS as CHARGE_EVENTS
    from .charges import collect_charges as collect_charges
    from .claims import Verdict as Verdict
    from .claims import check_claims as check_claims
    from .costs import NO_COST as NO_COST
    from .costs import Costs as Costs
    from .costs import ModelCharge as ModelCharge
    from .costs import ModelCost as ModelCost
    from .costs import Phase as Phase
    from .costs import sum_charges as sum_charges
    from .display import AnswerEnd as AnswerEnd
    from .display import AnswerPiece as AnswerPiece
    from .display import Line as Line
    from .display import RunDisplay as RunDisplay
    from .formatting import first_line as first_line
    from .formatting import format_dollars as format_dollars
    from .formatting import format_size as format_size
    from .formatting import format_tokens as format_tokens
    from .formatting import truncate_line as truncate_line
    from .progress import Progress as Progress
    from .report import EXIT_STATUSES as EXIT_STATUSES
    from .report import RunReport as RunReport
    from .report import build_report as build_report
    from .run_tree import build_cycle_tree as build_cycle_tree
    from .savings import SAVING_TITLES as SAVING_TITLES
    from .savings import SavedTokens as SavedTokens
    from .savings import Saving as Saving
    from .savings import format_savings as format_savings
    from .savings import measure_savings as measure_savings
    from .savings import sum_savings as sum_savings
    from .tree_text import format_tree as format_tree
    from .why import explain_run as explain_run
