"""A network of two layers learns to read digits."""

import graphwright as gw
from graphwright.demo.training import digits_workload
from graphwright.demo.workload import Workload


class Perceptron(gw.keras.layers.Layer):
    """64 pixels, 64 units, 10 digits."""

    def __init__(self):
        super().__init__()
        self.hidden = gw.keras.layers.Dense(64, "relu")
        self.out = gw.keras.layers.Dense(10)

    def call(self, images):
        """The logit of each digit for each image."""
        return self.out(self.hidden(gw.reshape(images, [-1, 64])))


def workload(small: bool) -> Workload:
    """The same function, eager and as one graph."""
    return digits_workload("MLP", Perceptron, small)
