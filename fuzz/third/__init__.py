"""A third grammar: programs of an outside tester, whose calls go on from what the calls before them left.

A program is a module with classes, generators and globals, a function `f` that reads and changes them, and
five calls of it. What every call returns, raises, prints, and leaves in arguments and globals is judged.
"""
