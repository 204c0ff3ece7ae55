//! Ranges of integer variables, computed from those of operands.

use super::{Binary, Expr, Ty, Unary, Var};

/// All integers from one to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The least of them.
    pub least: i64,
    /// The greatest.
    pub most: i64,
}

/// Natural numbers of 31 bits: such are divided as halves of words.
pub const SHORT: Range = Range { least: 0, most: i32::MAX as i64 };

impl Range {
    /// The range of a type; everything for types other than integers.
    pub fn of(ty: Ty) -> Range {
        match ty {
            Ty::Bool => Range { least: 0, most: 1 },
            Ty::I8 => Range { least: i64::from(i8::MIN), most: i64::from(i8::MAX) },
            Ty::I16 => Range { least: i64::from(i16::MIN), most: i64::from(i16::MAX) },
            Ty::U8 => Range { least: 0, most: i64::from(u8::MAX) },
            Ty::U16 => Range { least: 0, most: i64::from(u16::MAX) },
            Ty::U32 => Range { least: 0, most: i64::from(u32::MAX) },
            Ty::I32 => Range { least: i64::from(i32::MIN), most: i64::from(i32::MAX) },
            Ty::I64 | Ty::Ptr | Ty::F32 | Ty::F64 => Range { least: i64::MIN, most: i64::MAX },
        }
    }

    /// One number.
    pub fn one(value: i64) -> Range {
        Range { least: value, most: value }
    }

    /// True if none is negative.
    pub fn is_natural(self) -> bool {
        self.least >= 0
    }

    /// True if all of these are among others.
    pub fn is_in(self, other: Range) -> bool {
        other.least <= self.least && self.most <= other.most
    }

