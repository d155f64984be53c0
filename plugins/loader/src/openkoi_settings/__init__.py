"""Settings: what there is to set, and what is set where. A library, without entry points."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from . import keys, plugin_keys
    from .config import Config
    from .config_toml import read_settings
    from .deprecated import DEPRECATED
    from .key import FormerName, Key, ProjectRule
    from .layers import load_config, with_settings
    from .paths import find_paths
    from .settings_writer import write_setting
    from .value import Setting
    from .variables import CASSETTE_VARIABLE, VARIABLES

__all__ = [
    "CASSETTE_VARIABLE",
    "DEPRECATED",
    "VARIABLES",
    "Config",
    "FormerName",
    "Key",
    "ProjectRule",
    "Setting",
    "find_paths",
    "keys",
    "load_config",
    "plugin_keys",
    "read_settings",
    "with_settings",
    "write_setting",
]
