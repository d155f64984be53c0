"""What is exported of settings: all but what is named as a secret."""

import tomllib

import pytest

from openkoi_cli.archive.json_export import TOML_SETTING, mask_setting

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ('password = "open sesame"', False),
        ("api_key='abcdef'", False),
        ('smtp.password = "a\\"b"  # of the mail', False),
        ('"db-token" = "abcdef"', False),
        ('secret = """open\nsesame"""', False),
        ('monkey = "banana"', True),
        ("max_tokens = 600", True),
        ('keymap = "none"', True),
    ],
)
def test_settings_that_are_named_as_secrets_are_masked_and_the_file_can_be_read(line: str, kept: bool) -> None:
    text = f'[mail]\nhost = "here"\n{line}\nport = 25\n'

    masked = TOML_SETTING.sub(mask_setting, text)

    assert kept == (masked == text)
    assert ("here", 25) == tuple(tomllib.loads(masked)["mail"][name] for name in ("host", "port"))
