"""Settings: which ones exist, and where each is set. A library, without entry points."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from . import keys as keys
    from . import plugin_keys as plugin_keys
    from .config import Config as Config
    from .config_toml import read_settings as read_settings
    from .deprecated import DEPRECATED as DEPRECATED
    from .key import FormerName as FormerName
    from .key import Key as Key
    from .key import ProjectRule as ProjectRule
    from .layers import load_config as load_config
    from .layers import with_settings as with_settings
    from .paths import find_paths as find_paths
    from .settings_writer import write_setting as write_setting
    from .value import Setting as Setting
    from .variables import CASSETTE_VARIABLE as CASSETTE_VARIABLE
    from .variables import VARIABLES as VARIABLES
