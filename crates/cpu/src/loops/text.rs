//! The loop IR as text, for dumps and tests.

use std::fmt;

use gw_base::Id;

use super::{Arm, Binary, Block, Carry, Compare, Expr, Field, Func, Lanewise, Share, Stmt, Ty, Unary, Var};

impl fmt::Display for Func {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "func {}", self.name)?;
        if !self.params.is_empty() {
            write!(f, "({})", list(&self.params))?;
        }
        writeln!(f)?;
        f.write_str(&Writer::of(self).out)
    }
}

impl fmt::Display for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.index())
    }
}

impl Func {
    /// The lines of its statements, each with the mark that holds for it.
    pub fn marked_lines(&self) -> Vec<(Option<i64>, String)> {
        let Writer { out, marks, .. } = Writer::of(self);
        let head = self.to_string().lines().next().map(|head| (None, head.to_owned()));
        head.into_iter().chain(marks.into_iter().zip(out.lines().map(str::to_owned))).collect()
    }
}

struct Writer<'a> {
    func: &'a Func,
    out: String,
    /// The mark of each line.
    marks: Vec<Option<i64>>,
    mark: Option<i64>,
}

impl<'a> Writer<'a> {
    fn of(func: &'a Func) -> Self {
        let mut writer = Self { func, out: String::new(), marks: Vec::new(), mark: None };
        writer.block(&func.body, 1);
        if !func.results.is_empty() {
            writer.line(1, &format!("return {}", list(&func.results)));
        }
        writer
    }
}

impl Writer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        self.marks.push(self.mark);
        self.out.extend(["  ".repeat(depth).as_str(), text.trim_end(), "\n"]);
    }

    fn block(&mut self, block: &Block, depth: usize) {
        block.iter().for_each(|stmt| self.stmt(stmt, depth));
    }

    fn arm(&mut self, arm: &Arm, depth: usize, word: &str) {
        let around = self.mark;
        self.block(&arm.block, depth);
        if !arm.results.is_empty() {
            self.line(depth, &format!("{word} {}", list(&arm.results)));
        }
        self.mark = around;
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize) {
        match stmt {
            Stmt::Let(var, expr) => {
                let ty = self.func.vars.get(*var).copied().unwrap_or(Ty::I64);
                self.line(depth, &format!("{var}: {} = {}", word(ty), text(expr)));
            }
            Stmt::Store { ptr, index, value } => {
                self.line(depth, &format!("store {ptr}[{index}] = {value}"));
            }
            Stmt::Do(callee, args) => self.line(depth, &format!("call {}({})", callee.name(), list(args))),
            Stmt::Invoke { function, args, outs } => {
                self.line(depth, &format!("invoke #{function}({})", list(args)));
                self.outs(depth, outs);
            }
            Stmt::Guard { ok, site, words } => {
                self.line(depth, &format!("guard {ok} else #{site} {}", list(words)));
            }
            Stmt::If { test, cold, then, otherwise, outs } => {
                let cold = if *cold { " cold" } else { "" };
                self.line(depth, &format!("if{cold} {test}"));
                self.arm(then, depth + 1, "give");
                if *otherwise != Arm::default() {
                    self.line(depth, "else");
                    self.arm(otherwise, depth + 1, "give");
                }
                self.outs(depth, outs);
            }
            Stmt::Try { body, outs } => {
                self.line(depth, "try");
                self.arm(body, depth + 1, "give");
                self.outs(depth, outs);
            }
            Stmt::Leave { ok, given } => {
                self.line(depth, &format!("leave unless {ok} {}", list(given)));
            }
            Stmt::For { iv, stop, carries, body } => {
                self.line(depth, &format!("for {iv} < {stop}{}", carried(carries)));
                self.arm(body, depth + 1, "next");
                self.outs(depth, &outs(carries));
            }
            Stmt::Reduce { how, iv, stop, init, body, out } => {
                let word = match how {
                    Lanewise::Sum => "sum",
                    Lanewise::Greatest => "greatest",
                    Lanewise::Least => "least",
                };
                self.line(depth, &format!("{word} for {iv} < {stop} from {init}"));
                self.arm(body, depth + 1, "of");
                self.outs(depth, &[*out]);
            }
            Stmt::While { carries, test, body } => {
                self.line(depth, &format!("while{}", carried(carries)));
                self.arm(test, depth + 1, "test");
                self.arm(body, depth + 1, "next");
                self.outs(depth, &outs(carries));
            }
            Stmt::Share(share) => self.share(share, depth),
            Stmt::Mark(node) => self.mark = Some(*node),
        }
    }

    fn share(&mut self, share: &Share, depth: usize) {
        let Share { stop, first, count, own, body, cut } = share;
        let own = own.map_or_else(String::new, |own| format!(" with {} of {} bytes", own.start, own.size));
        let piece = format!("piece {} ({}) if {} >= {}", cut.piece, list(&cut.given), cut.work, cut.enough());
        self.line(depth, &format!("share {stop}, runs {count} from {first}{own}, {piece}"));
        self.block(body, depth + 1);
    }

    fn outs(&mut self, depth: usize, outs: &[Var]) {
        if !outs.is_empty() {
            self.line(depth, &format!("=> {}", list(outs)));
        }
    }
}

