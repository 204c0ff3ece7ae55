//! Statements of the loop IR as blocks: loops test at their head, failures leave through blocks that hardly ever run.

use std::mem::offset_of;

use gw_runtime::Context;

use super::expr::Kind;
use super::module::result_type;
use super::text::{Join, Likely, Text, name, real, stored};
use crate::jit::lanes::Lanes;
use crate::jit::overflow::checked;
use crate::loops::{Arm, Callee, Carry, Stmt, Ty, Var};

impl Text<'_> {
    pub(super) fn stmts(&mut self, block: &[Stmt]) {
        let mut at = 0;
        while let Some(stmt) = block.get(at) {
            let both = checked(block, at).map(|(result, over, binary, x, y)| {
                let kind = Kind::one(self.ty(x));
                let [x, y] = [x, y].map(|var| self.value(var));
                let [value, flag] = self.with_overflow(binary, kind, &x, &y);
                self.set(result, value);
                self.set(over, flag);
            });
            if both.is_none() {
                self.stmt(stmt);
            }
            at += if both.is_some() { 2 } else { 1 };
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let(var, expr) => self.define(*var, expr),
            Stmt::Store { ptr, index, value } => {
                let ty = self.ty(*value);
                let (to, value) = (self.address(*ptr, *index, ty), self.value(*value));
                self.store(ty, &value, &to);
            }
            Stmt::Do(callee, args) => {
                self.call(callee, args);
            }
            Stmt::Invoke { function, args, outs } => self.invoke(*function, args, outs),
            Stmt::Guard { ok, site, words } => self.guard(*ok, *site, words),
            Stmt::If { test, cold, then, otherwise, outs } => self.if_(*test, *cold, [then, otherwise], outs),
            Stmt::Try { body, outs } => self.try_(body, outs),
            Stmt::Leave { ok, given } => self.leave_try(*ok, given),
            Stmt::For { iv, stop, carries, body } => self.for_(*iv, *stop, carries, body),
            Stmt::Reduce { how, iv, stop, init, body, out } => {
                self.reduce(*how, (*iv, *stop), *init, body, *out);
            }
            Stmt::While { carries, test, body } => self.while_(carries, test, body),
            Stmt::Share(share) => self.share(share),
            Stmt::Mark(node) => {
                let to = self.context_word(offset_of!(Context, mark), Ty::Ptr);
                self.store(Ty::I64, &node.to_string(), &to);
            }
        }
    }

    /// Writes a value to memory.
    pub(super) fn store(&mut self, ty: Ty, value: &str, to: &str) {
        let value =
            if ty == Ty::Bool { self.give(&format!("zext i1 {value} to i8")) } else { value.to_owned() };
        self.line(format!("store {} {value}, ptr {to}, align {}", stored(ty), ty.size()));
    }

    /// Returns what the function gives.
    pub(super) fn leave(&mut self) {
        let func = self.func;
        if self.is_piece {
            self.line("ret void".to_owned());
            return;
        }
        if self.is_graph() {
            self.line("ret i32 0".to_owned());
            return;
        }
        let of = result_type(func);
        let mut given = format!("{of} zeroinitializer");
        for (at, &result) in func.results.iter().enumerate() {
            let typed = self.typed(result);
            let name = self.give(&format!("insertvalue {given}, {typed}, {}", at + 1));
            given = format!("{of} {name}");
        }
        self.line(format!("ret {given}"));
    }

    /// Returns without anything: the context says what failed.
    fn fail(&mut self) {
        if self.is_graph() {
            self.line("ret i32 1".to_owned());
            return;
        }
        let func = self.func;
        let nothing = |ty: Ty| match ty {
            Ty::F32 | Ty::F64 => real(ty, 0.0),
            Ty::I32 | Ty::I64 | Ty::I8 | Ty::I16 | Ty::U8 | Ty::U16 | Ty::U32 => "0".to_owned(),
            Ty::Bool => "false".to_owned(),
            Ty::Ptr => "null".to_owned(),
        };
        let fields = func.results.iter().map(|&var| func.vars[var]);
        let fields: String = fields.map(|ty| format!(", {} {}", name(ty), nothing(ty))).collect();
        self.line(format!("ret {} {{ i32 1{fields} }}", result_type(func)));
    }

    /// Calls a function of the program, and fails if it fails.
    fn invoke(&mut self, function: usize, args: &[Var], outs: &[Var]) {
        let functions = self.functions;
        let of = result_type(&functions[function + 1]);
        let args: String = args.iter().map(|&arg| format!(", {}", self.typed(arg))).collect();
        let given = self.give(&format!("call {of} @function{}(ptr %context{args})", function + 1));
        let status = self.give(&format!("extractvalue {of} {given}, 0"));
        let failed = self.give(&format!("icmp ne i32 {status}, 0"));
        let (fails, fine) = (self.label(), self.label());
        self.branch(&failed, &fails, &fine, Likely::Fails);
        self.enter(fails);
        self.fail();
        self.enter(fine);
        for (at, &out) in outs.iter().enumerate() {
            let value = self.give(&format!("extractvalue {of} {given}, {}", at + 1));
            self.set(out, value);
        }
    }

    fn guard(&mut self, ok: Var, site: usize, words: &[Var]) {
        let (fine, failed) = (self.label(), self.label());
        let ok = self.value(ok);
        self.branch(&ok, &fine, &failed, Likely::Holds);
        self.enter(failed);
        if !words.is_empty() {
            let scratch = self.context_word(offset_of!(Context, scratch), Ty::Ptr);
            for (at, &word) in words.iter().enumerate() {
                let to = self.give(&format!("getelementptr i8, ptr {scratch}, i64 {}", 8 * at));
                let value = self.value(word);
                self.store(self.ty(word), &value, &to);
            }
        }
        let to = self.context_field(offset_of!(Context, site));
        self.store(Ty::I64, &site.to_string(), &to);
        self.fail();
        self.enter(fine);
    }

    /// The address of a field of the context.
    pub(super) fn context_field(&mut self, offset: usize) -> String {
        self.give(&format!("getelementptr i8, ptr %context, i64 {offset}"))
    }

    /// A word of the context that does not change while the code runs.
    pub(super) fn context_word(&mut self, offset: usize, ty: Ty) -> String {
        let from = self.context_field(offset);
        self.give(&format!("load {}, ptr {from}, align 8, !invariant.load !0", name(ty)))
    }

    fn if_(&mut self, test: Var, cold: bool, arms: [&Arm; 2], outs: &[Var]) {
        let (then, otherwise) = (self.label(), self.label());
        let mut after = Join { label: self.label(), edges: Vec::new() };
        let (test, likely) = (self.value(test), if cold { Likely::Fails } else { Likely::Either });
        self.branch(&test, &then, &otherwise, likely);
        for (label, arm) in [then, otherwise].into_iter().zip(arms) {
            self.enter(label);
            self.stmts(&arm.block);
            let brought = self.values_of(&arm.results);
            self.join(&mut after, brought);
        }
        self.enter_join(after, outs);
    }

    fn try_(&mut self, body: &Arm, outs: &[Var]) {
        let label = self.label();
        self.tries.push(Join { label, edges: Vec::new() });
        self.stmts(&body.block);
        if let Some(mut after) = self.tries.pop() {
            let brought = self.values_of(&body.results);
            self.join(&mut after, brought);
            self.enter_join(after, outs);
        }
    }

    /// Ends the innermost `Try` unless `ok`. The IR was verified, so there is one.
    fn leave_try(&mut self, ok: Var, given: &[Var]) {
        let (fine, ok, brought) = (self.label(), self.value(ok), self.values_of(given));
        let block = self.block.clone();
        let Some(after) = self.tries.last_mut() else { return };
        after.edges.push((block, brought));
        let label = after.label.clone();
        self.branch(&ok, &fine, &label, Likely::Either);
        self.enter(fine);
    }

    /// Opens the head of a loop; the places are those of what it takes.
    fn head(&mut self, label: &str, params: &[Var]) -> (String, Vec<usize>) {
        let before = self.block.clone();
        self.jump(label);
        self.enter(label.to_owned());
        let place = |&param: &Var| {
            let value = self.fresh();
            self.set(param, value);
            self.hold()
        };
        (before, params.iter().map(place).collect())
    }

    /// Says what a head takes: first these, then those.
    fn close_head(
        &mut self,
        places: &[usize],
        params: &[Var],
        first: (&str, &[String]),
        next: (&str, &[String]),
    ) {
        for (at, (&place, &param)) in places.iter().zip(params).enumerate() {
            let (first, next) =
                (format!("[ {}, %{} ]", first.1[at], first.0), format!("[ {}, %{} ]", next.1[at], next.0));
            let line = format!("{} = phi {} {first}, {next}", self.value(param), name(self.ty(param)));
            self.fill(place, line);
        }
    }

    fn for_(&mut self, iv: Var, stop: Var, carries: &[Carry], body: &Arm) {
        let lanes = if carries.is_empty() { Lanes::of(self.func, |_| None, iv, body) } else { None };
        let lanes = lanes.filter(|lanes| !lanes.is_for_widest());
        let done = lanes.as_ref().map(|lanes| self.in_lanes(lanes, iv, stop, body));
        if lanes.is_some_and(|lanes| !lanes.leaves()) {
            return;
        }
        let start = done.unwrap_or_else(|| "0".to_owned());
        let inits: Vec<String> =
            [start].into_iter().chain(carries.iter().map(|c| self.value(c.init))).collect();
        let params: Vec<Var> = [iv].into_iter().chain(carries.iter().map(|c| c.param)).collect();
        let [head, inside, after] = [(); 3].map(|()| self.label());
        let stop = self.value(stop);
        let (before, places) = self.head(&head, &params);
        let counter = self.value(iv);
        let more = self.give(&format!("icmp slt i64 {counter}, {stop}"));
        self.branch(&more, &inside, &after, Likely::Either);
        self.enter(inside);
        self.stmts(&body.block);
        let counter = self.give(&format!("add nuw nsw i64 {counter}, 1"));
        let next: Vec<String> = [counter].into_iter().chain(self.values_of(&body.results)).collect();
        self.jump(&head);
        let last = self.block.clone();
        self.close_head(&places, &params, (&before, &inits), (&last, &next));
        self.enter(after);
        self.outs(carries);
    }

    /// After a loop its carries are what they were at its head.
    fn outs(&mut self, carries: &[Carry]) {
        for carry in carries {
            let value = self.value(carry.param);
            self.set(carry.out, value);
        }
    }

    fn while_(&mut self, carries: &[Carry], test: &Arm, body: &Arm) {
        let inits: Vec<String> = carries.iter().map(|c| self.value(c.init)).collect();
        let params: Vec<Var> = carries.iter().map(|c| c.param).collect();
        let [head, inside, after] = [(); 3].map(|()| self.label());
        let (before, places) = self.head(&head, &params);
        self.stmts(&test.block);
        let holds = self.value(test.results[0]);
        self.branch(&holds, &inside, &after, Likely::Either);
        self.enter(inside);
        self.stmts(&body.block);
        let next = self.values_of(&body.results);
        self.jump(&head);
        let last = self.block.clone();
        self.close_head(&places, &params, (&before, &inits), (&last, &next));
        self.enter(after);
        self.outs(carries);
    }

    /// Calls a function outside, and gives what that gives.
    pub(super) fn call(&mut self, callee: &Callee, args: &[Var]) -> Option<String> {
        let (params, _) = callee.signature();
        let args: Vec<String> =
            params.iter().zip(args).map(|(&ty, &arg)| format!("{} {}", name(ty), self.value(arg))).collect();
        self.call_with(callee, &args)
    }

    /// With arguments that have their types with them.
    pub(super) fn call_with(&mut self, callee: &Callee, args: &[String]) -> Option<String> {
        let result = callee.signature().1;
        let address = (self.links.callee)(callee);
        let of = result.map_or("void", stored);
        let call =
            format!("call {of} inttoptr (i64 {address} to ptr)({}){}", args.join(", "), promises(callee));
        match result {
            None => {
                self.line(call);
                None
            }
            Some(Ty::Bool) => {
                let byte = self.give(&call);
                Some(self.give(&format!("trunc i8 {byte} to i1")))
            }
            Some(_) => Some(self.give(&call)),
        }
    }
}

/// The attributes of a function outside.
fn promises(callee: &Callee) -> &'static str {
    match callee {
        Callee::Kernel(function) if is_of_numbers(function) => " #2",
        Callee::Poll => " #3",
        Callee::Kernel(_) | Callee::Grow | Callee::Extend | Callee::Speak | Callee::Enter => " #1",
        Callee::Leave | Callee::Copy | Callee::Append | Callee::Order => " #1",
        Callee::Length | Callee::Upper | Callee::Lower | Callee::Share | Callee::Ask => " #1",
    }
}

/// True if a kernel sees nothing but the numbers that it is given.
fn is_of_numbers(function: &gw_kernels::Function) -> bool {
    function.result.is_some() && !function.params.contains(&gw_kernels::Word::Ptr)
}
