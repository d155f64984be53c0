"""Call the plugins' hooks: pluggy validates and orders them; typed, isolated and attributed calls are made here."""

import asyncio
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from time import perf_counter
from types import NoneType
from typing import Any, Concatenate, ParamSpec, Protocol, TypeGuard, TypeVar, get_args, get_origin

from pluggy import HookImpl, PluginManager, PluginValidationError

from openkoi_base.isolation import copy_arguments, must_end, type_error_of
from openkoi_hookspecs import (
    ArgumentError,
    Ask,
    Event,
    HookReturn,
    LimitExceededError,
    PluginError,
    Section,
    events,
    hooks,
)
from openkoi_prompt import without_refused_texts
from openkoi_settings import keys

T = TypeVar("T")
P = ParamSpec("P")
Moment = Callable[..., object]

MAX_FAULTS = 3
SYNC_TIMEOUT_SECONDS = (
    2.0  # seconds: a busy machine stretches the first call of an honest hook, which imports, beyond one
)
FAIL_CLOSED = frozenset({"before_tool"})
AFTERWARDS = frozenset({"before_learn", "on_learning"})


class Writer(Protocol):
    """What is needed of a run to log an answer."""

    async def emit(self, event: Event) -> None:
        """Write an event."""


class Timed(Protocol):
    """The part of a run that keeps a hook within the task's time limit."""

    @property
    def seconds_left(self) -> float:
        """The remaining time of the task."""

    def note_limit(self, limit: str) -> None:
        """Record that a hook, a tool or a sub-task reached a limit."""


def can_write(run: object) -> TypeGuard[Writer]:
    """Return whether answers can be logged."""
    return has_all(run, "emit")


def is_timed(run: object) -> TypeGuard[Timed]:
    """Return whether the run has a time limit."""
    return has_all(run, "seconds_left", "note_limit")


def has_all(run: object, *names: str) -> bool:
    """Return whether a run has these; ``isinstance`` of a protocol takes 1,000 of 8,300 calls of a step."""
    kind: Any = type(run)  # to mypy, a class is not hashable
    return class_has(kind, names)


@cache
def class_has(kind: type, names: tuple[str, ...]) -> bool:
    return all(hasattr(kind, name) for name in names)


@dataclass(slots=True)
class HookImplementation:
    """One plugin's implementation of a hook, and its failures."""

    plugin: str
    moment: str
    function: Callable[..., object]
    names: tuple[str, ...] | None
    kind: type
    item: type | None
    faults: int = 0

    @property
    def is_disabled(self) -> bool:
        """Whether it is disabled. A guard is never disabled."""
        return self.faults >= MAX_FAULTS and self.moment not in FAIL_CLOSED


@dataclass(slots=True)
class Hooks:
    """The implementations of all hooks. ``report`` reports failures; answers are logged by the run that called."""

    report: Callable[[PluginError], None]
    order: Sequence[str] = ()
    patience: float = keys.HOOK_DEADLINE.default
    implementations_by_hook: dict[str, tuple[HookImplementation, ...]] = field(default_factory=dict)

    def register(self, plugins: Mapping[str, object]) -> list[PluginError]:
        """Take plugins in; those with wrong signatures are named and left out."""
        manager = PluginManager("openkoi")
        manager.add_hookspecs(hooks)
        backwards = sorted(plugins.items(), key=lambda named: named[0], reverse=True)
        faults = [fault for name, plugin in backwards if (fault := admit(manager, name, plugin))]
        for moment in vars(hooks).values():
            if inspect.isfunction(moment) and hasattr(moment, "openkoi_spec"):
                impls = getattr(manager.hook, moment.__name__).get_hookimpls()
                self.implementations_by_hook[moment.__name__] = tuple(
                    self.sort_implementations(voice(impl, moment) for impl in impls[::-1])
                )
        return faults

    def sort_implementations(self, voices: Iterable[HookImplementation]) -> list[HookImplementation]:
        """Order the implementations: those that the configuration names first, as named; the rest keep their order."""
        place = {name: rank for rank, name in enumerate(self.order)}
        return sorted(voices, key=lambda voice: place.get(voice.plugin, len(place)))

    def implementations(self, moment: Moment) -> tuple[HookImplementation, ...]:
        """Return the enabled implementations of a hook."""
        if not hasattr(moment, "openkoi_spec"):
            raise ArgumentError(f"A function of openkoi_hookspecs.hooks is called as a hook, not {moment!r:.80}.")
        return tuple(voice for voice in self.implementations_by_hook.get(moment.__name__, ()) if not voice.is_disabled)

    async def collect(
        self, moment: Callable[P, HookReturn[T]], /, *args: P.args, **facts: P.kwargs
    ) -> list[tuple[str, T]]:
        """Ask everybody, with the same facts; return who answers what, in order."""
        answers: list[tuple[str, T]] = []
        for voice in self.implementations(moment):
            answer: Any = await self.invoke(voice, facts)
            if answer is not None:
                answers.append((voice.plugin, answer))
        return answers

    async def fold(
        self, moment: Callable[Concatenate[T, P], HookReturn[T]], value: T, /, *args: P.args, **facts: P.kwargs
    ) -> T:
        """Pass a value through all implementations; each gets the result of the previous one."""
        speakers = self.implementations(moment)
        if not speakers:
            return value
        first = first_of(moment)
        for voice in speakers:
            answer: Any = await self.invoke(voice, {**facts, first: value})
            if answer is not None:
                value = answer
        return value

    async def tell(self, **facts: object) -> None:
        """Publish an event to all implementations, without answers."""
        for voice in self.implementations(hooks.on_event):
            await self.invoke(voice, facts)

    async def invoke(self, voice: HookImplementation, facts: Mapping[str, object]) -> object:
        """Return one answer, or None. Failures are reported by name; a failing guard answers Ask."""
        started = perf_counter()
        try:
            answer = await self.call(voice, facts)
            check(voice, answer)
        except BaseException as cause:  # the one place where a plugin is called: no error of it may end the run
            if must_end(cause):
                raise
            return self.report_failure(voice, cause, facts.get("run"))
        if answer is None:
            return None
        if can_write(run := facts.get("run")):
            took = round((perf_counter() - started) * 1e6)
            await run.emit(events.HookReturned(voice.moment, voice.plugin, took, loggable_answer(answer)))
        return tuple(answer) if isinstance(answer, Sequence) else answer

    async def call(self, voice: HookImplementation, facts: Mapping[str, object]) -> object:
        """Return the answer. What waits is cut off at its deadline; what does not is reported once it returned late."""
        started, limit = perf_counter(), SYNC_TIMEOUT_SECONDS
        answer = voice.function(**chosen(voice, facts))
        if answer is not None and inspect.isawaitable(answer):
            limit = self.patience_for(voice, facts.get("run"))
            async with asyncio.timeout(limit):
                answer = await answer
        if perf_counter() - started > limit:
            self.report(PluginError(voice.plugin, voice.moment, f"took more than {limit:g} s"))
        return answer

    def patience_for(self, voice: HookImplementation, run: object) -> float:
        """Return the seconds that a hook may take: at most what the task has left, and at least one."""
        if voice.moment in AFTERWARDS or not is_timed(run):
            return self.patience
        return min(self.patience, max(1.0, run.seconds_left))

    def report_failure(self, voice: HookImplementation, cause: BaseException, run: object = None) -> object:
        late = isinstance(cause, TimeoutError) and is_timed(run) and run.seconds_left <= 0
        if late and is_timed(run):
            run.note_limit("seconds")
        voice.faults += not (late or isinstance(cause, LimitExceededError))
        text = "was cut off at the task's time limit" if late else sentence(cause, self.patience)
        if voice.faults <= 1:
            left = "" if voice.moment in FAIL_CLOSED else f" (disabled after {MAX_FAULTS} failures)"
            self.report(PluginError(voice.plugin, voice.moment, text + left))
        return Ask(f"{voice.plugin} could not judge this: {text}") if voice.moment in FAIL_CLOSED else None


