"""A second grammar: programs of another taste than the first's, written without looking at it.

Each program is a module with a function `f`, the calls of it, and what changes between them. It runs
natively, converted and staged, each call twice, in processes that end when they hang.
"""
