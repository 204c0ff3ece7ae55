"""The context that is there on import: it makes the local one when something is executed.

The modules of execution are imported then too, so that programs which only trace do without them.
"""

from __future__ import annotations

from typing import Any

from ..framework import set_default_context


class LocalContextOnDemand:
    """Has `create_local_execution_context()` in its place from the first call on."""

    def invoke(self, comp: Any, arg: Any) -> Any:
        """Returns the result of a computation; errors are those of `SyncExecutionContext.invoke`."""
        from .contexts import create_local_execution_context

        context = create_local_execution_context()
        set_default_context(context)
        return context.invoke(comp, arg)


set_default_context(LocalContextOnDemand())
