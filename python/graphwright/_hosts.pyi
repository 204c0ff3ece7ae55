"""The native half of calls of the host; only type checkers read this."""

from collections.abc import Callable
from typing import Any, final

@final
class HostFunction:
    __name__: str
    __doc__: str | None
    __wrapped__: Callable[..., Any]
    def __new__(cls, function: Callable[..., Any]) -> HostFunction: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __get__(self, object: Any, _class: Any = None) -> Any: ...
    def __reduce__(self) -> str: ...

def py_function(
    func: Callable[..., Any] | None = None, inp: Any = None, Tout: Any = None, name: str | None = None
) -> Any: ...
def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any: ...
def require(condition: Any, parts: tuple[Any, ...], summarize: int | None = None) -> None: ...
def refusal(code: str, message: str, help: str) -> Exception: ...
