"""Backends under TFF's names."""

from ..._public import publish as _publish
from . import native

__all__ = ["native"]

_publish(__name__)