fn outs(carries: &[Carry]) -> Vec<Var> {
    carries.iter().map(|c| c.out).collect()
}

fn carried(carries: &[Carry]) -> String {
    let each: Vec<_> = carries.iter().map(|c| format!("{} = {}", c.param, c.init)).collect();
    if each.is_empty() { String::new() } else { format!(" carry {}", each.join(", ")) }
}

fn list(vars: &[Var]) -> String {
    vars.iter().map(Var::to_string).collect::<Vec<_>>().join(", ")
}

pub(super) fn word(ty: Ty) -> &'static str {
    match ty {
        Ty::F32 => "f32",
        Ty::F64 => "f64",
        Ty::I8 => "i8",
        Ty::I16 => "i16",
        Ty::U8 => "u8",
        Ty::U16 => "u16",
        Ty::U32 => "u32",
        Ty::I32 => "i32",
        Ty::I64 => "i64",
        Ty::Bool => "bool",
        Ty::Ptr => "ptr",
    }
}

fn text(expr: &Expr) -> String {
    match expr {
        Expr::Int(value) => value.to_string(),
        Expr::Real(value) => format!("{value:?}"),
        Expr::Literal(at) => format!("literal #{at}"),
        Expr::Field(field) => field_word(*field).to_owned(),
        Expr::Unary(unary, x) => format!("{} {x}", unary_word(*unary)),
        Expr::Binary(binary, x, y) => format!("{} {x}, {y}", binary_word(*binary)),
        Expr::Overflows(binary, x, y) => format!("{} {x}, {y} overflows", binary_word(*binary)),
        Expr::Compare(compare, x, y) => format!("{} {x}, {y}", compare_word(*compare)),
        Expr::Select(c, x, y) => format!("select {c}, {x}, {y}"),
        Expr::Convert(x) => format!("convert {x}"),
        Expr::Load(ptr, index) => format!("load {ptr}[{index}]"),
        Expr::Offset(ptr, index, ty) => format!("offset {ptr}[{index}] of {}", word(*ty)),
        Expr::Room => "room".to_owned(),
        Expr::Call(callee, args) => format!("{}({})", callee.name(), list(args)),
    }
}

fn field_word(field: Field) -> &'static str {
    match field {
        Field::Context => "context",
        Field::Args => "args",
        Field::Outs => "outs",
        Field::Slots => "slots",
        Field::Scratch => "scratch",
        Field::Ticks => "ticks",
        Field::Activation => "activation",
    }
}

fn unary_word(unary: Unary) -> &'static str {
    match unary {
        Unary::Neg => "neg",
        Unary::Abs => "abs",
        Unary::Not => "not",
        Unary::Sqrt => "sqrt",
        Unary::Floor => "floor",
        Unary::Ceil => "ceil",
        Unary::Nearest => "nearest",
    }
}

fn binary_word(binary: Binary) -> &'static str {
    match binary {
        Binary::Add => "add",
        Binary::Sub => "sub",
        Binary::Mul => "mul",
        Binary::MulSaturating => "mul_saturating",
        Binary::MulHigh => "mul_high",
        Binary::Div => "div",
        Binary::ShortDiv => "short_div",
        Binary::ShortRest => "short_rest",
        Binary::And => "and",
        Binary::Or => "or",
        Binary::Xor => "xor",
        Binary::Shl => "shl",
        Binary::Sar => "sar",
        Binary::Shr => "shr",
    }
}

fn compare_word(compare: Compare) -> &'static str {
    match compare {
        Compare::Eq => "eq",
        Compare::Ne => "ne",
        Compare::Lt => "lt",
        Compare::Le => "le",
        Compare::Gt => "gt",
        Compare::Ge => "ge",
        Compare::Below => "below",
    }
}
