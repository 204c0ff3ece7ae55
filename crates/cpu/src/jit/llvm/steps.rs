//! Functions of numbers on a register of LLVM's.

use gw_kernels::{Angle, Formula, Math, MathFloat, Precision, Steps};

use super::expr::Kind;
use super::text::{Likely, Text, int, name, real};
use crate::loops::{Binary, Callee, Compare, Ty, Unary};

/// So many numbers at once. They have names, each of which is kept here under its own number.
pub(super) struct Register<'t, 'a> {
    pub(super) text: &'t mut Text<'a>,
    pub(super) count: usize,
    pub(super) names: Vec<String>,
}

/// Index at which the name of a value is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named(usize);

impl Register<'_, '_> {
    /// The result of a function.
    pub(super) fn apply(&mut self, formula: Formula, args: Vec<String>) -> String {
        let args: Vec<_> = args.into_iter().map(|arg| self.keep(arg)).collect();
        let found = formula.apply(self, &args);
        self.names[found.0].clone()
    }

    fn keep(&mut self, name: String) -> Named {
        self.names.push(name);
        Named(self.names.len() - 1)
    }

    fn kind(&self, ty: Ty) -> Kind {
        Kind { ty, count: self.count }
    }

    fn two(&mut self, binary: Binary, ty: Ty, x: Named, y: Named) -> Named {
        let kind = self.kind(ty);
        let given = self.text.binary(binary, kind, &self.names[x.0], &self.names[y.0]);
        self.keep(given)
    }

    fn cast(&mut self, from: Ty, to: Ty, x: Named) -> Named {
        let (from, to) = (self.kind(from).name(), self.kind(to).name());
        let given = self.text.give(&format!("bitcast {from} {} to {to}", self.names[x.0]));
        self.keep(given)
    }

    fn shift(&mut self, binary: Binary, ty: Ty, x: Named, by: u8) -> Named {
        let kind = self.kind(ty);
        let given = self.text.binary(binary, kind, &self.names[x.0], &kind.constant(&by.to_string()));
        self.keep(given)
    }

    /// Applies a function to each lane.
    fn one_by_one(&mut self, callee: &Callee, ty: Ty, args: &[Named]) -> String {
        let (of, one) = (self.kind(ty).name(), name(ty));
        let args: Vec<String> = args.iter().map(|arg| self.names[arg.0].clone()).collect();
        (0..self.count).fold("poison".to_owned(), |found, lane| {
            let mut each = |arg| self.text.give(&format!("extractelement {of} {arg}, i64 {lane}"));
            let each: Vec<String> = args.iter().map(|arg| format!("{one} {}", each(arg))).collect();
            let given = self.text.call_with(callee, &each).unwrap_or_default();
            self.text.give(&format!("insertelement {of} {found}, {one} {given}, i64 {lane}"))
        })
    }

    /// True if the numbers are those of a register of 512 bits, and the machine has such.
    fn fills_widest<R: Precision>(&self) -> bool {
        #[cfg(target_arch = "x86_64")]
        let has = std::arch::is_x86_feature_detected!("avx512f");
        #[cfg(not(target_arch = "x86_64"))]
        let has = false;
        has && self.count * floats::<R>().size() == 64
    }

    /// The entries of a table that lies in registers.
    fn permuted<R: Precision>(&mut self, table: &[R], at: Named) -> String {
        let at = self.names[at.0].clone();
        let parts: Vec<String> = table.chunks(2 * self.count).map(|part| self.of_two(part, &at)).collect();
        let [lower, upper] = &parts[..] else { return parts.concat() };
        let (bits, count) = (self.kind(integers::<R>()), self.count);
        let bit = self.text.binary(Binary::And, bits, &at, &bits.constant("16"));
        let is_low = self.text.compare(Compare::Eq, bits, &bit, &bits.constant("0"));
        let number = self.kind(floats::<R>()).name();
        self.text.give(&format!("select <{count} x i1> {is_low}, {number} {lower}, {number} {upper}"))
    }

