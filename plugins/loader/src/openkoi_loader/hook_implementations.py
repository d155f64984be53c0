"""The plugins' implementations of hooks, as pluggy validates them, and when one that keeps failing is disabled."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from types import NoneType
from typing import Any, get_args, get_origin

from pluggy import HookImpl, HookimplOpts, PluginManager, PluginValidationError

from openkoi_base.isolation import PLAIN_SEQUENCES, make_check
from openkoi_hookspecs import Event, PluginError, hooks
from openkoi_hookspecs.lazy_dataclass import dataclass

Hook = Callable[..., object]

MAX_FAILURES = 3
SAME_PARAMETERS: dict[tuple[str, ...], tuple[str, ...]] = {}  # one object for equal parameters: compared by identity
ANY_NUMBER = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
FAIL_CLOSED = frozenset({"before_tool"})


@dataclass(slots=True)
class HookImplementation:
    """One plugin's implementation of a hook, and how often it failed.

    ``parameters`` are the facts that ``function`` takes, by position; ``answer_type`` is the type of its answer,
    ``item_type`` the type of the items of a sequence. ``kinds`` are the events for which ``on_event`` is called.
    """

    plugin: str
    hook: str
    function: Callable[..., object]
    parameters: tuple[str, ...]
    answer_type: type
    item_type: type | None
    kinds: tuple[type, ...] = (Event,)
    failures: int = 0
    is_disabled: bool = False
    changed_arguments: bool = False  # at least once, which is reported the first time
    key: tuple[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.key = self.hook, self.plugin

    def add_failure(self) -> None:
        """Count a failure; too many disable it. A guard is never disabled."""
        self.failures += 1
        self.is_disabled = self.failures >= MAX_FAILURES and not self.fails_closed

    @property
    def fails_closed(self) -> bool:
        """Whether OpenKoi asks the user if it fails."""
        return self.hook in FAIL_CLOSED

    @property
    def consequence(self) -> str:
        """The consequence of its first failure, in words; empty if it is a guard."""
        return "" if self.fails_closed else f" ({MAX_FAILURES} failures disable it)"

    def check_answer(self, answer: object) -> None:
        """Raise an error if an answer does not have the hook's type."""
        if answer is None:
            return
        is_sequence = self.item_type and type(answer) in PLAIN_SEQUENCES  # as most are; an abstract class takes longer
        if not is_sequence and (not isinstance(answer, self.answer_type) or isinstance(answer, (str, bytes))):
            kind = f"a sequence of {self.item_type.__name__}" if self.item_type else self.answer_type.__name__
            raise TypeError(f"returned {type(answer).__name__}, not {kind}")
        wanted = self.item_type or self.answer_type
        find_error = make_check(wanted)
        for item in answer if self.item_type else [answer]:  # type: ignore[attr-defined]  # a sequence, as checked
            if wrong := find_error(item):
                raise TypeError(f"returned an invalid {wanted.__name__}: {wrong}")


class HookManager(PluginManager):
    """pluggy's manager, which looks up every name of a plugin; most of these are Python's own."""

    def parse_hookimpl_opts(self, plugin: object, name: str) -> HookimplOpts | None:
        """Return the options of an implementation; None for a name that no hook has."""
        return None if name.startswith("_") else super().parse_hookimpl_opts(plugin, name)


def find_implementations(
    plugins: Mapping[str, object],
) -> tuple[dict[str, list[HookImplementation]], list[PluginError]]:
    """Return the implementations by hook, and an error for each plugin with a wrong signature, which is left out."""
    manager = HookManager("openkoi")
    manager.add_hookspecs(hooks)
    backwards = sorted(plugins.items(), key=lambda named: named[0], reverse=True)
    errors = [error for name, plugin in backwards if (error := register_plugin(manager, name, plugin))]
    found: dict[str, list[HookImplementation]] = {}
    for hook in vars(hooks).values():
        if inspect.isfunction(hook) and hasattr(hook, "openkoi_spec"):
            impls = getattr(manager.hook, hook.__name__).get_hookimpls()
            found[hook.__name__] = [make_implementation(impl, hook) for impl in impls[::-1]]
    return found, errors


