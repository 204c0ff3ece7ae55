//! The iteration of a loop in lanes as a straight list of steps, each an instruction on vector registers.

use super::instruction::{Instruction, Order};
use super::totals::{Reduction, Sum};
use super::vectors::Vectors;
use crate::jit::lanes::{Kind, Lanes, formula, half};
use crate::loops::{Arm, Binary, Compare, Expr, Func, Lanewise, Stmt, Ty, Unary, Var};

/// An operand of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// The result of this step.
    Step(usize),
    /// A constant.
    Pool(usize),
    /// A word that the loop is given.
    Given(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The numbers of the iteration's elements.
    Count,
    /// The elements of a stream.
    Load(usize),
    /// Every other element of a stream.
    LoadPaired(usize),
    /// Writes to a stream.
    Store(usize, Value),
    /// Writes to every other element of a stream.
    StorePaired(usize, Value),
    /// The first or the second register of the elements of two streams, which lie beside each other.
    LoadRow([usize; 2], usize),
    /// Writes one of these.
    StoreRow([usize; 2], usize, Value),
    /// Lanes of two registers in another order.
    Join(Order, [Value; 2]),
    /// The mask of a stream of bools.
    LoadMask(usize),
    /// Writes a mask to a stream of bools.
    StoreMask(usize, Value),
    /// The same number in each lane.
    Spread(Value),
    /// `instruction x`
    One(Instruction, Value, Option<u8>),
    /// `x instruction y`
    Two(Instruction, Value, Value),
    /// `x * y + z`
    Fma([Value; 3]),
    /// `x * y - z`
    Fms([Value; 3]),
    /// The entry of the table that begins at this byte, at the number in the last bits; the mask names entries from the sixteenth on.
    Entry(usize, Value, Option<Value>),
    /// `instruction x` by a table of the kinds of numbers: what it says replaces the second value.
    Limited([Value; 2], Value),
    /// An operation on the bits of three numbers, by its table; the first two are steps.
    Three(u8, [Value; 3]),
    /// `x << by` and `x >> by` by the number in the instruction's register field.
    Shift(Instruction, u8, Value, u8),
    /// A mask: what the instruction or its immediate says of two numbers.
    Compare(Instruction, Value, Value, Option<u8>),
    /// `x if mask else y`
    Blend(Value, Value, Value),
    /// Of masks that have registers of their own.
    MaskTwo(u8, Value, Value),
    /// Of a mask that has a register of its own.
    MaskNot(Value),
    /// `instruction x`, whose result is in the place of an operand: halves of the numbers, in the lower half of a register.
    Halves(Instruction, Value, Option<u8>),
    /// Ends the loop before these elements if the mask names a lane.
    Leave(Value),
    /// A mask: that of numbers which are of these kinds, one for each bit.
    Kinds(Value, u8),
    /// Has the iteration computed by the steps for all numbers if the mask names a lane.
    Unusual(Value),
}

/// A loop in lanes.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) vectors: &'static Vectors,
    pub(super) ty: Ty,
    pub(super) steps: Vec<Step>,
    pub(super) pool: Vec<u64>,
    /// The tables of its functions.
    pub(super) tables: Vec<u8>,
    /// True if steps need not hold for numbers that are not usual.
    pub(super) quick: bool,
    /// The iteration for all numbers, if this one is for usual numbers alone.
    pub(super) general: Option<Box<Program>>,
    /// The address, the first index and the type of the elements of each stream.
    pub(super) streams: Vec<(Var, Var, Ty)>,
    /// The variables whose values the loop is given.
    pub(super) given: Vec<Var>,
    pub(super) reduction: Option<Reduction>,
    /// Integers that are taken together.
    pub(super) sums: Vec<Sum>,
    /// Variables that count along.
    counting: Vec<Var>,
    /// The values of the body's variables.
    pub(super) named: Vec<(Var, Value)>,
}

impl Program {
    /// An iteration without steps.
    pub(super) fn new(vectors: &'static Vectors, ty: Ty) -> Program {
        Program {
            vectors,
            ty,
            steps: Vec::new(),
            pool: Vec::new(),
            tables: Vec::new(),
            quick: false,
            general: None,
            streams: Vec::new(),
            given: Vec::new(),
            reduction: None,
            sums: Vec::new(),
            counting: Vec::new(),
            named: Vec::new(),
        }
    }

