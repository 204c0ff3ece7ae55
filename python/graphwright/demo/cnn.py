"""A small convolutional network learns to read digits."""

import graphwright as gw
from graphwright.demo.training import digits_workload
from graphwright.demo.workload import Workload


class Convolutional(gw.keras.layers.Layer):
    """Two convolutions, each followed by a pool that halves the image, then one layer."""

    def __init__(self):
        super().__init__()
        self.first = gw.keras.layers.Conv2D(8, 3, padding="same", activation="relu")
        self.second = gw.keras.layers.Conv2D(16, 3, padding="same", activation="relu")
        self.out = gw.keras.layers.Dense(10)

    def call(self, images):
        """The logit of each digit for each image."""
        x = gw.nn.max_pool2d(self.first(images), 2, 2, "VALID")
        x = gw.nn.max_pool2d(self.second(x), 2, 2, "VALID")
        return self.out(gw.reshape(x, [-1, 64]))


def workload(small: bool) -> Workload:
    """The same function, eager and as one graph."""
    return digits_workload("CNN", Convolutional, small)
