"""Calls of each of NumPy's numeric functions: what the table of names and the test of it try.

The letters are arrays: `v` and `w` rows of five, `s` a sorted row, `i` places in a row, `k` counts, `m` a matrix of three rows,
`q` a square one, `h` a symmetric one that is positive, `c` an array of three axes, `e` no elements, `z` one without axes,
`n` a row with NaN, `l` a matrix with NaN, `t` truths of a row, `g` truths of a matrix, `x` a row that is stored into, `y` such a
matrix. Behind `|` stand kinds of dtypes that a call is tried with: `f` floats, `i` integers, `u` integers without a sign,
`b` bools; `f` and `i` where there is none.
"""

from __future__ import annotations

CALLS: dict[str, str] = {
    # of elements
    **{
        name: f"np.{name}(v); np.{name}(m); np.{name}(e); np.{name}(z); np.{name}(n) | f"
        for name in "sin cos tan arctan tanh sinh cosh arcsinh exp expm1 exp2 cbrt floor ceil rint trunc fabs spacing "
        "isnan isfinite isinf signbit square sign negative positive absolute conjugate degrees radians deg2rad rad2deg "
        "isposinf isneginf nan_to_num fix modf frexp sinc i0 real imag iscomplex isreal angle real_if_close".split()
    },
    **{
        name: f"np.{name}(np.abs(v)); np.{name}(n) | f"
        for name in "sqrt log log2 log10 log1p reciprocal".split()
    },
    **{name: f"np.{name}(v / 10); np.{name}(n) | f" for name in "arcsin arccos arctanh".split()},
    "arccosh": "np.arccosh(np.abs(v) + 1)",
    **{
        name: f"np.{name}(v, w); np.{name}(v, 2); np.{name}(m, z); np.{name}(e, e)"
        for name in "add subtract multiply maximum minimum fmax fmin equal not_equal less less_equal greater "
        "greater_equal".split()
    },
    **{
        name: f"np.{name}(v, w); np.{name}(n, v); np.{name}(z, v) | f"
        for name in "arctan2 hypot copysign logaddexp logaddexp2 heaviside nextafter float_power".split()
    },
    **{
        name: f"np.{name}(v, k + 1); np.{name}(k, 3)" for name in "floor_divide remainder fmod divmod".split()
    },
    "divide": "np.divide(v, k + 1); np.divide(v, 2)",
    "power": "np.power(v, 2); np.power(v, k)",
    **{
        name: f"np.{name}(v, w); np.{name}(v, 3) | iub"
        for name in "bitwise_and bitwise_or bitwise_xor".split()
    },
    **{
        name: f"np.{name}(v, w); np.{name}(t, v > 0) | fib"
        for name in "logical_and logical_or logical_xor".split()
    },
    "logical_not": "np.logical_not(v); np.logical_not(t)",
    "invert": "np.invert(v); np.invert(t) | iub",
    "left_shift": "np.left_shift(v, k) | i",
    "right_shift": "np.right_shift(v, k) | i",
    "gcd": "np.gcd(v, w); np.gcd(v, 12); np.gcd(m, z) | iu",
    "lcm": "np.lcm(v, w); np.lcm(v, 6) | iu",
    "ldexp": "np.ldexp(v, 3); np.ldexp(v, i) | f",
    "bitwise_count": "np.bitwise_count(v); np.bitwise_count(m) | iu",
    "matmul": "np.matmul(m, q[:, :1] * 0 + 1) if False else np.matmul(q, q); np.matmul(v, w)",
    "vecdot": "np.vecdot(v, w); np.vecdot(m, m)",
    "vecmat": "np.vecmat(q[0], q)",
    "matvec": "np.matvec(q, q[0])",
    "clip": "np.clip(v, -1, 2); np.clip(m, None, z); np.clip(v, w - 1, w + 1)",
    "round": "np.round(v); np.round(m, 1); np.round(v * 100, -2)",
    "isclose": "np.isclose(v, w); np.isclose(n, n, equal_nan=True)",
    "where": "np.where(t, v, w); np.where(v > 0); np.where(g, m, 0)",
    # together
    **{
        name: f"np.{name}(v); np.{name}(m, axis=0); np.{name}(m, axis=-1, keepdims=True); np.{name}(c, axis=(0, 2)); "
        f"np.{name}(m, where=g) | fib"
        for name in "sum prod mean all any".split()
    },
    **{
        name: f"np.{name}(v); np.{name}(m, axis=0); np.{name}(m, axis=-1, keepdims=True); np.{name}(c, axis=(0, 2)); "
        f"np.{name}(m, initial=1); np.{name}(m, axis=1, where=g, initial=0)"
        for name in ("max", "min")
    },
    **{
        name: f"np.{name}(v); np.{name}(m, axis=0, ddof=1); np.{name}(m, axis=-1, keepdims=True); np.{name}(m, where=g); "
        f"np.{name}(v, dtype=np.float64) | fi"
        for name in ("var", "std")
    },
    "amax": "np.amax(m, axis=0)",
    "amin": "np.amin(m, axis=1)",
    "around": "np.around(m, 1)",
    "row_stack": "np.vstack((v, w))",
    "ptp": "np.ptp(v); np.ptp(m, axis=1); np.ptp(m, axis=0, keepdims=True)",
    "argmax": "np.argmax(v); np.argmax(m, axis=0); np.argmax(m, axis=1, keepdims=True); np.argmax(n)",
    "argmin": "np.argmin(v); np.argmin(m, axis=0); np.argmin(m, axis=1, keepdims=True); np.argmin(n)",
    "count_nonzero": "np.count_nonzero(v); np.count_nonzero(m, axis=0); np.count_nonzero(m, axis=1, keepdims=True)",
    "cumsum": "np.cumsum(v); np.cumsum(m, axis=0); np.cumsum(m); np.cumsum(v, dtype=np.float64)",
    "cumprod": "np.cumprod(v); np.cumprod(m, axis=1)",
    "cumulative_sum": "np.cumulative_sum(v); np.cumulative_sum(m, axis=1, include_initial=True)",
    "cumulative_prod": "np.cumulative_prod(v); np.cumulative_prod(m, axis=0, include_initial=True)",
    "average": "np.average(v); np.average(m, axis=0); np.average(v, weights=k + 1); np.average(m, axis=1, weights=[1, 2, 3, 4]); "
    "np.average(v, weights=k + 1, returned=True); np.average(m, axis=0, keepdims=True)",
    "median": "np.median(v); np.median(m, axis=0); np.median(m, axis=1, keepdims=True); np.median(c, axis=(0, 1)); np.median(n)",
    **{
        name: f"np.{name}(v, {q}); np.{name}(m, [{q}, {p}], axis=0); np.{name}(m, {p}, axis=1, keepdims=True); "
        f"np.{name}(v, {q}, method='hazen'); np.{name}(v, {p}, method='nearest'); np.{name}(v, {q}, method='lower'); "
        f"np.{name}(c, {p}, axis=(0, 2)); np.{name}(v, np.array([[{p}, {q}]])); np.{name}(n, {q})"
        for name, p, q in (
            ("quantile", "0.3", "0.75"),
            ("percentile", "30", "75"),
            ("nanquantile", "0.3", "0.75"),
            ("nanpercentile", "30", "75"),
        )
    },
    "cov": "np.cov(m); np.cov(v, w); np.cov(m, rowvar=False); np.cov(m, bias=True); np.cov(v); "
    "np.cov(m, fweights=[1, 2, 1, 3]); np.cov(m, aweights=[0.5, 1.0, 2.0, 1.0])",
    "corrcoef": "np.corrcoef(m); np.corrcoef(v, w); np.corrcoef(m, rowvar=False)",
    **{
        name: f"np.{name}(n); np.{name}(l, axis=0); np.{name}(l, axis=1, keepdims=True); np.{name}(v)"
        for name in "nansum nanprod nanmean nanmax nanmin".split()
    },
    **{name: f"np.{name}(n); np.{name}(l, axis=0, ddof=1); np.{name}(v)" for name in ("nanvar", "nanstd")},
    "nanmedian": "np.nanmedian(n); np.nanmedian(l, axis=0); np.nanmedian(v)",
    "nanargmax": "np.nanargmax(n); np.nanargmax(l, axis=1); np.nanargmax(v)",
    "nanargmin": "np.nanargmin(n); np.nanargmin(l, axis=1); np.nanargmin(v)",
    "nancumsum": "np.nancumsum(n); np.nancumsum(l, axis=0)",
    "nancumprod": "np.nancumprod(n); np.nancumprod(l, axis=1)",
    "allclose": "np.allclose(v, v); np.allclose(v, w)",
    "array_equal": "np.array_equal(v, v); np.array_equal(v, m); np.array_equal(n, n, equal_nan=True)",
    "array_equiv": "np.array_equiv(v, v); np.array_equiv(m, z)",
    # sorted rows and intervals
    "searchsorted": "np.searchsorted(s, v); np.searchsorted(s, m, side='right'); np.searchsorted(s, 1); np.searchsorted(s, 1.5); "
    "np.searchsorted(v, w, sorter=np.argsort(v)); np.searchsorted(e, v)",
    "digitize": "np.digitize(v, s); np.digitize(m, s, right=True); np.digitize(v, s[::-1]); np.digitize(z, [0, 1, 2])",
    "bincount": "np.bincount(i); np.bincount(i, weights=v); np.bincount(i, minlength=9); np.bincount(k[:0]); np.bincount(k)",
    "histogram": "np.histogram(v); np.histogram(v, bins=4, range=(-2, 3)); np.histogram(m, bins=[-3, 0, 1, 4]); "
    "np.histogram(v, bins=3, density=True); np.histogram(v, bins=3, weights=w)",
    "histogram_bin_edges": "np.histogram_bin_edges(v); np.histogram_bin_edges(m, bins=3, range=(0, 1))",
    "histogram2d": "np.histogram2d(v, w, bins=3); np.histogram2d(v, w, bins=[2, 3], density=True)",
    "histogramdd": "np.histogramdd(m, bins=2); np.histogramdd((v, w), bins=(2, 3))",
    "interp": "np.interp(v, [-2, 0, 1, 3], [0.0, 4.0, 1.0, 2.0]); np.interp(m, s, s * 2.0); np.interp(z, s, s, left=-9.0, right=9.0); "
    "np.interp(v, [0, 90, 180], [1.0, 2.0, 3.0], period=360); np.interp(n, [0.0, 1.0], [2.0, 3.0])",
    "trapezoid": "np.trapezoid(v); np.trapezoid(m, dx=0.5, axis=0); np.trapezoid(v, s[:5])",
    "unwrap": "np.unwrap(v * 2.0); np.unwrap(m, axis=0, period=4)",
    # sets
    "unique": "np.unique(v); np.unique(m, return_counts=True, return_index=True, return_inverse=True); np.unique(t); "
    "np.unique(i[:, None], axis=0); np.unique(e)",
    "unique_all": "np.unique_all(v)",
    "unique_counts": "np.unique_counts(m)",
    "unique_inverse": "np.unique_inverse(v)",
    "unique_values": "np.sort(np.unique_values(v))",
    "isin": "np.isin(v, w); np.isin(m, [1, 2]); np.isin(v, w, invert=True); np.isin(v, e); np.isin(t, [True])",
    "union1d": "np.union1d(v, w); np.union1d(v, [1, 7])",
    "intersect1d": "np.intersect1d(v, w); np.intersect1d(v, w, return_indices=True)",
    "setdiff1d": "np.setdiff1d(v, w); np.setdiff1d(v, [1])",
    "setxor1d": "np.setxor1d(v, w)",
    "lexsort": "np.lexsort((v, k)); np.lexsort(m); np.lexsort((k,))",
    "ediff1d": "np.ediff1d(v); np.ediff1d(m, to_begin=0, to_end=[1, 2])",
    "trim_zeros": "np.trim_zeros(v * t); np.trim_zeros(v, 'f'); np.trim_zeros(v * 0); np.trim_zeros(v * t, 'b')",
    "sort": "np.sort(v); np.sort(m, axis=0); np.sort(n); np.sort(m, axis=None)",
    "argsort": "np.argsort(v, kind='stable'); np.argsort(m, axis=0, kind='stable')",
    "partition": "np.partition(v, 2)[2]; np.sort(np.partition(m, 1, axis=0), axis=0)",
    "argpartition": "v[np.argpartition(v, 2)][2]",
    "nonzero": "np.nonzero(v); np.nonzero(g)",
    "flatnonzero": "np.flatnonzero(v); np.flatnonzero(m > 0)",
    "argwhere": "np.argwhere(m > 0); np.argwhere(v)",
    "compress": "np.compress(t, v); np.compress([True, False], m, axis=1)",
    "extract": "np.extract(g, m); np.extract(v > 0, v)",
    # places
    "take": "np.take(v, i); np.take(m, [0, -1], axis=1); np.take(v, 7, mode='wrap'); np.take(v, [9, -9], mode='clip')",
    "take_along_axis": "np.take_along_axis(m, np.argsort(m, axis=1, kind='stable'), axis=1); np.take_along_axis(v, i, axis=0); "
    "np.take_along_axis(m, i, axis=None)",
    "put_along_axis": "np.put_along_axis(y, np.argmax(y, axis=1)[:, None], 99, axis=1); return y",
    "place": "np.place(x, x > 0, [7, 8]); return x; np.place(y, g, [1, 2, 3]); return y",
    "putmask": "np.putmask(x, x > 0, x * 2); return x; np.putmask(y, g, [5]); return y",
    "copyto": "np.copyto(x, v); return x; np.copyto(y, m, where=g); return y; np.copyto(y, 3); return y",
    "put": "np.put(x, [0, 3], [8, 9]); return x; np.put(y, i, [4]); return y; np.put(y, [22, -1], 5, mode='clip'); return y",
    "choose": "np.choose(k, [v, w, v * 2, w * 0]); np.choose(i, [v, w], mode='clip'); np.choose(k, (0, 10, 20, 30))",
    "select": "np.select([v > 1, v < 0], [v, -v]); np.select([g], [m], default=-7)",
    "piecewise": "np.piecewise(v, [v < 0, v >= 1], [-1, 1]); np.piecewise(v, [v < 0], [lambda p: -p, lambda p: p * 2]); "
    "np.piecewise(m, [g, ~g], [lambda p: p + 1, 0])",
    "fill_diagonal": "np.fill_diagonal(y, 7); return y; np.fill_diagonal(y, [1, 2, 3]); return y",
    "unravel_index": "np.unravel_index(i, (2, 3)); np.unravel_index(i, (3, 2), order='F'); np.unravel_index(k, 5)",
    "ravel_multi_index": "np.ravel_multi_index((k, i), (5, 5)); np.ravel_multi_index((k, i), (2, 3), mode='wrap'); "
    "np.ravel_multi_index((k, i), (2, 3), mode=('clip', 'wrap'), order='F')",
    "ix_": "np.ix_(i, k); m[np.ix_([0, 2], [1, 3])]; np.ix_(t)",
    "diag_indices_from": "np.diag_indices_from(q)",
    "tril_indices_from": "np.tril_indices_from(m); np.tril_indices_from(q, 1)",
    "triu_indices_from": "np.triu_indices_from(m, -1)",
    "broadcast_arrays": "np.broadcast_arrays(v, z); np.broadcast_arrays(m, m[:, :1], m[0])",
    "broadcast_to": "np.broadcast_to(v, (2, 5)); np.broadcast_to(z, (3,))",
    "resize": "np.resize(v, (3, 4)); np.resize(m, 5)",
    # moved
    "reshape": "np.reshape(m, (4, 3)); np.reshape(m, -1); np.reshape(z, (1, 1))",
    "ravel": "np.ravel(m); np.ravel(z)",
    "transpose": "np.transpose(m); np.transpose(c, (2, 0, 1))",
    "matrix_transpose": "np.matrix_transpose(m); np.matrix_transpose(c)",
    "swapaxes": "np.swapaxes(c, 0, 2)",
    "moveaxis": "np.moveaxis(c, 0, -1); np.moveaxis(c, [0, 1], [2, 0])",
    "rollaxis": "np.rollaxis(c, 2); np.rollaxis(c, 0, 3)",
    "expand_dims": "np.expand_dims(v, 0); np.expand_dims(m, (0, -1))",
    "squeeze": "np.squeeze(m[:1]); np.squeeze(m[:, :1], axis=1)",
    "flip": "np.flip(v); np.flip(m, 1); np.flip(c, (0, 2))",
    "fliplr": "np.fliplr(m)",
    "flipud": "np.flipud(m)",
    "rot90": "np.rot90(m); np.rot90(m, 2); np.rot90(m, -1); np.rot90(c, 3, axes=(1, 2)); np.rot90(m, 4)",
    "roll": "np.roll(v, 2); np.roll(m, -1, axis=1); np.roll(m, (1, 2), axis=(0, 1)); np.roll(m, 3)",
    "repeat": "np.repeat(v, 2); np.repeat(v, k); np.repeat(m, [1, 0, 2], axis=0); np.repeat(m, 2, axis=1)",
    "tile": "np.tile(v, 2); np.tile(m, (2, 1)); np.tile(z, (2, 3))",
    "concatenate": "np.concatenate([v, w]); np.concatenate((m, q[:, :1]), axis=1); np.concatenate([m, v], axis=None); "
    "np.concatenate([v, w], dtype=np.float64); np.concatenate(m)",
    "stack": "np.stack([v, w]); np.stack((m, m), axis=-1); np.stack(m)",
    "vstack": "np.vstack([v, w]); np.vstack((m, m[0]))",
    "hstack": "np.hstack([v, w]); np.hstack((m, m))",
    "dstack": "np.dstack([v, w]); np.dstack((m, m))",
    "column_stack": "np.column_stack([v, w]); np.column_stack((m, q[:, 0]))",
    "append": "np.append(v, w); np.append(v, 3); np.append(m, m, axis=0)",
    "block": "np.block([v, w]); np.block([[m, m], [m * 2, m * 0]]); np.block([[q, q[:, :1]], [q[:1], q[:1, :1]]])",
    "split": "np.split(v, [1, 3]); np.split(m, 2, axis=1); np.split(v, 5)",
    "array_split": "np.array_split(v, 3); np.array_split(m, 2); np.array_split(m, [1, 5], axis=1)",
    "hsplit": "np.hsplit(m, 2); np.hsplit(v, [2])",
    "vsplit": "np.vsplit(m, 3)",
    "dsplit": "np.dsplit(c, 2)",
    "unstack": "np.unstack(m); np.unstack(m, axis=1)",
    "delete": "np.delete(v, 1); np.delete(m, [0, 2], axis=0); np.delete(m, slice(1, 3), axis=1); np.delete(v, i); np.delete(v, t)",
    "insert": "np.insert(v, 1, 9); np.insert(v, [1, 3], [8, 9]); np.insert(m, 1, 5, axis=1); np.insert(m, 1, m[0], axis=0); "
    "np.insert(v, 2, [6, 7]); np.insert(m, [0, 2], [[1], [2]], axis=0) if False else np.insert(m, [0, 2], 4, axis=1)",
    "pad": "np.pad(v, 2); np.pad(m, ((1, 0), (0, 2)), constant_values=3); np.pad(v, (1, 2), mode='edge'); "
    "np.pad(m, 2, mode='reflect'); np.pad(m, 1, mode='symmetric'); np.pad(v, (3, 7), mode='wrap'); np.pad(m, 1, mode='maximum'); "
    "np.pad(m, (0, 1), mode='minimum'); np.pad(v, 1, mode='mean'); np.pad(v, 1, mode='median'); "
    "np.pad(v, (2, 1), mode='linear_ramp', end_values=(3, -1)); np.pad(v, 1, constant_values=(4, 5))",
    "diagonal": "np.diagonal(m); np.diagonal(m, 1); np.diagonal(c, -1, 1, 2); np.diagonal(c)",
    "diag": "np.diag(v); np.diag(m); np.diag(v, 1); np.diag(m, -1); np.diag(m, 2)",
    "diagflat": "np.diagflat(m); np.diagflat(v, -1)",
    "trace": "np.trace(m); np.trace(m, 1); np.trace(c, axis1=1, axis2=2); np.trace(q, dtype=np.float64)",
    "tril": "np.tril(m); np.tril(m, 1); np.tril(c)",
    "triu": "np.triu(m); np.triu(m, -1)",
    "atleast_1d": "np.atleast_1d(z); np.atleast_1d(v, z)",
    "atleast_2d": "np.atleast_2d(v); np.atleast_2d(z)",
    "atleast_3d": "np.atleast_3d(m); np.atleast_3d(v); np.atleast_3d(z)",
    "meshgrid": "np.meshgrid(v, w); np.meshgrid(v, w, indexing='ij'); np.meshgrid(v, w, sparse=True)",
    "copy": "np.copy(m); np.copy(z)",
    # series and polynomials
    "diff": "np.diff(v); np.diff(m, n=2, axis=1); np.diff(v, prepend=0); np.diff(m, axis=0, append=m[:1]); np.diff(t)",
    "gradient": "np.gradient(v); np.gradient(m); np.gradient(v, 0.5); np.gradient(m, axis=0); np.gradient(v, [0.0, 1.0, 3.0, 4.0, 8.0]); "
    "np.gradient(v, edge_order=2); np.gradient(m, 2.0, 3.0); np.gradient(v, [0.0, 1.0, 3.0, 4.0, 8.0], edge_order=2)",
    "convolve": "np.convolve(v, w); np.convolve(v, w[:2], 'same'); np.convolve(v, w[:3], 'valid'); np.convolve(w[:2], v); "
    "np.convolve(w[:2], v, 'same')",
    "correlate": "np.correlate(v, w); np.correlate(v, w[:2], 'full'); np.correlate(v, w[:3], 'same'); np.correlate(w[:2], v, 'full'); "
    "np.correlate(w[:2], v, 'same'); np.correlate(w[:2], v)",
    "kron": "np.kron(v, w); np.kron(m, q); np.kron(m, v); np.kron(z, v)",
    "vander": "np.vander(v); np.vander(v, 3, increasing=True); np.vander(v, 0)",
    "polyval": "np.polyval(v, w); np.polyval([1, 0, 2], m); np.polyval(v, 2)",
    "polyadd": "np.polyadd(v, w[:2]); np.polyadd([1], v)",
    "polysub": "np.polysub(v, w[:2]); np.polysub([1], v)",
    "polymul": "np.polymul(v, w[:3]); np.polymul(v * 0, w); np.polymul([0, 1], v)",
    "polydiv": "np.polydiv(k + 1.0, [1.0, 2.0]); np.polydiv([1.0, 2.0], k + 1.0); np.polydiv(s[::-1] + 9.0, k[:3] + 1.0) | f",
    "polyder": "np.polyder(v); np.polyder(v, 2)",
    "polyint": "np.polyint(v); np.polyint(v, 2, [1, 2])",
    "polyfit": "np.polyfit(s[:5], v, 2); np.polyfit([0.0, 1.0, 2.0, 3.0, 4.0], v, 1); np.polyfit(s, s * 2.0, 1, w=s + 9.0) | f",
    "poly": "np.poly(v)",
    "apply_along_axis": "np.apply_along_axis(np.sum, 0, m); np.apply_along_axis(lambda r: r - r[0], 1, m); "
    "np.apply_along_axis(lambda r: np.stack([r, r]), 1, m)",
    "apply_over_axes": "np.apply_over_axes(np.sum, c, [0, 2])",
    # products
    "dot": "np.dot(v, w); np.dot(q, q); np.dot(q, q[0]); np.dot(z, v); np.dot(c, q[:, :1].T[:, :1] * 0 + 1) if False else np.dot(m.T, q)",
    "vdot": "np.vdot(v, w); np.vdot(m, m)",
    "inner": "np.inner(v, w); np.inner(m, m)",
    "outer": "np.outer(v, w)",
    "tensordot": "np.tensordot(m, m, axes=([0], [0])); np.tensordot(c, c, 3)",
    "einsum": "np.einsum('ij,kj->ik', m, m); np.einsum('ii', q); np.einsum('i,i->', v, w)",
    "cross": "np.cross(q, q[::-1]); np.cross(q[0], q[1]); np.cross(m[:, :3], q, axis=0)",
    # made
    "linspace": "np.linspace(z, 5, 4); np.linspace(v, w, 3); np.linspace(z, 9, 5, endpoint=False); np.linspace(v, 2, 3, axis=-1); "
    "np.linspace(z, 4, 3, retstep=True); np.linspace(z, 9, 4, dtype=np.int64); np.linspace(z, 3, 1)",
    "logspace": "np.logspace(z, 2, 4); np.logspace(z, 3, 3, base=2)",
    "geomspace": "np.geomspace(z + 3, 100, 4)",
    "full_like": "np.full_like(v, 3); np.full_like(m, 1.5, dtype=np.float64); np.full_like(v, w); np.full_like(v, 2, shape=(2, 2))",
    "zeros_like": "np.zeros_like(m); np.zeros_like(v, dtype=np.int64)",
    "ones_like": "np.ones_like(m); np.ones_like(v, shape=(2,))",
    "empty_like": "np.empty_like(m) * 0",
    "array": "np.array([v[0], v[1]]); np.array(v); np.array([[z, 1], [2, z]]); np.array(v, dtype=np.float64); np.array([v, w]); "
    "np.array(v, ndmin=2); np.array((z,))",
    "asarray": "np.asarray(v); np.asarray([v[0], 2]); np.asarray(v, dtype=np.float64)",
    "asanyarray": "np.asanyarray(v)",
    "ascontiguousarray": "np.ascontiguousarray(m.T)",
    "asfortranarray": "np.asfortranarray(m)",
    "asarray_chkfinite": "np.asarray_chkfinite(v)",
    "require": "np.require(v, np.float64)",
    "arange": "np.arange(k[1]); np.arange(k[1], 9); np.arange(0, k[2] + 5, 2)",
    "eye": "np.eye(k[1] + 1); np.eye(2, k[1] + 1, dtype=np.int64)",
    "identity": "np.identity(k[1] + 1)",
    "tri": "np.tri(k[1] + 2); np.tri(3, k[1] + 2, -1)",
    "bartlett": "np.bartlett(k[1] + 4)",
    "hanning": "np.hanning(k[1] + 4)",
    "hamming": "np.hamming(k[1] + 4)",
    "blackman": "np.blackman(k[1] + 4)",
    "zeros": "np.zeros(v.shape) + v; np.zeros((2, 3)) + z",
    "ones": "np.ones(v.shape) + v",
    "empty": "np.empty(v.shape)[:0] + v[:0]",
    "full": "np.full((2, 2), z); np.full(3, 2.5) + z",
    "fromfunction": "np.fromfunction(lambda a, b: a + b, (3, 4)) + m",
    "indices": "np.indices(m.shape)[0] + m",
    "diag_indices": "q[np.diag_indices(3)]",
    "tril_indices": "m[np.tril_indices(3, 0, 4)]",
    "triu_indices": "m[np.triu_indices(3, 1, 4)]",
    "mask_indices": "q[np.mask_indices(3, np.triu)]",
    "kaiser": "np.kaiser(5, 2.0) * v",
    "broadcast_shapes": "np.zeros(np.broadcast_shapes(m.shape, (1, 4))) + m",
    # facts of arrays
    "shape": "np.shape(m); np.shape(v)[0] + v",
    "ndim": "np.ndim(c)",
    "size": "np.size(m); np.size(m, 1)",
    "astype": "np.astype(v, np.float64)",
    "result_type": "v + np.ones(1, np.result_type(v, np.float64))",
    "can_cast": "np.can_cast(np.float32, np.float64)",
    "common_type": "v + np.ones(1, np.common_type(v))",
    "min_scalar_type": "v + np.ones(1, np.min_scalar_type(m))",
    "promote_types": "v + np.ones(1, np.promote_types(np.int8, np.uint8))",
    "isrealobj": "np.isrealobj(v)",
    "iscomplexobj": "np.iscomplexobj(v)",
    "isscalar": "np.isscalar(v)",
    "isdtype": "np.isdtype(np.float32, 'real floating')",
    "issubdtype": "np.issubdtype(np.float32, np.floating)",
    "iterable": "np.iterable(v)",
    # bits
    "packbits": "np.packbits(t); np.packbits(g, axis=1); np.packbits(g, axis=0, bitorder='little')",
    "unpackbits": "np.unpackbits(np.packbits(t)); np.unpackbits(np.packbits(g, axis=1), axis=1, count=4); "
    "np.unpackbits(np.packbits(t), bitorder='little', count=-2)",
    # matrices
    "linalg.solve": "np.linalg.solve(h, q); np.linalg.solve(h, q[0])",
    "linalg.inv": "np.linalg.inv(h)",
    "linalg.det": "np.linalg.det(q); np.linalg.det(h)",
    "linalg.slogdet": "np.linalg.slogdet(h)",
    "linalg.pinv": "np.linalg.pinv(m)",
    "linalg.lstsq": "np.linalg.lstsq(m.T, s[:4] * 1.0, rcond=None); np.linalg.lstsq(h, q, rcond=None)",
    "linalg.eigh": "np.abs(np.linalg.eigh(h)[1]); np.linalg.eigh(h)[0]; np.linalg.eigh(h, UPLO='U')[0]",
    "linalg.eigvalsh": "np.linalg.eigvalsh(h)",
    "linalg.eig": "np.linalg.eig(q + 1j * h)[0]; np.abs(np.linalg.eig(q * (1 + 2j))[1]) | f",
    "linalg.eigvals": "np.linalg.eigvals(q + 1j * h); np.linalg.eigvals(h * 1j) | f",
    "roots": "np.roots(v + 2j) | f",
    "linalg.svd": "np.linalg.svd(m, compute_uv=False); np.abs(np.linalg.svd(m)[0]); np.linalg.svd(m)[1]; "
    "np.abs(np.linalg.svd(m, full_matrices=False)[2])",
    "linalg.svdvals": "np.linalg.svdvals(m)",
    "linalg.qr": "np.abs(np.linalg.qr(m)[0]); np.abs(np.linalg.qr(m, 'r')); np.abs(np.linalg.qr(m.T, 'complete')[1])",
    "linalg.cholesky": "np.linalg.cholesky(h); np.linalg.cholesky(h, upper=True)",
    "linalg.matrix_rank": "np.linalg.matrix_rank(m); np.linalg.matrix_rank(q); np.linalg.matrix_rank(v)",
    "linalg.matrix_power": "np.linalg.matrix_power(q, 3); np.linalg.matrix_power(h, -2); np.linalg.matrix_power(q, 0)",
    "linalg.cond": "np.linalg.cond(h); np.linalg.cond(h, 1); np.linalg.cond(h, 'fro'); np.linalg.cond(m, -2)",
    "linalg.multi_dot": "np.linalg.multi_dot([q, m, m.T]); np.linalg.multi_dot([q[0], q, q[1]])",
    "linalg.tensorsolve": "np.linalg.tensorsolve(np.reshape(np.kron(h, np.eye(2)), (2, 3, 3, 2)), m[:2, :3])",
    "linalg.tensorinv": "np.linalg.tensorinv(np.reshape(np.kron(h, np.eye(2)), (6, 3, 2)), ind=1)",
    "linalg.norm": "np.linalg.norm(v); np.linalg.norm(m); np.linalg.norm(v, 1); np.linalg.norm(v, np.inf); np.linalg.norm(v, 3); "
    "np.linalg.norm(m, 2); np.linalg.norm(m, 'nuc'); np.linalg.norm(m, 1); np.linalg.norm(m, -np.inf); np.linalg.norm(m, axis=1); "
    "np.linalg.norm(c, axis=(0, 2), keepdims=True); np.linalg.norm(v, 0); np.linalg.norm(m, 'fro'); np.linalg.norm(m, -2)",
    "linalg.matrix_norm": "np.linalg.matrix_norm(c); np.linalg.matrix_norm(m, ord=1)",
    "linalg.vector_norm": "np.linalg.vector_norm(m); np.linalg.vector_norm(m, axis=0, ord=1)",
    "linalg.cross": "np.linalg.cross(q, q[::-1])",
    "linalg.outer": "np.linalg.outer(v, w)",
    "linalg.vecdot": "np.linalg.vecdot(m, m)",
    "linalg.diagonal": "np.linalg.diagonal(c); np.linalg.diagonal(m, offset=1)",
    "linalg.trace": "np.linalg.trace(q); np.linalg.trace(c)",
    "linalg.matmul": "np.linalg.matmul(q, q)",
    "linalg.tensordot": "np.linalg.tensordot(m, m, axes=([1], [1]))",
    "linalg.matrix_transpose": "np.linalg.matrix_transpose(m)",
}

