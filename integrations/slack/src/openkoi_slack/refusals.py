"""Raise Slack's error responses as errors of apps."""

from openkoi_hookspecs import AppRejectedError, AppUnavailableError, SignInRequiredError

SIGN_IN = "Slack rejected the {0} token ({1}). Run `openkoi connect slack`."
SIGN_IN_ERRORS = frozenset(
    [
        "account_inactive",
        "invalid_auth",
        "missing_scope",
        "not_allowed_token_type",
        "not_authed",
        "token_expired",
        "token_revoked",
    ]
)
UNCERTAIN_ERRORS = frozenset(["fatal_error", "internal_error"])  # a part of what was asked for may have been done
LATER_ERRORS = UNCERTAIN_ERRORS | {"ratelimited", "request_timeout", "service_unavailable"}


def raise_refusal(reason: str, which: str) -> None:
    """Raise the error that Slack reports; ``which`` names the token that was sent."""
    if reason in SIGN_IN_ERRORS:
        raise SignInRequiredError(SIGN_IN.format(which, reason))
    if reason in LATER_ERRORS:
        raise AppUnavailableError(f"Slack is temporarily unavailable: {reason}.", uncertain=reason in UNCERTAIN_ERRORS)
    raise AppRejectedError(f"Slack rejected the request: {reason}.", unreadable_format=reason == "invalid_blocks")
