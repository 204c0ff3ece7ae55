//! Counting loops without carries, over neighbouring elements of one width, run a vector register at a time; what is left
//! over runs as before.
//!
//! In such a loop a variable is *uniform* (the same in each iteration), *linear* (an index that counts along), *paired* (one that
//! counts by two, as that of the real parts of complex numbers), *varying* (one element per lane) or a *mask* (a comparison or
//! bools, all bits of a lane). The first three stay numbers.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, MemFlagsData, Type, Value, types};
use gw_base::Id;
use gw_kernels::{Formula, Half};

use super::context::Emit;
use super::steps::{LITTLE, Register};
use crate::loops::{Arm, Binary, Callee, Expr, Func, Stmt, Ty, Unary, Var};

/// Bytes of a vector register that Cranelift uses.
const REGISTER: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Uniform,
    Linear,
    Paired,
    Varying,
    Mask,
}

impl Kind {
    /// True if it is no data: the loop computes it for the first of its elements.
    pub(super) fn is_number(self) -> bool {
        matches!(self, Kind::Uniform | Kind::Linear | Kind::Paired)
    }
}

/// The body of a loop, classified for lanes.
pub(super) struct Lanes {
    /// Bytes of an element.
    width: usize,
    /// The kinds of the variables that the body defines.
    kinds: Vec<(Var, Kind)>,
    /// Their vectors, and those of uniform variables that have been spread.
    values: Vec<(Var, Value)>,
    /// True if functions are computed.
    calls: bool,
    /// True if a turn may leave the loop, before it stores.
    leaves: bool,
    /// True if bools are loaded or stored, which have a byte each.
    bools: bool,
    /// True if products have upper halves.
    high: bool,
    /// True if only registers of 512 bits have what it computes: elements that are narrower than the numbers they are, numbers
    /// that count along, long integers as floats.
    widest: bool,
}

impl Lanes {
    /// Classifies a body, of which some uniform integers are known; `None` if it cannot run in lanes.
    pub(super) fn of(func: &Func, known: impl Fn(Var) -> Option<i64>, iv: Var, body: &Arm) -> Option<Lanes> {
        let mut lanes = Lanes {
            width: 0,
            kinds: vec![(iv, Kind::Linear)],
            values: Vec::new(),
            calls: false,
            leaves: false,
            bools: false,
            high: false,
            widest: false,
        };
        let mut stored = false;
        for stmt in &body.block {
            match stmt {
                Stmt::Leave { ok, .. } => {
                    (lanes.kind(*ok) == Kind::Mask && !stored).then_some(())?;
                    lanes.leaves = true;
                }
                Stmt::Let(var, expr) => {
                    let kind = lanes.judge(func, &known, func.vars[*var], expr)?;
                    lanes.kinds.push((*var, kind));
                }
                Stmt::Store { ptr, index, value } => {
                    let in_order = lanes.kind(*ptr) == Kind::Uniform
                        && matches!(lanes.kind(*index), Kind::Linear | Kind::Paired);
                    let fits = match lanes.kind(*value) {
                        Kind::Uniform | Kind::Varying if lanes.kind(*index) == Kind::Paired => {
                            let ty = func.vars[*value];
                            ty == ty.register() && lanes.fits_widest(ty)
                        }
                        Kind::Mask | Kind::Linear if lanes.kind(*index) == Kind::Paired => false,
                        Kind::Uniform | Kind::Varying => lanes.fits(func.vars[*value]),
                        Kind::Mask => lanes.takes_bools(),
                        Kind::Linear => lanes.fits_widest(func.vars[*value]),
                        Kind::Paired => false,
                    };
                    (in_order && fits).then_some(())?;
                    stored = true;
                }
                Stmt::Do(..)
                | Stmt::Invoke { .. }
                | Stmt::Guard { .. }
                | Stmt::If { .. }
                | Stmt::For { .. }
                | Stmt::Reduce { .. }
                | Stmt::Try { .. }
                | Stmt::Share(_)
                | Stmt::Mark(_)
                | Stmt::While { .. } => {
                    return None;
                }
            }
        }
        if lanes.width == 0 && lanes.bools {
            // Bools fill no lanes: they go with numbers of any width.
            lanes.width = Ty::I32.size();
        }
        (lanes.width > 0).then_some(lanes)
    }

