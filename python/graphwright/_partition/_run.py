"""A run of a graph whose calls of the host are answered by hand."""

from __future__ import annotations

import threading
from typing import Any

from .. import _native


class Run:
    """A run of a graph whose calls of the host are answered by hand.

    `receive` gives what the graph hands over for its next call, `send` answers it, `finish` waits for the
    result. Each raises what the graph raises; after `finish` or `terminate`, `RuntimeError`. One thread uses
    a run.
    """

    def __init__(
        self, concrete: _native.ConcreteFunction, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self._concrete = concrete
        self._changed = threading.Condition()
        #: The call that waits for an answer: its number, name and arguments.
        self._asked: tuple[int, str, tuple[Any, ...]] | None = None
        self._answer: tuple[Any] | None = None
        self._ended: tuple[Any, BaseException | None] | None = None
        self._is_terminated = self._is_over = False
        self._thread = threading.Thread(target=self._run, args=(args, kwargs), daemon=True)
        self._thread.start()
        with self._changed:
            # Arguments that do not fit are said of at once, where the run is started.
            self._changed.wait_for(lambda: self._asked is not None or self._ended, timeout=0.05)
            self._raise_failure()

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        result, error = None, None
        try:
            result = _native.answered_by(self._ask, self._concrete, args, kwargs)
        except BaseException as raised:
            error = raised
        with self._changed:
            self._ended = (result, error)
            self._changed.notify_all()

    def _ask(self, number: int, name: str, tensors: tuple[Any, ...]) -> Any:
        with self._changed:
            self._asked = (number, name, tensors)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._answer is not None or self._is_terminated)
            if self._answer is None:
                raise Terminated
            (answer,), self._answer, self._asked = self._answer, None, None
            return answer

    def _await(self) -> None:
        if self._is_over:
            raise RuntimeError("this run has ended")
        while not self._changed.wait_for(lambda: self._asked is not None or self._ended, timeout=0.1):
            pass

    def receive(self) -> tuple[str, tuple[Any, ...]]:
        """`(name of the function, its tensors)` of the next call; `RuntimeError` if there is none."""
        with self._changed:
            self._await()
            if self._asked is None:
                self._raise_failure()
                raise RuntimeError("the graph calls the host no more: call `finish`")
            return self._asked[1], self._asked[2]

    def send(self, result: Any = None) -> None:
        """Answers the call that `receive` gave.

        `TypeError` or `ValueError` if the function does not promise to give this; the call waits on then.
        """
        with self._changed:
            self._await()
            if self._asked is None:
                self._raise_failure()
                raise RuntimeError("no call of the graph waits for an answer")
            self._concrete._check_answer(self._asked[0], result)
            self._answer = (result,)
            self._changed.notify_all()
            while not self._changed.wait_for(lambda: self._answer is None or self._ended, timeout=0.1):
                pass

    def finish(self) -> Any:
        """The result of the function; `RuntimeError` while a call waits for an answer."""
        with self._changed:
            self._await()
            if self._ended is None:
                assert self._asked is not None
                raise RuntimeError(f"`{self._asked[1]}` waits for an answer: call `receive` and `send`")
            self._raise_failure()
            self._is_over = True
            return self._ended[0]

    def _raise_failure(self) -> None:
        if self._ended is not None and self._ended[1] is not None:
            self._is_over = True
            raise self._ended[1]

    def terminate(self) -> None:
        """Ends the run at its next call of the host, or where it is; what it did so far stands."""
        with self._changed:
            self._is_terminated = self._is_over = True
            self._changed.notify_all()
        self._thread.join()


class Terminated(BaseException):
    """A run that is driven by hand was terminated."""
