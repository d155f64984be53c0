"""After how much without progress a run is warned, asked about and ended, as it is configured."""

from openkoi.progress import StuckLimits
from openkoi_settings import Config, keys


def stuck_limits(config: Config) -> StuckLimits:
    """Return the limits of tool calls without progress."""
    return StuckLimits(config[keys.LOOP_WARNING], config[keys.LOOP_CRITICAL], config[keys.LOOP_BREAKER])