    /// The number of elements per register.
    pub(super) fn count(&self) -> i64 {
        (REGISTER / self.width) as i64
    }

    /// True if functions are computed.
    pub(super) fn calls(&self) -> bool {
        self.calls
    }

    /// True if a turn may leave the loop.
    pub(super) fn leaves(&self) -> bool {
        self.leaves
    }

    /// True if bools are loaded or stored.
    pub(super) fn bools(&self) -> bool {
        self.bools
    }

    /// True if only registers of 512 bits have what it computes.
    pub(super) fn is_for_widest(&self) -> bool {
        self.widest
    }

    /// True if registers of 128 bits have no instructions for it.
    pub(super) fn is_for_wide(&self) -> bool {
        self.bools || self.high || self.widest
    }

    fn takes_bools(&mut self) -> bool {
        self.bools = true;
        true
    }

    /// The kind of a variable; one that the body does not define is the same in each iteration.
    pub(super) fn kind(&self, var: Var) -> Kind {
        self.kinds.iter().rev().find(|(v, _)| *v == var).map_or(Kind::Uniform, |(_, kind)| *kind)
    }

    /// True if numbers of this type fill the lanes; the first one decides how wide they are.
    fn fits(&mut self, ty: Ty) -> bool {
        let width = ty.register().size();
        let fills = !matches!(ty, Ty::Bool | Ty::Ptr) && (self.width == 0 || self.width == width);
        if fills {
            self.width = width;
            self.widest |= ty.register() != ty;
        }
        fills
    }

    /// True if numbers of one type become those of another in their lane.
    fn converts(&mut self, from: Ty, to: Ty) -> bool {
        let is_moved = from.register() == to || from == to.register();
        self.widest |= (from, to) == (Ty::I64, Ty::F64);
        let is_float = matches!((from, to), (Ty::I32, Ty::F32) | (Ty::I64, Ty::F64));
        (is_moved || is_float) && self.fits(from) && self.fits(to)
    }

    /// True if numbers of this type fill the lanes, in registers of 512 bits alone.
    fn fits_widest(&mut self, ty: Ty) -> bool {
        self.widest = true;
        self.fits(ty)
    }

    fn judge(
        &mut self,
        func: &Func,
        known: &impl Fn(Var) -> Option<i64>,
        ty: Ty,
        expr: &Expr,
    ) -> Option<Kind> {
        let kinds: Vec<Kind> = expr.operands().iter().map(|&v| self.kind(v)).collect();
        if kinds.iter().all(|kind| *kind == Kind::Uniform) {
            let once = expr.is_cheap() || matches!(expr, Expr::Load(..)) || formula(expr).is_some();
            let once = once || half(expr).is_some();
            return once.then_some(Kind::Uniform);
        }
        match (expr, &kinds[..]) {
            (Expr::Load(..), [Kind::Uniform, Kind::Linear]) if ty == Ty::Bool => {
                self.takes_bools().then_some(Kind::Mask)
            }
            (Expr::Load(..), [Kind::Uniform, Kind::Linear]) => self.fits(ty).then_some(Kind::Varying),
            (Expr::Load(..), [Kind::Uniform, Kind::Paired]) if ty == ty.register() => {
                self.fits_widest(ty).then_some(Kind::Varying)
            }
            (Expr::Binary(Binary::Mul, _, by), [Kind::Linear, Kind::Uniform]) if known(*by) == Some(2) => {
                Some(Kind::Paired)
            }
            (Expr::Binary(Binary::Add, ..), [Kind::Paired, Kind::Uniform]) => Some(Kind::Paired),
            (
                Expr::Binary(Binary::Add, ..),
                [Kind::Linear, Kind::Uniform] | [Kind::Uniform, Kind::Linear],
            ) => Some(Kind::Linear),
            (Expr::Binary(Binary::Sub, ..), [Kind::Linear, Kind::Uniform]) => Some(Kind::Linear),
            (Expr::Convert(x), [Kind::Linear]) if (func.vars[*x], ty) == (Ty::I64, Ty::I32) => {
                Some(Kind::Linear)
            }
            (Expr::Load(..), _) => None,
            _ if kinds.contains(&Kind::Paired) => None,
            _ => {
                self.widest |= kinds.contains(&Kind::Linear);
                let of_data = |&kind: &Kind| if kind == Kind::Linear { Kind::Varying } else { kind };
                self.of_data(func, ty, expr, &kinds.iter().map(of_data).collect::<Vec<_>>())
            }
        }
    }

