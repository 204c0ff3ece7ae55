//! Einstein's sums: each axis has a letter, and the places of the letters say which products are added.
//!
//! ```python
//! gw.einsum("ij,jk->ik", x, y)  # the matrix product: `j` is in both operands and not in the result
//! ```
//!
//! Two operands at a time are one product of matrices, summed over the letters that nobody reads later.

use gw_ir::{BinaryOp, Builder, ReduceOp, Unfit, ValueId};

use super::equation::{Equation, Pair};
use super::sizes::{Size, counted, known_lengths, product_of, shaped, sizes_of, stretched};
use crate::Staged;
use crate::calls::elementwise::binary;
use crate::calls::movement::{gather, matmul, moved, transpose};
use crate::calls::reduce::reduce;

/// An operand with a letter for each axis.
#[derive(Debug, Clone)]
struct Factor {
    term: Vec<char>,
    x: ValueId,
}

pub(super) fn einsum(b: &mut Builder, equation: &Equation, args: &[Staged]) -> Result<Staged, Unfit> {
    let lengths: Vec<_> = args.iter().map(|arg| known_lengths(b, arg.value)).collect();
    equation.check(&lengths)?;
    let mut factors = Vec::with_capacity(args.len());
    for (term, arg) in equation.terms().iter().zip(args) {
        factors.push(with_each_letter_once(b, term, arg.value)?);
    }
    let mut rest = factors.clone().into_iter();
    let mut total = rest.next().expect("an equation has a term for each operand, and one at least");
    for (at, factor) in rest.enumerate() {
        let mut later = equation.result().to_vec();
        later.extend(factors[at + 2..].iter().flat_map(|factor| &factor.term));
        total = product(b, total, factor, &later)?;
    }
    result(b, total, equation.result())
}

/// The total without the letters that are not in the result, and those in their order.
fn result(b: &mut Builder, total: Factor, wanted: &[char]) -> Result<Staged, Unfit> {
    let gone = axes(&total.term, |letter| !wanted.contains(&letter));
    let x = reduce(b, ReduceOp::Sum, total.x, Some(&gone), false)?.value;
    let left: Vec<_> = total.term.into_iter().filter(|letter| wanted.contains(letter)).collect();
    transpose(b, x, Some(&places(&left, wanted)))
}

/// The operand with each letter once: of axes with the same letter the diagonal is left.
fn with_each_letter_once(b: &mut Builder, term: &[char], x: ValueId) -> Result<Factor, Unfit> {
    let mut found = Factor { term: term.to_vec(), x };
    for letter in term {
        while let [first, second, ..] = axes(&found.term, |other| other == *letter)[..] {
            let x = moved(b, found.x, second, 0)?;
            let x = moved(b, x, first + 1, 0)?;
            found.term.remove(second as usize);
            found.term.remove(first as usize);
            found.term.insert(0, *letter);
            found.x = diagonal(b, x)?;
        }
    }
    Ok(found)
}

/// The diagonal of the first two axes.
fn diagonal(b: &mut Builder, x: ValueId) -> Result<ValueId, Unfit> {
    let sizes = sizes_of(b, x)?;
    let count = sizes[0];
    let square = count.times(b, count)?;
    let flat = shaped(b, x, &[&[square], &sizes[2..]].concat())?;
    let numbers = counted(b, count, None)?;
    let step = count.plus(b, Size::Known(1))?.operand(b);
    let places = binary(b, BinaryOp::Mul, numbers, step)?;
    gather(b, flat, places.value, 0).map(|found| found.value)
}

/// The product of two, summed over the letters that nobody reads later.
fn product(b: &mut Builder, left: Factor, right: Factor, later: &[char]) -> Result<Factor, Unfit> {
    let (ours, theirs) = (left.term.clone(), right.term.clone());
    let left = summed(b, left, |letter| later.contains(&letter) || theirs.contains(&letter))?;
    let right = summed(b, right, |letter| later.contains(&letter) || ours.contains(&letter))?;
    let pair = Pair::new(&left.term, &right.term, later);
    let [of_left, of_right] = [pair.of_left(), pair.of_right()];
    let x = transpose(b, left.x, Some(&places(&left.term, &of_left)))?.value;
    let y = transpose(b, right.x, Some(&places(&right.term, &of_right)))?.value;
    let mut lengths = Lengths::of(&of_right, sizes_of(b, y)?);
    let own = sizes_of(b, x)?;
    lengths.meet(&of_left, &own);
    let x = stretched(b, x, &lengths.each(&of_left))?;
    let y = stretched(b, y, &lengths.each(&of_right))?;
    let product = multiplied(b, x, y, &pair, &lengths)?;
    Ok(Factor { term: pair.of_product(), x: product })
}

/// The product of two operands of the same lengths, as one of matrices.
fn multiplied(
    b: &mut Builder,
    x: ValueId,
    y: ValueId,
    pair: &Pair,
    lengths: &Lengths,
) -> Result<ValueId, Unfit> {
    let mut counts = [Size::Known(1); 4];
    for (count, letters) in counts.iter_mut().zip([&pair.batch, &pair.rows, &pair.inner, &pair.columns]) {
        *count = product_of(b, &lengths.each(letters))?;
    }
    let [batch, rows, inner, columns] = counts;
    let x = shaped(b, x, &[batch, rows, inner])?;
    let y = shaped(b, y, &[batch, inner, columns])?;
    let product = matmul(b, &[Staged::strong(x), Staged::strong(y)], false, false)?;
    shaped(b, product.value, &lengths.each(&pair.of_product()))
}

/// The sum over the letters that are not kept.
fn summed(b: &mut Builder, factor: Factor, keeps: impl Fn(char) -> bool) -> Result<Factor, Unfit> {
    let gone = axes(&factor.term, |letter| !keeps(letter));
    if gone.is_empty() {
        return Ok(factor);
    }
    let x = reduce(b, ReduceOp::Sum, factor.x, Some(&gone), false)?.value;
    Ok(Factor { term: factor.term.into_iter().filter(|&letter| keeps(letter)).collect(), x })
}

/// The length of the axes of each letter.
#[derive(Debug)]
struct Lengths(Vec<(char, Size)>);

impl Lengths {
    fn of(letters: &[char], sizes: Vec<Size>) -> Self {
        Self(letters.iter().copied().zip(sizes).collect())
    }

    fn get(&self, letter: char) -> Option<Size> {
        self.0.iter().find(|(known, _)| *known == letter).map(|(_, size)| *size)
    }

    /// Takes the lengths of another operand in. Of two that are known only when the graph runs it is that of this operand.
    fn meet(&mut self, letters: &[char], sizes: &[Size]) {
        for (&letter, &size) in letters.iter().zip(sizes) {
            let met = match (size, self.get(letter)) {
                (Size::Known(1), Some(other)) => other,
                (Size::Found(_), Some(Size::Known(other))) if other != 1 => Size::Known(other),
                (own, _) => own,
            };
            self.0.retain(|(known, _)| *known != letter);
            self.0.push((letter, met));
        }
    }

    fn each(&self, letters: &[char]) -> Vec<Size> {
        letters.iter().filter_map(|&letter| self.get(letter)).collect()
    }
}

/// The axes whose letters are chosen.
fn axes(term: &[char], is_chosen: impl Fn(char) -> bool) -> Vec<i64> {
    (0..).zip(term).filter(|(_, letter)| is_chosen(**letter)).map(|(axis, _)| axis).collect()
}

/// The place of each of these letters in a term.
fn places(term: &[char], letters: &[char]) -> Vec<i64> {
    letters.iter().flat_map(|&letter| axes(term, |other| other == letter)).collect()
}