@cache
def first_of(moment: Moment) -> str:
    """Return the name of the value that is passed through all implementations."""
    return next(iter(inspect.signature(moment).parameters))


def admit(manager: PluginManager, name: str, plugin: object) -> PluginError | None:
    """Register a plugin if all of its hooks are known and have valid signatures."""
    try:
        manager.register(plugin, name)
        manager.check_pending()
        refuse_wrappers(manager, plugin)
    except (PluginValidationError, ValueError) as error:
        if manager.has_plugin(name):
            manager.unregister(name=name)
        return PluginError(name, "registration", " ".join(str(error).split()))
    return None


def refuse_wrappers(manager: PluginManager, plugin: object) -> None:
    for caller in manager.get_hookcallers(plugin) or ():
        if any(impl.plugin is plugin and (impl.wrapper or impl.hookwrapper) for impl in caller.get_hookimpls()):
            raise ValueError(f"{caller.name} is a wrapper; implement the hook instead")


def voice(impl: HookImpl, moment: Moment) -> HookImplementation:
    parameters = inspect.signature(impl.function).parameters.values()
    every = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    known = inspect.signature(moment).parameters
    names = None if every else tuple(parameter.name for parameter in parameters if parameter.name in known)
    return HookImplementation(impl.plugin_name, moment.__name__, impl.function, names, *answer_of(moment))


def answer_of(moment: Moment) -> tuple[type, type | None]:
    """Return the answer type of a hook, and the type of its items if it is a sequence."""
    returns = inspect.signature(moment).return_annotation
    hint = get_args(returns)[0] if returns is not None else NoneType
    return (Sequence, get_args(hint)[0]) if get_origin(hint) is Sequence else (hint, None)


def chosen(voice: HookImplementation, facts: Mapping[str, object]) -> dict[str, object]:
    """Return the facts that an implementation requests; a call's arguments are a copy, so that others see no change."""
    names = facts if voice.names is None else voice.names
    return {name: copy_arguments(facts[name]) for name in names}


def loggable_answer(answer: object) -> object:
    """Return an answer as the log keeps it: without the texts of sections that are too long to be admitted."""
    if isinstance(answer, Sequence) and all(isinstance(one, Section) for one in answer):
        return without_refused_texts(answer)
    return answer


def check(voice: HookImplementation, answer: object) -> None:
    """Raise for an answer of another type than the hook's."""
    if answer is None:
        return
    if not isinstance(answer, voice.kind) or isinstance(answer, (str, bytes)):
        raise TypeError(f"answered a {type(answer).__name__}, not {voice.kind.__name__}")
    for item in answer if isinstance(answer, Sequence) else [answer]:
        if wrong := type_error_of(item, voice.item or voice.kind):
            raise TypeError(f"returned an invalid {(voice.item or voice.kind).__name__}: {wrong}")


def sentence(cause: BaseException, patience: float) -> str:
    if isinstance(cause, TimeoutError):
        return f"did not answer within {patience:g} s"
    return f"{type(cause).__name__}: {cause}" if str(cause) else type(cause).__name__
