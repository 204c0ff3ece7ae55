"""Functions of neural networks, under TensorFlow's names."""

from ._native import relu, sigmoid, softmax, tanh

__all__ = ["relu", "sigmoid", "softmax", "tanh"]
