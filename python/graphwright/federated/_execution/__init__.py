"""Execution of federated computations: graphs over clients, the executors that arrange them, and contexts."""
