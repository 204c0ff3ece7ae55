//! Convolutions over images whose channels are neighbours: some output channels of a run of pixels are summed in registers
//! at once, straight from the image. Nothing is unfolded and nothing is padded: a pixel at the edge has a smaller window.

#[cfg(target_arch = "x86_64")]
use super::lanes;
use std::ops::Range;

use super::register::Lanes;
use super::rows::Real;
use crate::{Function, Word};

/// Geometry that all rows of all images have in common, as words in this order.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Geometry {
    /// Rows of an image.
    pub height: i64,
    /// Pixels of a row.
    pub width: i64,
    /// Numbers of a pixel.
    pub channels: i64,
    /// Rows of a window.
    pub rows: i64,
    /// Pixels of a row of a window.
    pub columns: i64,
    /// Numbers of a pixel of the result.
    pub made: i64,
    /// Pixels of a row of the result.
    pub across: i64,
    /// Pixels from one window to the next.
    pub stride: i64,
    /// Pixels by which the first window begins before the row.
    pub before: i64,
    /// From one row of a window to the next.
    pub row_step: i64,
    /// From one pixel of a window to the next.
    pub column_step: i64,
}

impl Geometry {
    /// Number of words.
    pub const WORDS: usize = size_of::<Self>() / size_of::<i64>();
}

const PARAMS: &[Word] = &[Word::Ptr, Word::I64, Word::Ptr, Word::Ptr, Word::Ptr];

macro_rules! convolution {
    ($constant:ident $function:ident $ty:ident) => {
        /// One row of pixels of the result; takes the geometry, the row of the image that the windows begin at, where the
        /// row of the result goes, the image and the filter.
        pub const $constant: Function =
            Function::of_arrays(stringify!($function), PARAMS, $function as *const u8);

        /// # Safety
        /// Image, filter and row have as many elements as the geometry says; the row overlaps nothing else.
        unsafe extern "C" fn $function(
            geometry: *const u8,
            row: i64,
            out: *mut u8,
            image: *const u8,
            filter: *const u8,
        ) {
            // SAFETY: the caller's promise.
            unsafe {
                let taps = Taps {
                    g: geometry.cast::<Geometry>().read(),
                    row,
                    image: image.cast(),
                    filter: filter.cast(),
                };
                by_machine::<$ty>(taps, out.cast());
            }
        }
    };
}

convolution!(CONV2D_F32 conv2d_f32 f32);
convolution!(CONV2D_F64 conv2d_f64 f64);

/// Taps: operands from which the pixels of one row are computed.
#[derive(Clone, Copy)]
pub(crate) struct Taps<T> {
    g: Geometry,
    row: i64,
    image: *const T,
    filter: *const T,
}

/// Elements of the image that lie in one piece, and where the weights of the first begin.
#[derive(Clone, Copy)]
struct Run<T> {
    from: *const T,
    weights: *const T,
    count: usize,
}

/// # Safety
/// As `conv2d_f32`.
unsafe fn by_machine<T: Real>(taps: Taps<T>, out: *mut T) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
            // SAFETY: the caller's promise, and the machine has the instructions.
            return unsafe { lanes::conv_avx512(taps, out) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: likewise.
            return unsafe { lanes::conv_avx2(taps, out) };
        }
    }
    // SAFETY: the caller's promise.
    unsafe { row::<T, [T; 4], [T; 2], 4>(taps, out) }
}

/// The whole row, in registers of one of two widths; the last one of a pixel goes back to be full.
///
/// # Safety
/// As `conv2d_f32`, on a machine with the registers.
#[inline(always)]
pub(crate) unsafe fn row<T: Real, V: Lanes<T>, H: Lanes<T>, const PIXELS: usize>(taps: Taps<T>, out: *mut T) {
    let made = taps.g.made as usize;
    // SAFETY: the channels of a band are below `made`.
    unsafe {
        if made >= V::COUNT {
            in_bands::<T, V, PIXELS>(taps, out, made);
        } else if made >= H::COUNT {
            in_bands::<T, H, PIXELS>(taps, out, made);
        } else {
            in_bands::<T, [T; 1], PIXELS>(taps, out, made);
        }
    }
}

/// # Safety
/// As [`row`]; there are as many channels as the register has lanes.
#[inline(always)]
unsafe fn in_bands<T: Real, V: Lanes<T>, const PIXELS: usize>(taps: Taps<T>, out: *mut T, made: usize) {
    let mut o = 0;
    while o < made {
        // SAFETY: the channels from `o` on, as many as the registers have lanes, are below `made`.
        unsafe {
            if made - o >= 2 * V::COUNT {
                band::<T, V, 2, PIXELS>(taps, out, o);
                o += 2 * V::COUNT;
            } else {
                let first = o.min(made - V::COUNT);
                band::<T, V, 1, PIXELS>(taps, out, first);
                o = first + V::COUNT;
            }
        }
    }
}