#: Calls of methods of ufuncs and of the arguments that all ufuncs take.
UFUNC_CALLS = (
    "np.add.reduce(m); np.multiply.reduce(m, axis=1); np.maximum.reduce(m, axis=None); np.logical_or.reduce(m); "
    "np.fmin.reduce(m, axis=1); np.subtract.reduce(v); np.add.reduce(m, axis=1, keepdims=True); np.add.accumulate(v); "
    "np.maximum.accumulate(m, axis=1); np.subtract.accumulate(v); np.multiply.outer(v, w); np.less.outer(v, m); "
    "np.add.reduceat(v, [0, 2, 4]); np.add.at(x, i, 2); return x; np.subtract.at(x, [0, 0, 3], v[:3]); return x; "
    "np.add(v, w, out=x); return x; np.multiply(v, 2, out=x, where=t); return x; np.add(v, w, dtype=np.float64); "
    "np.sum(m, axis=0, out=y[0]) if False else np.clip(v, -1, 1, out=x); return x; np.sqrt(np.abs(v), dtype=np.float64)"
)

#: Functions that no tensor of a graph is an argument of, and why; and what to use.
REFUSED: dict[str, tuple[str, str]] = {
    "sort_complex": ("its results are complex", "`np.sort`"),
    "isnat": ("there are no dates in tensors", "`np.isnan` of floats"),
    "shares_memory": ("a tensor of a graph has no memory yet", "`x is y`"),
    "may_share_memory": ("a tensor of a graph has no memory yet", "`x is y`"),
    "isfortran": ("a tensor of a graph has no memory yet", "`np.transpose`"),
    "einsum_path": ("it plans for NumPy's own `einsum`", "`np.einsum`, which plans by itself"),
    "bmat": ("it makes a `np.matrix`", "`np.block`"),
    "asmatrix": ("it makes a `np.matrix`", "`np.atleast_2d`"),
    "frompyfunc": ("its ufunc gives Python's objects", "`gw.vectorized_map`, or the function itself"),
    "fromiter": ("it asks a Python iterator", "`np.array` of a list"),
}

