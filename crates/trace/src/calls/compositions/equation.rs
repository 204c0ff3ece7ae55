//! Equations of Einstein's sums: which letters stand for the axes of the operands and of the result.

use gw_ir::Unfit;

use crate::calls::steps::bad;

/// Letters for the axes of an ellipsis, the last axis first.
const BATCH: &str = "ΩΨΧΦΥΤΣΡΠΟΞΝΜΛΚΙΘΗΖΕΔΓΒΑ";

/// The letters of the axes of each operand and of the result: `ij,jk->ik`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Equation {
    terms: Vec<Vec<char>>,
    result: Vec<char>,
}

impl Equation {
    /// Reads an equation of operands with so many axes.
    ///
    /// Without `->` the result has the letters that stand once, by the alphabet; `...` stands for the axes that have no letter.
    ///
    /// ```
    /// use gw_trace::calls::Equation;
    /// assert_eq!(Equation::read("ij,jk", &[2, 2]), Equation::read("ij, jk -> ik", &[2, 2]));
    /// assert!(Equation::read("ij,jk", &[2, 3]).is_err());
    /// ```
    ///
    /// # Errors
    /// If the letters do not fit the operands.
    pub fn read(text: &str, ranks: &[usize]) -> Result<Self, Unfit> {
        let text = &text.replace(' ', "");
        let (inputs, result) = text.split_once("->").map_or((text.as_str(), None), |(i, r)| (i, Some(r)));
        let terms: Vec<_> = inputs.split(',').collect();
        if terms.len() != ranks.len() {
            let (wanted, given) = (terms.len(), ranks.len());
            return Err(unfit(format!(
                "the equation '{text}' is of {wanted} tensors, and {given} are given"
            )));
        }
        let terms = terms.iter().zip(ranks).map(|(term, &rank)| without_dots(term, rank, text));
        let terms = terms.collect::<Result<Vec<_>, _>>()?;
        let result = result.map_or_else(|| implied(&terms), |result| spelled(result, &batch(&terms)));
        let is_once = |letter: &char| result.iter().filter(|other| *other == letter).count() == 1;
        let is_known = |letter: &char| terms.iter().any(|term| term.contains(letter));
        if !result.iter().all(|letter| is_once(letter) && is_known(letter)) {
            return Err(unfit(format!(
                "the result of the equation '{text}' wants each of its letters once, and in an input"
            )));
        }
        Ok(Self { terms, result })
    }

    /// Compares the known lengths of operands, of which axes of the same letter have the same or 1.
    ///
    /// # Errors
    /// If they differ, or there are other axes than letters.
    pub fn check(&self, lengths: &[Vec<Option<usize>>]) -> Result<(), Unfit> {
        let has_letters = |(term, lengths): (&Vec<char>, &Vec<Option<usize>>)| term.len() == lengths.len();
        if self.terms.len() != lengths.len() || !self.terms.iter().zip(lengths).all(has_letters) {
            return Err(unfit("the equation is of tensors with other axes".to_owned()));
        }
        let mut total = once(&self.terms[0], &lengths[0]);
        for (at, (term, lengths)) in self.terms.iter().zip(lengths).enumerate().skip(1) {
            let later: Vec<_> =
                self.terms[at + 1..].iter().chain([&self.result]).flatten().copied().collect();
            total = met(&total, &once(term, lengths), &later)?;
        }
        Ok(())
    }

    /// The letters of each operand; there is one operand at least.
    pub(super) fn terms(&self) -> &[Vec<char>] {
        &self.terms
    }

    /// The letters of the result.
    pub(super) fn result(&self) -> &[char] {
        &self.result
    }
}

/// The letters of a product of two operands, by their part in the product of matrices.
#[derive(Debug)]
pub(super) struct Pair {
    /// In both, and read later.
    pub(super) batch: Vec<char>,
    /// In the left one alone.
    pub(super) rows: Vec<char>,
    /// In both, and summed over.
    pub(super) inner: Vec<char>,
    /// In the right one alone.
    pub(super) columns: Vec<char>,
}

impl Pair {
    pub(super) fn new(ours: &[char], theirs: &[char], later: &[char]) -> Self {
        let chosen = |letters: &[char], is_chosen: &dyn Fn(&char) -> bool| -> Vec<char> {
            letters.iter().copied().filter(is_chosen).collect()
        };
        Self {
            batch: chosen(ours, &|letter| theirs.contains(letter) && later.contains(letter)),
            rows: chosen(ours, &|letter| !theirs.contains(letter)),
            inner: chosen(ours, &|letter| theirs.contains(letter) && !later.contains(letter)),
            columns: chosen(theirs, &|letter| !ours.contains(letter)),
        }
    }

