//! Arrays as NumPy's `str` writes them with its default options: elements of one width, lines of at most 75 characters, and three
//! elements at each end of an axis where there are more than a thousand.
//!
//! <https://numpy.org/doc/stable/reference/generated/numpy.array2string.html>

use gw_types::{Scalar, count};

use super::TensorView;
use super::columns::Columns;

/// The most elements of an array that is shown whole.
const THRESHOLD: usize = 1000;

/// Elements that are shown at each end of an axis of a longer one.
const ENDS: usize = 3;

/// Characters of a line.
const WIDTH: usize = 75;

/// The mark of elements that are left out.
const LEFT_OUT: &str = "...";

/// Appends an array, which has one axis at least.
pub(super) fn format_array(view: &TensorView, out: &mut String) {
    let total = count(&view.lengths);
    if total == 0 {
        return out.push_str("[]");
    }
    let shown = shown_elements(view);
    let columns = Columns::of(view.dtype, &shown);
    out.push_str(&Page { view, columns }.axis(0, 0, total, WIDTH));
}

/// An array on its way to lines.
struct Page<'a> {
    view: &'a TensorView<'a>,
    columns: Columns,
}

impl Page<'_> {
    /// `size` elements from `start` on, which belong to one position of the axis before this one.
    fn axis(&self, axis: usize, start: usize, size: usize, width: usize) -> String {
        let (indent, below) = (" ".repeat(axis + 1), self.view.lengths.len() - axis - 1);
        let inner = size / self.view.lengths[axis];
        let part = |at: Option<usize>| match at {
            None => LEFT_OUT.to_owned(),
            Some(at) if below == 0 => self.columns.word(element(self.view, start + at)),
            Some(at) => self.axis(axis + 1, start + at * inner, inner, width - 1),
        };
        let parts = shown(self.view, axis).into_iter().map(part);
        let text = match below {
            0 => in_lines(parts, width - 1, &indent),
            _ => parts.collect::<Vec<_>>().join(&("\n".repeat(below) + &indent)),
        };
        format!("[{text}]")
    }
}

/// Words in a row, and in more rows where a line has no room; the first one begins behind a bracket.
fn in_lines(words: impl Iterator<Item = String>, width: usize, indent: &str) -> String {
    let (mut lines, mut line) = (String::new(), indent.to_owned());
    for (at, word) in words.enumerate() {
        if at > 0 {
            line.push(' ');
        }
        if line.len() > indent.len() && line.chars().count() + word.chars().count() > width {
            lines.extend([line.trim_end(), "\n"]);
            line = indent.to_owned();
        }
        line.push_str(&word);
    }
    (lines + &line).split_off(indent.len())
}

/// The positions of an axis that are shown; nothing stands for those between them.
fn shown(view: &TensorView, axis: usize) -> Vec<Option<usize>> {
    let length = view.lengths[axis];
    if count(&view.lengths) <= THRESHOLD || length <= 2 * ENDS {
        return (0..length).map(Some).collect();
    }
    (0..ENDS).map(Some).chain([None]).chain((length - ENDS..length).map(Some)).collect()
}

/// The elements that are shown.
fn shown_elements(view: &TensorView) -> Vec<Scalar> {
    let (mut starts, mut size) = (vec![0], count(&view.lengths));
    for (axis, length) in view.lengths.iter().enumerate() {
        size /= length;
        let positions: Vec<usize> = shown(view, axis).into_iter().flatten().collect();
        let of_one = |start: usize| positions.iter().map(move |at| start + at * size);
        starts = starts.into_iter().flat_map(of_one).collect();
    }
    starts.into_iter().map(|at| element(view, at)).collect()
}

fn element(view: &TensorView, at: usize) -> Scalar {
    let size = view.dtype.size();
    Scalar::read(view.dtype, &view.bytes[at * size..(at + 1) * size])
}

#[cfg(test)]
mod tests {
    use gw_types::DType;

    use super::*;

    #[track_caller]
    fn check(dtype: DType, lengths: &[usize], elements: &[f64], expected: &str) {
        let mut bytes = Vec::new();
        elements.iter().for_each(|&x| Scalar::Float(x).cast(dtype).write(dtype, &mut bytes));
        let mut text = String::new();
        format_array(&TensorView { dtype, lengths: lengths.to_vec(), bytes: &bytes }, &mut text);
        assert_eq!(text, expected);
    }

    #[test]
    fn elements_have_one_width() {
        check(DType::F64, &[3], &[4.0, 12.5, -0.25], "[ 4.   12.5  -0.25]");
        check(DType::F32, &[2], &[1e10, 1.0 / 3.0], "[1.0000000e+10 3.3333334e-01]");
        check(DType::F64, &[3], &[1.0, f64::NAN, f64::NEG_INFINITY], "[  1.  nan -inf]");
        check(DType::F64, &[1], &[f64::INFINITY], "[inf]");
        check(DType::I32, &[2, 2], &[1.0, -20.0, 3.0, 4.0], "[[  1 -20]\n [  3   4]]");
        check(DType::Bool, &[2], &[1.0, 0.0], "[ True False]");
        check(DType::C128, &[2], &[1.0, -2.5], "[ 1. +0.j -2.5+0.j]");
    }

    #[test]
    fn axes_have_lines_of_their_own() {
        let eight: Vec<f64> = (0..8).map(f64::from).collect();
        check(DType::I64, &[2, 2, 2], &eight, "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
        check(DType::F32, &[2, 0], &[], "[]");
    }

    #[test]
    fn long_arrays_are_short() {
        let many: Vec<f64> = (0..1001).map(f64::from).collect();
        check(DType::I64, &[1001], &many, "[   0    1    2 ...  998  999 1000]");
        let row = (0..40).map(|i| format!("{i:2}")).collect::<Vec<_>>();
        let expected = format!("[{}\n {}]", row[..24].join(" "), row[24..].join(" "));
        check(DType::I64, &[40], &many[..40], &expected);
    }
}
