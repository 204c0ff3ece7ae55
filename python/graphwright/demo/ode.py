"""Fits the parameters of an ODE: the derivative goes through a solver that chooses its steps."""

from pathlib import Path

import numpy as np

import graphwright as gw
from graphwright.demo import figures
from graphwright.demo.workload import Workload

TRUE, GUESS = [1.5, 1.0, 3.0, 1.0], [1.3, 0.8, 2.6, 0.9]


def change(y, rates):
    """Hares and lynxes (Lotka and Volterra): how fast their numbers change."""
    hares, lynxes = y[0], y[1]
    born, eaten, dying, fed = rates[0], rates[1], rates[2], rates[3]
    return gw.stack([born * hares - eaten * hares * lynxes, fed * hares * lynxes - dying * lynxes])


def advance(y, rates, duration, h, tolerance):
    """Follows the ODE with steps as long as the tolerance allows (Bogacki and Shampine, 1989)."""
    t = 0.0 * duration
    while t < duration:
        step = gw.minimum(h, duration - t)
        k1 = change(y, rates)
        k2 = change(y + step / 2 * k1, rates)
        k3 = change(y + step * 3 / 4 * k2, rates)
        new = y + step * (2 * k1 + 3 * k2 + 4 * k3) / 9
        k4 = change(new, rates)
        error = gw.reduce_max(gw.abs(step * (-5 * k1 + 6 * k2 + 8 * k3 - 9 * k4) / 72))
        if error <= tolerance:
            t, y = t + step, new
        h = step * gw.clip_by_value(0.9 * (tolerance / (error + 1e-30)) ** (1 / 3), 0.2, 5.0)
    return y, h


def follow(rates, first, apart, tolerance, count):
    """The numbers of hares and lynxes at `count` times, equally far apart."""
    seen = gw.zeros([count, 2], gw.float64)
    y, h = first, apart / 10
    for i in gw.range(count):
        y, h = advance(y, rates, apart, gw.stop_gradient(h), tolerance)
        seen[i] = y
    return seen


def fit(rates, first, observed, apart, tolerance, most):
    """Changes the rates until the solution is near what was observed; gives the losses too.

    Each rate goes a step as long as its last gradients were alike (Kingma and Ba's Adam, by hand).
    """
    losses, step, loss = gw.zeros(most, gw.float64), 0, 1e9
    mean = square = gw.zeros_like(rates)
    while step < most and loss > 1e-7:
        with gw.GradientTape() as tape:
            tape.watch(rates)
            loss = gw.reduce_mean((follow(rates, first, apart, tolerance, len(observed)) - observed) ** 2)
        slope = tape.gradient(loss, rates)
        losses[step] = loss
        step += 1
        mean, square = 0.8 * mean + 0.2 * slope, 0.9 * square + 0.1 * slope * slope
        rates = rates - 0.05 * 0.98**step * mean / (1 - 0.8**step) / (
            gw.sqrt(square / (1 - 0.9**step)) + 1e-9
        )
    return losses[:step], rates


def workload(small: bool) -> Workload:
    """Four rates from 12 observations."""
    count, most = (3, 3) if small else (12, 300)
    first, apart = gw.constant([1.0, 1.0], gw.float64), gw.constant(0.25, gw.float64)
    tolerance = gw.constant(1e-4, gw.float64)
    observed = follow(gw.constant(TRUE, gw.float64), first, apart, tolerance * 1e-2, count)
    staged = gw.function(fit)

    rates = gw.constant(GUESS, gw.float64)

    def run(function):
        losses, found = function(rates, first, observed, apart, tolerance, most)
        return losses.numpy(), found.numpy()

    return Workload(
        title=f"fitting an ODE to {count} observations",
        plain="eager",
        python=lambda: run(fit),
        graph=lambda: run(staged),
        same=lambda python, graph: same(python, graph, small),
        draw=lambda answer, folder: draw(answer, observed.numpy(), folder),
        repeat=1,
    )


def same(python, graph, small):
    """The same rates, and the true ones."""
    near = all(np.allclose(p, g, rtol=1e-6) for p, g in zip(python, graph, strict=True))
    return near and (small or np.allclose(graph[1], TRUE, atol=0.02))


def draw(answer: tuple, observed: np.ndarray, folder: Path) -> Path:
    """The loss after each step, and the trajectories of the rates that were found and of those guessed."""
    losses, rates = answer
    made, [left, right] = figures.figure("Fitting Lotka and Volterra's rates", columns=2, size=(10.0, 4.5))
    left.plot(np.arange(1, len(losses) + 1), losses)
    left.set(xlabel="step of Adam", ylabel="mean squared error", yscale="log")
    figures.whole_steps(left)
    left.grid(alpha=0.3)
    first, tolerance = gw.constant([1.0, 1.0], gw.float64), gw.constant(1e-4, gw.float64)
    times, apart = np.linspace(0.05, 0.25 * len(observed), 5 * len(observed)), gw.constant(0.05, gw.float64)
    for name, used, style in (("fitted", rates, "-"), ("guessed", GUESS, ":")):
        path = follow(gw.constant(used, gw.float64), first, apart, tolerance, len(times)).numpy()
        for column, (animal, colour) in enumerate((("hares", "C0"), ("lynxes", "C3"))):
            right.plot(times, path[:, column], style, color=colour, label=f"{animal}, {name}")
    seen = np.arange(1, len(observed) + 1) * 0.25
    right.plot(seen, observed[:, 0], "o", color="C0", markersize=4, label="hares, observed")
    right.plot(seen, observed[:, 1], "o", color="C3", markersize=4, label="lynxes, observed")
    right.set(xlabel="time (years)", ylabel="animals (thousands)")
    right.grid(alpha=0.3)
    right.legend(fontsize=7, ncols=2)
    return figures.save(made, folder / "ode.png")