    /// The entries of what fills two registers, or one.
    fn of_two<R: Precision>(&mut self, table: &[R], at: &str) -> String {
        let (number, bits) = (self.kind(floats::<R>()).name(), self.kind(integers::<R>()).name());
        let parts = table.chunks(self.count).map(|part| {
            let one = name(floats::<R>());
            let entries = part.iter().map(|entry| format!("{one} {}", real(floats::<R>(), entry.widened())));
            format!("{number} <{}>", entries.collect::<Vec<_>>().join(", "))
        });
        let parts: Vec<String> = parts.collect();
        let machine = if R::DOUBLE { "vpermi2var.pd.512" } else { "permvar.sf.512" };
        let (params, given) = match &parts[..] {
            [lower, upper] => {
                (format!("{number}, {bits}, {number}"), format!("{lower}, {bits} {at}, {upper}"))
            }
            one => (format!("{number}, {bits}"), format!("{}, {bits} {at}", one.concat())),
        };
        let machine = self.text.declare(&number, &format!("llvm.x86.avx512.{machine}"), &params);
        self.text.give(&format!("call {number} {machine}({given})"))
    }

    /// The entries of a table in memory.
    fn gathered<R: Precision>(&mut self, table: &'static [R], at: Named) -> String {
        let (kind, bits) = (self.kind(floats::<R>()), self.kind(integers::<R>()));
        let (count, number, address) = (self.count, kind.name(), table.as_ptr().expose_provenance());
        let last = self.text.binary(
            Binary::And,
            bits,
            &self.names[at.0],
            &bits.constant(&(table.len() - 1).to_string()),
        );
        let (one, of) = (name(floats::<R>()), bits.name());
        let from =
            self.text.give(&format!("getelementptr {one}, ptr inttoptr (i64 {address} to ptr), {of} {last}"));
        let params = format!("<{count} x ptr>, i32 immarg, <{count} x i1>, {number}");
        let gather = format!("llvm.masked.gather.{}.v{count}p0", kind.suffix());
        let gather = self.text.declare(&number, &gather, &params);
        let (all, size) = (Kind { ty: Ty::Bool, count }.constant("true"), floats::<R>().size());
        self.text.give(&format!(
            "call {number} {gather}(<{count} x ptr> {from}, i32 {size}, <{count} x i1> {all}, {number} poison)"
        ))
    }

    /// `found`; if `far` holds of a lane, what a function gives of each.
    fn unless<R: Precision>(&mut self, far: Named, found: Named, callee: &Callee, args: &[Named]) -> Named {
        let (ty, count) = (floats::<R>(), self.count);
        let any =
            self.text.declare("i1", &format!("llvm.vector.reduce.or.v{count}i1"), &format!("<{count} x i1>"));
        let any = self.text.give(&format!("call i1 {any}(<{count} x i1> {})", self.names[far.0]));
        let [aside, after] = [(); 2].map(|()| self.text.label());
        let before = self.text.block.clone();
        self.text.branch(&any, &aside, &after, Likely::Fails);
        self.text.enter(aside);
        let each = self.one_by_one(callee, ty, args);
        let end = self.text.block.clone();
        self.text.jump(&after);
        self.text.enter(after);
        let (of, found) = (self.kind(ty).name(), &self.names[found.0]);
        let given = self.text.give(&format!("phi {of} [ {found}, %{before} ], [ {each}, %{end} ]"));
        self.keep(given)
    }
}

/// The type of numbers.
fn floats<R: Precision>() -> Ty {
    if R::DOUBLE { Ty::F64 } else { Ty::F32 }
}

/// The type of their bits.
fn integers<R: Precision>() -> Ty {
    if R::DOUBLE { Ty::I64 } else { Ty::I32 }
}

impl<R: Precision> Steps<R> for Register<'_, '_> {
    type Float = Named;
    type Bits = Named;
    type Test = Named;

