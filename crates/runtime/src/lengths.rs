//! Lengths of a tensor's axes, which stand in place where the axes are few.

use std::ops::Deref;

/// Tensors with more axes are rare.
const FEW: usize = 3;

/// Lengths of axes.
#[derive(Debug)]
pub(crate) enum Lengths {
    Few(u8, [usize; FEW]),
    Many(Box<[usize]>),
}

impl Default for Lengths {
    fn default() -> Self {
        Lengths::Few(0, [0; FEW])
    }
}

impl Deref for Lengths {
    type Target = [usize];

    #[inline]
    fn deref(&self) -> &[usize] {
        match self {
            Lengths::Few(count, lengths) => &lengths[..usize::from(*count).min(FEW)],
            Lengths::Many(lengths) => lengths,
        }
    }
}

impl From<&[usize]> for Lengths {
    fn from(lengths: &[usize]) -> Self {
        lengths.iter().copied().collect()
    }
}

impl FromIterator<usize> for Lengths {
    fn from_iter<I: IntoIterator<Item = usize>>(lengths: I) -> Self {
        let (mut few, mut count) = ([0; FEW], 0);
        let mut rest = lengths.into_iter();
        while let Some(length) = rest.next() {
            if count == FEW {
                return Lengths::Many(few.into_iter().chain([length]).chain(rest).collect());
            }
            few[count] = length;
            count += 1;
        }
        Lengths::Few(count as u8, few)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_read_back() {
        for count in 0..6 {
            let wanted: Vec<usize> = (1..=count).collect();
            assert_eq!(*Lengths::from(&wanted[..]), wanted[..]);
        }
    }
}