    /// The iteration of a loop; `None` if it needs an instruction that is not among ours.
    pub(super) fn of(
        vectors: &'static Vectors,
        func: &Func,
        lanes: &Lanes,
        iv: Var,
        body: &Arm,
    ) -> Option<Program> {
        let ty = if lanes.count() == 4 { Ty::F32 } else { Ty::F64 };
        if (lanes.bools() || lanes.is_for_widest()) && !vectors.has_masks() {
            return None;
        }
        let mut program = Self::new(vectors, ty);
        program.counting.push(iv);
        program.body(func, lanes, body)?;
        program.leaves_before_it_stores().then_some(program)
    }

    /// Adds the steps of a loop's body.
    pub(super) fn body(&mut self, func: &Func, lanes: &Lanes, body: &Arm) -> Option<()> {
        let program = self;
        for stmt in &body.block {
            match stmt {
                Stmt::Let(var, expr) => {
                    if matches!(lanes.kind(*var), Kind::Varying | Kind::Mask) {
                        let value = program.expr(func, lanes, func.vars[*var], expr)?;
                        program.named.push((*var, value));
                    }
                    program.counting.extend((lanes.kind(*var) == Kind::Linear).then_some(*var));
                }
                Stmt::Store { ptr, index, value } => {
                    let stream = program.stream(*ptr, *index, func.vars[*value]);
                    let stored = program.operand(*value);
                    let store = if lanes.kind(*value) == Kind::Mask {
                        program.constant(1);
                        Step::StoreMask(stream, stored)
                    } else if lanes.kind(*index) == Kind::Paired {
                        program.store_paired(stream, stored)
                    } else {
                        Step::Store(stream, program.in_register(stored))
                    };
                    program.steps.push(store);
                }
                Stmt::Leave { ok, .. } => {
                    let ok = program.operand(*ok);
                    let fails = program.not_mask(ok);
                    program.steps.push(Step::Leave(fails));
                }
                Stmt::Do(..) | Stmt::Invoke { .. } | Stmt::Guard { .. } | Stmt::If { .. } => return None,
                Stmt::Reduce { .. }
                | Stmt::For { .. }
                | Stmt::Try { .. }
                | Stmt::Share(_)
                | Stmt::Mark(_)
                | Stmt::While { .. } => return None,
            }
        }
        Some(())
    }

    /// The number of registers of elements per iteration: with totals, as many as fill the lanes that all machines
    /// have.
    pub(super) fn turn(&self) -> usize {
        if self.reduction.is_some() {
            Lanewise::lanes(self.ty) * self.ty.size() / self.vectors.bytes
        } else {
            1
        }
    }

    /// The number of registers for totals.
    pub(super) fn totals(&self) -> usize {
        match self.reduction {
            None => self.sums.len(),
            Some(reduction) => self.turn() * reduction.how.total(self.ty).size() / self.ty.size(),
        }
    }

    /// The offset of the address of a stream, or of what follows the streams.
    pub(super) fn word(&self, number: usize) -> usize {
        self.given.len() * self.vectors.given_bytes() + 8 * number
    }

    /// The offset of a place for spilled values.
    pub(super) fn kept(&self, place: usize) -> usize {
        let words = self.word(self.streams.len() + self.totals());
        words.next_multiple_of(16) + self.vectors.bytes * place
    }

    /// Has a variable count along with the elements.
    pub(super) fn count_along(&mut self, var: Var) {
        self.counting.push(var);
    }

    fn stream(&mut self, ptr: Var, index: Var, ty: Ty) -> usize {
        place_in(&mut self.streams, (ptr, index, ty))
    }

    /// The type of the elements of a stream.
    pub(super) fn element(&self, stream: usize) -> Ty {
        self.streams[stream].2
    }

