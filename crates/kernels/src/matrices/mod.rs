//! Matrices taken apart and solved with, one matrix a call: as machine code calls it.
//!
//! Elements are taken in double precision, whatever their type, and rounded once when they are written. Matrices lie row by
//! row. Nothing here fails: what does not exist is NaN or infinite, and no loop waits for numbers to come near each other
//! more often than a fixed number of times.

mod blocks;
mod eigh;
mod fft;
mod qr;
mod svd;
mod triangles;

pub use fft::fft_work;

use crate::{Function, Word};

/// Operation on a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Matrices {
    /// `l @ lᵀ = a`
    Cholesky,
    /// `a @ x = b` for a triangle
    TriangularSolve,
    /// `a @ x = b`
    Solve,
    /// The determinant, its sign, the logarithm of its magnitude.
    Det,
    /// `q @ r = a`
    Qr,
    /// `v @ diag(w) @ vᵀ = a`
    Eigh,
    /// `u @ diag(s) @ vᵀ = a`
    Svd,
    /// The Fourier transform of numbers whose parts are two rows; with `adjoint` the inverse one.
    Fft,
}

/// Variant of the operation; the words of machine code hold these bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct How {
    /// The lower triangle is read, not the upper one.
    pub lower: bool,
    /// The matrix is transposed first.
    pub adjoint: bool,
    /// `q` is square.
    pub full: bool,
}

impl How {
    /// As a word.
    pub fn word(self) -> i64 {
        i64::from(self.lower) | i64::from(self.adjoint) << 1 | i64::from(self.full) << 2
    }

    fn of(word: i64) -> Self {
        Self { lower: word & 1 != 0, adjoint: word & 2 != 0, full: word & 4 != 0 }
    }
}

/// `a` of m rows and n columns, `b` of n rows and k columns if there is one, room for the result, and more room.
struct Job<'a> {
    lengths: [usize; 3],
    how: How,
    a: &'a mut [f64],
    b: &'a mut [f64],
    out: &'a mut [f64],
    work: &'a mut [f64],
}

impl Matrices {
    /// All of them.
    pub const ALL: [Matrices; 8] = [
        Matrices::Cholesky,
        Matrices::TriangularSolve,
        Matrices::Solve,
        Matrices::Det,
        Matrices::Qr,
        Matrices::Eigh,
        Matrices::Svd,
        Matrices::Fft,
    ];

    /// The function for doubles, or for singles. It takes where the result goes, `a`, `b`, room for doubles, how much room
    /// that is, m, n, k and how it is done. The room holds `a`, `b`, the result, and [`Matrices::work`].
    pub fn function(self, double: bool) -> Function {
        let (name, address) = self.entry(double);
        Function::of_arrays(name, PARAMS, address)
    }

    fn body(self) -> fn(&mut Job<'_>) {
        match self {
            Matrices::Cholesky => triangles::cholesky,
            Matrices::TriangularSolve => triangles::triangular_solve,
            Matrices::Solve => triangles::solve,
            Matrices::Det => triangles::det,
            Matrices::Qr => qr::qr,
            Matrices::Eigh => eigh::eigh,
            Matrices::Svd => svd::svd,
            Matrices::Fft => fft::fft,
        }
    }

    /// Number of elements in the result.
    fn made(self, [m, n, k]: [usize; 3], how: How) -> usize {
        match self {
            Matrices::Cholesky => n * n,
            Matrices::TriangularSolve | Matrices::Solve => n * k,
            Matrices::Det => 3,
            Matrices::Qr => (m + n) * if how.full { m } else { m.min(n) },
            Matrices::Eigh => (n + 1) * n,
            Matrices::Svd => (1 + m + n) * m.min(n),
            Matrices::Fft => m * n,
        }
    }

    /// Number of doubles of scratch memory besides `a`, `b` and the result, at most: a factor for each
    /// element of `a`, for each of a square as wide as it, and for each column.
    pub fn work(self) -> [i64; 3] {
        match self {
            Matrices::Cholesky | Matrices::TriangularSolve => [0, 0, 0],
            Matrices::Solve | Matrices::Det => [0, 0, 1],
            Matrices::Qr => [1, 0, 1],
            Matrices::Eigh => [0, 1, 2],
            Matrices::Svd => [1, 1, 1],
            // A power of 2 below four times the length, eight times over.
            Matrices::Fft => [0, 0, 34],
        }
    }
}

const PARAMS: &[Word] =
    &[Word::Ptr, Word::Ptr, Word::Ptr, Word::Ptr, Word::I64, Word::I64, Word::I64, Word::I64, Word::I64];