def register_plugin(manager: PluginManager, name: str, plugin: object) -> PluginError | None:
    """Register a plugin if all of its hooks are known and have valid signatures."""
    try:
        manager.register(plugin, name)
        manager.check_pending()
        refuse_wrappers(manager, plugin)
    except (PluginValidationError, ValueError) as error:
        if manager.has_plugin(name):
            manager.unregister(name=name)
        found = next(find_unknown_names(manager, plugin), "")
        return PluginError(name, "registration", found or " ".join(str(error).split()))
    return None


def find_unknown_names(manager: PluginManager, plugin: object) -> Iterator[str]:
    """Yield a sentence for each implementation of an unknown hook, or with an unknown parameter."""
    from .suggestions import suggest  # only after a mistake

    known = [name for name, hook in vars(hooks).items() if hasattr(hook, "openkoi_spec")]
    for name in dir(plugin):
        if manager.parse_hookimpl_opts(plugin, name) is None:
            continue
        if name not in known:
            yield f"there is no hook {name}.{suggest(name, known)}"
            continue
        facts = tuple(inspect.signature(getattr(hooks, name)).parameters)
        for taken in inspect.signature(getattr(plugin, name)).parameters.values():
            if taken.name not in facts and taken.default is taken.empty and taken.kind not in ANY_NUMBER:
                hint = suggest(taken.name, facts) or f" Its parameters are {', '.join(facts)}."
                yield f"{name} has no parameter {taken.name}.{hint}"


def refuse_wrappers(manager: PluginManager, plugin: object) -> None:
    for caller in manager.get_hookcallers(plugin) or ():
        if any(impl.plugin is plugin and (impl.wrapper or impl.hookwrapper) for impl in caller.get_hookimpls()):
            raise ValueError(f"{caller.name} is a hook wrapper, which OpenKoi does not support; remove `wrapper=True`")


def make_implementation(impl: HookImpl, hook: Hook) -> HookImplementation:
    taken = inspect.signature(impl.function).parameters.values()
    known = tuple(inspect.signature(hook).parameters)
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken)
    names = known if takes_all else tuple(parameter.name for parameter in taken if parameter.name in known)
    by_position = all(parameter.kind is parameter.POSITIONAL_OR_KEYWORD for parameter in taken)
    function = impl.function if by_position and len(names) == len(taken) else call_by_name(impl.function, names)
    parameters = SAME_PARAMETERS.setdefault(names, names)
    kinds = followed_kinds(impl.function) if hook is hooks.on_event else (Event,)
    return HookImplementation(impl.plugin_name, hook.__name__, function, parameters, *answer_types(hook), kinds)


def followed_kinds(function: Hook) -> tuple[type, ...]:
    """Return the kinds of events in the annotation of the parameter ``event``; all kinds, if they are unknown."""
    try:
        parameter = inspect.signature(function, eval_str=True).parameters["event"]
    except Exception:  # it takes no event, or a name in an annotation is only imported for type checkers
        return (Event,)
    kinds = get_args(parameter.annotation) or (parameter.annotation,)
    return kinds if all(isinstance(kind, type) and issubclass(kind, Event) for kind in kinds) else (Event,)


def call_by_name(function: Hook, names: tuple[str, ...]) -> Hook:
    """Wrap the function so that it takes the facts with these names by position."""
    return lambda *facts: function(**dict(zip(names, facts, strict=True)))


def answer_types(hook: Hook) -> tuple[type, type | None]:
    """Return the answer type of a hook, and the type of its items if it is a sequence."""
    returns = inspect.signature(hook).return_annotation
    hint: Any = get_args(returns)[0] if returns is not None else NoneType
    return (Sequence, get_args(hint)[0]) if get_origin(hint) is Sequence else (hint, None)