    /// True if the loop may end before all iterations are done.
    pub(super) fn leaves(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Leave(_)))
    }

    /// The value of a variable; one that the body does not compute in lanes is given, and one that counts along is that of the first
    /// element and the number of the element.
    pub(super) fn operand(&mut self, var: Var) -> Value {
        if let Some((_, value)) = self.named.iter().find(|(named, _)| *named == var) {
            return *value;
        }
        let given = Value::Given(place_in(&mut self.given, var));
        if !self.counting.contains(&var) {
            return given;
        }
        let known = self.steps.iter().position(|step| *step == Step::Count).map(Value::Step);
        let count = known.unwrap_or_else(|| self.push(Step::Count));
        let value = self.commuting(self.add(), count, given);
        self.named.push((var, value));
        value
    }

    pub(super) fn push(&mut self, step: Step) -> Value {
        self.steps.push(step);
        Value::Step(self.steps.len() - 1)
    }

    pub(super) fn in_register(&mut self, value: Value) -> Value {
        match value {
            Value::Step(_) => value,
            Value::Pool(_) | Value::Given(_) => self.push(Step::Spread(value)),
        }
    }

    pub(super) fn constant(&mut self, bits: u64) -> Value {
        Value::Pool(place_in(&mut self.pool, bits))
    }

    /// `x op y`; the second may be in memory.
    pub(super) fn two(&mut self, instruction: Instruction, x: Value, y: Value) -> Value {
        let x = self.in_register(x);
        self.push(Step::Two(instruction, x, y))
    }

    /// As `two`, in either order.
    pub(super) fn commuting(&mut self, instruction: Instruction, x: Value, y: Value) -> Value {
        let swap = !matches!(x, Value::Step(_));
        let (x, y) = if swap { (y, x) } else { (x, y) };
        self.two(instruction, x, y)
    }

    pub(super) fn one(&mut self, instruction: Instruction, x: Value) -> Value {
        let x = self.in_register(x);
        self.push(Step::One(instruction, x, None))
    }

    fn expr(&mut self, func: &Func, lanes: &Lanes, ty: Ty, expr: &Expr) -> Option<Value> {
        Some(match expr {
            Expr::Load(ptr, index) => {
                let stream = self.stream(*ptr, *index, ty);
                if lanes.kind(*index) == Kind::Paired {
                    return Some(self.paired(stream));
                }
                self.push(if ty == Ty::Bool { Step::LoadMask(stream) } else { Step::Load(stream) })
            }
            Expr::Unary(unary, x) => {
                let (masked, x) = (lanes.kind(*x) == Kind::Mask, self.operand(*x));
                if masked { self.not_mask(x) } else { self.unary(*unary, ty, x) }
            }
            Expr::Binary(binary, x, y) => {
                let masked = lanes.kind(*x) == Kind::Mask;
                let [x, y] = [*x, *y].map(|var| self.operand(var));
                if masked { self.of_masks(*binary, x, y)? } else { self.binary(*binary, ty, x, y)? }
            }
            Expr::Compare(compare, x, y) => {
                let of = func.vars[*x];
                let [x, y] = [*x, *y].map(|var| self.operand(var));
                self.compare(*compare, of, x, y)?
            }
            Expr::Select(test, x, y) => {
                let masked = lanes.kind(*test) == Kind::Mask;
                let [test, x, y] = [*test, *x, *y].map(|var| self.operand(var));
                let test = if masked { test } else { self.holds(test) };
                self.blend(test, x, y)
            }
            Expr::Convert(x) if lanes.kind(*x) == Kind::Mask => {
                let one = match ty {
                    Ty::F32 => u64::from(1.0f32.to_bits()),
                    Ty::F64 => 1.0f64.to_bits(),
                    Ty::Bool | Ty::I8 | Ty::U8 | Ty::I16 | Ty::U16 => return None,
                    Ty::I32 | Ty::U32 | Ty::I64 | Ty::Ptr => 1,
                };
                let (mask, one, none) = (self.operand(*x), self.constant(one), self.constant(0));
                self.blend(mask, one, none)
            }
            Expr::Convert(x) => {
                let (from, x) = (func.vars[*x], self.operand(*x));
                self.converted(from, ty, x)
            }
            Expr::Call(_, args) => self.called(expr, args)?,
            Expr::Int(_) | Expr::Real(_) | Expr::Literal(_) | Expr::Field(_) => return None,
            Expr::Offset(..) | Expr::Overflows(..) | Expr::Room => return None,
        })
    }

    /// A number in another type.
    fn converted(&mut self, from: Ty, to: Ty, x: Value) -> Value {
        match (from, to) {
            (Ty::I32, Ty::F32) => self.one(CONVERT, x),
            (Ty::I64, Ty::F64) => self.one(CONVERT_LONG, x),
            _ => self.moved(from, to, x),
        }
    }

    /// The result of a function.
    fn called(&mut self, expr: &Expr, args: &[Var]) -> Option<Value> {
        let args = args.iter().map(|&arg| {
            let arg = self.operand(arg);
            self.in_register(arg)
        });
        let args: Vec<_> = args.collect();
        Some(match half(expr) {
            Some((half, true)) => self.single(half, args[0]),
            Some((half, false)) => self.half(half, args[0]),
            None => formula(expr)?.apply(self, &args),
        })
    }

    /// True if a bool that the loop is given holds, as a mask.
    fn holds(&mut self, test: Value) -> Value {
        let zero = self.constant(0);
        self.integers(Compare::Gt, test, zero)
    }

    pub(super) fn blend(&mut self, test: Value, x: Value, y: Value) -> Value {
        let y = self.in_register(y);
        self.push(Step::Blend(test, x, y))
    }

    /// An instruction whose width is that of the elements.
    pub(super) fn sized(&self, map: u8, prefix: u8, number: u8) -> Instruction {
        Instruction { map, prefix, wide: self.ty == Ty::F64, number }
    }

    /// An instruction of floats: the prefix says how wide they are.
    pub(super) fn floats(&self, number: u8) -> Instruction {
        let wide = self.ty == Ty::F64;
        Instruction { map: 1, prefix: u8::from(wide), wide, number }
    }

    fn unary(&mut self, unary: Unary, ty: Ty, x: Value) -> Value {
        let sign = 1u64 << (8 * ty.size() - 1);
        match unary {
            Unary::Neg if ty.is_float() => {
                let sign = self.constant(sign);
                self.commuting(self.sized(1, 1, 0xef), x, sign)
            }
            Unary::Neg => {
                let zero = self.constant(0);
                self.two(self.subtract(), zero, x)
            }
            Unary::Abs if ty.is_float() => {
                let size = self.constant(sign - 1);
                self.commuting(self.sized(1, 1, 0xdb), x, size)
            }
            Unary::Abs => self.without_sign(x),
            Unary::Not => self.inverted(x),
            Unary::Sqrt => self.one(self.floats(0x51), x),
            Unary::Floor => self.rounded(x, 9),
            Unary::Ceil => self.rounded(x, 10),
            Unary::Nearest => self.rounded(x, 8),
        }
    }

    pub(super) fn rounded(&mut self, x: Value, how: u8) -> Value {
        let (x, number) = (self.in_register(x), if self.ty == Ty::F64 { 9 } else { 8 });
        self.push(Step::One(self.sized(3, 1, number), x, Some(how)))
    }

    fn binary(&mut self, binary: Binary, ty: Ty, x: Value, y: Value) -> Option<Value> {
        let long = self.ty == Ty::F64;
        Some(match binary {
            Binary::Add if ty.is_float() => self.commuting(self.floats(0x58), x, y),
            Binary::Mul if ty.is_float() => self.commuting(self.floats(0x59), x, y),
            Binary::Sub if ty.is_float() => self.two(self.floats(0x5c), x, y),
            Binary::Div if ty.is_float() => self.two(self.floats(0x5e), x, y),
            Binary::Add => self.commuting(self.add(), x, y),
            Binary::Sub => self.two(self.subtract(), x, y),
            Binary::Mul => self.product(x, y),
            Binary::And => self.commuting(self.sized(1, 1, 0xdb), x, y),
            Binary::Or => self.commuting(self.sized(1, 1, 0xeb), x, y),
            Binary::Xor => self.commuting(self.sized(1, 1, 0xef), x, y),
            Binary::Shl => self.two(self.sized(2, 1, 0x47), x, y),
            Binary::Shr => self.two(self.sized(2, 1, 0x45), x, y),
            Binary::Sar if long && !self.vectors.has_masks() => return None,
            Binary::Sar => self.two(self.sized(2, 1, 0x46), x, y),
            Binary::MulHigh if !long => self.high_product(x, y),
            Binary::Div | Binary::MulSaturating | Binary::MulHigh => return None,
            Binary::ShortDiv | Binary::ShortRest => return None,
        })
    }

    fn compare(&mut self, compare: Compare, of: Ty, x: Value, y: Value) -> Option<Value> {
        if !of.is_float() {
            return (compare != Compare::Below || self.vectors.has_masks())
                .then(|| self.integers(compare, x, y));
        }
        let how = match compare {
            Compare::Eq => 0,
            Compare::Ne => 4,
            Compare::Lt => 0x11,
            Compare::Le => 0x12,
            Compare::Gt => 0x1e,
            Compare::Ge => 0x1d,
            Compare::Below => return None,
        };
        let x = self.in_register(x);
        Some(self.push(Step::Compare(self.floats(0xc2), x, y, Some(how))))
    }
}

/// Long integers as numbers of double precision, where there are masks.
pub(super) const CONVERT_LONG: Instruction = Instruction { map: 1, prefix: 2, wide: true, number: 0xe6 };
/// 32-bit integers as numbers of single precision.
pub(super) const CONVERT: Instruction = Instruction { map: 1, prefix: 0, wide: false, number: 0x5b };

/// Index of an item in a list, to whose end it is appended if it is new.
pub(super) fn place_in<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    list.iter().position(|known| *known == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}
