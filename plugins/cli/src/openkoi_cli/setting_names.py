"""Name the settings of the common tables that the command line reads or sets."""

DEFAULT_MODEL = "models.default"
EVALUATOR = "models.evaluator"
SANDBOX_MINIMUM = "safety.sandbox_minimum"
USE_MEMORY = "use.memory"
USE_CHECKPOINTS = "use.checkpoints"
MAX_STORAGE_MB = "memory.max_storage_mb"
HOOK_DEADLINE = "hooks.deadline_seconds"
CATALOGUES = "plugins.catalogues"
CHECK_UPDATES = "updates.check"
WAIT_SECONDS = "approvals.wait_seconds"
LIMITS = {
    "iterations": "iteration.max_iterations",
    "cycles": "iteration.max_cycles",
    "quality_threshold": "iteration.quality_threshold",
    "seconds": "iteration.timeout_seconds",
    "tokens": "iteration.token_budget",
    "usd": "safety.max_cost_usd",
}
