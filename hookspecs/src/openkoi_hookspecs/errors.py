"""The errors that users see: each states what happened, to what, and what to do.

KoiError
├── ArgumentError                    a plugin or program passed a value of the wrong type
├── PluginNotFoundError              no plugin of that kind has this name; the nearest ones are named
├── ConfigError                      a configuration value is missing or wrong; the file, line and key are named
├── FilesChangedError                the files have changed since a task ended
├── ProviderError                    a model did not answer
│   ├── NoProviderError              there is nothing to call: something must be set, such as a key
│   │   └── NoModelError             no model is configured, and none was found
│   │       └── ConsentMissingError  one was found, and the user has not decided whether it may be used
│   ├── ProviderUnavailableError     it may work later: overload, rate limit, network, a broken stream
│   │   └── EmptyResponseError       an answer with neither text nor tool calls
│   └── RequestRejectedError         it was rejected: key, quota, unknown model, bad request
│       └── WrongServerError         something else answers at its address: a login page, an untrusted certificate
├── AppError                         an app could not do what was requested
│   ├── AppUnavailableError          it may work later: overload, rate limit, network
│   ├── AppRejectedError             it was rejected: too long, unknown channel, unreadable format
│   ├── SignInRequiredError          the user must sign in: a token is missing, expired or not allowed to
│   └── DocumentConflictError        a document has changed since it was read
├── ToolError                        a tool cannot do what was requested; the model reads the sentence and continues
├── RunStoppedError                  a run was stopped by its caller, so it has no result
├── LimitExceededError               continuing would exceed a limit of the task
└── PluginError                      a plugin raised, hung or broke its contract
"""


class KoiError(Exception):
    """The base class of all errors that OpenKoi raises on purpose."""


class ArgumentError(KoiError, TypeError):
    """A plugin or program passed a value of the wrong type to OpenKoi, such as a string instead of a Task."""


class PluginNotFoundError(KoiError):
    """No plugin of that kind has this name."""

    def __init__(self, kind: str, name: str, known: tuple[str, ...] = ()) -> None:
        from difflib import get_close_matches

        near = get_close_matches(name, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        one = "sandbox" if kind == "sandboxes" else kind.removesuffix("s")
        super().__init__(f"No {one} named {name!r}. Available: {', '.join(known) or 'none'}.{hint}")


class ConfigError(KoiError):
    """A configuration value is missing or wrong."""


class FilesChangedError(KoiError):
    """The files have changed since a task ended, so its work can no longer be evaluated."""


class ProviderError(KoiError):
    """A model did not answer. ``status`` is the HTTP status of the server's response; 0 if there was none."""

    status = 0


class NoProviderError(ProviderError):
    """There is nothing to call: no key, no server, no configuration."""


class NoModelError(NoProviderError):
    """No model is configured, and none that may be used was found."""


class ConsentMissingError(NoModelError):
    """A model was found, and the user has not decided whether it may be used: there was no answer."""


class ProviderUnavailableError(ProviderError):
    """The provider may answer later.

    ``retry_after`` is a lower bound in seconds, if the vendor gave one. ``uncertain``: the request was sent, and its
    outcome is unknown.
    """

    def __init__(self, message: str, *, retry_after: float | None = None, uncertain: bool = False) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.uncertain = uncertain


class EmptyResponseError(ProviderUnavailableError):
    """The model answered with neither text nor tool calls. It is retried once, less often than a busy server."""


class RequestRejectedError(ProviderError):
    """The provider rejected the request. ``context_overflow``: it is longer than the model can read."""

    def __init__(self, message: str, *, context_overflow: bool = False) -> None:
        super().__init__(message)
        self.context_overflow = context_overflow


class WrongServerError(RequestRejectedError):
    """Something else answers at the model server's address, so no retry can succeed."""


class AppError(KoiError):
    """An app could not do what was requested."""


class AppUnavailableError(AppError):
    """It may work later. ``retry_after`` is a lower bound in seconds, if the service gave one.

    ``bucket`` is the channel whose calls share this limit; empty for all calls of the app. ``uncertain``: it may have
    been done, as when the connection broke off after the whole request was sent.
    """

    def __init__(
        self, message: str, *, retry_after: float | None = None, bucket: str = "", uncertain: bool = False
    ) -> None:
        super().__init__(message)
        self.uncertain = uncertain
        self.retry_after = retry_after if 0.0 <= (retry_after or 0.0) < float("inf") else None
        self.bucket = bucket


class AppRejectedError(AppError):
    """The service rejected the request. ``unreadable_format``: send the text as plain text instead."""

    def __init__(self, message: str, *, unreadable_format: bool = False) -> None:
        super().__init__(message)
        self.unreadable_format = unreadable_format


class SignInRequiredError(AppError):
    """The user must sign in, or grant more. A retry before that cannot succeed. ``missing``: there is no token yet."""

    def __init__(self, message: str, *, missing: bool = False) -> None:
        super().__init__(message)
        self.missing = missing

    @classmethod
    def not_connected(cls, name: str) -> "SignInRequiredError":
        """Return the error of an app that has no token; ``name`` is the app's name for `openkoi connect`."""
        return cls(f"{name.capitalize()} is not connected. Run `openkoi connect {name}`.", missing=True)


class DocumentConflictError(AppError):
    """A document has changed since it was read, so it was not written. Read it again."""


class ToolError(KoiError):
    """A tool cannot do what was requested: this becomes a failed result, and the run continues."""


class RunStoppedError(KoiError):
    """A run was stopped by its caller, so it has no result. Its log says so, and it can be resumed."""

    def __init__(self, run: str) -> None:
        super().__init__(f"Run {run[:8]} was stopped. To resume it, run `openkoi resume {run[:8]}`.")
        self.run = run


class LimitExceededError(KoiError):
    """Continuing would exceed a limit of the task. Do not catch it: the next model call ends the run."""

    def __init__(self, limit: str) -> None:
        super().__init__(f"The task's limit was reached: {limit}.")
        self.limit = limit


class PluginError(KoiError):
    """A plugin raised, hung or broke its contract; it is named and skipped, and disabled after three errors."""

    def __init__(self, plugin: str, method: str, cause: BaseException | str) -> None:
        super().__init__(f"Plugin {plugin!r} failed at {method}: {cause}")
        self.plugin = plugin
