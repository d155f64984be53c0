"""An environment with pytest and none of the plugins that the one running these tests may have."""

import compileall
import re
import shutil
import venv as environments
from importlib.util import find_spec
from pathlib import Path

import pytest

SELDOM = re.compile(r"pygments.(lexers|styles)")
NEEDED = ("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments")


@pytest.fixture(scope="session")
def venv(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of a virtual environment in which pytest starts quickly."""
    root = tmp_path_factory.mktemp("environment") / "venv"
    environments.create(root, symlinks=True)
    (site,) = root.rglob("site-packages")
    for name in NEEDED:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        origin = Path(spec.origin)
        if origin.name == "__init__.py":
            shutil.copytree(origin.parent, site / name)
        else:
            shutil.copy2(origin, site)
    compileall.compile_dir(site, quiet=2, rx=SELDOM)
    return str(root)
