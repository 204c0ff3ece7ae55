//! The names of one function as small numbers, and sets of them as bits: flow analyses copy and join many sets.

use gw_syntax::Name;
use rustc_hash::FxHashMap;

use crate::NameSet;

/// The names of one function, numbered in the order of the alphabet.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    names: Vec<Name>,
    numbers: FxHashMap<Name, usize>,
}

/// A set of numbered names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bits(Box<[u64]>);

impl Numbering {
    /// Numbers for these names.
    pub(crate) fn new(names: NameSet) -> Self {
        let names: Vec<Name> = names.into_iter().collect();
        let numbers = names.iter().enumerate().map(|(number, name)| (name.clone(), number)).collect();
        Self { names, numbers }
    }

    /// No name.
    pub(crate) fn none(&self) -> Bits {
        Bits(vec![0; self.names.len().div_ceil(64)].into())
    }

    /// These names; those without a number are left out.
    pub(crate) fn bits<'n>(&self, names: impl IntoIterator<Item = &'n Name>) -> Bits {
        let mut bits = self.none();
        self.add(&mut bits, names);
        bits
    }

    /// Puts names into a set.
    pub(crate) fn add<'n>(&self, bits: &mut Bits, names: impl IntoIterator<Item = &'n Name>) {
        for &number in names.into_iter().filter_map(|name| self.numbers.get(name)) {
            bits.0[number / 64] |= 1 << (number % 64);
        }
    }

    /// Takes names out of a set.
    pub(crate) fn remove<'n>(&self, bits: &mut Bits, names: impl IntoIterator<Item = &'n Name>) {
        for &number in names.into_iter().filter_map(|name| self.numbers.get(name)) {
            bits.0[number / 64] &= !(1 << (number % 64));
        }
    }

    /// True if a name is in a set.
    pub(crate) fn contains(&self, bits: &Bits, name: &str) -> bool {
        self.numbers.get(name).is_some_and(|number| bits.0[number / 64] >> (number % 64) & 1 == 1)
    }

    /// The names of a set, in the order of the alphabet.
    #[cfg(test)]
    pub(crate) fn names(&self, bits: &Bits) -> impl Iterator<Item = &Name> {
        self.names.iter().filter(move |name| self.contains(bits, name))
    }
}

impl Bits {
    /// Adds the names of another set.
    pub(crate) fn unite(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    /// Keeps the names that are in another set too.
    pub(crate) fn intersect(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word &= other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_many_names() {
        let all: NameSet = (0..200).map(|n| Name::from(format!("n{n:03}"))).collect();
        let numbering = Numbering::new(all);
        let name = |n: usize| Name::from(format!("n{n:03}"));
        let mut some = numbering.bits(&[name(3), name(64), name(199), Name::from("unknown")]);
        let other = numbering.bits(&[name(64), name(65)]);
        assert!(numbering.contains(&some, "n199") && !numbering.contains(&some, "n065"));
        assert!(!numbering.contains(&some, "unknown"));
        some.unite(&other);
        numbering.remove(&mut some, &[name(3)]);
        assert_eq!(numbering.names(&some).map(|name| &**name).collect::<Vec<_>>(), ["n064", "n065", "n199"]);
        some.intersect(&other);
        assert_eq!(some, other);
    }
}
