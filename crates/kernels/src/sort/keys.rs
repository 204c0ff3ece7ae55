//! Keys: unsigned numbers in the order of the elements that they stand for.

#[cfg(test)]
use std::cmp::Ordering;

/// An element that can be ordered.
pub(super) trait Element: Copy + PartialOrd {
    /// A number of as many bits.
    type Key: Copy + Ord + Into<u64>;
    /// Its key. Equal elements have equal keys, and so have all NaN, which are last.
    fn key(self) -> Self::Key;
    /// The element that stands for every NaN in order; any if there is none.
    const NAN: Self;
    /// Zero, if it has a sign.
    const ZERO: Option<Self>;
    /// True if it is no number.
    fn is_nan(self) -> bool;
    /// Its key, which only NaNs share.
    fn own_key(self) -> Self::Key;
    /// The bits of the element with this key of its own.
    fn pattern(own_key: Self::Key) -> Self::Key;
    /// The element with this key of its own.
    fn of_key(own_key: u64) -> Self;
}

macro_rules! float {
    ($ty:ident $bits:ident) => {
        impl Element for $ty {
            type Key = $bits;

            #[inline(always)]
            fn key(self) -> $bits {
                if self.is_nan() {
                    return $bits::MAX;
                }
                // -0.0 has the key before that of 0.0. A sum with zero, or a test that a size is zero, which compilers take for a
                // comparison of floats, would make zeros of subnormal numbers where these are flushed.
                let own = self.own_key();
                own + $bits::from(own == $bits::MAX >> 1)
            }

            const NAN: Self = $ty::NAN;
            const ZERO: Option<Self> = Some(0.0);

            #[inline(always)]
            fn is_nan(self) -> bool {
                $ty::is_nan(self)
            }

            #[inline(always)]
            fn own_key(self) -> $bits {
                let bits = if self.is_nan() { $ty::NAN.to_bits() } else { self.to_bits() };
                let is_negative = bits >> ($bits::BITS - 1) == 1;
                if is_negative { !bits } else { bits | 1 << ($bits::BITS - 1) }
            }

            #[inline(always)]
            fn pattern(own_key: $bits) -> $bits {
                let is_positive = own_key >> ($bits::BITS - 1) == 1;
                if is_positive { own_key & $bits::MAX >> 1 } else { !own_key }
            }

            #[inline(always)]
            fn of_key(own_key: u64) -> $ty {
                $ty::from_bits(Self::pattern(own_key as $bits))
            }
        }
    };
}

float!(f32 u32);
float!(f64 u64);

macro_rules! integer {
    ($ty:ident $bits:ident) => {
        impl Element for $ty {
            type Key = $bits;

            #[inline(always)]
            fn key(self) -> $bits {
                self as $bits ^ 1 << ($bits::BITS - 1)
            }

            const NAN: Self = 0;
            const ZERO: Option<Self> = None;

            #[inline(always)]
            fn is_nan(self) -> bool {
                false
            }

            #[inline(always)]
            fn own_key(self) -> $bits {
                self.key()
            }

            #[inline(always)]
            fn pattern(own_key: $bits) -> $bits {
                own_key ^ 1 << ($bits::BITS - 1)
            }

            #[inline(always)]
            fn of_key(own_key: u64) -> $ty {
                Self::pattern(own_key as $bits) as $ty
            }
        }
    };
}

integer!(i32 u32);
integer!(i64 u64);

/// The order of two elements that are not flushed; NaN is behind all numbers.
#[cfg(test)]
#[allow(clippy::eq_op, reason = "NaN alone differs from itself")]
pub(super) fn ascending<T: PartialOrd>(x: T, y: T) -> Ordering {
    x.partial_cmp(&y).unwrap_or_else(|| (x != x).cmp(&(y != y)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_of_elements() {
        let floats = [f64::NEG_INFINITY, -2.5, -f64::MIN_POSITIVE, 0.0, 5e-324, 1.0, f64::INFINITY, f64::NAN];
        assert!(floats.windows(2).all(|two| two[0].key() < two[1].key()));
        assert_eq!((-0.0f64).key(), 0.0f64.key());
        let single: Vec<f32> =
            floats.iter().map(|&x| x as f32).filter(|x| *x == 0.0 || x.abs() > 1e-30).collect();
        assert!(single.windows(2).all(|two| two[0].key() <= two[1].key()));
        let integers = [i64::MIN, -1, 0, 1, i64::MAX];
        assert!(integers.windows(2).all(|two| two[0].key() < two[1].key()));
    }
}
