"""An LSTM learns six of Shakespeare's sonnets, character by character, and goes on from their first words."""

import itertools
from pathlib import Path

import numpy as np

import graphwright as gw
from graphwright.demo.figures import draw_curves
from graphwright.demo.workload import Workload

TEXT = (Path(__file__).parent / "sonnets.txt").read_text(encoding="utf-8")
LETTERS = sorted(set(TEXT))
BATCH, LENGTH, PATIENCE, GOAL = 8, 16, 3, 1.2


class Reader(gw.keras.layers.Layer):
    """From characters to the logits of the one that follows each."""

    def __init__(self, units):
        super().__init__()
        self.letters = gw.keras.layers.Embedding(len(LETTERS), 16)
        self.memory = gw.keras.layers.LSTM(units, return_sequences=True)
        self.out = gw.keras.layers.Dense(len(LETTERS))

    def call(self, text):
        """The logits, of shape `(batch, time, letters)`."""
        return self.out(self.memory(self.letters(text)))


def read(model, optimizer, text, most, goal, talks):
    """Trains with pieces of the text until it is foretold well enough, or for a while no better."""
    losses, best, waited, epoch = gw.zeros(most), 1e9, 0, 0
    starts = gw.range(0, len(text) - LENGTH, LENGTH // 2)
    batches = len(starts) // BATCH
    while epoch < most and waited < PATIENCE:
        total = 0.0
        for pieces in gw.reshape(gw.random.shuffle(starts)[: batches * BATCH], [batches, BATCH]):
            places = gw.expand_dims(pieces, 1) + gw.range(LENGTH)
            with gw.GradientTape() as tape:
                logits = model(gw.gather(text, places))
                following = gw.gather(text, places + 1)
                loss = gw.reduce_mean(gw.nn.sparse_softmax_cross_entropy_with_logits(following, logits))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            total += loss
        losses[epoch] = total / batches
        waited = 0 if losses[epoch] < best else waited + 1
        best = min(best, losses[epoch])
        epoch += 1
        if talks and epoch % 10 == 0:
            print("epoch", epoch, "loss", losses[epoch - 1])
        if best < goal:
            break
    return losses[:epoch]


def workload(small: bool) -> Workload:
    """The same function, eager and as one graph."""
    numbers = gw.constant(np.array([LETTERS.index(letter) for letter in TEXT], np.int32))
    most, units = (2, 8) if small else (40, 64)
    numbers = numbers[:400] if small else numbers
    gw.random.set_seed(1)
    model, optimizer = Reader(units), gw.keras.optimizers.Adam(0.01)
    model(gw.zeros([1, 2], gw.int32))
    optimizer.build(model.trainable_variables)
    beginning = model.get_weights(), [variable.numpy() for variable in optimizer.variables]
    staged, turns = gw.function(read), itertools.count()

    def run(function, talks):
        gw.random.set_seed(2)
        model.set_weights(beginning[0])
        optimizer.set_weights(beginning[1])
        return function(model, optimizer, numbers, most, GOAL, gw.constant(talks)).numpy()

    return Workload(
        title=f"LSTM of {units} units on {len(numbers):,} characters",
        plain="eager",
        python=lambda: run(read, False),
        graph=lambda: run(staged, next(turns) == 0 and not small),
        same=lambda python, graph: same(python, graph, 9.0 if small else GOAL),
        draw=lambda answer, folder: draw_curves(
            {"training": answer},
            folder / "lstm.png",
            "LSTM on Shakespeare's sonnets",
            "epoch",
            "loss (nats per character)",
        ),
        repeat=1,
    )


def same(python, graph, most):
    """The first epochs have the same losses but for rounding, and both end below the goal."""
    return np.allclose(python[:2], graph[:2], rtol=1e-2) and max(python[-1], graph[-1]) < most
