"""k-means on scikit-learn's handwritten digits, until no digit changes its cluster."""

from pathlib import Path

import numpy as np
from PIL import Image
from sklearn.datasets import load_digits

import graphwright as gw
from graphwright.demo.workload import Workload


def k_means(points, centres):
    """Moves the centres to the means of their points for as long as any point changes its centre."""
    count = centres.shape[0]
    assigned = gw.argmin(distances(points, centres), axis=1)
    rounds = 0
    changed = True
    while changed:
        members = gw.one_hot(assigned, count, dtype=gw.float64)
        sizes = gw.reduce_sum(members, axis=0)
        centres = gw.matmul(gw.transpose(members), points) / gw.expand_dims(sizes, 1)
        nearest = gw.argmin(distances(points, centres), axis=1)
        changed = gw.reduce_any(nearest != assigned)
        assigned = nearest
        rounds += 1
    return centres, assigned, rounds


def distances(points, centres):
    """Squared distances of each point from each centre, less what is the same for all centres."""
    return gw.reduce_sum(centres * centres, axis=1) - 2.0 * gw.matmul(points, gw.transpose(centres))


def k_means_in_numpy(points, centres):
    """The same in NumPy, to compare with."""

    def nearest_to(centres):
        return np.argmin((centres * centres).sum(axis=1) - 2.0 * (points @ centres.T), axis=1)

    count, assigned = len(centres), nearest_to(centres)
    rounds, changed = 0, True
    while changed:
        members = (assigned[:, None] == np.arange(count)).astype(np.float64)
        centres = (members.T @ points) / members.sum(axis=0)[:, None]
        nearest = nearest_to(centres)
        changed = bool((nearest != assigned).any())
        assigned, rounds = nearest, rounds + 1
    return centres, assigned, rounds


def workload(small: bool) -> Workload:
    """1,797 digits of 8×8 pixels, ten clusters, each started at the first digit of its kind."""
    digits = load_digits()
    points = digits.data[:300] if small else digits.data
    starts = np.stack([points[digits.target[: len(points)] == digit][0] for digit in range(10)])
    staged = gw.function(k_means)
    arguments = gw.constant(points), gw.constant(starts)
    return Workload(
        title=f"k-means of {len(points):,} digits",
        plain="NumPy",
        python=lambda: k_means_in_numpy(points, starts),
        graph=lambda: tuple(part.numpy() for part in staged(*arguments)),
        same=same,
        draw=lambda answer, folder: draw(points, answer, folder),
    )


def same(python, graph):
    """Every digit in the same cluster after as many rounds, and the same centres but for rounding."""
    return np.array_equal(python[1], graph[1]) and python[2] == graph[2] and np.allclose(python[0], graph[0])


def draw(points: np.ndarray, answer: tuple, folder: Path) -> Path:
    """One row per cluster: its centre in red, then the first digits that are in it."""
    centres, assigned, _ = answer
    columns, scale = 16, 4
    rows = []
    for cluster, centre in enumerate(centres):
        members = points[assigned == cluster][:columns]
        tiles = [tile(centre, (220, 40, 40)), *(tile(member, (20, 20, 20)) for member in members)]
        tiles += [np.full((10, 10, 3), 255, np.uint8)] * (columns + 1 - len(tiles))
        rows.append(np.hstack(tiles))
    path = folder / "kmeans.png"
    picture = Image.fromarray(np.vstack(rows))
    picture.resize((picture.width * scale, picture.height * scale), Image.Resampling.NEAREST).save(path)
    return path


def tile(pixels: np.ndarray, ink: tuple[int, int, int]) -> np.ndarray:
    """A digit of 8×8 in `ink` on white, with a margin."""
    amount = np.pad(pixels.reshape(8, 8) / 16.0, 1)[..., None]
    return (255 + amount * (np.array(ink) - 255)).round().astype(np.uint8)
