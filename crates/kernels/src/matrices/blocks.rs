//! Rows that are added to rows, and blocks of matrices that are multiplied.

/// So many rows and columns are worked off one by one; what they mean for the others is a product of matrices.
pub(super) const BLOCK: usize = 48;

/// `y += factor * x`
pub(super) fn add(y: &mut [f64], factor: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += factor * x);
}

/// `Σ x * y`, as four sums.
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let (xs, x_rest) = x.as_chunks::<4>();
    let (ys, y_rest) = y.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (x, y) in xs.iter().zip(ys) {
        for lane in 0..4 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}

/// Row `at` of rows of this width to change, and row `of` to read; they are two.
pub(super) fn two_rows(x: &mut [f64], width: usize, at: usize, of: usize) -> (&mut [f64], &[f64]) {
    let (low, high) = x.split_at_mut(at.max(of) * width);
    let (low, high) = (&mut low[at.min(of) * width..][..width], &mut high[..width]);
    if at > of { (high, low) } else { (low, high) }
}

/// Both rows, to change.
pub(super) fn both_rows(x: &mut [f64], width: usize, [first, second]: [usize; 2]) -> [&mut [f64]; 2] {
    let (low, high) = x.split_at_mut(second * width);
    [&mut low[first * width..][..width], &mut high[..width]]
}

/// A block of a matrix: its first element, and the steps from row to row and from column to column.
#[derive(Clone, Copy)]
pub(super) struct Block {
    pub(super) start: *mut f64,
    pub(super) steps: [usize; 2],
}

impl Block {
    /// The block of a matrix of this width that begins at a row and a column.
    pub(super) fn of(x: &mut [f64], width: usize, [row, column]: [usize; 2]) -> Self {
        Self { start: x[row * width + column..].as_mut_ptr(), steps: [width, 1] }
    }

    pub(super) fn transposed(self) -> Self {
        Self { steps: [self.steps[1], self.steps[0]], ..self }
    }
}

/// `out[m, n] -= x[m, k] @ y[k, n]`
///
/// # Safety
/// The elements of the blocks lie in memory, and those of `out` in none of the others.
pub(super) unsafe fn subtract_product([m, n, k]: [usize; 3], out: Block, x: Block, y: Block) {
    // SAFETY: the caller's promise.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            out.start,
            out.steps[1] as isize,
            out.steps[0] as isize,
            true,
            x.start.cast_const(),
            x.steps[1] as isize,
            x.steps[0] as isize,
            y.start.cast_const(),
            y.steps[1] as isize,
            y.steps[0] as isize,
            1.0,
            -1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}