/// All pixels of the row, `REGISTERS` of their channels from number `o` on.
///
/// # Safety
/// As [`row`]; so many channels are there.
#[inline(always)]
unsafe fn band<T: Real, V: Lanes<T>, const REGISTERS: usize, const PIXELS: usize>(
    taps: Taps<T>,
    out: *mut T,
    o: usize,
) {
    let g = &taps.g;
    let beyond = (g.columns.max(1) - 1).saturating_mul(g.column_step);
    let (first, last) = inside(-g.before, g.stride, g.across, g.width.saturating_sub(beyond));
    let to = |j: usize| out.wrapping_add(j * g.made as usize + o);
    // SAFETY: pixels `first` to `last` have whole windows, the others what is left of theirs; all are below `across`.
    unsafe {
        for j in (0..first).chain(last..g.across as usize) {
            edge::<T, V, REGISTERS>(taps, to(j), j, o);
        }
        let mut j = first;
        while j < last {
            j += match last - j {
                left if left >= PIXELS => block::<T, V, REGISTERS, PIXELS>(taps, to(j), j, o),
                4.. => block::<T, V, REGISTERS, 4>(taps, to(j), j, o),
                2.. => block::<T, V, REGISTERS, 2>(taps, to(j), j, o),
                _ => block::<T, V, REGISTERS, 1>(taps, to(j), j, o),
            };
        }
    }
}

/// The `k` below `count` for which `first + k * step` lies in `0..length`: where they begin and end.
fn inside(first: i64, step: i64, count: i64, length: i64) -> (usize, usize) {
    let up = |distance: i64| if distance <= 0 { 0 } else { (distance - 1) / step + 1 };
    let begin = up(-first).min(count);
    (begin as usize, up(length - first).clamp(begin, count) as usize)
}

impl<T: Real> Taps<T> {
    /// The rows of a window that lie in the image.
    fn rows(&self) -> Range<usize> {
        let (first, last) = inside(self.row, self.g.row_step, self.g.rows, self.g.height);
        first..last
    }

    /// Number of columns of a window that form one run: neighbouring pixels do.
    fn wide(&self, columns: &Range<usize>) -> usize {
        if self.g.column_step == 1 { columns.len().max(1) } else { 1 }
    }

    /// The run that begins in row `a` and column `b` of the window of pixel `j`, `wide` columns of it.
    ///
    /// # Safety
    /// They lie in the image.
    #[inline(always)]
    unsafe fn run(&self, j: usize, [a, b]: [usize; 2], wide: usize, o: usize) -> Run<T> {
        let g = &self.g;
        let [made, channels] = [g.made as usize, g.channels as usize];
        let line = (self.row + a as i64 * g.row_step) * g.width;
        let at = (line + j as i64 * g.stride - g.before + b as i64 * g.column_step) as usize * channels;
        let tap = (a * g.columns as usize + b) * channels * made + o;
        // SAFETY: the element and its weights lie in the image and in the filter.
        let (from, weights) = unsafe { (self.image.add(at), self.filter.add(tap)) };
        Run { from, weights, count: wide * channels }
    }
}

impl<T: Real> Run<T> {
    /// The element number `c`, and its weights for some channels of `made`.
    ///
    /// # Safety
    /// There are so many, on a machine with the registers.
    #[inline(always)]
    unsafe fn weights<V: Lanes<T>, const REGISTERS: usize>(&self, c: usize, made: usize) -> [V; REGISTERS] {
        // SAFETY: the caller's promise.
        unsafe {
            let mut weights = [V::spread(T::ZERO); REGISTERS];
            for (r, weight) in weights.iter_mut().enumerate() {
                *weight = V::load(self.weights.add(c * made + r * V::COUNT));
            }
            weights
        }
    }
}

/// Adds an element's products to sums.
///
/// # Safety
/// The element lies in memory, and the machine has the registers.
#[inline(always)]
unsafe fn add<T: Real, V: Lanes<T>, const REGISTERS: usize>(
    sums: &mut [V; REGISTERS],
    element: *const T,
    weights: &[V; REGISTERS],
) {
    // SAFETY: the caller's promise.
    unsafe {
        let element = V::spread(*element);
        for (sum, &weight) in sums.iter_mut().zip(weights) {
            *sum = V::fused(element, weight, *sum);
        }
    }
}

