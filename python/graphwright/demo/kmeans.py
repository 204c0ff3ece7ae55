"""k-means on scikit-learn's handwritten digits, until no digit changes its cluster."""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

import graphwright as gw
from graphwright.demo import figures
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
    """The digits on two principal components, coloured by their clusters, and the centres as digits."""
    centres, assigned, rounds = answer
    title = f"k-means of {len(points):,} digits: {len(centres)} clusters after {rounds} rounds"
    made, [left, right] = figures.figure(title, columns=2, size=(10.5, 5.0))
    middle = points.mean(axis=0)
    directions = np.linalg.svd(points - middle, full_matrices=False)[2][:2]
    flat, flat_centres = (points - middle) @ directions.T, (centres - middle) @ directions.T
    for cluster, centre in enumerate(flat_centres):
        own = flat[assigned == cluster]
        label = f"cluster {cluster} ({len(own)})"
        left.scatter(own[:, 0], own[:, 1], s=6, alpha=0.5, color=f"C{cluster}", label=label)
        left.scatter(*centre, s=90, marker="X", color=f"C{cluster}", edgecolor="black")
    left.set(xlabel="first principal component", ylabel="second principal component")
    left.legend(fontsize=6, markerscale=2, ncols=2)
    tiles = [np.pad(centre.reshape(8, 8), 1) for centre in centres]
    tiles += [np.zeros((10, 10))] * (-len(tiles) % 4)
    rows = [np.hstack(tiles[at : at + 4]) for at in range(0, len(tiles), 4)]
    shown = right.imshow(np.vstack(rows), cmap="Greys", vmin=0, vmax=16)
    for cluster in range(len(centres)):
        place = (cluster % 4 * 10 + 0.5, cluster // 4 * 10 + 1.5)
        right.annotate(str(cluster), place, color=f"C{cluster}", fontsize=9, weight="bold")
    right.set(title="centres", xticks=[], yticks=[])
    made.colorbar(shown, ax=right, label="ink (0 to 16)")
    return figures.save(made, folder / "kmeans.png")
