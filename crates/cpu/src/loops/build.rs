//! Makes loop IR, folding what is known: lengths that are constants cost nothing later.

use gw_base::{Id, Table};

use super::numbering::{self, Numbering};
use super::ranges::{self, Range};
use super::{Arm, Binary, Block, Callee, Carry, Compare, Expr, Field, Func, Stmt, Ty, Unary, Var};

/// A function under construction, with the block that statements are now added to.
#[derive(Debug)]
pub struct Build {
    vars: Table<Var, Ty>,
    /// The integer that a variable is known to be.
    known: Vec<Option<i64>>,
    /// The floating number that a variable is known to be.
    reals: Vec<Option<f64>>,
    /// Range of each integer variable.
    ranges: Vec<Range>,
    open: Vec<Block>,
    /// Values that each open block has computed itself: those of a loop are near it, and no other block knows anything of them.
    numbered: Vec<Numbering>,
    /// For each open block what was noted of variables before it learned more.
    learned: Vec<Vec<(Var, Range, Option<i64>)>>,
}

impl Build {
    /// An empty function.
    pub fn new() -> Self {
        let (known, reals, ranges) = Default::default();
        let (open, numbered, learned) = (vec![Vec::new()], vec![Numbering::default()], vec![Vec::new()]);
        Self { vars: Table::new(), known, reals, ranges, open, numbered, learned }
    }

    /// The finished function.
    pub fn finish(mut self, name: &str) -> Func {
        let body = self.open.pop().unwrap_or_default();
        Func { name: name.to_owned(), params: Vec::new(), results: Vec::new(), vars: self.vars, body }
    }

    /// The type of a variable.
    pub fn ty(&self, var: Var) -> Ty {
        self.vars[var]
    }

    /// The integer that a variable is known to be.
    pub fn known(&self, var: Var) -> Option<i64> {
        self.known[var.index()]
    }

    /// The floating number that a variable is known to be.
    pub fn known_real(&self, var: Var) -> Option<f64> {
        self.reals[var.index()]
    }

    /// The range of each variable, wherever it is read.
    pub fn ranges(&self) -> Vec<Range> {
        self.ranges.clone()
    }

    /// Range of an integer variable.
    pub fn range(&self, var: Var) -> Range {
        self.ranges[var.index()]
    }

    /// True if no sum, difference or product of two variables leaves their type.
    pub fn always_fits(&self, binary: Binary, x: Var, y: Var) -> bool {
        Range::always_fits(binary, self.ty(x), self.range(x), self.range(y))
    }

    /// The sum, difference or product of two variables where it does not leave their type.
    pub fn checked_range(&self, binary: Binary, x: Var, y: Var) -> Range {
        Range::checked(binary, self.ty(x), self.range(x), self.range(y))
    }

    /// Notes that a variable is one of these integers wherever it is read from now on.
    pub fn bound(&mut self, var: Var, range: Range) {
        self.ranges[var.index()] = self.range(var).and(range);
    }

    /// Notes that a variable is one of these integers until the block ends that is open.
    pub fn learn(&mut self, var: Var, range: Range) {
        let before = (var, self.range(var), self.known(var));
        if let Some(learned) = self.learned.last_mut() {
            learned.push(before);
            self.bound(var, range);
        }
    }

    /// Notes that a bool is true until the block ends that is open.
    pub fn learn_true(&mut self, ok: Var) {
        self.learn(ok, Range::one(1));
        self.known[ok.index()] = Some(1);
    }

    /// True if two variables certainly hold the same.
    pub fn same(&self, x: Var, y: Var) -> bool {
        x == y || (self.known(x).is_some() && self.known(x) == self.known(y))
    }

    /// A variable that something else defines: a carry, a counter, a result.
    pub fn fresh(&mut self, ty: Ty) -> Var {
        self.known.push(None);
        self.reals.push(None);
        self.ranges.push(Range::of(ty));
        self.vars.push(ty)
    }

    /// Opens a block; statements go there until `close`.
    pub fn open(&mut self) {
        self.open.push(Vec::new());
        self.numbered.push(Numbering::default());
        self.learned.push(Vec::new());
    }

    /// Closes the block opened last.
    pub fn close(&mut self, results: Vec<Var>) -> Arm {
        for (var, range, known) in self.learned.pop().unwrap_or_default().into_iter().rev() {
            (self.ranges[var.index()], self.known[var.index()]) = (range, known);
        }
        self.numbered.pop();
        Arm { block: self.open.pop().unwrap_or_default(), results }
    }

    /// Adds a statement.
    pub fn push(&mut self, stmt: Stmt) {
        if let Some(block) = self.open.last_mut() {
            block.push(stmt);
        }
    }

