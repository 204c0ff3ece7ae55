"""A differential fuzzer: random Python programs must mean the same natively, converted and staged."""
