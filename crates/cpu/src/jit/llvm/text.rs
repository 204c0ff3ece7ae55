//! The text of one function under construction: lines, names, and what each variable is called.

use std::collections::BTreeSet;

use gw_base::Id;

use crate::loops::{Callee, Func, Ty, Var};

/// The things that a text refers to by address.
pub(super) struct Links {
    /// Addresses of tensors that are read by address.
    pub(super) literals: Vec<usize>,
    /// Addresses of functions outside.
    pub(super) callee: fn(&Callee) -> usize,
}

/// A block that several jumps go to, with what it takes from each.
pub(super) struct Join {
    pub(super) label: String,
    /// From which block a jump comes, and what it brings.
    pub(super) edges: Vec<(String, Vec<String>)>,
}

/// The text of one function.
pub(super) struct Text<'a> {
    pub(super) func: &'a Func,
    pub(super) links: &'a Links,
    /// The functions that the program consists of, the graph itself the first of them.
    pub(super) functions: &'a [Func],
    /// True if this works off runs of a shared loop.
    pub(super) is_piece: bool,
    lines: Vec<String>,
    /// Memory on the stack, which is taken where the function begins.
    pub(super) stack: Vec<String>,
    /// The names of variables.
    values: Vec<String>,
    /// Integers that variables are known to be.
    pub(super) known: Vec<Option<i64>>,
    names: usize,
    /// The block that lines are now added to.
    pub(super) block: String,
    /// Join of each `Try` around, the innermost last.
    pub(super) tries: Vec<Join>,
    /// Jumps behind the loop in lanes that is being written: from which block, and the number of elements done.
    pub(super) left: Vec<(String, String)>,
    /// The block behind it.
    pub(super) left_at: String,
    /// Functions of the machine that the text names.
    pub(super) declared: BTreeSet<String>,
}

impl<'a> Text<'a> {
    pub(super) fn new(func: &'a Func, functions: &'a [Func], is_piece: bool, links: &'a Links) -> Self {
        let vars = func.vars.len();
        Self {
            func,
            links,
            functions,
            is_piece,
            lines: Vec::new(),
            stack: Vec::new(),
            // The IR was verified: what is read has been defined, or is never reached.
            values: vec!["poison".to_owned(); vars],
            known: vec![None; vars],
            names: 0,
            block: "entry".to_owned(),
            tries: Vec::new(),
            left: Vec::new(),
            left_at: String::new(),
            declared: BTreeSet::new(),
        }
    }

    /// True if this is the graph itself, which no function calls.
    pub(super) fn is_graph(&self) -> bool {
        std::ptr::eq(self.func, &raw const self.functions[0])
    }

    /// All lines of the body.
    pub(super) fn body(&self) -> String {
        let lines = ["entry:".to_owned()]
            .into_iter()
            .chain(self.stack.iter().cloned())
            .chain(self.lines.iter().cloned());
        lines.map(|line| line + "\n").collect()
    }

    pub(super) fn ty(&self, var: Var) -> Ty {
        self.func.vars[var]
    }

    /// The name of a variable.
    pub(super) fn value(&self, var: Var) -> String {
        self.values[var.index()].clone()
    }

    pub(super) fn set(&mut self, var: Var, value: String) {
        self.values[var.index()] = value;
    }

    pub(super) fn values_of(&self, vars: &[Var]) -> Vec<String> {
        vars.iter().map(|&var| self.value(var)).collect()
    }

    /// A variable with its type.
    pub(super) fn typed(&self, var: Var) -> String {
        format!("{} {}", name(self.ty(var)), self.value(var))
    }

    /// A name that nothing else has.
    pub(super) fn fresh(&mut self) -> String {
        self.names += 1;
        format!("%x{}", self.names)
    }

    /// A label that no other block has.
    pub(super) fn label(&mut self) -> String {
        self.names += 1;
        format!("b{}", self.names)
    }

    pub(super) fn line(&mut self, line: String) {
        self.lines.push(format!("  {line}"));
    }

    /// The result of an instruction.
    pub(super) fn give(&mut self, instruction: &str) -> String {
        let name = self.fresh();
        self.line(format!("{name} = {instruction}"));
        name
    }

    /// Keeps a place for a line that is not known yet.
    pub(super) fn hold(&mut self) -> usize {
        self.lines.push(String::new());
        self.lines.len() - 1
    }

    pub(super) fn fill(&mut self, place: usize, line: String) {
        self.lines[place] = format!("  {line}");
    }

    /// Goes on in another block.
    pub(super) fn enter(&mut self, label: String) {
        self.lines.push(format!("{label}:"));
        self.block = label;
    }

    pub(super) fn jump(&mut self, label: &str) {
        self.line(format!("br label %{label}"));
    }

    pub(super) fn branch(&mut self, test: &str, holds: &str, fails: &str, likely: Likely) {
        let weights = match likely {
            Likely::Either => "",
            Likely::Holds => ", !prof !1",
            Likely::Fails => ", !prof !2",
        };
        self.line(format!("br i1 {test}, label %{holds}, label %{fails}{weights}"));
    }

    /// Declares a function of the machine and gives its name.
    pub(super) fn declare(&mut self, result: &str, function: &str, params: &str) -> String {
        self.declared.insert(format!("declare {result} @{function}({params})"));
        format!("@{function}")
    }

    /// Jumps to a block with what it takes.
    pub(super) fn join(&mut self, join: &mut Join, brought: Vec<String>) {
        self.jump(&join.label);
        join.edges.push((self.block.clone(), brought));
    }

    /// Goes on where jumps meet; what they bring defines these variables.
    pub(super) fn enter_join(&mut self, join: Join, outs: &[Var]) {
        self.enter(join.label);
        for (at, &out) in outs.iter().enumerate() {
            let edges: Vec<String> =
                join.edges.iter().map(|(from, brought)| format!("[ {}, %{from} ]", brought[at])).collect();
            let value = self.give(&format!("phi {} {}", name(self.ty(out)), edges.join(", ")));
            self.set(out, value);
        }
    }
}

/// The unlikely side of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likely {
    Either,
    Holds,
    Fails,
}

/// LLVM's name of a type; a bool is one bit, and a byte in memory.
pub(super) fn name(ty: Ty) -> &'static str {
    match ty {
        Ty::F32 => "float",
        Ty::F64 => "double",
        Ty::I8 | Ty::U8 => "i8",
        Ty::I16 | Ty::U16 => "i16",
        Ty::I32 | Ty::U32 => "i32",
        Ty::I64 => "i64",
        Ty::Bool => "i1",
        Ty::Ptr => "ptr",
    }
}

/// LLVM's name of a type in memory and between functions.
pub(super) fn stored(ty: Ty) -> &'static str {
    if ty == Ty::Bool { "i8" } else { name(ty) }
}

/// A number as LLVM reads it: single precision has the bits of the same number in double precision.
pub(super) fn real(ty: Ty, value: f64) -> String {
    let value = if ty == Ty::F32 { f64::from(value as f32) } else { value };
    format!("0x{:016X}", value.to_bits())
}

/// An integer or bool.
pub(super) fn int(ty: Ty, value: i64) -> String {
    match ty {
        Ty::Bool => (value & 1 == 1).to_string(),
        Ty::I8 | Ty::U8 => (value as i8).to_string(),
        Ty::I16 | Ty::U16 => (value as i16).to_string(),
        Ty::I32 | Ty::U32 => (value as i32).to_string(),
        Ty::I64 | Ty::F32 | Ty::F64 | Ty::Ptr => value.to_string(),
    }
}
