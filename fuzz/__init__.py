"""A differential fuzzer: random Python programs must mean the same natively, converted and staged."""

import os

os.environ.setdefault("GRAPHWRIGHT_CACHE", "0")  # no program comes twice
