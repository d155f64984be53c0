"""Model facts, roles, calls, and the budget of a task.

A library, without entry points.
"""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .call_budget import CallBudget as CallBudget
    from .call_cost import budget_tokens as budget_tokens
    from .compare_compacted import is_much_shorter as is_much_shorter
    from .compare_compacted import removed_parts as removed_parts
    from .content import check_content as check_content
    from .content import check_result as check_result
    from .content import require_size as require_size
    from .estimate import Estimator as Estimator
    from .images_in_messages import without_media as without_media
    from .model_check import check_models as check_models
    from .model_client import ModelClient as ModelClient
    from .model_discovery import Discovery as Discovery
    from .model_discovery import ModelChoice as ModelChoice
    from .model_prices import CONTEXT as CONTEXT
    from .model_prices import FILE as FILE
    from .model_prices import OUTPUT as OUTPUT
    from .model_prices import Catalogue as Catalogue
    from .model_roles import EXECUTOR as EXECUTOR
    from .model_roles import ModelRouter as ModelRouter
    from .model_roles import ResolvedModel as ResolvedModel
    from .model_roles import executor_of as executor_of
    from .request_stats import stats_of as stats_of
    from .reservation import Reservation as Reservation
    from .shared_budget import SharedBudget as SharedBudget
    from .task_budget import TaskBudget as TaskBudget