    /// The kind of what is computed of data.
    fn of_data(&mut self, func: &Func, ty: Ty, expr: &Expr, kinds: &[Kind]) -> Option<Kind> {
        let data = kinds.iter().all(|kind| matches!(kind, Kind::Uniform | Kind::Varying));
        match (expr, kinds) {
            (Expr::Unary(Unary::Not, _), [Kind::Mask]) => Some(Kind::Mask),
            (Expr::Binary(Binary::And | Binary::Or | Binary::Xor, ..), [Kind::Mask, Kind::Mask]) => {
                Some(Kind::Mask)
            }
            (Expr::Unary(..), _) if data => self.fits(ty).then_some(Kind::Varying),
            (Expr::Binary(Binary::Shl | Binary::Sar | Binary::Shr, ..), [Kind::Varying, Kind::Uniform]) => {
                self.fits(ty).then_some(Kind::Varying)
            }
            (Expr::Binary(Binary::MulHigh, ..), [Kind::Varying, Kind::Uniform]) if ty == Ty::I32 => {
                self.high = true;
                self.fits(ty).then_some(Kind::Varying)
            }
            (Expr::Binary(binary, ..), _) if data && in_lanes(*binary, ty) => {
                self.fits(ty).then_some(Kind::Varying)
            }
            (Expr::Compare(_, x, _), _) if data => self.fits(func.vars[*x]).then_some(Kind::Mask),
            (Expr::Select(..), [Kind::Mask | Kind::Uniform, x, y]) => {
                let data = [x, y].iter().all(|kind| matches!(kind, Kind::Uniform | Kind::Varying));
                (data && self.fits(ty)).then_some(Kind::Varying)
            }
            (Expr::Call(..), _) if data && formula(expr).is_some() => {
                self.calls = true;
                self.fits(ty).then_some(Kind::Varying)
            }
            (Expr::Convert(_), [Kind::Mask]) => self.fits(ty).then_some(Kind::Varying),
            (Expr::Convert(x), [Kind::Varying]) => self.converts(func.vars[*x], ty).then_some(Kind::Varying),
            (Expr::Call(..), [Kind::Varying]) if half(expr).is_some() => {
                self.fits_widest(ty).then_some(Kind::Varying)
            }
            _ => None,
        }
    }
}

/// The function that an expression calls, if it runs in lanes.
pub(super) fn formula(expr: &Expr) -> Option<Formula> {
    match expr {
        Expr::Call(Callee::Kernel(function), _) => function.formula,
        Expr::Call(..) | Expr::Int(_) | Expr::Real(_) | Expr::Literal(_) | Expr::Field(_) => None,
        Expr::Unary(..) | Expr::Binary(..) | Expr::Compare(..) | Expr::Select(..) => None,
        Expr::Convert(_) | Expr::Load(..) | Expr::Offset(..) | Expr::Overflows(..) | Expr::Room => None,
    }
}

/// The conversion from or to half precision that an expression is, if registers of 512 bits have it; true if it is one to single
/// precision.
pub(super) fn half(expr: &Expr) -> Option<(Half, bool)> {
    let Expr::Call(Callee::Kernel(function), _) = expr else { return None };
    let is = |kernel: gw_kernels::Function| kernel.name == function.name;
    Half::ALL.into_iter().find_map(|half| match () {
        () if is(half.to_single()) => Some((half, true)),
        () if is(half.from_single()) => Some((half, false)),
        () => None,
    })
}

fn in_lanes(binary: Binary, ty: Ty) -> bool {
    match binary {
        Binary::Add | Binary::Sub | Binary::Mul => true,
        Binary::Div => ty.is_float(),
        Binary::And | Binary::Or | Binary::Xor => true,
        Binary::MulSaturating | Binary::MulHigh | Binary::Shl | Binary::Sar | Binary::Shr => false,
        Binary::ShortDiv | Binary::ShortRest => false,
    }
}

