//! Arithmetic of integers that fails where a result leaves its type. Ranges drop the checks that cannot fail; what is
//! compared with a known number costs no flag, and delays nothing that waits for the result.

use gw_ir::Node;
use gw_kernels::pow_fits;
use gw_runtime::Report;
use gw_types::{Arithmetic, DType};

use crate::loops::{Binary, Callee, Compare, Expr, Range, Ty, Unary, Var};
use crate::lower::context::{Lower, Lowers};

/// The bound of a result that was checked.
type Bound = Option<Range>;

impl Lower<'_> {
    /// Fails where the result of a node that checks that leaves its type; gives the range of what it is otherwise.
    pub(in crate::lower) fn check_overflow(&mut self, node: &Node, step: Arithmetic, args: &[Var]) -> Bound {
        let [from, to] = [node.args[0], node.results[0]].map(|value| self.graph.ty(value).dtype);
        let (x, ty) = (args[0], Ty::of(to));
        let y = args.get(1).copied().unwrap_or(x);
        let ok = match step {
            Arithmetic::Neg | Arithmetic::Abs => self.is_not(x, Range::of(ty).least),
            Arithmetic::Add => self.fits(Binary::Add, x, y),
            Arithmetic::Sub => self.fits(Binary::Sub, x, y),
            Arithmetic::Mul => self.fits(Binary::Mul, x, y),
            Arithmetic::FloorDiv => self.quotient_fits(x, y),
            Arithmetic::Pow => self.power_fits(x, y),
            Arithmetic::Shl => self.shifted_fits(x, y),
            Arithmetic::Cast if from.is_float() => self.cut_fits(from, to, x),
            Arithmetic::Cast => self.is_among(x, Range::of(ty)),
        };
        self.guard(ok, Report::Overflow { step, from, to }, args.to_vec());
        let binary = match step {
            Arithmetic::Add => Binary::Add,
            Arithmetic::Sub => Binary::Sub,
            Arithmetic::Mul => Binary::Mul,
            Arithmetic::Cast if !from.is_float() => return Some(self.b.range(x)),
            Arithmetic::Neg | Arithmetic::Abs | Arithmetic::FloorDiv => return None,
            Arithmetic::Pow | Arithmetic::Shl | Arithmetic::Cast => return None,
        };
        Some(self.b.checked_range(binary, x, y))
    }

    /// True if the result of two numbers fits their type.
    fn fits(&mut self, binary: Binary, x: Var, y: Var) -> Var {
        let ty = self.b.ty(x);
        if self.b.always_fits(binary, x, y) {
            return self.b.int(Ty::Bool, 1);
        }
        let (known, other) = match (self.b.known(x), self.b.known(y)) {
            (_, Some(known)) => (Some(known), x),
            (Some(known), None) if binary != Binary::Sub => (Some(known), y),
            (Some(_) | None, None) => (None, x),
        };
        let Some(known) = known else {
            let over = self.b.let_(Ty::Bool, Expr::Overflows(binary, x, y));
            return self.b.unary(Unary::Not, over);
        };
        let Range { least, most } = Range::of(ty);
        let (up, down) = (known.max(0), known.min(0));
        let among = if binary == Binary::Add {
            Range { least: least - down, most: most - up }
        } else if binary == Binary::Sub {
            Range { least: least + up, most: most + down }
        } else if known == -1 {
            Range { least: -most, most }
        } else {
            let ends = [least / known, most / known];
            Range { least: ends[0].min(ends[1]), most: ends[0].max(ends[1]) }
        };
        self.is_among(other, among)
    }

    /// True if a number is in a range of its own type.
    fn is_among(&mut self, x: Var, among: Range) -> Var {
        let (ty, range) = (self.b.ty(x), self.b.range(x));
        let [below, above] = [range.least < among.least, among.most < range.most];
        match (below, above) {
            (false, false) => self.b.int(Ty::Bool, 1),
            (true, false) => {
                let least = self.b.int(ty, among.least);
                self.b.compare(Compare::Ge, x, least)
            }
            (false, true) => {
                let most = self.b.int(ty, among.most);
                self.b.compare(Compare::Le, x, most)
            }
            (true, true) => {
                let end = self.b.int(ty, among.least.wrapping_neg());
                let count = self.b.int(ty, among.most.wrapping_sub(among.least).wrapping_add(1));
                let from_least = self.b.add(x, end);
                self.b.compare(Compare::Below, from_least, count)
            }
        }
    }

    fn is_not(&mut self, x: Var, number: i64) -> Var {
        let number = self.b.int(self.b.ty(x), number);
        self.b.compare(Compare::Ne, x, number)
    }

    /// The least integer by -1 is the only quotient without room.
    fn quotient_fits(&mut self, x: Var, y: Var) -> Var {
        let least = Range::of(self.b.ty(x)).least;
        let (other, by) = (self.is_not(x, least), self.is_not(y, -1));
        if [other, by].into_iter().any(|ok| self.b.known(ok) == Some(1)) {
            return self.b.int(Ty::Bool, 1);
        }
        self.b.or(other, by)
    }

    fn power_fits(&mut self, x: Var, y: Var) -> Var {
        if self.b.known(y) == Some(2) {
            return self.fits(Binary::Mul, x, x);
        }
        let bits = self.b.word(self.b.ty(x).bits());
        let [x, y] = [x, y].map(|var| self.b.convert(Ty::I64, var));
        let fits = self.b.call(Ty::I64, Callee::Kernel(pow_fits()), vec![x, y, bits]);
        self.is_not(fits, 0)
    }

    /// Shifted back it is the same. An amount beyond the width never reaches the shifts: LLVM has no value for them.
    fn shifted_fits(&mut self, x: Var, y: Var) -> Var {
        let ty = self.b.ty(x);
        let [zero, width] = [0, ty.bits()].map(|number| self.b.int(ty, number));
        let inside = self.b.compare(Compare::Below, y, width);
        let amount = self.b.select(inside, y, zero);
        let shifted = self.b.binary(Binary::Shl, x, amount);
        let back = self.b.binary(Binary::Sar, shifted, amount);
        let same = self.b.compare(Compare::Eq, back, x);
        let (fits, nothing) = (self.b.and(inside, same), self.b.compare(Compare::Eq, x, zero));
        self.b.or(fits, nothing)
    }

    /// True if an integer type has room for a float that is cut toward zero; it has none for NaN.
    fn cut_fits(&mut self, from: DType, to: DType, x: Var) -> Var {
        let ty = self.b.ty(x);
        let Some((least, end)) = to.cut_ends() else { return self.b.int(Ty::Bool, 1) };
        let most = self.b.real(ty, end);
        let below = self.b.compare(Compare::Lt, x, most);
        let before = least - 1.0;
        let is_exact = before < least && (from == DType::F64 || f64::from(before as f32) == before);
        let above = if is_exact {
            let before = self.b.real(ty, before);
            self.b.compare(Compare::Gt, x, before)
        } else {
            let least = self.b.real(ty, least);
            self.b.compare(Compare::Ge, x, least)
        };
        self.b.and(below, above)
    }

    /// True if a node takes or gives narrow integers.
    pub(in crate::lower) fn is_narrow(&self, node: &Node) -> bool {
        let narrow = |dtype: DType| dtype.register() != dtype;
        node.args.iter().chain(&node.results).any(|&value| narrow(self.graph.ty(value).dtype))
    }

    /// The result of a node that checks that, where integers are narrow: the exact one has room in 64 bits, or leaves its
    /// type there as well, and fails where it is not in the range of its own type.
    pub(in crate::lower) fn checked_narrow(
        &mut self,
        node: &Node,
        step: Arithmetic,
        args: &[Var],
    ) -> Lowers<Var> {
        let [from, to] = [node.args[0], node.results[0]].map(|value| self.graph.ty(value).dtype);
        let wide: Vec<Var> = args.iter().map(|&x| self.in_word(x)).collect();
        let (x, y) = (wide[0], wide.get(1).copied().unwrap_or(wide[0]));
        let result = self.apply(node.op, Ty::I64, &wide)?;
        let exact = match step {
            Arithmetic::Cast if from.is_float() => self.cut_fits(from, to, x),
            Arithmetic::Pow => self.power_fits(x, y),
            Arithmetic::Shl => self.shifted_fits(x, y),
            Arithmetic::Cast | Arithmetic::Neg | Arithmetic::Abs | Arithmetic::FloorDiv => {
                self.b.int(Ty::Bool, 1)
            }
            Arithmetic::Add | Arithmetic::Sub | Arithmetic::Mul => self.b.int(Ty::Bool, 1),
        };
        let words = Range { least: 0, most: i64::MAX };
        let inside = self.is_among(result, if to == DType::U64 { words } else { Range::of(Ty::of(to)) });
        let ok = self.b.and(exact, inside);
        self.guard(ok, Report::Overflow { step, from, to }, args.to_vec());
        let register = self.b.convert(Ty::of(to).register(), result);
        Ok(self.b.convert(Ty::of(to), register))
    }

    /// An integer in 64 bits; a float as it is.
    fn in_word(&mut self, x: Var) -> Var {
        let x = self.b.convert(self.b.ty(x).register(), x);
        if self.b.ty(x).is_integer() { self.b.convert(Ty::I64, x) } else { x }
    }
}
