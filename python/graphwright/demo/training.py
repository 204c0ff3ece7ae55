"""Training to read digits: epochs, batches, tape, optimizer and early stopping in one plain function."""

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import graphwright as gw
from graphwright.demo.figures import draw_curves
from graphwright.demo.workload import Workload

BATCH, PATIENCE = 32, 6


def train(model, optimizer, images, labels, held_images, held_labels, most, talks):
    """Trains until the loss on digits held back has not become less for PATIENCE epochs, or `most` epochs."""
    batches = len(images) // BATCH
    losses, held = gw.zeros(most), gw.zeros(most)
    best, waited, epoch = 1e9, 0, 0
    while epoch < most and waited < PATIENCE:
        order = gw.random.shuffle(gw.range(len(images)))[: batches * BATCH]
        total = 0.0
        for rows in gw.reshape(order, [batches, BATCH]):
            with gw.GradientTape() as tape:
                loss = loss_of(model, gw.gather(images, rows), gw.gather(labels, rows))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            total += loss
        losses[epoch], held[epoch] = total / batches, loss_of(model, held_images, held_labels)
        waited = 0 if held[epoch] < best else waited + 1
        best = min(best, held[epoch])
        epoch += 1
        if talks and epoch % 10 == 0:
            print("epoch", epoch, "loss", losses[epoch - 1], "of digits held back", held[epoch - 1])
    return losses[:epoch], held[:epoch]


def loss_of(model, images, labels):
    """The mean cross entropy."""
    return gw.reduce_mean(gw.nn.sparse_softmax_cross_entropy_with_logits(labels, model(images)))


def accuracy(model, images, labels) -> float:
    """The share of digits that are told right."""
    return float(np.mean(gw.argmax(model(images), axis=1).numpy() == labels))


def digits_workload(name: str, make: Callable[[], gw.keras.layers.Layer], small: bool) -> Workload:
    """Trains a fresh model on 1,197 digits, 240 held back; 360 others are the test."""
    images, labels = load_digits(return_X_y=True)
    images = (images / 16.0).astype(np.float32).reshape(-1, 8, 8, 1)
    rest, tests, rest_labels, test_labels = train_test_split(images, labels, test_size=360, random_state=0)
    parts = rest[240:], rest_labels[240:], rest[:240], rest_labels[:240]
    if small:
        parts = tuple(part[:64] for part in parts)
    most = 2 if small else 60
    staged, turns = gw.function(train), itertools.count()

    gw.random.set_seed(1)
    model, optimizer = make(), gw.keras.optimizers.Adam(0.003)
    model(parts[0][:1])
    optimizer.build(model.trainable_variables)
    beginning = model.get_weights(), [variable.numpy() for variable in optimizer.variables]
    tensors = [gw.constant(part) for part in parts]

    def run(function, talks):
        gw.random.set_seed(2)
        model.set_weights(beginning[0])
        optimizer.set_weights(beginning[1])
        losses, held = function(model, optimizer, *tensors, most, gw.constant(talks))
        return losses.numpy(), held.numpy(), accuracy(model, tests, test_labels)

    return Workload(
        title=f"training {name} on {len(parts[0]):,} digits",
        plain="eager",
        python=lambda: run(train, False),
        graph=lambda: run(staged, next(turns) == 0 and not small),
        same=lambda python, graph: same(python, graph, 0.0 if small else 0.97),
        draw=lambda answer, folder: draw(name, answer, folder / f"{name.lower()}.png"),
        repeat=1,
    )


def same(python, graph, least):
    """The first epochs have the same losses but for rounding, and both tell enough digits right."""
    near = np.allclose(python[0][:2], graph[0][:2], rtol=1e-2)
    return near and min(python[2], graph[2]) >= least


def draw(name: str, answer: tuple, path: Path) -> Path:
    """The loss of each epoch, on the digits that are trained with and on those held back."""
    title = f"{name} on handwritten digits ({answer[2]:.1%} of the test told right)"
    curves = {"training": answer[0], "held back": answer[1]}
    return draw_curves(curves, path, title, "epoch", "loss (nats)", logarithmic=True)