    /// Adds the statements of a block that is to run here.
    pub fn splice(&mut self, block: Block) {
        block.into_iter().for_each(|stmt| self.push(stmt));
    }

    /// A variable defined so: a new one, or the one that this block has already.
    pub fn let_(&mut self, ty: Ty, expr: Expr) -> Var {
        let key = numbering::key(ty, &expr);
        let known = key.as_ref().and_then(|key| self.numbered.last()?.get(key).copied());
        if let Some(var) = known {
            self.bound(var, self.range_of(ty, &expr));
            return var;
        }
        let var = self.define(ty, expr);
        if let (Some(key), Some(block)) = (key, self.numbered.last_mut()) {
            block.insert(key, var);
        }
        var
    }

    /// Defines a variable.
    fn define(&mut self, ty: Ty, expr: Expr) -> Var {
        let var = self.fresh(ty);
        if let Expr::Int(value) = expr {
            self.known[var.index()] = Some(value);
        }
        if let Expr::Real(value) = expr {
            self.reals[var.index()] = Some(value);
        }
        self.ranges[var.index()] = self.range_of(ty, &expr);
        self.push(Stmt::Let(var, expr));
        var
    }

    fn range_of(&self, ty: Ty, expr: &Expr) -> Range {
        ranges::range(ty, expr, |var| (self.vars[var], self.range(var)))
    }

    /// The number of a slot: a variable of its own, since the allocation of buffers changes what it is.
    pub fn slot_word(&mut self, value: i64) -> Var {
        self.define(Ty::I64, Expr::Int(value))
    }

    /// An integer or bool constant.
    pub fn int(&mut self, ty: Ty, value: i64) -> Var {
        self.let_(ty, Expr::Int(value))
    }

    /// An i64 constant.
    pub fn word(&mut self, value: i64) -> Var {
        self.int(Ty::I64, value)
    }

    /// A floating constant.
    pub fn real(&mut self, ty: Ty, value: f64) -> Var {
        self.let_(ty, Expr::Real(value))
    }

    /// An address that the context knows.
    pub fn field(&mut self, field: Field) -> Var {
        self.let_(Ty::Ptr, Expr::Field(field))
    }

    /// A function of one operand.
    pub fn unary(&mut self, unary: Unary, x: Var) -> Var {
        self.let_(self.ty(x), Expr::Unary(unary, x))
    }

    /// A function of two operands, folded where integers are known.
    pub fn binary(&mut self, binary: Binary, x: Var, y: Var) -> Var {
        let ty = self.ty(x);
        let exact = ty != Ty::Ptr && !ty.is_float();
        match (binary, self.known(x), self.known(y)) {
            (_, Some(a), Some(b)) if exact => {
                if let Some(value) = fold(binary, ty, a, b) {
                    return self.int(ty, value);
                }
            }
            (Binary::Add | Binary::Or | Binary::Xor, Some(0), _) if exact => return y,
            (Binary::Add | Binary::Sub | Binary::Or | Binary::Xor, _, Some(0)) if exact => return x,
            (Binary::Shl | Binary::Sar | Binary::Shr, _, Some(0)) if exact => return x,
            (Binary::Mul | Binary::MulSaturating, Some(1), _) if exact => return y,
            (Binary::Mul | Binary::MulSaturating, _, Some(1)) if exact => return x,
            (Binary::Mul | Binary::MulSaturating, Some(0), _) if exact => return x,
            (Binary::Mul | Binary::MulSaturating, _, Some(0)) if exact => return y,
            (Binary::And, Some(1), _) if ty == Ty::Bool => return y,
            (Binary::And, _, Some(1)) if ty == Ty::Bool => return x,
            _ => {}
        }
        self.let_(ty, Expr::Binary(binary, x, y))
    }

    /// `x + y`
    pub fn add(&mut self, x: Var, y: Var) -> Var {
        self.binary(Binary::Add, x, y)
    }

    /// `x - y`
    pub fn sub(&mut self, x: Var, y: Var) -> Var {
        self.binary(Binary::Sub, x, y)
    }

    /// `x * y`
    pub fn mul(&mut self, x: Var, y: Var) -> Var {
        self.binary(Binary::Mul, x, y)
    }

    /// A comparison, folded where integers are known.
    pub fn compare(&mut self, compare: Compare, x: Var, y: Var) -> Var {
        if let (Some(a), Some(b)) = (self.known(x), self.known(y)) {
            return self.int(Ty::Bool, i64::from(holds(compare, a, b)));
        }
        if x == y && !self.ty(x).is_float() {
            return self.int(Ty::Bool, i64::from(holds(compare, 0, 0)));
        }
        if let Some(answer) = self.answer(compare, x, y) {
            return self.int(Ty::Bool, i64::from(answer));
        }
        self.let_(Ty::Bool, Expr::Compare(compare, x, y))
    }

