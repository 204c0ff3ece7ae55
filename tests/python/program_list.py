"""Programs that a module of tests runs one by one."""

from __future__ import annotations


class ProgramList(list):
    """Functions in the order in which they are written"""

    def program(self, function):
        """A decorator that appends a function and leaves it as it is"""
        self.append(function)
        return function