/// `PIXELS` pixels with whole windows, from number `j` on; gives how many they are.
///
/// # Safety
/// As [`band`].
#[inline(always)]
unsafe fn block<T: Real, V: Lanes<T>, const REGISTERS: usize, const PIXELS: usize>(
    taps: Taps<T>,
    out: *mut T,
    j: usize,
    o: usize,
) -> usize {
    let made = taps.g.made as usize;
    let step = (taps.g.stride * taps.g.channels) as usize;
    // SAFETY: the caller's promise.
    unsafe {
        let mut sums = [[V::spread(T::ZERO); REGISTERS]; PIXELS];
        let columns = 0..taps.g.columns as usize;
        let wide = taps.wide(&columns);
        for a in taps.rows() {
            for b in columns.clone().step_by(wide) {
                let run = taps.run(j, [a, b], wide, o);
                for c in 0..run.count {
                    let weights = run.weights::<V, REGISTERS>(c, made);
                    for (pixel, sums) in sums.iter_mut().enumerate() {
                        add(sums, run.from.add(pixel * step + c), &weights);
                    }
                }
            }
        }
        for (pixel, sums) in sums.iter().enumerate() {
            for (r, sum) in sums.iter().enumerate() {
                sum.store(out.add(pixel * made + r * V::COUNT));
            }
        }
    }
    PIXELS
}

/// So many elements of a pixel at the edge are summed apart, since each sum waits for the one before.
const CHAINS: usize = 4;

/// One pixel, of whose window only a part may lie in the image.
///
/// # Safety
/// As [`band`].
#[inline(always)]
unsafe fn edge<T: Real, V: Lanes<T>, const REGISTERS: usize>(taps: Taps<T>, out: *mut T, j: usize, o: usize) {
    let g = &taps.g;
    let made = g.made as usize;
    let (first, last) = inside(j as i64 * g.stride - g.before, g.column_step, g.columns, g.width);
    let wide = taps.wide(&(first..last));
    // SAFETY: the caller's promise.
    unsafe {
        let mut chains = [[V::spread(T::ZERO); REGISTERS]; CHAINS];
        for a in taps.rows() {
            for b in (first..last).step_by(wide) {
                let run = taps.run(j, [a, b], wide, o);
                let whole = run.count - run.count % CHAINS;
                for begin in (0..whole).step_by(CHAINS) {
                    for (chain, sums) in chains.iter_mut().enumerate() {
                        let c = begin + chain;
                        add(sums, run.from.add(c), &run.weights(c, made));
                    }
                }
                for c in whole..run.count {
                    add(&mut chains[0], run.from.add(c), &run.weights(c, made));
                }
            }
        }
        for r in 0..REGISTERS {
            let mut sum = chains[0][r];
            for other in &chains[1..] {
                sum = V::plus(sum, other[r]);
            }
            sum.store(out.add(r * V::COUNT));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The elements of a row by the definition.
    fn wanted(g: &Geometry, row: i64, image: &[f32], filter: &[f32]) -> Vec<f32> {
        let mut out = Vec::new();
        for (j, o) in (0..g.across).flat_map(|j| (0..g.made).map(move |o| (j, o))) {
            let mut sum = 0.0;
            for (a, b) in (0..g.rows).flat_map(|a| (0..g.columns).map(move |b| (a, b))) {
                let (y, x) = (row + a * g.row_step, j * g.stride - g.before + b * g.column_step);
                if !(0..g.height).contains(&y) || !(0..g.width).contains(&x) {
                    continue;
                }
                for c in 0..g.channels {
                    let element = image[((y * g.width + x) * g.channels + c) as usize];
                    sum += element * filter[(((a * g.columns + b) * g.channels + c) * g.made + o) as usize];
                }
            }
            out.push(sum);
        }
        out
    }

    #[test]
    fn every_width_has_its_blocks() {
        for made in [1, 3, 8, 9, 16, 17, 32, 40] {
            for (stride, before, column_step) in [(1, 0, 1), (1, 1, 1), (2, 1, 1), (1, 2, 2), (3, 9, 1)] {
                for (height, width, channels) in [(4, 33, 2), (1, 2, 5), (3, 20, 1), (0, 0, 3)] {
                    let (rows, columns, row_step) = (3, 2, 1);
                    let across = (width + 2 * before - (columns - 1) * column_step - 1).max(-1) / stride + 1;
                    let g = Geometry {
                        height,
                        width,
                        channels,
                        rows,
                        columns,
                        made,
                        across,
                        stride,
                        before,
                        row_step,
                        column_step,
                    };
                    let numbers =
                        |count: i64, by: i64| (0..count).map(|i| (i % by - 3) as f32).collect::<Vec<_>>();
                    let image = numbers(height * width * channels, 7);
                    let filter = numbers(rows * columns * channels * made, 11);
                    for row in [-2, 0, 2] {
                        let mut out = vec![f32::NAN; (across * made) as usize];
                        let start = [&image, &filter].map(|of| of.as_ptr().cast::<u8>());
                        // SAFETY: as many elements as the geometry says.
                        unsafe {
                            let g = (&raw const g).cast();
                            conv2d_f32(g, row, out.as_mut_ptr().cast(), start[0], start[1]);
                        }
                        assert_eq!(out, wanted(&g, row, &image, &filter), "{g:?} from row {row}");
                    }
                }
            }
        }
    }
}