    /// Decides a comparison by ranges.
    fn answer(&self, compare: Compare, x: Var, y: Var) -> Option<bool> {
        let [a, b] = [x, y].map(|var| self.range(var));
        let (below, above) = (a.most < b.least, b.most < a.least);
        let not_above = a.most <= b.least;
        let not_below = b.most <= a.least;
        let (holds, fails) = match compare {
            Compare::Eq => (false, below || above),
            Compare::Ne => (below || above, false),
            Compare::Lt => (below, not_below),
            Compare::Le => (not_above, above),
            Compare::Gt => (above, not_above),
            Compare::Ge => (not_below, below),
            Compare::Below if a.is_natural() && b.is_natural() => (below, not_below),
            Compare::Below => (false, false),
        };
        (holds || fails).then_some(holds)
    }

    /// Both, of bools.
    pub fn and(&mut self, x: Var, y: Var) -> Var {
        self.binary(Binary::And, x, y)
    }

    /// Either of bools; the bits of either of integers.
    pub fn or(&mut self, x: Var, y: Var) -> Var {
        match (self.known(x), self.known(y)) {
            (Some(1), _) if self.ty(x) == Ty::Bool => x,
            (_, Some(1)) if self.ty(y) == Ty::Bool => y,
            (Some(_) | None, Some(_) | None) => self.binary(Binary::Or, x, y),
        }
    }

    /// `x if test else y`
    pub fn select(&mut self, test: Var, x: Var, y: Var) -> Var {
        match self.known(test) {
            Some(0) => return y,
            Some(_) => return x,
            None if self.same(x, y) => return x,
            None => {}
        }
        if self.ty(x) == Ty::Bool {
            match (self.known(x), self.known(y)) {
                (Some(1), Some(0)) => return test,
                (Some(0), Some(1)) => return self.unary(Unary::Not, test),
                (_, Some(0)) => return self.and(test, x),
                (Some(1), _) => return self.or(test, y),
                (Some(_) | None, Some(_) | None) => {}
            }
        }
        self.let_(self.ty(x), Expr::Select(test, x, y))
    }

    /// Defines `out`, which is `fresh`, as `x if test else y`.
    pub fn choose_into(&mut self, out: Var, test: Var, x: Var, y: Var) {
        self.bound(out, self.range(x).or(self.range(y)));
        self.push(Stmt::Let(out, Expr::Select(test, x, y)));
    }

    /// The same number in another type.
    pub fn convert(&mut self, ty: Ty, x: Var) -> Var {
        match (self.ty(x), self.known(x)) {
            (from, _) if from == ty => x,
            (from, Some(value)) if from.is_integer() && (ty == Ty::I64 || from.register() == ty) => {
                self.int(ty, value)
            }
            (_, Some(_) | None) => self.let_(ty, Expr::Convert(x)),
        }
    }

    /// `ptr[index]`
    pub fn load(&mut self, ty: Ty, ptr: Var, index: Var) -> Var {
        self.let_(ty, Expr::Load(ptr, index))
    }

    /// `ptr[index] = value`
    pub fn store(&mut self, ptr: Var, index: Var, value: Var) {
        self.push(Stmt::Store { ptr, index, value });
    }

    /// The address of `ptr[index]`.
    pub fn offset(&mut self, ptr: Var, index: Var, ty: Ty) -> Var {
        if self.known(index) == Some(0) { ptr } else { self.let_(Ty::Ptr, Expr::Offset(ptr, index, ty)) }
    }

    /// The result of a function.
    pub fn call(&mut self, ty: Ty, callee: Callee, args: Vec<Var>) -> Var {
        self.let_(ty, Expr::Call(callee, args))
    }

    /// Fails at a site unless `ok`.
    pub fn guard(&mut self, ok: Var, site: usize, words: Vec<Var>) {
        if self.known(ok) != Some(1) {
            self.push(Stmt::Guard { ok, site, words });
        }
    }

    /// Counts from 0 to `stop` with carries; `body` gets the counter and the carries and gives the next ones.
    pub fn for_(
        &mut self,
        stop: Var,
        inits: &[Var],
        body: impl FnOnce(&mut Self, Var, &[Var]) -> Vec<Var>,
    ) -> Vec<Var> {
        let (carries, iv) = self.begin_for(inits);
        let params: Vec<Var> = carries.iter().map(|c| c.param).collect();
        let next = body(self, iv, &params);
        self.end_for(stop, iv, carries, next)
    }

