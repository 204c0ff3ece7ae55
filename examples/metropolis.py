"""Metropolis–Hastings: samples of a density with two peaks, which is known up to a factor only.

Sources: N. Metropolis and others, "Equation of State Calculations by Fast Computing Machines", Journal of
Chemical Physics 21 (1953); the random numbers are the minimal standard of S. K. Park and K. W. Miller,
"Random Number Generators: Good Ones Are Hard to Find", Communications of the ACM 31 (1988).
"""

import math

import numpy as np


def lehmer(state):
    """The next number of the minimal standard generator."""
    return state * 16807 % 2147483647


def log_density(x):
    """The logarithm of the density, but for a constant."""
    return math.log(math.exp(-((x - 2.0) ** 2)) + 0.5 * math.exp(-((x + 2.0) ** 2)))


def metropolis(seed, start, width, steps):
    """The samples, and the share of the proposals that were accepted."""
    if width <= 0:
        raise ValueError("the width of the proposals is not positive")
    x, height = start, log_density(start)
    samples = np.empty(steps)
    accepted = 0
    for k in range(steps):
        seed = lehmer(seed)
        proposal = x + width * (2 * seed / 2147483647 - 1)
        proposed = log_density(proposal)
        seed = lehmer(seed)
        if seed / 2147483647 < math.exp(min(proposed - height, 0.0)):
            x, height = proposal, proposed
            accepted += 1
        samples[k] = x
    return samples, accepted / steps