    /// Either's.
    pub fn or(self, other: Range) -> Range {
        Range { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    /// The intersection; code for which it is empty never runs, so its facts do not matter.
    pub fn and(self, other: Range) -> Range {
        let both = Range { least: self.least.max(other.least), most: self.most.min(other.most) };
        if both.least <= both.most { both } else { self }
    }

    /// The exact results of two operands, as far as a type has room for them.
    pub(super) fn checked(binary: Binary, ty: Ty, x: Range, y: Range) -> Range {
        let all = Range::of(ty);
        if let (Binary::Mul, [factor], other) =
            (binary, &known(x, y)[..], if x.least == x.most { y } else { x })
            && *factor > 1
        {
            // The multiples that there are leave room at the ends.
            let fitting = Range { least: all.least / factor, most: all.most / factor };
            let Range { least, most } = other.and(fitting);
            return Range { least: least * factor, most: most * factor };
        }
        let [least, most] = ends(binary, x, y);
        let clamped = |end: i128| end.clamp(i128::from(all.least), i128::from(all.most)) as i64;
        Range { least: clamped(least), most: clamped(most) }
    }

    /// True if no result of two operands leaves a type.
    pub(super) fn always_fits(binary: Binary, ty: Ty, x: Range, y: Range) -> bool {
        let all = Range::of(ty);
        let [least, most] = ends(binary, x, y);
        i128::from(all.least) <= least && most <= i128::from(all.most)
    }

    /// From the least of some results to the greatest, if none of them wraps.
    fn spanned(ty: Ty, ends: &[i128]) -> Range {
        let all = Range::of(ty);
        let [Some(least), Some(most)] = [ends.iter().min(), ends.iter().max()] else { return all };
        if *least < i128::from(all.least) || *most > i128::from(all.most) {
            return all;
        }
        Range { least: *least as i64, most: *most as i64 }
    }
}

/// The operands of two that are one number, if one is.
fn known(x: Range, y: Range) -> Vec<i64> {
    [x, y].into_iter().filter(|range| range.least == range.most).map(|range| range.least).collect()
}

/// The least and the greatest exact sum, difference or product.
fn ends(binary: Binary, x: Range, y: Range) -> [i128; 2] {
    let [a, b, c, d] = [x.least, x.most, y.least, y.most].map(i128::from);
    match binary {
        Binary::Add => [a + c, b + d],
        Binary::Sub => [a - d, b - c],
        Binary::Mul
        | Binary::MulSaturating
        | Binary::MulHigh
        | Binary::Div
        | Binary::ShortDiv
        | Binary::ShortRest
        | Binary::And
        | Binary::Or
        | Binary::Xor
        | Binary::Shl
        | Binary::Sar
        | Binary::Shr => {
            let products = [a * c, a * d, b * c, b * d];
            let [least, most] = [products.iter().min(), products.iter().max()];
            [least.copied().unwrap_or(0), most.copied().unwrap_or(0)]
        }
    }
}

/// The range of an expression of this type, given that of variables.
pub(super) fn range(ty: Ty, expr: &Expr, of: impl Fn(Var) -> (Ty, Range)) -> Range {
    let all = Range::of(ty);
    match *expr {
        Expr::Int(value) if Range::one(value).is_in(all) => Range::one(value),
        Expr::Binary(binary, x, y) if ty.is_integer() => of_two(binary, ty, of(x).1, of(y).1),
        Expr::Select(_, x, y) if ty.is_integer() => of(x).1.or(of(y).1),
        Expr::Unary(Unary::Abs, x) if ty.is_integer() => {
            let Range { least, most } = of(x).1;
            let size = Range::spanned(ty, &[least, most].map(|end| i128::from(end).abs()));
            if least >= 0 { size } else { Range { least: size.least.min(0), ..size } }
        }
        Expr::Convert(x) if ty.is_integer() && of(x).0.is_integer() && of(x).1.is_in(all) => of(x).1,
        Expr::Int(_) | Expr::Real(_) | Expr::Literal(_) | Expr::Field(_) | Expr::Room | Expr::Call(..) => all,
        Expr::Unary(..) | Expr::Binary(..) | Expr::Overflows(..) | Expr::Compare(..) | Expr::Select(..) => {
            all
        }
        Expr::Convert(_) | Expr::Load(..) | Expr::Offset(..) => all,
    }
}

fn of_two(binary: Binary, ty: Ty, x: Range, y: Range) -> Range {
    let ends = |of: fn(i128, i128) -> i128| {
        let [a, b, c, d] = [x.least, x.most, y.least, y.most].map(i128::from);
        Range::spanned(ty, &[of(a, c), of(a, d), of(b, c), of(b, d)])
    };
    let natural = x.is_natural() && y.is_natural();
    match binary {
        Binary::Add => ends(|a, b| a + b),
        Binary::Sub => ends(|a, b| a - b),
        Binary::Mul => ends(|a, b| a * b),
        // A sign that one of them lacks, the result lacks too; it has no bit that both lack.
        Binary::And if natural => Range { least: 0, most: x.most.min(y.most) },
        Binary::And if x.is_natural() => Range { least: 0, most: x.most },
        Binary::And if y.is_natural() => Range { least: 0, most: y.most },
        Binary::Or | Binary::Xor if natural => {
            let bits = 64 - x.most.max(y.most).leading_zeros();
            Range { least: 0, most: ((1u128 << bits) - 1) as i64 }
        }
        Binary::Sar if y.least == y.most && (0..64).contains(&y.least) => {
            Range { least: x.least >> y.least, most: x.most >> y.least }
        }
        Binary::Shr if x.is_natural() => Range { least: 0, most: x.most },
        Binary::ShortDiv => Range { least: 0, most: x.most.clamp(0, SHORT.most) },
        Binary::ShortRest => {
            Range { least: 0, most: x.most.min(y.most.saturating_sub(1)).clamp(0, SHORT.most) }
        }
        Binary::MulSaturating if natural => Range { least: 0, most: i64::MAX },
        Binary::MulSaturating | Binary::MulHigh | Binary::Div | Binary::And | Binary::Or => Range::of(ty),
        Binary::Xor | Binary::Shl | Binary::Sar | Binary::Shr => Range::of(ty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: [Binary; 11] = [
        Binary::Add,
        Binary::Sub,
        Binary::Mul,
        Binary::MulHigh,
        Binary::And,
        Binary::Or,
        Binary::Xor,
        Binary::Sar,
        Binary::Shr,
        Binary::ShortDiv,
        Binary::ShortRest,
    ];

    /// The range of an operation's result, given those of its operands.
    fn given(binary: Binary, x: i64, y: i64) -> Option<i64> {
        let short = (0..=SHORT.most).contains(&x) && (1..=SHORT.most).contains(&y);
        match binary {
            Binary::Add => Some(x.wrapping_add(y)),
            Binary::Sub => Some(x.wrapping_sub(y)),
            Binary::Mul => Some(x.wrapping_mul(y)),
            Binary::MulHigh => Some(((u128::from(x as u64) * u128::from(y as u64)) >> 64) as i64),
            Binary::And => Some(x & y),
            Binary::Or => Some(x | y),
            Binary::Xor => Some(x ^ y),
            Binary::Sar => (0..64).contains(&y).then(|| x >> y),
            Binary::Shr => (0..64).contains(&y).then(|| ((x as u64) >> y) as i64),
            Binary::ShortDiv => short.then(|| x / y),
            Binary::ShortRest => short.then(|| x % y),
            Binary::Div | Binary::MulSaturating | Binary::Shl => None,
        }
    }

    #[test]
    fn what_numbers_give_is_in_the_range_that_their_ranges_give() {
        let ends = [i64::MIN, -1 << 40, -7, -1, 0, 1, 2, 5, 63, i64::from(i32::MAX), 1 << 40, i64::MAX];
        let ranges = || {
            let pairs = ends.iter().flat_map(|&least| ends.iter().map(move |&most| Range { least, most }));
            pairs.filter(|range| range.least <= range.most)
        };
        for (x, y) in ranges().flat_map(|x| ranges().map(move |y| (x, y))) {
            for binary in TWO {
                let said = of_two(binary, Ty::I64, x, y);
                let middle = |range: Range| ((i128::from(range.least) + i128::from(range.most)) / 2) as i64;
                let some = |range: Range| [range.least, middle(range), range.most];
                for (a, b) in some(x).into_iter().flat_map(|a| some(y).map(|b| (a, b))) {
                    let given = given(binary, a, b);
                    let fits = given.is_none_or(|value| Range::one(value).is_in(said));
                    assert!(fits, "{binary:?} of {a} and {b}, {x:?} and {y:?}: {given:?} is not in {said:?}");
                }
            }
        }
    }

    #[test]
    fn sizes_and_narrower_types_have_ranges() {
        let of = |x: Range, from: Ty, ty: Ty, expr: &Expr| range(ty, expr, |_| (from, x));
        let var = gw_base::Id::new(0);
        let abs = Expr::Unary(Unary::Abs, var);
        let some = Range { least: -5, most: 3 };
        assert_eq!(of(some, Ty::I64, Ty::I64, &abs), Range { least: 0, most: 5 });
        assert_eq!(of(Range::of(Ty::I32), Ty::I32, Ty::I32, &abs), Range::of(Ty::I32));
        let convert = Expr::Convert(var);
        assert_eq!(of(some, Ty::I64, Ty::I32, &convert), some);
        assert_eq!(of(Range { least: 0, most: 1 << 40 }, Ty::I64, Ty::I32, &convert), Range::of(Ty::I32));
        assert_eq!(of(Range::of(Ty::F64), Ty::F64, Ty::I64, &convert), Range::of(Ty::I64));
    }
}
