"""Define what an agent file may contain, key by key; the descriptions appear in error messages."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from .document import Scalar

Line: TypeAlias = Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x1f\x7f]*\S[^\x00-\x1f\x7f]*$")]
Whole: TypeAlias = Annotated[int, Field(strict=True, gt=0, le=1_000_000_000)]
Amount: TypeAlias = Annotated[float, Field(strict=True, gt=0, le=100_000_000)]
Names: TypeAlias = Annotated[list[Line], Field(max_length=1_000)]


class Shape(BaseModel):
    """A table with known keys. Text may be written without quotes, even if YAML reads it as another type."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def plain(cls, data: object) -> object:
        """Convert scalars to the types of the fields: text as written, other types as YAML reads them."""
        if not isinstance(data, dict):
            return data
        texts = {name for name, field in cls.model_fields.items() if field.annotation is str}
        return {name: read_as_text(value) if name in texts else read_as_yaml(value) for name, value in data.items()}


def read_as_text(value: object) -> object:
    return value.raw if isinstance(value, Scalar) and value.value is not None else read_as_yaml(value)


def read_as_yaml(value: object) -> object:
    if isinstance(value, list):
        return [read_as_yaml(item) if isinstance(item, Scalar) else item for item in value]
    return value.value if isinstance(value, Scalar) else value


def table_of(approvals: object) -> object:
    """Return a table for ``always``, every tool, or ``never``, none."""
    return (
        {"always": {"*": "always"}, "never": {}}.get(approvals, approvals) if isinstance(approvals, str) else approvals
    )


class Identity(Shape):
    """The name and version of an agent."""

    name: Annotated[Line, Field(description="a name on one line")]
    version: Annotated[str, Field(max_length=200, description="text")] = ""
    description: Annotated[str, Field(max_length=10_000, description="text")] = ""


class Budget(Shape):
    """The limits of a run."""

    usd_per_run: Annotated[Amount | None, Field(description="a number of dollars above 0")] = None
    tokens_per_run: Annotated[Whole | None, Field(description="a whole number above 0")] = None
    seconds_per_run: Annotated[Amount | None, Field(description="a number of seconds above 0")] = None


class ModelPolicy(Shape):
    """The model and its budget."""

    model: Annotated[str, Field(max_length=500, description="a model in the form provider/model")] = ""
    budget: Annotated[Budget, Field(description="a table with usd_per_run")] = Budget()


class Tools(Shape):
    """The allowed tools, and those that need the user's approval for each call."""

    allow: Annotated[Names, Field(description="a list of tool names, with * and ? as wildcards")] = ["*"]
    approvals: Annotated[
        dict[str, Literal["always", "never"]],
        BeforeValidator(table_of),
        Field(description='"always", "never", or a table that maps tool names to "always" or "never"'),
    ] = {}
    protected_paths: Annotated[Names, Field(description="a list of paths, with * and ? as wildcards")] = []


class Match(Shape):
    """The required result of a tool."""

    exit_code: Annotated[int | None, Field(strict=True, description="a whole number")] = None
    contains: Annotated[str, Field(max_length=10_000, description="text")] = ""


class TextIncludes(Shape):
    """The model's message contains a text."""

    kind: Literal["text-includes"]
    text: Annotated[str, Field(min_length=1, max_length=10_000, description="text that the message must contain")]


class ToolResult(Shape):
    """A tool returned a result."""

    kind: Literal["tool-result"]
    tool: Annotated[Line, Field(description="a tool's name")]
    match: Annotated[Match, Field(description="a table with exit_code and contains")] = Match()


class BudgetExhausted(Shape):
    """The dollars are used up."""

    kind: Literal["budget-exhausted"]


Condition: TypeAlias = TextIncludes | ToolResult | BudgetExhausted
CONDITIONS: dict[str, type[Shape]] = {
    "text-includes": TextIncludes,
    "tool-result": ToolResult,
    "budget-exhausted": BudgetExhausted,
}
KINDS = f"conditions, each with a kind ({', '.join(CONDITIONS)})"


class Iteration(Shape):
    """One agent that iterates until it is done."""

    max_cycles: Annotated[Whole | None, Field(description="a whole number above 0")] = None
    context_window: Annotated[Whole | None, Field(description="a whole number of tokens above 0")] = None
    summary_strategy: Annotated[
        Literal["", "rolling-window", "periodic-summary"], Field(description="rolling-window or periodic-summary")
    ] = ""
    termination_conditions: Annotated[
        list[Annotated[Condition, Field(discriminator="kind")]], Field(max_length=100, description=f"a list of {KINDS}")
    ] = []


class Composite(Shape):
    """Agents that work together. ``agents`` are validated one by one, elsewhere."""

    strategy: Annotated[
        Literal["sequential", "parallel", "debate", "iterative"],
        Field(description="sequential, parallel, debate or iterative"),
    ]
    rounds: Annotated[int | None, Field(strict=True, ge=1, le=100, description="a whole number from 1 to 100")] = None
    agents: Annotated[list[Any], Field(min_length=1, max_length=32, description="a list of 1 to 32 agents or paths")]


class Evaluation(Shape):
    """The maximum number of iterations, and the minimum score."""

    max_iterations: Annotated[
        int | None, Field(strict=True, ge=0, le=1_000, description="a whole number from 0 to 1000")
    ] = None
    quality_threshold: Annotated[float | None, Field(strict=True, ge=0, le=1, description="a number from 0 to 1")] = (
        None
    )


class AgentShape(Shape):
    """A whole file, or an agent inside another."""

    identity: Annotated[Identity, Field(description="a table with name and version")]
    instructions: Annotated[str, Field(max_length=200_000, description="text")] = ""
    instructions_file: Annotated[str, Field(max_length=1_000, description="the path of a text file")] = ""
    model_policy: Annotated[ModelPolicy, Field(description="a table with model and budget")] = ModelPolicy()
    tools: Annotated[Tools, Field(description="a table with allow, approvals and protected_paths")] = Tools()
    iteration: Annotated[Iteration | None, Field(description="a table with max_cycles and termination_conditions")] = (
        None
    )
    composite: Annotated[Composite | None, Field(description="a table with strategy and agents")] = None
    worker: Annotated[Line, Field(description="the name of an agent runner, on one line")] = ""
    evaluation: Annotated[Evaluation | None, Field(description="a table with max_iterations and quality_threshold")] = (
        None
    )
