"""Functions of elements, each a row of the native module's table, under their names."""

from . import _native

__all__ = list(_native.MATH)

globals().update({name: getattr(_native, name) for name in __all__})
