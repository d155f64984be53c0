"""What a plugin's process may say of an error."""

import pytest

from openkoi_hookspecs import ProviderUnavailableError
from openkoi_loader.subprocess_plugin.messages import make_error

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("value", [None, 0, 2.5])
def test_an_error_of_a_process_says_how_long_to_wait(value: float | None) -> None:
    made = make_error("ProviderUnavailableError", "later", {"retry_after": value, "uncertain": True})

    assert isinstance(made, ProviderUnavailableError)
    assert (value, True) == (made.retry_after, made.uncertain)


@pytest.mark.parametrize(
    "attributes",
    [
        *({"retry_after": value} for value in ("x", -1.0, float("nan"), float("inf"))),
        {"__class__": 1},
        {"_hidden": 1},
        {"with_traceback": 1},
        {"note": ["x"]},
    ],
)
def test_attributes_that_no_error_has_are_refused(attributes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="an error whose"):
        make_error("ProviderUnavailableError", "later", attributes)