macro_rules! entries {
    ($($which:ident $single:ident $double:ident;)*) => {
        impl Matrices {
            fn entry(self, double: bool) -> (&'static str, *const u8) {
                match (self, double) {
                    $((Matrices::$which, false) => (stringify!($single), $single as *const u8),
                      (Matrices::$which, true) => (stringify!($double), $double as *const u8),)*
                }
            }
        }
        $(entries!(@one $which $single f32); entries!(@one $which $double f64);)*
    };
    (@one $which:ident $function:ident $ty:ident) => {
        /// # Safety
        /// The addresses are those of as many elements as the lengths say, and of so much room.
        #[allow(clippy::too_many_arguments, reason = "the words of machine code")]
        unsafe extern "C" fn $function(
            out: *mut u8,
            a: *const u8,
            b: *const u8,
            room: *mut u8,
            size: i64,
            m: i64,
            n: i64,
            k: i64,
            how: i64,
        ) {
            let lengths = [m, n, k].map(|length| length as usize);
            let (made, taken) = (Matrices::$which.made(lengths, How::of(how)), [m * n, n * k]);
            if made == 0 {
                return;
            }
            // SAFETY: the caller's promise.
            let (out, a, b, room) = unsafe {
                (
                    std::slice::from_raw_parts_mut(out.cast::<$ty>(), made),
                    std::slice::from_raw_parts(a.cast::<$ty>(), taken[0] as usize),
                    std::slice::from_raw_parts(b.cast::<$ty>(), taken[1] as usize),
                    std::slice::from_raw_parts_mut(room.cast::<f64>(), size as usize),
                )
            };
            run(Matrices::$which, (lengths, How::of(how)), out, [a, b], room);
        }
    };
}

entries! {
    Cholesky cholesky_f32 cholesky_f64;
    TriangularSolve triangular_solve_f32 triangular_solve_f64;
    Solve solve_f32 solve_f64;
    Det det_f32 det_f64;
    Qr qr_f32 qr_f64;
    Eigh eigh_f32 eigh_f64;
    Svd svd_f32 svd_f64;
    Fft fft_f32 fft_f64;
}

/// A type of elements.
trait Element: Copy {
    fn wide(self) -> f64;
    fn of(wide: f64) -> Self;
}

impl Element for f32 {
    fn wide(self) -> f64 {
        f64::from(self)
    }

    fn of(wide: f64) -> Self {
        wide as f32
    }
}

impl Element for f64 {
    fn wide(self) -> f64 {
        self
    }

    fn of(wide: f64) -> Self {
        wide
    }
}

fn run<T: Element>(
    which: Matrices,
    (lengths, how): ([usize; 3], How),
    out: &mut [T],
    operands: [&[T]; 2],
    room: &mut [f64],
) {
    let (a, room) = room.split_at_mut(operands[0].len());
    let (b, room) = room.split_at_mut(operands[1].len());
    let (result, work) = room.split_at_mut(out.len());
    for (wide, own) in [(&mut *a, operands[0]), (&mut *b, operands[1])] {
        wide.iter_mut().zip(own).for_each(|(wide, &own)| *wide = own.wide());
    }
    which.body()(&mut Job { lengths, how, a, b, out: result, work });
    out.iter_mut().zip(result).for_each(|(own, &mut wide)| *own = T::of(wide));
}

/// True if all are numbers, and none is infinite.
fn are_finite(x: &[f64]) -> bool {
    x.iter().all(|x| x.is_finite())
}

/// True if a vector has its canonical sign: of its elements that are not much smaller than the greatest the
/// first is positive. An element nearly as great as another would else decide by its last bit.
fn looks_up(x: &[f64]) -> bool {
    let greatest = x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    x.iter().find(|x| x.abs() >= 0.55 * greatest).is_none_or(|first| *first >= 0.0)
}

#[cfg(test)]
mod tests {
    //! Products of what matrices are taken apart into are the matrices, whatever their size.

    use super::*;

    /// Numbers that are all different.
    fn numbers(count: usize) -> Vec<f64> {
        (0..count).map(|at| ((at as f64 + 1.0) * 0.618_033_988_7).fract() - 0.4).collect()
    }

    /// Result of one of the operations, for doubles.
    fn given(which: Matrices, lengths: [usize; 3], how: How, a: &[f64], b: &[f64]) -> Vec<f64> {
        let [m, n, k] = lengths;
        let mut out = vec![0.0; which.made(lengths, how)];
        let [by_element, by_square, by_column] = which.work().map(|number| number as usize);
        let work = by_element * m * n + by_square * n * n + by_column * n;
        let mut room = vec![7.0; m * n + n * k + out.len() + work];
        run(which, (lengths, how), &mut out, [a, b], &mut room);
        out
    }

    /// `x[m, k] @ y[k, n]`
    fn product([m, n, k]: [usize; 3], x: &[f64], y: &[f64]) -> Vec<f64> {
        let at = |at: usize| (0..k).map(|l| x[at / n * k + l] * y[l * n + at % n]).sum();
        (0..m * n).map(at).collect()
    }

    fn transposed(x: &[f64], [m, n]: [usize; 2]) -> Vec<f64> {
        (0..m * n).map(|at| x[at % m * n + at / m]).collect()
    }

    #[track_caller]
    fn near(found: &[f64], wanted: &[f64]) {
        assert_eq!(found.len(), wanted.len());
        let far = found.iter().zip(wanted).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        assert!(far < 1e-10, "differs by {far}");
    }

