"""Model facts, roles, calls, and the budget of a task.

A library, without entry points.
"""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .call_budget import CallBudget
    from .call_cost import budget_tokens
    from .catalogue import CONTEXT, FILE, OUTPUT, Catalogue
    from .compare_compacted import is_much_shorter, removed_parts
    from .content import check_content, check_result
    from .estimate import Estimator
    from .images_in_messages import without_media
    from .model_check import check_models
    from .model_client import ModelClient
    from .model_discovery import Discovery, ModelChoice
    from .model_roles import EXECUTOR, ModelRouter, ResolvedModel, executor_of
    from .request_stats import stats_of
    from .reservation import Reservation
    from .shared_budget import SharedBudget
    from .task_budget import TaskBudget

__all__ = [
    "CONTEXT",
    "EXECUTOR",
    "FILE",
    "OUTPUT",
    "CallBudget",
    "Catalogue",
    "Discovery",
    "Estimator",
    "ModelChoice",
    "ModelClient",
    "ModelRouter",
    "Reservation",
    "ResolvedModel",
    "SharedBudget",
    "TaskBudget",
    "budget_tokens",
    "check_content",
    "check_models",
    "check_result",
    "executor_of",
    "is_much_shorter",
    "removed_parts",
    "stats_of",
    "without_media",
]
