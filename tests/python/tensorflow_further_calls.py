"""Further calls of functions under TensorFlow's names: matrices, cosines, blocks and Keras's layers of numbers."""

from __future__ import annotations

from tensorflow_operands import GRID, images, ramp

#: Calls whose derivatives by their float operands are compared with differences.
SMOOTH: list = [
    ("tf.truediv(x, y)", [[1.0, 2.0], [4.0, 0.5]]),
    ("tf.realdiv(x, y)", [[1.0, 2.0], [4.0, 0.5]]),
    ("tf.scalar_mul(2.5, x)", [GRID]),
    ("tf.math.accumulate_n([x, y, x])", [[1.0, 2.0], [3.0, 4.0]]),
    ("tf.math.reduce_euclidean_norm(x, axis=1, keepdims=True)", [GRID]),
    ("tf.math.reduce_euclidean_norm(x)", [GRID]),
    ("tf.math.cumulative_logsumexp(x)", [[0.5, -1.0, 3.0, 0.25, 800.0]]),
    ("tf.math.cumulative_logsumexp(x, axis=1, reverse=True)", [GRID]),
    ("tf.math.polyval([1.0 + 0.0 * x, 2.0 * x, x], x)", [[0.5, -2.0]]),
    ("tf.space_to_batch(x, [2, 2], [[1, 0], [0, 2]])", [ramp(2, 3, 4, 2)]),
    ("tf.space_to_batch(x, [3], [[0, 2]])", [ramp(2, 4, 2)]),
    ("tf.batch_to_space(x, [2, 2], [[1, 0], [0, 1]])", [ramp(8, 2, 3, 2)]),
    ("tf.batch_to_space(x, [2], [[0, 1]])", [ramp(4, 3)]),
    ("tf.nn.space_to_batch(x, [2, 2], [[0, 0], [0, 0]])", [ramp(1, 4, 4, 1)]),
    ("tf.image.extract_patches(x, [1, 3, 2, 1], [1, 2, 1, 1], [1, 1, 2, 1], 'SAME')", [images(5, 4, 2)]),
    ("tf.image.extract_patches(x, [1, 2, 2, 1], [1, 2, 3, 1], [1, 1, 1, 1], 'VALID')", [images(5, 4, 2)]),
    ("tf.extract_volume_patches(x, [1, 2, 2, 1, 1], [1, 1, 2, 1, 1], 'SAME')", [ramp(1, 3, 4, 3, 2)]),
    ("tf.linalg.sqrtm(x)", [[[4.0, 1.0], [0.5, 9.0]]]),
    (
        "tf.linalg.sqrtm(x)",
        [
            [
                [[2.0, 0.3, 0.1], [0.4, 3.0, 0.2], [0.0, 0.5, 1.0]],
                [[9.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 4.0]],
            ]
        ],
    ),
    ("tf.matrix_square_root(x)", [[[4.0, 1.0], [0.5, 9.0]]]),
    ("tf.math.real(tf.linalg.logm(tf.cast(x, tf.complex128)))", [[[4.0, 1.0], [0.5, 9.0]]]),
    (
        "tf.math.real(tf.linalg.logm(tf.cast(x, tf.complex128)))",
        [[[[2.0, 0.3, 0.1], [0.4, 30.0, 0.2], [0.0, 0.5, 0.01]]]],
    ),
    (
        "tf.linalg.tridiagonal_solve(x, y)",
        [[[1.0, 2.0, 9.0], [4.0, 5.0, 6.0], [9.0, 1.0, 0.5]], [1.0, 2.0, 3.0]],
    ),
    (
        "tf.linalg.tridiagonal_solve(x, y)",
        [[[[1.0, 2.0, 9.0], [4.0, 5.0, 6.0], [9.0, 1.0, 0.5]]], ramp(1, 3, 2)],
    ),
    (
        "tf.linalg.tridiagonal_solve((x, y, x), z, diagonals_format='sequence')",
        [[1.0, 2.0, 0.5], [4.0, 5.0, 6.0], [1.0, 2.0, 3.0]],
    ),
    (
        "tf.linalg.tridiagonal_solve(x, y, diagonals_format='matrix', transpose_rhs=True)",
        [[[4.0, 1.0], [0.5, 9.0]], ramp(3, 2)],
    ),
    ("tf.linalg.banded_triangular_solve(x, y)", [[[2.0, 3.0, 4.0], [7.0, 2.0, 3.0]], ramp(3, 2)]),
    (
        "tf.linalg.banded_triangular_solve(x, y, lower=False)",
        [[[-1.0, -2.0, 7.0], [2.0, 3.0, 4.0]], ramp(3, 2)],
    ),
    (
        "tf.linalg.banded_triangular_solve(x, y, adjoint=True)",
        [[[2.0, 3.0, 4.0], [7.0, 2.0, 3.0]], ramp(3, 1)],
    ),
    ("tf.linalg.eigh_tridiagonal(x, y)", [[1.0, 2.0, 4.0], [0.5, -1.0]]),
    ("tf.linalg.eigh_tridiagonal(x, y, select='i', select_range=(1, 2))", [[1.0, 2.0, 4.0], [0.5, -1.0]]),
    *[(f"tf.signal.dct(x, {k})", [ramp(2, 5)]) for k in (1, 2, 3, 4)],
    *[(f"tf.signal.dct(x, {k}, norm='ortho')", [ramp(2, 5)]) for k in (2, 3, 4)],
    ("tf.signal.dct(x, n=7)", [ramp(2, 5)]),
    ("tf.signal.dct(x, n=3, norm='ortho')", [ramp(2, 5)]),
    *[(f"tf.signal.idct(x, {k})", [ramp(2, 5)]) for k in (1, 2, 3, 4)],
    *[(f"tf.signal.idct(x, {k}, norm='ortho')", [ramp(2, 5)]) for k in (2, 3, 4)],
    ("tf.signal.mdct(x, 8)", [ramp(2, 20)]),
    ("tf.signal.mdct(x, 8, norm='ortho', pad_end=True, window_fn=None)", [ramp(2, 19)]),
    ("tf.signal.inverse_mdct(x)", [ramp(3, 4)]),
    ("tf.signal.inverse_mdct(x, norm='ortho', window_fn=None)", [ramp(2, 3, 4)]),
    ("tf.signal.mfccs_from_log_mel_spectrograms(x)", [ramp(2, 6)]),
    (
        "tf.nn.conv3d_transpose(x, y, [1, 4, 6, 4, 3], [1, 2, 2, 2, 1], 'SAME')",
        [ramp(1, 2, 3, 2, 2), ramp(2, 3, 2, 3, 2)],
    ),
    ("tf.nn.conv_transpose(x, y, [2, 7, 3], 2, 'VALID')", [ramp(2, 3, 2), ramp(3, 3, 2)]),
    ("tf.grad_pass_through(lambda v: v * 3.0)(x) * 0.0 + x", [[1.0, 2.0]]),
]

