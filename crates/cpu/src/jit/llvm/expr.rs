//! Expressions of the loop IR as instructions, of numbers and of vectors alike.

use std::mem::offset_of;

use gw_base::Id;
use gw_runtime::Context;

use super::text::{Text, int, name, real, stored};
use crate::loops::{Binary, Compare, Expr, Field, Ty, Unary, Var};

/// A type of numbers, or of so many of them at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) ty: Ty,
    /// 0 for a number alone.
    pub(super) count: usize,
}

impl Kind {
    pub(super) fn one(ty: Ty) -> Kind {
        Kind { ty, count: 0 }
    }

    pub(super) fn name(self) -> String {
        let name = name(self.ty);
        if self.count == 0 { name.to_owned() } else { format!("<{} x {name}>", self.count) }
    }

    /// As it stands in the names of functions of the machine.
    pub(super) fn suffix(self) -> String {
        let one = match self.ty {
            Ty::F32 => "f32",
            Ty::F64 => "f64",
            Ty::I8 | Ty::U8 => "i8",
            Ty::I16 | Ty::U16 => "i16",
            Ty::I32 | Ty::U32 => "i32",
            Ty::I64 => "i64",
            Ty::Bool => "i1",
            Ty::Ptr => "p0",
        };
        if self.count == 0 { one.to_owned() } else { format!("v{}{one}", self.count) }
    }

    /// This number, or as many of it.
    pub(super) fn constant(self, number: &str) -> String {
        if self.count == 0 { number.to_owned() } else { format!("splat ({} {number})", name(self.ty)) }
    }
}

