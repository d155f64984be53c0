"""Convert a setting to the type of a constructor's parameter. Pure; pydantic is imported only if it is needed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeGuard, get_args, get_origin

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


class WrongTypeError(Exception):
    """A value does not have its type: what is wrong with it, and the keys and indices that lead to it."""

    def __init__(self, value: object, text: str, path: Sequence[object] = ()) -> None:
        super().__init__(text)
        self.value = value
        self.path = path


def convert_parameter(value: object, hint: Any) -> object:
    """Return a value converted to a type; raise WrongTypeError, or TypeError for an unusable type."""
    kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if kind is Any or (isinstance(kind, type) and type(value) is kind):
        return value
    if is_list_of(value, kind):
        return tuple(value)
    from pydantic import PydanticSchemaGenerationError, PydanticUserError, TypeAdapter, ValidationError

    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        raise WrongTypeError(first["input"], first["msg"], path_of(first, value)) from None
    except PydanticSchemaGenerationError:
        raise WrongTypeError(value, "it cannot be set in a file") from None
    except PydanticUserError as error:
        raise TypeError(error.message) from error


def is_list_of(value: object, kind: Any) -> TypeGuard[list[object]]:
    """Return whether a value is a list of plain values of the hinted type; doing without pydantic saves 8 MiB."""
    one, *more = get_args(kind) if get_origin(kind) is tuple else (None,)
    return more == [...] and isinstance(value, list) and all(type(item) is one for item in value)


def path_of(error: "ErrorDetails", value: Any) -> list[object]:
    """Return the keys and indices of an error's place; pydantic puts names of types between them."""
    path: list[object] = []
    for key in error["loc"]:
        missing = error["type"] == "missing" and key == error["loc"][-1]
        if isinstance(value, dict) and (key in value or missing):
            value = value.get(str(key))
        elif isinstance(value, list) and isinstance(key, int):
            value = value[key]
        else:
            continue
        path.append(key)
    return path