#: Calls without derivatives.
PLAIN: list = [
    ("tf.keras.layers.IntegerLookup(vocabulary=[12, 36, 42])(x)", [[[12, 42], [7, 36]]]),
    ("tf.keras.layers.IntegerLookup(vocabulary=[12, 36, 42], mask_token=0)(x)", [[[12, 0], [7, 36]]]),
    ("tf.keras.layers.IntegerLookup(vocabulary=[12, 36], output_mode='count')(x)", [[[12, 12], [7, 36]]]),
    (
        "tf.keras.layers.IntegerLookup(vocabulary=[12, 36], mask_token=0, output_mode='multi_hot')(x)",
        [[[12, 12], [7, 36]]],
    ),
    ("tf.keras.layers.IntegerLookup(vocabulary=[12, 36], invert=True)(x)", [[1, 0, 2]]),
    (
        "tf.keras.layers.StringLookup(vocabulary=['a', 'b'])(tf.constant(['b', 'z', 'a'])) + 0 * tf.cast(x, tf.int64)",
        [[1]],
    ),
    (
        "tf.keras.layers.StringLookup(vocabulary=['a', 'b'], mask_token='')(tf.constant(['b', '', 'z'])) + 0 * tf.cast(x, tf.int64)",
        [[1]],
    ),
    (
        "tf.keras.layers.StringLookup(vocabulary=['a', 'b'], output_mode='one_hot')(tf.constant(['b', 'z']))"
        " + 0 * tf.cast(x, tf.int64)",
        [[[1]]],
    ),
    ("tf.image.rgb_to_yiq(x)", [images(2, 2, 3)]),
    ("tf.image.yiq_to_rgb(x)", [images(2, 2, 3)]),
    ("tf.image.rgb_to_yuv(x)", [images(2, 2, 3)]),
    ("tf.image.yuv_to_rgb(x)", [images(2, 2, 3)]),
    ("tf.image.psnr(x, y, 1.0)", [images(3, 2, 3), ramp(2, 3, 2, 3)]),
    ("tf.image.psnr(tf.cast(x, tf.uint8), tf.cast(y, tf.uint8), 255)", [[[[9], [200]]], [[[12], [150]]]]),
    ("tf.image.image_gradients(x)", [images(4, 3, 2)]),
    ("tf.image.sobel_edges(x)", [images(4, 3, 2)]),
    (
        "tf.image.draw_bounding_boxes(x, [[[0.1, 0.2, 0.8, 0.9], [0.0, 0.0, 0.3, 0.3]], [[0.5, 0.5, 1.0, 1.0], [0.9, 0.9, 0.1, 0.1]]], [[1.0, 0.5, 0.0], [0.0, 1.0, 1.0]])",
        [images(7, 6, 3)],
    ),
    (
        "tf.image.draw_bounding_boxes(x, [[[0.1, 0.2, 0.8, 0.9]], [[0.5, 0.5, 1.2, 1.0]]], None)",
        [images(7, 6, 3)],
    ),
    (
        "tf.image.non_max_suppression(x, y, 4)",
        [
            [
                [0.0, 0.0, 1.0, 1.0],
                [0.0, 0.1, 1.0, 1.1],
                [0.0, -0.1, 1.0, 0.9],
                [0.0, 10.0, 1.0, 11.0],
                [1.0, 11.1, 0.0, 10.1],
                [0.0, 100.0, 1.0, 101.0],
            ],
            [0.9, 0.75, 0.6, 0.95, 0.5, 0.3],
        ],
    ),
    (
        "tf.image.non_max_suppression(x, y, 2, 0.9, 0.4)",
        [
            [[0.0, 0.0, 1.0, 1.0], [0.0, 0.1, 1.0, 1.1], [0.0, -0.1, 1.0, 0.9], [0.0, 10.0, 1.0, 11.0]],
            [0.9, 0.75, 0.3, 0.95],
        ],
    ),
    ("tf.sparse.reduce_max(tf.SparseTensor([[0, 1], [1, 0], [1, 1]], x, [3, 2]), 1)", [[-5.0, 6.0, 2.0]]),
    (
        "tf.sparse.reduce_max(tf.SparseTensor([[0, 1], [1, 0], [1, 1]], x, [3, 2]), 0, True)",
        [[-5.0, -6.0, -2.0]],
    ),
    ("tf.sparse.reduce_max(tf.SparseTensor([[0, 1], [1, 0], [1, 1]], x, [3, 2]))", [[-5, -6, -2]]),
    ("tf.sparse.expand_dims(tf.SparseTensor([[0, 1], [1, 0]], x, [3, 2]), 1).indices + 0", [[5, 6]]),
    ("tf.sparse.expand_dims(tf.SparseTensor([[0, 1], [1, 0]], x, [3, 2])).dense_shape + 0", [[5, 6]]),
    (
        "tf.sparse.to_dense(tf.sparse.retain(tf.SparseTensor([[0, 1], [1, 0]], x, [3, 2]), [True, False]))",
        [[5, 6]],
    ),
    (
        "tf.sparse.to_dense(tf.sparse.slice(tf.SparseTensor([[0, 1], [1, 0], [2, 1]], x, [3, 2]), [1, 0], [5, 1]))",
        [[5, 6, 7]],
    ),
    (
        "tf.sparse.to_dense(tf.sparse.reshape(tf.SparseTensor([[0, 1], [1, 0], [2, 1]], x, [3, 2]), [2, -1]))",
        [[5, 6, 7]],
    ),
    (
        "tf.sparse.softmax(tf.SparseTensor([[0, 0], [0, 2], [1, 1]], x, [2, 3])).values + 0.0",
        [[1.0, 2.5, 7.0]],
    ),
    (
        "tf.sparse.softmax(tf.SparseTensor([[0, 0, 0], [0, 0, 1], [1, 1, 1]], x, [2, 2, 3])).values + 0.0",
        [[1.0, 2.5, 7.0]],
    ),
    ("tf.truediv(x, y)", [[1, 2, 7], [4, 3, 2]]),
    ("tf.math.cumulative_logsumexp(x, exclusive=True)", [[0.5, -1.0, 3.0]]),
    ("tf.required_space_to_batch_paddings(x, [2, 3], [[0, 1], [2, 0]])", [[5, 7]]),
    ("tf.signal.kaiser_window(7, 4.0) + 0.0 * x", [[0.0]]),
    ("tf.signal.kaiser_bessel_derived_window(8, 4.0) + 0.0 * x", [[0.0]]),
    ("tf.signal.vorbis_window(6) + 0.0 * x", [[0.0]]),
    ("tf.signal.inverse_stft_window_fn(3)(8, dtype=x.dtype) + 0.0 * x", [[0.0]]),
    ("tf.signal.linear_to_mel_weight_matrix(6, 17, 8000.0, 100.0, 3500.0) + 0.0 * x", [[0.0]]),
    ("tf.constant_initializer([1.0, 2.0, 3.0, 4.0])([2, 2]) + 0.0 * x", [[0.0, 0.0]]),
    ("tf.keras.layers.CategoryEncoding(4)(x)", [[[0, 1], [2, 2], [3, 0]]]),
    ("tf.keras.layers.CategoryEncoding(4, 'count')(x)", [[[0, 1], [2, 2], [3, 0]]]),
    ("tf.keras.layers.CategoryEncoding(4, 'one_hot')(x)", [[0, 2, 3]]),
    ("tf.keras.layers.CategoryEncoding(4, 'one_hot')(x)", [[[0], [2], [3]]]),
    (
        "tf.keras.layers.CategoryEncoding(4, 'count')(x, count_weights=y)",
        [[[0, 1], [2, 2]], [[0.1, 0.2], [0.1, 0.3]]],
    ),
    ("tf.keras.layers.Discretization([-0.5, 0.0, 0.5])(x)", [GRID]),
    ("tf.keras.layers.Discretization([-0.5, 0.0, 0.5], output_mode='multi_hot')(x)", [GRID]),
    ("tf.keras.layers.Discretization([-0.5, 0.0, 0.5], output_mode='count')(x)", [GRID]),
    ("tf.keras.layers.Discretization([-0.5, 0.0, 0.5], output_mode='one_hot')(x)", [[[0.1], [-3.0]]]),
]
