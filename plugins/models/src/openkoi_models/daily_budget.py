"""What a day may cost, as it is configured."""

import math

from openkoi_files import Daybook
from openkoi_settings import Config, keys


def daily_budget(config: Config) -> Daybook | None:
    """Return the budget that all tasks of a day share; None where none is configured."""
    usd, tokens = config[keys.MAX_COST_PER_DAY], config[keys.MAX_TOKENS_PER_DAY]
    limited = math.isfinite(min(usd, tokens))
    return Daybook(config.paths.data / "days", most_tokens=tokens, most_usd=usd) if limited else None