    /// The letters of the left operand in the order of the product.
    pub(super) fn of_left(&self) -> Vec<char> {
        [&self.batch[..], &self.rows, &self.inner].concat()
    }

    /// The letters of the right operand in the order of the product.
    pub(super) fn of_right(&self) -> Vec<char> {
        [&self.batch[..], &self.inner, &self.columns].concat()
    }

    /// The letters of the product.
    pub(super) fn of_product(&self) -> Vec<char> {
        [&self.batch[..], &self.rows, &self.columns].concat()
    }
}

/// Letters, each with the length of its axes where it is known.
type Lettered = Vec<(char, Option<usize>)>;

/// Each letter once, with the length of its first axis: those of diagonals first, as taking diagonals leaves them.
fn once(term: &[char], lengths: &[Option<usize>]) -> Lettered {
    let mut found = Lettered::new();
    for (at, &letter) in term.iter().enumerate() {
        if !term[..at].contains(&letter) {
            let is_diagonal = term[at + 1..].contains(&letter);
            found.insert(if is_diagonal { 0 } else { found.len() }, (letter, lengths[at]));
        }
    }
    found
}

/// The lengths of a product of two operands.
fn met(left: &Lettered, right: &Lettered, later: &[char]) -> Result<Lettered, Unfit> {
    let letters = |of: &Lettered| of.iter().map(|(letter, _)| *letter).collect::<Vec<_>>();
    let (ours, theirs) = (letters(left), letters(right));
    let kept = |own: &[char], other: &[char]| -> Vec<char> {
        let is_kept = |letter: &&char| later.contains(letter) || other.contains(letter);
        own.iter().filter(is_kept).copied().collect()
    };
    let pair = Pair::new(&kept(&ours, &theirs), &kept(&theirs, &ours), later);
    let length =
        |of: &Lettered, letter| of.iter().find(|(known, _)| *known == letter).map(|(_, length)| *length);
    let mut lengths = Lettered::new();
    for letter in [pair.of_left(), pair.columns.clone()].concat() {
        let own = length(left, letter).or_else(|| length(right, letter)).flatten();
        let other = length(right, letter).unwrap_or(own);
        lengths.push((letter, met_length(letter, own, other)?));
    }
    Ok(pair.of_product().iter().map(|&letter| (letter, length(&lengths, letter).flatten())).collect())
}

fn met_length(letter: char, own: Option<usize>, other: Option<usize>) -> Result<Option<usize>, Unfit> {
    match (own, other) {
        (Some(own), Some(other)) if own != other && own != 1 && other != 1 => {
            Err(unfit(format!("axes with the letter '{letter}' have lengths {own} and {other}")))
        }
        (Some(1), other) => Ok(other),
        (None, other) => Ok(other.filter(|&length| length != 1)),
        (own, _) => Ok(own),
    }
}

/// The letters of a term for an operand with so many axes.
fn without_dots(term: &str, rank: usize, text: &str) -> Result<Vec<char>, Unfit> {
    let named = term.replace("...", "").chars().count();
    let rest = rank.checked_sub(named).filter(|&rest| rest == 0 || term.contains("..."));
    let Some(rest) = rest.filter(|&rest| rest <= BATCH.chars().count()) else {
        return Err(unfit(format!("'{term}' in the equation '{text}' is given a tensor of {rank} axes")));
    };
    let dots: Vec<_> = BATCH.chars().take(rest).collect();
    Ok(spelled(term, &dots.into_iter().rev().collect::<Vec<_>>()))
}

/// The letters of a term, with these for the ellipsis.
fn spelled(term: &str, dots: &[char]) -> Vec<char> {
    term.replace("...", &dots.iter().collect::<String>()).chars().collect()
}

/// The letters of the longest ellipsis.
fn batch(terms: &[Vec<char>]) -> Vec<char> {
    let each = terms.iter().map(|term| term.iter().copied().filter(|&l| BATCH.contains(l)).collect());
    each.reduce(|longest: Vec<char>, one| if one.len() > longest.len() { one } else { longest })
        .unwrap_or_default()
}

/// The letters of the result where the equation has none: those that stand once, behind the ellipsis.
fn implied(terms: &[Vec<char>]) -> Vec<char> {
    let all = terms.concat();
    let is_once = |letter: &&char| all.iter().filter(|other| other == letter).count() == 1;
    let mut alone: Vec<_> =
        all.iter().filter(is_once).copied().filter(|&letter| !BATCH.contains(letter)).collect();
    alone.sort_unstable();
    [batch(terms), alone].concat()
}

fn unfit(message: String) -> Unfit {
    bad("call.einsum", message)
}
