"""Backends under TFF's names."""

import sys as _sys

from ..._public import publish as _publish
from . import native

__all__ = ["native"]

_publish(_sys.modules[__name__])
