"""Backends under TFF's names."""

from . import native

__all__ = ["native"]
