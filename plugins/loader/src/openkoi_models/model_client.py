"""Call a model: reserve, send, stream, settle, log; retry, or fall back to the next model if a provider is down."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import field, replace
from time import monotonic, perf_counter

from openkoi_base.counts import format_count
from openkoi_base.isolation import format_error, must_end
from openkoi_hookspecs import (
    EmptyResponseError,
    Event,
    FinishReason,
    KoiError,
    LimitExceededError,
    PluginError,
    ProviderUnavailableError,
    Request,
    RequestRejectedError,
    Response,
    StreamEnd,
    ToolResult,
    Usage,
    WrongServerError,
    events,
)
from openkoi_hookspecs.lazy_dataclass import dataclass

from .call_budget import CallBudget
from .charges import Charge, charge
from .model_roles import EXECUTOR, LISTING_GRACE, ModelRouter, ResolvedModel, suggest_models
from .reasoning_filter import strip_foreign_reasoning
from .request_stats import NO_STATS, RequestStats
from .reservation import INPUT_MARGIN, Reservation
from .response_buffer import ResponseBuffer, StreamedText, chunk_error, close_stream
from .retry_or_fallback import RETRY_BUDGET_SECONDS, backoff, chain_error
from .unsupported_images import SendableMessages

JUDGE_REQUEST = Usage(input=8_000, output=2_000)  # the judge's usual request: 24,000 characters of diff and its rubric
MIN_AHEAD_TOKENS = 256  # tokens to charge in advance while an answer arrives; later, twice its length (estimate)
JUDGE = "evaluator"
NO_IMAGES = "Retrying without the images and files in the request."
LIMIT_IGNORED = (
    " The server ignores this limit. Use another model, or set a higher `output` under "
    '[models.known."{name}"] in the config file.'
)
UNAUTHORIZED = 401
NEW_KEY = " To enter another key, run `openkoi init`."


@dataclass(slots=True)
class ModelClient:
    """Calls models for one run. ``emit`` logs events; ``executor`` is the role, or the model, that does the task."""

    budget: CallBudget
    router: ModelRouter
    emit: Callable[[Event], Awaitable[None]]
    executor: str = EXECUTOR
    warned: set[str] = field(default_factory=set)
    judgement: Usage = JUDGE_REQUEST
    sendable: SendableMessages = field(default_factory=SendableMessages)
    stats: dict[tuple[str, str], RequestStats] = field(default_factory=dict)
    patience_until: float = 0.0

    async def chat(self, request: Request) -> Response:
        """Call the models of a role in turn until one answers; a model that failed is not called for a while.

        Raises LimitExceededError before a limit is exceeded, RequestRejectedError if a model rejects the request, and
        ProviderUnavailableError if none can answer.
        """
        self.patience_until = 0.0
        names = self.router.cooling.ready(await self.router.chain(request.model, self.executor))
        for name, following in zip(names, [*names[1:], ""], strict=True):
            try:
                return await self.call_with_retries(name, request, others=bool(following))
            except ProviderUnavailableError as error:
                self.router.cooling.leave(name, error.retry_after)
                if not following and isinstance(error, EmptyResponseError) and has_worked(request):
                    return await self.accept_empty_answer(name, request, error)
                if not following:
                    raise chain_error(names, error) from error
                await self.report_fallback(name, following, request.model, error)
        raise AssertionError("every role has a model here: choosing one raises otherwise")

    async def judgement_cost(self) -> tuple[int, float]:
        """Return the tokens and dollars that one judgement is expected to need; zero if no model can judge."""
        try:
            first, *_ = await self.router.chain(JUDGE, self.executor)
            price = (await self.router.resolve_model(first)).price
        except KoiError:
            return 0, 0.0
        wide = replace(self.judgement, input=round(self.judgement.input * INPUT_MARGIN))
        return wide.total, price.cost(wide)

    async def report_fallback(self, name: str, following: str, role: str, error: ProviderUnavailableError) -> None:
        """Report that another model is called."""
        await self.emit(events.ModelFallback(role, name, following, str(error)))
        await self.emit(events.WarningIssued(f"{error} Falling back from {name} to {following}."))

    async def accept_empty_answer(self, name: str, request: Request, error: EmptyResponseError) -> Response:
        """Treat an empty answer after tool calls as the end of the work, which is then evaluated as usual."""
        reply = Response((), StreamEnd(Usage(), FinishReason.END))
        await self.emit(events.WarningIssued(f"{error} The model ended its work without a final answer."))
        await self.emit(events.ModelResponse(name, reply, 0.0, role=request.model, messages=len(request.messages)))
        return reply

    async def call_with_retries(self, name: str, request: Request, *, others: bool) -> Response:
        """Call one model; retry after a temporary error if waiting may help."""
        resolved, tries = await self.router.resolve_model(name), 1
        while True:
            try:
                return await self.call_once(await self.adapt_request(request, resolved), resolved)
            except ProviderUnavailableError as error:
                wait, now = backoff(error, tries, others=others), monotonic()
                self.patience_until = self.patience_until or now + RETRY_BUDGET_SECONDS
                if wait is None or now + wait > self.patience_until or wait >= self.budget.task.seconds_left:
                    raise
                await self.emit(events.WarningIssued(f"{error} Retrying in {wait:.1f} s."))
                await asyncio.sleep(wait)
                tries += 1
            except RequestRejectedError as error:
                if self.sendable.note_refusal(error, request.messages, resolved):
                    await self.emit(events.WarningIssued(f"{error} {NO_IMAGES}"))
                    continue
                advised = RequestRejectedError(
                    f"{error}{await find_advice(error, resolved)}", context_overflow=error.context_overflow
                )
                advised.status = error.status
                raise advised from error

    async def adapt_request(self, request: Request, resolved: ResolvedModel) -> Request:
        """Return a request with only the content that the model can read; warn about the rest."""
        if not self.updated_stats(request).has_media:
            return request
        messages = self.sendable.adapt_messages(request.messages, resolved)
        for text in self.sendable.take_warnings():
            await self.emit(events.WarningIssued(text))
        return replace(request, messages=messages)

    def updated_stats(self, request: Request, model: str = "") -> RequestStats:
        """Return the stats of a request, before or after it is adapted to a model, from those of the previous one."""
        known = self.stats.get((request.model, model), NO_STATS)
        self.stats[request.model, model] = known.update(request)
        return self.stats[request.model, model]

    async def warn_of_price(self, resolved: ResolvedModel) -> None:
        if resolved.known or resolved.name in self.warned:
            return
        self.warned.add(resolved.name)
        await self.emit(
            events.WarningIssued(
                f"The price of {resolved.name} is unknown; assuming ${resolved.price.input:g} per million input tokens "
                f"and ${resolved.price.output:g} per million output tokens. "
                f'To set it, add `price = [INPUT, OUTPUT]` under [models.known."{resolved.name}"] in the config file.'
            )
        )

    async def call_once(self, request: Request, resolved: ResolvedModel) -> Response:
        stats = self.updated_stats(request, resolved.name)
        estimate = self.router.estimator.estimate_tokens(resolved.name, stats)
        asked_for = min(request.max_output or resolved.model.output, resolved.model.output)
        if request.model == JUDGE and estimate > self.judgement.input:
            self.judgement = replace(self.judgement, input=estimate)
        if resolved.guessed and not self.budget.affords(estimate, asked_for, resolved.price):
            resolved = await self.router.complete_model(resolved.name)
        lease = await self.budget.reserve(estimate, asked_for, resolved)
        messages = request.messages
        if stats.reasoning_models - {"", resolved.name}:
            messages = strip_foreign_reasoning(messages, resolved.name)
        sent = replace(request, messages=messages, model=resolved.model.name, max_output=lease.max_output)
        buffer, started = ResponseBuffer(lease.max_output), perf_counter()
        note = ReservationLog(lease, resolved.name, request.model)
        try:
            await self.listen(sent, note, buffer, resolved)
            due = charge(buffer, estimate, lease)
            parts = buffer.parts_by(resolved.name)
        except BaseException:
            await self.settle_failed(note, buffer, estimate, resolved)
            raise
        self.router.estimator.learn(resolved.name, stats, due.counted)
        took = round((perf_counter() - started) * 1000)
        reply = Response(parts, StreamEnd(due.usage, buffer.done.stop if buffer.done else FinishReason.END))
        longest = resolved.model.output
        if resolved.guessed:
            resolved = await self.router.complete_model(resolved.name, LISTING_GRACE)
        await self.warn_of_price(resolved)
        usd = await self.charge(lease, due, resolved, overlong=buffer.overlong)
        if reply.done.stop is FinishReason.LENGTH and not buffer.overlong:
            await self.emit(
                events.WarningIssued(explain_cut(reply, resolved.name, lease.max_output, asked_for, longest))
            )
        asked, role, id = len(request.messages), request.model, lease.id
        await self.emit(
            events.ModelResponse(resolved.name, reply, usd, role=role, milliseconds=took, messages=asked, lease=id)
        )
        return reply

    async def listen(
        self, sent: Request, note: "ReservationLog", heard: ResponseBuffer, resolved: ResolvedModel
    ) -> None:
        """Receive an answer; raise ProviderError if the stream breaks off, PluginError if it is not an answer."""
        await self.emit(note.request_event(0))
        try:
            async with (
                asyncio.timeout(max(0.0, self.budget.task.seconds_left)) as deadline,
                close_stream(resolved.provider.chat(sent)) as chunks,
                StreamedText(heard, self.emit, note.role in (EXECUTOR, self.executor)) as text,
            ):
                async for chunk in chunks:
                    if resolved.guessed:
                        self.router.list_models(resolved)  # beside the first call, once the server answers
                    if wrong := chunk_error(chunk):
                        raise PluginError(
                            resolved.name, "chat", f"it yielded something that is not a chunk of a response: {wrong}"
                        )
                    heard.take(chunk)
                    if heard.length > note.until:
                        await self.emit(note.request_event(heard.length))
                    if text.is_due():
                        await text.flush()
                    if heard.overlong:
                        break
        except KoiError:
            raise
        except BaseException as error:  # a provider is a plugin: what it may raise is not known
            if must_end(error):
                raise
            if deadline.expired():
                raise LimitExceededError("seconds") from None
            raise PluginError(resolved.name, "chat", format_error(error)) from error
        if heard.done is None:
            raise ProviderUnavailableError(f"{resolved.name} stopped in the middle of its answer.")

    async def settle_failed(
        self, note: "ReservationLog", buffer: ResponseBuffer, estimate: int, resolved: ResolvedModel
    ) -> None:
        """Settle a failed call: charge the received part at an estimate, and nothing else."""
        if not buffer.length:
            await self.budget.release(note.lease)
            await self.emit(events.ModelRequest(resolved.name, Usage(), 0.0, role=note.role, lease=note.lease.id))
            return
        counted = Usage(input=estimate, output=buffer.tokens)
        usage = note.lease.cap_usage(counted)
        usd = await self.budget.settle(note.lease, usage, resolved.price, counted=counted)
        await self.emit(events.ModelResponseBroken(resolved.name, usage, usd, role=note.role, lease=note.lease.id))

    async def charge(self, lease: Reservation, due: Charge, resolved: ResolvedModel, *, overlong: bool) -> float:
        """Charge an answer; return the dollars. Warn if more arrived, or was counted, than was reserved."""
        usd = await self.budget.settle(lease, due.usage, resolved.price, counted=due.counted)
        over = due.describe_overrun(lease, resolved.price)
        then = "the task ends here" if self.budget.task.over else "more will be reserved from now on"
        if overlong:
            sent = f"sent more than the allowed {lease.max_output:,} tokens; the response was cut off"
            advice = LIMIT_IGNORED.format(name=resolved.name) if self.budget.task.over else ""
            await self.emit(events.WarningIssued(f"{resolved.name} {sent}{f' and {then}' if over else ''}.{advice}"))
        elif over:
            charged = "" if due.usage == due.counted else f" Charged: {due.usage.total:,} tokens."
            await self.emit(events.WarningIssued(f"{resolved.name} {over}; {then}.{charged}"))
        return usd


@dataclass(slots=True)
class ReservationLog:
    """The logged charge, always ahead of what was received: it applies if nothing more arrives."""

    lease: Reservation
    model: str
    role: str
    until: int = 0

    def request_event(self, length: int) -> events.ModelRequest:
        """Return the event with a charge that covers the answer until it is twice as long, in characters."""
        self.until = max(MIN_AHEAD_TOKENS, 2 * length)
        usage, usd = self.lease.so_far(self.until)
        return events.ModelRequest(self.model, usage, usd, role=self.role, lease=self.lease.id)


async def find_advice(error: RequestRejectedError, resolved: ResolvedModel) -> str:
    """Return advice on a refusal, if we have any that the vendor's message lacks."""
    if error.context_overflow or isinstance(error, WrongServerError):
        return ""
    return NEW_KEY if error.status == UNAUTHORIZED else await suggest_models(resolved.provider, resolved.model.name)


def explain_cut(reply: Response, name: str, allowed: int, asked_for: int, longest: int) -> str:
    """Explain that an answer ended at a length limit, and which limit, if it is one of ours."""
    length = format_count(reply.done.usage.output, "token")
    what = f"The answer of {name} was cut off at its length limit (about {length})."
    if allowed < asked_for:
        return f"{what} The remaining budget does not allow a longer answer."
    if allowed < longest:
        return what
    return f'{what} To allow longer answers, set a higher `output` under [models.known."{name}"] in the config file.'


def has_worked(request: Request) -> bool:
    """Return whether a request continues after tool calls."""
    return any(isinstance(part, ToolResult) for part in request.messages[-1].parts)