    fn real(&mut self, value: R) -> Named {
        let constant = self.kind(floats::<R>()).constant(&real(floats::<R>(), value.widened()));
        self.keep(constant)
    }
    fn int(&mut self, value: i64) -> Named {
        let constant = self.kind(integers::<R>()).constant(&int(integers::<R>(), value));
        self.keep(constant)
    }
    fn add(&mut self, x: Named, y: Named) -> Named {
        self.two(Binary::Add, floats::<R>(), x, y)
    }
    fn sub(&mut self, x: Named, y: Named) -> Named {
        self.two(Binary::Sub, floats::<R>(), x, y)
    }
    fn mul(&mut self, x: Named, y: Named) -> Named {
        self.two(Binary::Mul, floats::<R>(), x, y)
    }
    fn div(&mut self, x: Named, y: Named) -> Named {
        self.two(Binary::Div, floats::<R>(), x, y)
    }
    fn root(&mut self, x: Named) -> Named {
        let kind = self.kind(floats::<R>());
        let given = self.text.machine("sqrt", kind, &[self.names[x.0].as_str()]);
        self.keep(given)
    }
    fn fma(&mut self, x: Named, y: Named, z: Named) -> Named {
        let kind = self.kind(floats::<R>());
        let operands = [x, y, z].map(|operand| self.names[operand.0].as_str());
        let given = self.text.machine("fma", kind, &operands);
        self.keep(given)
    }
    fn below(&mut self, x: Named, y: Named) -> Named {
        let kind = self.kind(floats::<R>());
        let given = self.text.compare(Compare::Lt, kind, &self.names[x.0], &self.names[y.0]);
        self.keep(given)
    }
    fn same(&mut self, x: Named, y: Named) -> Named {
        let kind = self.kind(floats::<R>());
        let given = self.text.compare(Compare::Eq, kind, &self.names[x.0], &self.names[y.0]);
        self.keep(given)
    }
    fn nearest(&mut self, x: Named) -> Named {
        let kind = self.kind(floats::<R>());
        let given = self.text.unary(Unary::Nearest, kind, &self.names[x.0]);
        self.keep(given)
    }
    fn entry<const N: usize>(&mut self, table: &'static [R; N], at: Named) -> Named {
        let given =
            if self.fills_widest::<R>() { self.permuted(table, at) } else { self.gathered(table, at) };
        self.keep(given)
    }
    fn fms(&mut self, x: Named, y: Named, z: Named) -> Named {
        let kind = self.kind(floats::<R>());
        let less = self.text.unary(Unary::Neg, kind, &self.names[z.0]);
        let less = self.keep(less);
        <Self as Steps<R>>::fma(self, x, y, less)
    }
    fn select(&mut self, test: Named, x: Named, y: Named) -> Named {
        let (of, count) = (self.kind(floats::<R>()).name(), self.count);
        let [test, x, y] = [test, x, y].map(|operand| &self.names[operand.0]);
        let given = self.text.give(&format!("select <{count} x i1> {test}, {of} {x}, {of} {y}"));
        self.keep(given)
    }
    fn bits(&mut self, x: Named) -> Named {
        self.cast(floats::<R>(), integers::<R>(), x)
    }
    fn float(&mut self, x: Named) -> Named {
        self.cast(integers::<R>(), floats::<R>(), x)
    }
    fn plus(&mut self, x: Named, y: Named) -> Named {
        self.two(Binary::Add, integers::<R>(), x, y)
    }
    fn minus(&mut self, x: Named, y: Named) -> Named {
        self.two(Binary::Sub, integers::<R>(), x, y)
    }
    fn both(&mut self, x: Named, y: Named) -> Named {
        self.two(Binary::And, integers::<R>(), x, y)
    }
    fn either(&mut self, x: Named, y: Named) -> Named {
        self.two(Binary::Or, integers::<R>(), x, y)
    }
    fn differ(&mut self, x: Named, y: Named) -> Named {
        self.two(Binary::Xor, integers::<R>(), x, y)
    }
    fn left(&mut self, x: Named, by: u8) -> Named {
        self.shift(Binary::Shl, integers::<R>(), x, by)
    }
    fn right(&mut self, x: Named, by: u8) -> Named {
        self.shift(if R::DOUBLE { Binary::Shr } else { Binary::Sar }, integers::<R>(), x, by)
    }
    fn beyond(&mut self, far: Named, angle: Angle, x: Named, found: Named) -> Named {
        self.unless::<R>(far, found, &Callee::Kernel(angle.function(precision::<R>())), &[x])
    }
    fn beyond_rest(&mut self, far: Named, x: Named, y: Named, found: Named) -> Named {
        self.unless::<R>(far, found, &Callee::Kernel(Math::Mod.function(precision::<R>())), &[x, y])
    }
}

fn precision<R: Precision>() -> MathFloat {
    if R::DOUBLE { MathFloat::F64 } else { MathFloat::F32 }
}
