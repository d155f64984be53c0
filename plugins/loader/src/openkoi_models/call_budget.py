"""Charge a run's model calls to the task's own limits, and to the budget that all runs share."""

from openkoi_hookspecs import BudgetRequest, Cost, LimitExceededError, Price, Usage
from openkoi_hookspecs.lazy_dataclass import dataclass

from .model_roles import ResolvedModel
from .reservation import INPUT_MARGIN, Reservation
from .shared_budget import SharedBudget
from .task_budget import TaskBudget


@dataclass(frozen=True, slots=True)
class CallBudget:
    """The budgets of one run; ``run`` is the id of the task's run, which its sub-tasks share."""

    task: TaskBudget
    shared: SharedBudget
    run: str

    def affords(self, estimate: int, max_output: int, price: Price) -> bool:
        """Return whether the remaining dollars pay for the worst case of a call at this price."""
        return price.cost(Usage(input=round(estimate * INPUT_MARGIN), output=max_output)) <= self.task.usd_left

    async def reserve(self, estimate: int, max_output: int, resolved: ResolvedModel) -> Reservation:
        """Reserve the worst case of a call in both, with a shorter answer if needed; raises LimitExceededError."""
        lease = self.task.reserve(estimate, max_output, resolved.price)
        wanted = BudgetRequest(
            id=lease.id, run=self.run, model=resolved.name, most=lease.amount, least=lease.least.amount
        )
        try:
            granted = await self.shared.reserve(wanted, self.task.seconds_left)
        except BaseException as error:  # also a cancellation: what the budget may have reserved by then is given back
            if isinstance(error, LimitExceededError):
                self.task.refused = error.limit
            await self.release(lease)
            raise
        return lease if granted == lease.amount else self.task.shorten(lease, granted)

    async def settle(self, lease: Reservation, usage: Usage, price: Price, *, counted: Usage | None = None) -> float:
        """Replace a reservation with what the call used; return the dollars."""
        before = self.task.used
        usd = self.task.settle(lease, usage, price, counted=counted)
        await self.shared.settle(lease.id, self.task.used - before)
        if self.task.overspent:
            await self.shared.stop(self.task.overspent)
        return usd

    async def release(self, lease: Reservation) -> None:
        """Release an unused reservation: the request was not answered."""
        self.task.release(lease)
        await self.shared.settle(lease.id, Cost())