impl Emit<'_> {
    /// The lanes of a loop's body; `None` if it cannot run in lanes.
    pub(super) fn lanes_of(&self, iv: Var, body: &Arm) -> Option<Lanes> {
        Lanes::of(self.func, |var| self.known[var.index()], iv, body)
    }

    /// Runs as many whole vectors as there are, up to one of which an element leaves the loop; gives the number of elements done.
    pub(super) fn in_lanes(&mut self, lanes: Lanes, iv: Var, stop: Value, body: &Arm) -> Value {
        let mask = self.b.ins().iconst(types::I64, -lanes.count());
        let whole = self.b.ins().band(stop, mask);
        let (again, after) = (self.b.create_block(), self.b.create_block());
        let counter = self.b.append_block_param(again, types::I64);
        let done = self.b.append_block_param(after, types::I64);
        let zero = self.b.ins().iconst(types::I64, 0);
        let any = self.b.ins().icmp(IntCC::SignedLessThan, zero, whole);
        self.b.ins().brif(any, again, &[zero.into()], after, &[zero.into()]);
        self.b.switch_to_block(again);
        self.values[iv.index()] = Some(counter);
        let step = lanes.count();
        self.lane_stmts(lanes, body, (after, counter));
        let step = self.b.ins().iconst(types::I64, step);
        let counter = self.b.ins().iadd(counter, step);
        let more = self.b.ins().icmp(IntCC::SignedLessThan, counter, whole);
        self.b.ins().brif(more, again, &[counter.into()], after, &[counter.into()]);
        self.b.switch_to_block(after);
        done
    }

    /// One vector; an element that leaves the loop goes to a block, with the number of the first element.
    fn lane_stmts(&mut self, mut lanes: Lanes, body: &Arm, (after, first): (Block, Value)) {
        for stmt in &body.block {
            match stmt {
                Stmt::Let(var, expr) if matches!(lanes.kind(*var), Kind::Uniform | Kind::Linear) => {
                    self.define(*var, expr);
                }
                Stmt::Let(var, expr) => {
                    let value = self.lane_expr(&mut lanes, self.ty(*var), expr);
                    lanes.values.push((*var, value));
                }
                Stmt::Store { ptr, index, value } => {
                    let size = self.ty(*value).size();
                    let (base, offset) = self.address(*ptr, *index, size);
                    let value = self.lane(&mut lanes, *value);
                    self.b.ins().store(unaligned(), value, base, offset);
                }
                Stmt::Leave { ok, .. } => {
                    let ok = self.lane(&mut lanes, *ok);
                    let all = self.b.ins().vall_true(ok);
                    let next = self.b.create_block();
                    self.b.ins().brif(all, next, &[], after, &[first.into()]);
                    self.b.switch_to_block(next);
                }
                Stmt::Do(..)
                | Stmt::Invoke { .. }
                | Stmt::Guard { .. }
                | Stmt::If { .. }
                | Stmt::For { .. }
                | Stmt::Reduce { .. }
                | Stmt::Try { .. }
                | Stmt::Share(_)
                | Stmt::Mark(_)
                | Stmt::While { .. } => {}
            }
        }
    }

    /// The vector of a variable; a uniform one is spread.
    fn lane(&mut self, lanes: &mut Lanes, var: Var) -> Value {
        if let Some((_, value)) = lanes.values.iter().find(|(v, _)| *v == var) {
            return *value;
        }
        let (ty, value) = (vector(self.ty(var)), self.value(var));
        let spread = self.b.ins().splat(ty, value);
        lanes.values.push((var, spread));
        spread
    }

    fn lane_expr(&mut self, lanes: &mut Lanes, ty: Ty, expr: &Expr) -> Value {
        match expr {
            Expr::Load(ptr, index) => {
                let (base, offset) = self.address(*ptr, *index, ty.size());
                self.b.ins().load(vector(ty), unaligned(), base, offset)
            }
            Expr::Unary(Unary::Not, x) => {
                let x = self.lane(lanes, *x);
                self.b.ins().bnot(x)
            }
            Expr::Unary(unary, x) => {
                let value = self.lane(lanes, *x);
                self.unary_on(*unary, ty, value)
            }
            Expr::Binary(binary @ (Binary::Shl | Binary::Sar | Binary::Shr), x, y) => {
                let (x, by) = (self.lane(lanes, *x), self.value(*y));
                self.binary_on(*binary, false, x, by)
            }
            Expr::Binary(binary, x, y) => {
                let [x, y] = [*x, *y].map(|v| self.lane(lanes, v));
                self.binary_on(*binary, ty.is_float(), x, y)
            }
            Expr::Compare(compare, x, y) => {
                let float = self.ty(*x).is_float();
                let [x, y] = [*x, *y].map(|v| self.lane(lanes, v));
                self.compare_on(*compare, float, x, y)
            }
            Expr::Select(test, x, y) => self.lane_select(lanes, ty, [*test, *x, *y]),
            Expr::Convert(x) if lanes.kind(*x) == Kind::Mask => {
                let mask = self.lane(lanes, *x);
                self.numbers(ty, mask)
            }
            Expr::Convert(x) => {
                let x = self.lane(lanes, *x);
                self.b.ins().fcvt_from_sint(vector(ty), x)
            }
            Expr::Call(_, args) if formula(expr).is_some() => {
                let args: Vec<_> = args.iter().map(|&arg| self.lane(lanes, arg)).collect();
                let mut register = Register { emit: self, alone: false };
                formula(expr).map_or(args[0], |formula| formula.apply(&mut register, &args))
            }
            Expr::Int(_)
            | Expr::Real(_)
            | Expr::Literal(_)
            | Expr::Field(_)
            | Expr::Offset(..)
            | Expr::Overflows(..)
            | Expr::Room
            | Expr::Call(..) => {
                let value = self.expr(ty, expr);
                self.b.ins().splat(vector(ty), value)
            }
        }
    }
}