#: Arguments without a meaning in a graph; eagerly NumPy computes with them.
NOTES: dict[str, str] = {
    "cross": "vectors of a length that the graph finds have three dimensions",
    "real_if_close": "real numbers alone: complex elements decide the dtype",
    "apply_along_axis": "up to 256 rows, each of which stands in the graph",
    "argpartition": "sorts all elements",
    "partition": "sorts all elements",
    "average": "weights of one axis, or of all",
    "einsum": "letters as text, no `out`",
    "linalg.eig": "complex matrices; `gw.linalg.eig` of real ones, whose values decide NumPy's dtype",
    "linalg.eigvals": "complex matrices; `gw.linalg.eigvals` of real ones",
    "roots": "complex coefficients; those of real ones decide NumPy's dtype",
    "histogram": "`bins` as a number or as edges",
    "histogram_bin_edges": "`bins` as a number or as edges",
    "min_scalar_type": "arrays with axes",
    "nextafter": "`float32` and `float64`",
    "pad": "modes by name, without `stat_length` and `reflect_type`",
    "percentile": "continuous methods, `lower`, `higher`, `nearest`, `midpoint`; no `weights`",
    "quantile": "continuous methods, `lower`, `higher`, `nearest`, `midpoint`; no `weights`",
    "nanpercentile": "continuous methods, `lower`, `higher`, `nearest`, `midpoint`; no `weights`",
    "nanquantile": "continuous methods, `lower`, `higher`, `nearest`, `midpoint`; no `weights`",
    "polyfit": "the degree as a number, without `cov`",
    "poly": "zeros in a row",
    "put_along_axis": "with an axis",
    "ravel": "rows one after the other",
    "reshape": "`order='C'`",
    "trim_zeros": "arrays of one axis",
    "nan_to_num": "`copy=True`",
    "unique": "`equal_nan=True`; slices of arrays of known lengths",
    "asfortranarray": "the order of axes in memory is none of a graph's",
}
