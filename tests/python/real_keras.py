"""Keras itself, with JAX beneath it."""

import os

os.environ["KERAS_BACKEND"] = "jax"

import keras as keras  # noqa: E402  # after it was told what is beneath it