    const LENGTHS: [usize; 7] = [1, 2, 5, 17, 48, 49, 130];

    #[test]
    fn triangles() {
        for n in LENGTHS {
            let x = numbers(n * n);
            let mut a = product([n, n, n], &x, &transposed(&x, [n, n]));
            (0..n).for_each(|i| a[i * n + i] += 1.0);
            let l = given(Matrices::Cholesky, [n, n, 0], How::default(), &a, &[]);
            near(&product([n, n, n], &l, &transposed(&l, [n, n])), &a);
            let b = numbers(n * 3);
            for (lower, adjoint) in [(false, false), (false, true), (true, false), (true, true)] {
                let how = How { lower, adjoint, full: false };
                let turn = |x: &[f64], turned: bool| if turned { transposed(x, [n, n]) } else { x.to_vec() };
                let own = turn(&l, !lower);
                let solved = given(Matrices::TriangularSolve, [n, n, 3], how, &own, &b);
                near(&product([n, 3, n], &turn(&own, adjoint), &solved), &b);
                let mut general = x.clone();
                (0..n).for_each(|i| general[i * n + (i + 1) % n] += 3.0);
                let solved = given(Matrices::Solve, [n, n, 3], how, &general, &b);
                near(&product([n, 3, n], &turn(&general, adjoint), &solved), &b);
            }
            let [det, sign, log] = given(Matrices::Det, [n, n, 0], How::default(), &a, &[])[..] else {
                panic!()
            };
            let wanted: f64 = (0..n).map(|i| 2.0 * l[i * n + i].ln()).sum();
            assert!(sign == 1.0 && (log - wanted).abs() < 1e-9 && (det.ln() - log).abs() < 1e-9);
        }
    }

    #[test]
    fn reflections_values_and_singular_values() {
        for [m, n] in [[1, 1], [3, 2], [2, 3], [20, 20], [31, 7], [6, 40]] {
            let a = numbers(m * n);
            let least = m.min(n);
            for (full, count) in [(false, least), (true, m)] {
                let packed = given(Matrices::Qr, [m, n, 0], How { full, ..How::default() }, &a, &[]);
                let part = |from: usize, to: usize| -> Vec<f64> {
                    packed.chunks_exact(m + n).flat_map(|row| row[from..to].to_vec()).collect()
                };
                let (r, qt) = (part(0, n), part(n, n + m));
                near(&product([m, n, count], &transposed(&qt, [count, m]), &r), &a);
                let unit: Vec<f64> =
                    (0..count * count).map(|at| f64::from(at % count == at / count)).collect();
                near(&product([count, count, m], &qt, &transposed(&qt, [count, m])), &unit);
            }
            let packed = given(Matrices::Svd, [m, n, 0], How::default(), &a, &[]);
            let (s, rest) = packed.split_at(least);
            let (u, v) = rest.split_at(m * least);
            let scaled: Vec<f64> = u.iter().enumerate().map(|(at, u)| u * s[at % least]).collect();
            near(&product([m, n, least], &scaled, &transposed(v, [n, least])), &a);
            assert!(s.is_sorted_by(|x, y| x >= y));
        }
        for n in LENGTHS {
            let x = numbers(n * n);
            let a: Vec<f64> = x.iter().zip(transposed(&x, [n, n])).map(|(x, y)| x + y).collect();
            let packed = given(Matrices::Eigh, [n, n, 0], How::default(), &a, &[]);
            let (w, v) = packed.split_at(n);
            let scaled: Vec<f64> = v.iter().enumerate().map(|(at, v)| v * w[at % n]).collect();
            near(&product([n, n, n], &scaled, &transposed(v, [n, n])), &a);
            assert!(w.is_sorted());
        }
    }

    #[test]
    fn what_is_not_there_is_no_number() {
        let [a, nan] = [[1.0, 2.0, 2.0, 1.0], [1.0, f64::NAN, f64::INFINITY, 1.0]];
        let of = |which: Matrices, a: &[f64]| given(which, [2, 2, 0], How::default(), a, &[]);
        assert!(of(Matrices::Cholesky, &a).iter().all(|x| x.is_nan()));
        assert_eq!(of(Matrices::Det, &[1.0, 2.0, 2.0, 4.0]), [0.0, 0.0, f64::NEG_INFINITY]);
        assert_eq!(of(Matrices::Svd, &[0.0; 4])[..2], [0.0, 0.0]);
        for which in [Matrices::Cholesky, Matrices::Eigh, Matrices::Svd] {
            assert!(of(which, &nan).iter().all(|x| x.is_nan()), "{which:?}");
        }
        let singular = given(Matrices::Solve, [2, 2, 1], How::default(), &[0.0; 4], &[1.0, 1.0]);
        assert!(!are_finite(&singular));
        let names = Matrices::ALL.map(|which| which.function(false).name);
        assert!(names.iter().all(|name| crate::named(name).is_some_and(|found| found.name == *name)));
    }
}