impl Text<'_> {
    pub(super) fn define(&mut self, var: Var, expr: &Expr) {
        if let Expr::Int(value) = expr {
            self.known[var.index()] = Some(*value);
        }
        let value = self.expr(self.ty(var), expr);
        self.set(var, value);
    }

    fn expr(&mut self, ty: Ty, expr: &Expr) -> String {
        match expr {
            Expr::Int(value) => int(ty, *value),
            Expr::Real(value) => real(ty, *value),
            Expr::Literal(at) => {
                let address = self.links.literals.get(*at).copied().unwrap_or(0);
                format!("inttoptr (i64 {address} to ptr)")
            }
            Expr::Field(field) => self.field(*field),
            Expr::Unary(unary, x) => {
                let x = self.value(*x);
                self.unary(*unary, Kind::one(ty), &x)
            }
            Expr::Binary(binary, x, y) => {
                let [x, y] = [x, y].map(|var| self.value(*var));
                self.binary(*binary, Kind::one(ty), &x, &y)
            }
            Expr::Overflows(binary, x, y) => {
                let kind = Kind::one(self.ty(*x));
                let [x, y] = [x, y].map(|var| self.value(*var));
                self.with_overflow(*binary, kind, &x, &y)[1].clone()
            }
            Expr::Compare(compare, x, y) => {
                let of = Kind::one(self.ty(*x));
                let [x, y] = [x, y].map(|var| self.value(*var));
                self.compare(*compare, of, &x, &y)
            }
            Expr::Select(test, x, y) => {
                let [test, x, y] = [test, x, y].map(|var| self.typed(*var));
                self.give(&format!("select {test}, {x}, {y}"))
            }
            Expr::Convert(x) => {
                let (from, x) = (self.ty(*x), self.value(*x));
                self.convert(Kind::one(from), ty, &x)
            }
            Expr::Load(ptr, index) => {
                let from = self.address(*ptr, *index, ty);
                self.load(ty, &from)
            }
            Expr::Offset(ptr, index, of) => self.address(*ptr, *index, *of),
            Expr::Room => {
                let here = self.declare("ptr", "llvm.frameaddress.p0", "i32");
                let here = self.give(&format!("call ptr {here}(i32 0)"));
                let end = self.context_word(offset_of!(Context, stack_end), Ty::Ptr);
                self.give(&format!("icmp ugt ptr {here}, {end}"))
            }
            Expr::Call(callee, args) => self.call(callee, args).unwrap_or_else(|| "0".to_owned()),
        }
    }

    fn field(&mut self, field: Field) -> String {
        match field {
            Field::Context => "%context".to_owned(),
            Field::Args => self.context_word(offset_of!(Context, args), Ty::Ptr),
            Field::Outs => self.context_word(offset_of!(Context, outs), Ty::Ptr),
            Field::Slots => self.context_word(offset_of!(Context, slots), Ty::Ptr),
            Field::Scratch => self.context_word(offset_of!(Context, scratch), Ty::Ptr),
            Field::Ticks => self.context_field(offset_of!(Context, ticks)),
            Field::Activation => self.context_field(offset_of!(Context, activation)),
        }
    }

    /// The address of `ptr[index]`.
    pub(super) fn address(&mut self, ptr: Var, index: Var, of: Ty) -> String {
        let (base, at) = (self.value(ptr), self.value(index));
        if self.known[index.index()] == Some(0) {
            return base;
        }
        self.give(&format!("getelementptr {}, ptr {base}, i64 {at}", stored(of)))
    }

    /// A value in memory.
    pub(super) fn load(&mut self, ty: Ty, from: &str) -> String {
        let value = self.give(&format!("load {}, ptr {from}, align {}", stored(ty), ty.size()));
        if ty == Ty::Bool { self.give(&format!("trunc i8 {value} to i1")) } else { value }
    }

    /// Calls an intrinsic on operands of one type.
    pub(super) fn machine(&mut self, function: &str, kind: Kind, operands: &[&str]) -> String {
        let of = kind.name();
        let params = vec![of.clone(); operands.len()].join(", ");
        let function = self.declare(&of, &format!("llvm.{function}.{}", kind.suffix()), &params);
        let operands: Vec<String> = operands.iter().map(|operand| format!("{of} {operand}")).collect();
        self.give(&format!("call {of} {function}({})", operands.join(", ")))
    }

    pub(super) fn unary(&mut self, unary: Unary, kind: Kind, x: &str) -> String {
        let (of, float) = (kind.name(), kind.ty.is_float());
        match unary {
            Unary::Neg if float => self.give(&format!("fneg {of} {x}")),
            Unary::Neg => self.give(&format!("sub {of} {}, {x}", kind.constant("0"))),
            Unary::Abs if float => self.machine("fabs", kind, &[x]),
            Unary::Abs => {
                let abs = format!("llvm.abs.{}", kind.suffix());
                let abs = self.declare(&of, &abs, &format!("{of}, i1 immarg"));
                self.give(&format!("call {of} {abs}({of} {x}, i1 false)"))
            }
            Unary::Not if kind.ty == Ty::Bool => {
                self.give(&format!("xor {of} {x}, {}", kind.constant("true")))
            }
            Unary::Not => self.give(&format!("xor {of} {x}, {}", kind.constant("-1"))),
            Unary::Sqrt => self.machine("sqrt", kind, &[x]),
            Unary::Floor => self.machine("floor", kind, &[x]),
            Unary::Ceil => self.machine("ceil", kind, &[x]),
            Unary::Nearest => self.machine("roundeven", kind, &[x]),
        }
    }

    pub(super) fn binary(&mut self, binary: Binary, kind: Kind, x: &str, y: &str) -> String {
        let float = kind.ty.is_float();
        let word = match binary {
            Binary::Add if float => "fadd",
            Binary::Sub if float => "fsub",
            Binary::Mul if float => "fmul",
            Binary::Div if float => "fdiv",
            Binary::Add => "add",
            Binary::Sub => "sub",
            Binary::Mul => "mul",
            Binary::Div => "sdiv",
            Binary::And => "and",
            Binary::Or => "or",
            Binary::Xor => "xor",
            Binary::Shl => "shl",
            Binary::Sar => "ashr",
            Binary::Shr => "lshr",
            Binary::MulSaturating => return self.multiply_saturating(x, y),
            Binary::MulHigh => return self.multiply_high(kind, x, y),
            Binary::ShortDiv => return self.short("udiv", kind.ty, x, y),
            Binary::ShortRest => return self.short("urem", kind.ty, x, y),
        };
        self.give(&format!("{word} {} {x}, {y}", kind.name()))
    }

    /// A sum, difference or product of integers, and whether the exact one is another.
    pub(super) fn with_overflow(&mut self, binary: Binary, kind: Kind, x: &str, y: &str) -> [String; 2] {
        let names = [(Binary::Add, "sadd"), (Binary::Sub, "ssub")];
        let word = names.into_iter().find(|(of, _)| *of == binary).map_or("smul", |(_, name)| name);
        let (one, of) = (kind.name(), format!("{{ {}, i1 }}", kind.name()));
        let function = format!("llvm.{word}.with.overflow.{}", kind.suffix());
        let function = self.declare(&of, &function, &format!("{one}, {one}"));
        let both = self.give(&format!("call {of} {function}({one} {x}, {one} {y})"));
        [0, 1].map(|at| self.give(&format!("extractvalue {of} {both}, {at}")))
    }

    /// Neither operand is negative.
    fn multiply_saturating(&mut self, x: &str, y: &str) -> String {
        let of = "{ i64, i1 }";
        let multiply = self.declare(of, "llvm.smul.with.overflow.i64", "i64, i64");
        let both = self.give(&format!("call {of} {multiply}(i64 {x}, i64 {y})"));
        let product = self.give(&format!("extractvalue {of} {both}, 0"));
        let over = self.give(&format!("extractvalue {of} {both}, 1"));
        self.give(&format!("select i1 {over}, i64 {}, i64 {product}", i64::MAX))
    }

    fn multiply_high(&mut self, kind: Kind, x: &str, y: &str) -> String {
        let (of, bits) = (kind.name(), 8 * kind.ty.size());
        let wide = of.replace(&format!("i{bits}"), &format!("i{}", 2 * bits));
        let [x, y] = [x, y].map(|one| self.give(&format!("zext {of} {one} to {wide}")));
        let product = self.give(&format!("mul {wide} {x}, {y}"));
        let by = match kind.count {
            0 => bits.to_string(),
            count => format!("<{}>", vec![format!("i{} {bits}", 2 * bits); count].join(", ")),
        };
        let high = self.give(&format!("lshr {wide} {product}, {by}"));
        self.give(&format!("trunc {wide} {high} to {of}"))
    }

    /// Of the lower halves of words, which takes a machine less time; the upper halves are zero.
    fn short(&mut self, word: &str, ty: Ty, x: &str, y: &str) -> String {
        if ty == Ty::I32 {
            return self.give(&format!("{word} i32 {x}, {y}"));
        }
        let [x, y] = [x, y].map(|word| self.give(&format!("trunc i64 {word} to i32")));
        let half = self.give(&format!("{word} i32 {x}, {y}"));
        self.give(&format!("zext i32 {half} to i64"))
    }

    /// Of operands of this type. One bit that is set is 1 and not -1.
    pub(super) fn compare(&mut self, compare: Compare, of: Kind, x: &str, y: &str) -> String {
        let (float, natural) = (of.ty.is_float(), of.ty == Ty::Bool);
        let word = match compare {
            Compare::Eq if float => "fcmp oeq",
            Compare::Ne if float => "fcmp une",
            Compare::Lt | Compare::Below if float => "fcmp olt",
            Compare::Le if float => "fcmp ole",
            Compare::Gt if float => "fcmp ogt",
            Compare::Ge if float => "fcmp oge",
            Compare::Eq => "icmp eq",
            Compare::Ne => "icmp ne",
            Compare::Lt if natural => "icmp ult",
            Compare::Le if natural => "icmp ule",
            Compare::Gt if natural => "icmp ugt",
            Compare::Ge if natural => "icmp uge",
            Compare::Lt => "icmp slt",
            Compare::Le => "icmp sle",
            Compare::Gt => "icmp sgt",
            Compare::Ge => "icmp sge",
            Compare::Below => "icmp ult",
        };
        self.give(&format!("{word} {} {x}, {y}", of.name()))
    }

    pub(super) fn convert(&mut self, from: Kind, to: Ty, x: &str) -> String {
        let (of, into) = (from.name(), Kind { ty: to, ..from }.name());
        let word = match (from.ty, to) {
            (Ty::F32 | Ty::F64, Ty::Bool) => {
                return self.compare(Compare::Ne, from, x, &from.constant(&real(from.ty, 0.0)));
            }
            (Ty::I32 | Ty::I64, Ty::Bool) => {
                return self.compare(Compare::Ne, from, x, &from.constant("0"));
            }
            (Ty::F32 | Ty::F64, Ty::I32 | Ty::I64) => {
                let function =
                    format!("llvm.fptosi.sat.{}.{}", Kind { ty: to, ..from }.suffix(), from.suffix());
                let function = self.declare(&into, &function, &of);
                return self.give(&format!("call {into} {function}({of} {x})"));
            }
            (Ty::Bool, Ty::I32 | Ty::I64) => "zext",
            (Ty::Bool, Ty::F32 | Ty::F64) => "uitofp",
            (Ty::I32, Ty::I64) => "sext",
            (Ty::I64, Ty::I32) => "trunc",
            (Ty::I32 | Ty::I64, Ty::F32 | Ty::F64) => "sitofp",
            (Ty::F32, Ty::F64) => "fpext",
            (Ty::F64, Ty::F32) => "fptrunc",
            (Ty::F32, Ty::F32) | (Ty::F64, Ty::F64) | (Ty::Bool, Ty::Bool) => return x.to_owned(),
            (Ty::I32, Ty::I32) | (Ty::I64, Ty::I64) => return x.to_owned(),
            (Ty::I8 | Ty::I16, _) => "sext",
            (Ty::U8 | Ty::U16 | Ty::U32, _) => "zext",
            (_, Ty::I8 | Ty::I16 | Ty::U8 | Ty::U16 | Ty::U32) => "trunc",
            (Ty::Ptr, _) | (_, Ty::Ptr) => return x.to_owned(),
        };
        self.give(&format!("{word} {of} {x} to {into}"))
    }
}
