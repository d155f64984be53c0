"""What an app costs to import beside the contract and the HTTP library: its own modules and hardly more."""

import subprocess
import sys

import pytest

LISTING = """
import sys
import openkoi_{app}
lazy = [name for name in sys.modules if name.startswith("openkoi_{app}.")]
import openkoi_assistant.gateway
from openkoi_http import AppClient, ResponseLimits, Server, WebSocket
AppClient("https://koi.example"), ResponseLimits(), Server, WebSocket
before = set(sys.modules)
openkoi_{app}.{name}
print(lazy, *sorted(one for one in set(sys.modules) - before if not one.startswith("openkoi_{app}.")))
"""
OAUTH, QUOTES, HTML = (
    "openkoi_http.oauth",
    "openkoi_base.quoted_text",
    {"openkoi_terminal", "openkoi_terminal.html_text"},
)
SHARED: dict[str, set[str]] = {  # 1 to 4 ms of processor time; email, with Python's own modules for mail, 8
    "telegram": set(),
    "slack": {QUOTES},
    "notion": set(),
    "matrix": {QUOTES, OAUTH},
    "email": {QUOTES, OAUTH, *HTML},
}


@pytest.mark.parametrize("app", SHARED)
def test_an_app_imports_its_own_modules_when_it_is_used(app: str) -> None:
    code = LISTING.format(app=app, name=app.capitalize())
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    lazy, *more = result.stdout.split()
    own_python = {one for one in more if one.partition(".")[0] in sys.stdlib_module_names}
    assert "[]" == lazy
    assert SHARED[app] == set(more) - own_python
    assert app == "email" or not own_python
