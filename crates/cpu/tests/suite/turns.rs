//! Random loops over integers, with counters that begin anywhere, breaks, loops in loops and functions that are called, give
//! in machine code what the reference interpreter gives.

use std::fmt::Write;

use crate::support;
use gw_eval::Array;
use gw_types::Scalar;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Writes a program as text, by choices that are 0 when there are no more.
struct Writer<'c> {
    choices: std::slice::Iter<'c, u8>,
    text: String,
    /// The type of all integers.
    ty: &'static str,
    names: usize,
    /// Number of loops and branches around.
    depth: usize,
    /// True if the function may call the other one.
    calls: bool,
}

/// Numbers that loops begin with, compare with and add.
const NUMBERS: [i64; 12] = [0, 1, -1, 2, 3, -7, 5, 6, 12, -2, 1 << 30, i32::MIN as i64];
/// Numbers near the ends of the wider type.
const WIDE: [i64; 5] = [1 << 62, (1 << 58) + 9, i64::MAX - 9, -(1 << 62), i64::MIN + 9];
const DIVISORS: [i64; 10] = [2, 3, 5, 6, 7, 8, 15, 10, -3, 1];

impl Writer<'_> {
    fn choose<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::from(self.choices.next().copied().unwrap_or(0)) % of.len()]
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    fn line(&mut self, of: &str) -> String {
        let (name, ty) = (self.name(), self.ty);
        writeln!(self.text, "{name} = {of} : {ty}[]").expect("a string takes all");
        name
    }

    fn test(&mut self, of: &str) -> String {
        let name = self.name();
        writeln!(self.text, "{name} = {of} : bool[]").expect("a string takes all");
        name
    }

    fn number(&mut self, value: i64) -> String {
        self.line(&format!("const {value}"))
    }

    fn any(&mut self, seen: &[String]) -> String {
        let all: Vec<&String> = seen.iter().rev().collect();
        self.choose(&all).clone()
    }

    /// Test that a number divides.
    fn divides(&mut self, seen: &[String]) -> String {
        let (x, divisor) = (self.any(seen), self.choose(&DIVISORS));
        let (divisor, zero) = (self.number(divisor), self.number(0));
        let rest = self.line(&format!("mod {x}, {divisor}"));
        let same = self.choose(&["eq", "ne"]);
        self.test(&format!("{same} {rest}, {zero}"))
    }

    fn steps(&mut self, seen: &mut Vec<String>) {
        for _ in 0..=self.choose(&[1, 2, 3]) {
            self.step(seen);
        }
    }

    fn step(&mut self, seen: &mut Vec<String>) {
        let (x, y) = (self.any(seen), self.any(seen));
        let made = match self.choose(&[0, 1, 2, 3, 4, 5, 6, 7, 6, 1]) {
            0 => {
                let op = self.choose(&["add", "sub", "mul", "min", "max"]);
                self.line(&format!("{op} {x}, {y}"))
            }
            1 => {
                let (op, by) = (self.choose(&["mod", "floor_div"]), self.choose(&DIVISORS));
                let by = self.number(by);
                self.line(&format!("{op} {x}, {by}"))
            }
            2 => {
                let (op, by, one) = (self.choose(&["mod", "floor_div"]), self.number(5), self.number(1));
                let by = self.line(&format!("mod {y}, {by}"));
                let by = self.line(&format!("add {by}, {one}"));
                self.line(&format!("{op} {x}, {by}"))
            }
            3 => {
                let (test, ty) = (self.divides(seen), self.ty);
                self.line(&format!("cast {test} to={ty}"))
            }
            4 if self.depth < 2 => self.branch(seen),
            5 | 6 if self.depth < 2 => return self.repeat(seen),
            7 if self.calls => self.called(&x),
            _ => {
                let test = self.divides(seen);
                self.line(&format!("select {test}, {x}, {y}"))
            }
        };
        seen.push(made);
    }

    fn called(&mut self, x: &str) -> String {
        let (name, ty) = (self.name(), self.ty);
        writeln!(self.text, "{name} = call @other {x} : {ty}[]").expect("a string takes all");
        name
    }

    fn branch(&mut self, seen: &[String]) -> String {
        let (test, name, ty) = (self.divides(seen), self.name(), self.ty);
        writeln!(self.text, "{name} = cond {test} : ({ty}[]) {{").expect("a string takes all");
        self.depth += 1;
        for end in ["} else {", "}"] {
            let mut inside = seen.to_vec();
            self.steps(&mut inside);
            let given = self.any(&inside);
            writeln!(self.text, "yield {given}\n{end}").expect("a string takes all");
        }
        self.depth -= 1;
        name
    }

    /// A loop of a counter, a number, a flag that ends it, iterations that are left, and whether to go on, if that
    /// is carried.
    fn repeat(&mut self, seen: &mut Vec<String>) {
        let (ty, carried) = (self.ty, self.choose(&[true, false]));
        let (mut first, bound) = (self.choose(&NUMBERS), self.choose(&NUMBERS));
        if self.ty == "i64" && self.choose(&[false, false, false, true]) {
            first = self.choose(&WIDE);
        }
        let first = if self.choose(&[true, true, false]) { self.number(first) } else { self.any(seen) };
        let bound = if self.choose(&[true, false]) { self.number(bound) } else { self.any(seen) };
        let (zero, no, yes, begun) =
            (self.number(0), self.test("const false"), self.test("const true"), self.any(seen));
        let flag = self.choose(&[&no, &no, &no, &yes]).clone();
        let begins = self.choose(&[true, false]).then(|| self.goes_on(&first, &bound, &flag, &zero));
        let yes = begins.unwrap_or(yes);
        let [i, a, stop, turns, on] = [(); 5].map(|()| self.name());
        let outs = [(); 5].map(|()| self.name()).join(", ");
        writeln!(
            self.text,
            "{outs} = while ({i} = {first}, {a} = {begun}, {stop} = {flag}, {turns} = {zero}, {on} = {yes}) : ({ty}[], {ty}[], bool[], {ty}[], bool[]) {{"
        )
        .expect("a string takes all");
        let going = if carried { on } else { self.goes_on(&i, &bound, &stop, &turns) };
        writeln!(self.text, "yield {going}\n}} do {{").expect("a string takes all");
        self.depth += 1;
        let mut inside = seen.clone();
        inside.extend([i.clone(), a, turns.clone()]);
        let early = self.choose(&[true, false]);
        let mut next = if early { self.stepped(&i) } else { String::new() };
        inside.extend(early.then(|| next.clone()));
        self.steps(&mut inside);
        inside.push(self.line(&format!("cast {stop} to={ty}")));
        self.steps(&mut inside);
        if !early {
            next = self.stepped(&i);
        }
        let (given, mut ends) = (self.any(&inside), self.divides(&inside));
        if self.choose(&[true, false]) {
            ends = self.test(&format!("or {ends}, {stop}"));
        }
        if self.choose(&[false, true]) {
            next = self.line(&format!("select {ends}, {i}, {next}"));
        }
        if self.choose(&[false, false, true]) {
            let (test, anew) = (self.divides(&inside), self.choose(&[0, -3, 5]));
            let anew = self.number(anew);
            next = self.line(&format!("select {test}, {anew}, {next}"));
        }
        let one = self.number(1);
        let turns = self.line(&format!("add {turns}, {one}"));
        let on = self.goes_on(&next, &bound, &ends, &turns);
        writeln!(self.text, "yield {next}, {given}, {ends}, {turns}, {on}\n}}").expect("a string takes all");
        self.depth -= 1;
        seen.extend(outs.split(", ").take(2).map(str::to_owned));
    }

    fn stepped(&mut self, i: &str) -> String {
        let by = self.choose(&[1, 1, 1, 2, -1, 7, -7]);
        let by = self.number(by);
        let step = self.choose(&["add I, B", "add B, I", "sub I, B"]).replace('I', i).replace('B', &by);
        self.line(&step)
    }

    /// Test that a loop goes on: for at most six iterations.
    fn goes_on(&mut self, i: &str, bound: &str, stop: &str, turns: &str) -> String {
        let order = self.choose(&["lt I, B", "lt I, B", "gt B, I", "le I, B", "ne I, B", "gt I, B"]);
        let order = self.test(&order.replace('I', i).replace('B', bound));
        let (free, six) = (self.test(&format!("not {stop}")), self.number(6));
        let left = self.test(&format!("lt {turns}, {six}"));
        let both = match self.choose(&[0, 1, 2, 3]) {
            0 => self.test(&format!("and {free}, {order}")),
            1 => self.test(&format!("and {order}, {free}")),
            2 => self.test(&format!("or {order}, {free}")),
            _ => order,
        };
        self.test(&format!("and {both}, {left}"))
    }

    /// Numbers, each less than the last, and their quotients: many variables next to each other, most of them negative.
    fn ladder(&mut self, seen: &mut Vec<String>) {
        let (mut rung, down, divisor) = (self.any(seen), self.number(9), self.choose(&DIVISORS));
        let (divisor, count) = (self.number(divisor), self.choose(&[0, 0, 10, 30]));
        let mut rungs = Vec::new();
        for _ in 0..count {
            rung = self.line(&format!("sub {rung}, {down}"));
            rungs.push(rung.clone());
        }
        seen.extend(rungs.into_iter().map(|rung| self.line(&format!("floor_div {rung}, {divisor}"))));
    }

    fn function(&mut self, name: &str, params: &[&str]) {
        let ty = self.ty;
        let declared: Vec<String> = params.iter().map(|param| format!("{param}: {ty}[]")).collect();
        writeln!(self.text, "func @{name}({}) -> ({ty}[]) {{", declared.join(", "))
            .expect("a string takes all");
        let mut seen: Vec<String> = params.iter().map(|&param| param.to_owned()).collect();
        self.ladder(&mut seen);
        self.repeat(&mut seen);
        self.steps(&mut seen);
        let sum = seen[1..].iter().fold(seen[0].clone(), |sum, x| self.line(&format!("add {sum}, {x}")));
        writeln!(self.text, "return {sum}\n}}").expect("a string takes all");
    }
}

/// The text of the program that these choices give.
fn program(choices: &[u8]) -> String {
    let mut writer =
        Writer { choices: choices.iter(), text: String::new(), ty: "i64", names: 0, depth: 0, calls: true };
    writer.ty = writer.choose(&["i64", "i64", "i32"]);
    writer.function("main", &["%x", "%y"]);
    writer.calls = false;
    writer.function("other", &["%z"]);
    writer.text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2500, failure_persistence: None, rng_seed: RngSeed::Fixed(2), ..ProptestConfig::default() })]

    #[test]
    fn loops_over_integers_agree(choices in proptest::collection::vec(any::<u8>(), 0..250), x in -9i64..40, y in -40i64..9) {
        let text = program(&choices);
        let graph = gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let inputs = [x, y].map(|n| Array::scalar(graph.ty(graph.params()[0]).dtype, Scalar::Int(n)));
        let graph = if x % 2 == 0 { graph } else { gw_opt::optimize(graph).expect("no bug") };
        support::compare(&graph, &inputs).map_err(|difference| {
            let text = gw_ir::text::print(&graph);
            TestCaseError::fail(format!("{difference}\n{text}{inputs:?}\n{}", gw_cpu::dump_loops(&graph)))
        })?;
    }
}