    /// Opens the body of a counting loop: its carries and its counter.
    pub fn begin_for(&mut self, inits: &[Var]) -> (Vec<Carry>, Var) {
        let carries = self.carries(inits);
        self.open();
        (carries, self.fresh(Ty::I64))
    }

    /// Closes a counting loop; gives what its carries are afterwards.
    pub fn end_for(&mut self, stop: Var, iv: Var, carries: Vec<Carry>, next: Vec<Var>) -> Vec<Var> {
        let body = self.close(next);
        let outs = carries.iter().map(|c| c.out).collect();
        self.push(Stmt::For { iv, stop, carries, body });
        outs
    }

    /// Carries that begin as these.
    pub fn carries(&mut self, inits: &[Var]) -> Vec<Carry> {
        let carry = |&init: &Var| {
            let ty = self.ty(init);
            Carry { init, param: self.fresh(ty), out: self.fresh(ty) }
        };
        inits.iter().map(carry).collect()
    }
}

impl Default for Build {
    fn default() -> Self {
        Self::new()
    }
}

/// The integer that two of them give, if that is known without a division.
pub(super) fn fold(binary: Binary, ty: Ty, a: i64, b: i64) -> Option<i64> {
    let value = match binary {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::MulSaturating => a.saturating_mul(b),
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::MulHigh | Binary::Div | Binary::Shl | Binary::Sar | Binary::Shr => return None,
        Binary::ShortDiv | Binary::ShortRest => return None,
    };
    Some(if ty == Ty::I32 { i64::from(value as i32) } else { value })
}

/// True if a comparison of two integers holds.
pub(super) fn holds(compare: Compare, a: i64, b: i64) -> bool {
    match compare {
        Compare::Eq => a == b,
        Compare::Ne => a != b,
        Compare::Lt => a < b,
        Compare::Le => a <= b,
        Compare::Gt => a > b,
        Compare::Ge => a >= b,
        Compare::Below => (a as u64) < b as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn known_integers_fold() {
        let mut b = Build::new();
        let [two, three, one, zero] = [2, 3, 1, 0].map(|i| b.word(i));
        let six = b.mul(two, three);
        assert_eq!(b.known(six), Some(6));
        let x = b.fresh(Ty::I64);
        assert_eq!(b.mul(x, one), x);
        assert_eq!(b.add(zero, x), x);
        assert_eq!(b.mul(x, zero), zero);
        assert_ne!(b.or(x, one), one);
        let less = b.compare(Compare::Lt, two, three);
        assert_eq!(b.known(less), Some(1));
        assert_eq!(b.select(less, x, two), x);
    }

    #[test]
    fn a_block_computes_nothing_twice_and_slots_have_words_of_their_own() {
        let mut b = Build::new();
        let (x, y) = (b.fresh(Ty::I64), b.fresh(Ty::I64));
        let (sum, less) = (b.add(x, y), b.compare(Compare::Lt, x, y));
        assert_eq!((b.add(x, y), b.compare(Compare::Lt, x, y)), (sum, less));
        assert_ne!(b.add(y, x), sum);
        let [real, negative] = [0.0, -0.0].map(|real| b.real(Ty::F64, real));
        assert_ne!(real, negative);
        assert_ne!(b.slot_word(7), b.slot_word(7));
        assert_eq!(b.word(7), b.word(7));
        b.learn_true(less);
        b.open();
        let inner = b.add(x, y);
        assert_ne!(inner, sum);
        b.close(Vec::new());
        assert_eq!(b.add(x, y), sum);
        let (ptr, zero) = (b.field(Field::Outs), b.word(0));
        assert_ne!(b.load(Ty::F64, ptr, zero), b.load(Ty::F64, ptr, zero));
    }

    #[test]
    fn loops_nest_and_carry() {
        let mut b = Build::new();
        let (ten, zero) = (b.word(10), b.word(0));
        let sum = b.for_(ten, &[zero], |b, i, sum| vec![b.add(sum[0], i)]);
        let outs = b.field(Field::Outs);
        b.store(outs, zero, sum[0]);
        let func = b.finish("sum");
        assert_eq!(super::super::verify(&func), Ok(()));
        expect![[r#"
            func sum
              %0: i64 = 10
              %1: i64 = 0
              for %4 < %0 carry %2 = %1
                %5: i64 = add %2, %4
                next %5
              => %3
              %6: ptr = outs
              store %6[%1] = %3
        "#]]
        .assert_eq(&func.to_string());
    }
}