impl Emit<'_> {
    fn lane_select(&mut self, lanes: &mut Lanes, ty: Ty, [test, x, y]: [Var; 3]) -> Value {
        let [chosen, other] = [x, y].map(|v| self.lane(lanes, v));
        if lanes.kind(test) == Kind::Uniform {
            let test = self.value(test);
            return self.b.ins().select(test, chosen, other);
        }
        let mask = self.lane(lanes, test);
        let mask = match ty.is_float() {
            true => self.b.ins().bitcast(vector(ty), MemFlagsData::new().with_endianness(LITTLE), mask),
            false => mask,
        };
        self.b.ins().bitselect(mask, chosen, other)
    }

    /// Ones where a mask holds, and zeros.
    fn numbers(&mut self, ty: Ty, mask: Value) -> Value {
        let one = self.one(ty);
        let one = self.b.ins().splat(vector(ty), one);
        let flags = MemFlagsData::new().with_endianness(LITTLE);
        let [mask, one] = [mask, one].map(|bits| self.b.ins().bitcast(types::I64X2, flags, bits));
        let chosen = self.b.ins().band(mask, one);
        self.b.ins().bitcast(vector(ty), flags, chosen)
    }

    /// The number one.
    fn one(&mut self, ty: Ty) -> Value {
        match ty {
            Ty::F32 => self.b.ins().f32const(1.0),
            Ty::F64 => self.b.ins().f64const(1.0),
            Ty::I64 | Ty::Ptr => self.b.ins().iconst(types::I64, 1),
            Ty::I32 | Ty::U32 | Ty::Bool | Ty::I8 | Ty::U8 | Ty::I16 | Ty::U16 => {
                self.b.ins().iconst(types::I32, 1)
            }
        }
    }
}

/// A view may begin at any element.
fn unaligned() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

fn vector(ty: Ty) -> Type {
    match ty {
        Ty::F32 => types::F32X4,
        Ty::F64 => types::F64X2,
        Ty::I32 => types::I32X4,
        Ty::I64 | Ty::Bool | Ty::Ptr => types::I64X2,
        // Numbers of narrow types are in no lanes of 128 bits.
        Ty::I8 | Ty::U8 => types::I8X16,
        Ty::I16 | Ty::U16 => types::I16X8,
        Ty::U32 => types::I32X4,
    }
}
