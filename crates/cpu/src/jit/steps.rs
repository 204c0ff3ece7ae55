//! Functions of numbers by instructions of the code generator's, of a vector register or of a number alone.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Signature, Type, Value, types};
use gw_kernels::{Angle, Formula, Function, Math, MathFloat, NEAR, Precision, QUARTER, Steps};

use super::cold_calls::ColdCall;
use super::context::Emit;
use crate::loops::Callee;

pub(super) const LITTLE: cranelift_codegen::ir::Endianness = cranelift_codegen::ir::Endianness::Little;

/// As many numbers as a register holds, or one.
pub(super) struct Register<'e, 'a> {
    pub(super) emit: &'e mut Emit<'a>,
    pub(super) alone: bool,
}

impl Register<'_, '_> {
    /// The type of numbers.
    fn floats<R: Precision>(&self) -> Type {
        match (R::DOUBLE, self.alone) {
            (false, false) => types::F32X4,
            (false, true) => types::F32,
            (true, false) => types::F64X2,
            (true, true) => types::F64,
        }
    }

    /// The type of their bits.
    fn integers<R: Precision>(&self) -> Type {
        self.floats::<R>().as_int()
    }

    /// The same in each lane.
    fn spread(&mut self, ty: Type, one: Value) -> Value {
        if self.alone { one } else { self.emit.b.ins().splat(ty, one) }
    }

    fn cast(&mut self, ty: Type, x: Value) -> Value {
        self.emit.b.ins().bitcast(ty, MemFlagsData::new().with_endianness(LITTLE), x)
    }

    fn amount(&mut self, by: u8) -> Value {
        self.emit.b.ins().iconst(types::I32, i64::from(by))
    }

    /// Applies a function to each lane, or to a number alone.
    fn one_by_one(&mut self, callee: &Callee, lanes: u8, args: &[Value]) -> Value {
        let function = self.emit.outside(callee);
        if self.alone {
            let call = self.emit.b.ins().call(function, args);
            return self.emit.b.inst_results(call)[0];
        }
        (0..lanes).fold(args[0], |found, lane| {
            let each: Vec<Value> = args.iter().map(|&arg| self.emit.b.ins().extractlane(arg, lane)).collect();
            let call = self.emit.b.ins().call(function, &each);
            let given = self.emit.b.inst_results(call)[0];
            self.emit.b.ins().insertlane(found, given, lane)
        })
    }

    /// The address of a table, which stands beside the code.
    fn table<R: Precision>(&mut self, table: &[R]) -> Value {
        let size = if R::DOUBLE { 8 } else { 4 };
        let bytes = table.iter().flat_map(|entry| entry.pattern().to_le_bytes().into_iter().take(size));
        let piece = self.emit.pieces.table(bytes.collect());
        let signature = Signature::new(self.emit.call_conv);
        let function = self.emit.pieces.pointed(piece, signature, self.emit.b.func);
        self.emit.b.ins().func_addr(types::I64, function)
    }

    /// A number for each of these integers.
    fn lane_by_lane<R: Precision>(
        &mut self,
        x: Value,
        number: impl Fn(&mut Emit<'_>, Value) -> Value,
    ) -> Value {
        if self.alone {
            return number(self.emit, x);
        }
        let numbers: Vec<Value> = (0..lanes::<R>().0)
            .map(|lane| {
                let one = self.emit.b.ins().extractlane(x, lane);
                number(self.emit, one)
            })
            .collect();
        let ty = self.floats::<R>();
        let first = self.emit.b.ins().scalar_to_vector(ty, numbers[0]);
        (1..lanes::<R>().0)
            .fold(first, |found, lane| self.emit.b.ins().insertlane(found, numbers[usize::from(lane)], lane))
    }

    /// `found`; if `far` holds of a lane, what is given aside.
    fn unless<R: Precision>(
        &mut self,
        far: Value,
        found: Value,
        aside: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        let (cold, after) = (self.emit.b.create_block(), self.emit.b.create_block());
        let given = self.emit.b.append_block_param(after, self.floats::<R>());
        let any = if self.alone { far } else { self.emit.b.ins().vany_true(far) };
        self.emit.b.ins().brif(any, cold, &[], after, &[found.into()]);
        self.emit.b.set_cold_block(cold);
        self.emit.b.switch_to_block(cold);
        let each = aside(self);
        self.emit.b.ins().jump(after, &[each.into()]);
        self.emit.b.switch_to_block(after);
        given
    }
}

impl<R: Precision> Steps<R> for Register<'_, '_> {
    type Float = Value;
    type Bits = Value;
    type Test = Value;

    fn real(&mut self, value: R) -> Value {
        let value = value.widened();
        let one = if R::DOUBLE {
            self.emit.b.ins().f64const(value)
        } else {
            self.emit.b.ins().f32const(value as f32)
        };
        self.spread(self.floats::<R>(), one)
    }
    fn int(&mut self, value: i64) -> Value {
        let (ty, value) = if R::DOUBLE { (types::I64, value) } else { (types::I32, i64::from(value as u32)) };
        let one = self.emit.b.ins().iconst(ty, value);
        self.spread(self.integers::<R>(), one)
    }
    fn add(&mut self, x: Value, y: Value) -> Value {
        self.emit.b.ins().fadd(x, y)
    }
    fn sub(&mut self, x: Value, y: Value) -> Value {
        self.emit.b.ins().fsub(x, y)
    }
    fn mul(&mut self, x: Value, y: Value) -> Value {
        self.emit.b.ins().fmul(x, y)
    }
    fn div(&mut self, x: Value, y: Value) -> Value {
        self.emit.b.ins().fdiv(x, y)
    }
    fn root(&mut self, x: Value) -> Value {
        self.emit.b.ins().sqrt(x)
    }
    fn fma(&mut self, x: Value, y: Value, z: Value) -> Value {
        self.emit.b.ins().fma(x, y, z)
    }
    fn below(&mut self, x: Value, y: Value) -> Value {
        self.emit.b.ins().fcmp(FloatCC::LessThan, x, y)
    }
    fn same(&mut self, x: Value, y: Value) -> Value {
        self.emit.b.ins().fcmp(FloatCC::Equal, x, y)
    }
    fn nearest(&mut self, x: Value) -> Value {
        self.emit.b.ins().nearest(x)
    }
    fn entry<const N: usize>(&mut self, table: &'static [R; N], at: Value) -> Value {
        let last = <Self as Steps<R>>::int(self, N as i64 - 1);
        let at = self.emit.b.ins().band(at, last);
        let table = self.table(table);
        let size = if R::DOUBLE { 3 } else { 2 };
        self.lane_by_lane::<R>(at, |emit, at| {
            let at = if R::DOUBLE { at } else { emit.b.ins().uextend(types::I64, at) };
            let at = emit.b.ins().ishl_imm_u(at, size);
            let from = emit.b.ins().iadd(table, at);
            let ty = if R::DOUBLE { types::F64 } else { types::F32 };
            emit.b.ins().load(ty, MemFlagsData::trusted(), from, 0)
        })
    }
    fn fms(&mut self, x: Value, y: Value, z: Value) -> Value {
        let less = self.emit.b.ins().fneg(z);
        self.emit.b.ins().fma(x, y, less)
    }
    fn select(&mut self, test: Value, x: Value, y: Value) -> Value {
        if self.alone {
            return self.emit.b.ins().select(test, x, y);
        }
        let mask = self.cast(self.floats::<R>(), test);
        self.emit.b.ins().bitselect(mask, x, y)
    }
    fn bits(&mut self, x: Value) -> Value {
        self.cast(self.integers::<R>(), x)
    }
    fn float(&mut self, x: Value) -> Value {
        self.cast(self.floats::<R>(), x)
    }
    fn plus(&mut self, x: Value, y: Value) -> Value {
        self.emit.b.ins().iadd(x, y)
    }
    fn minus(&mut self, x: Value, y: Value) -> Value {
        self.emit.b.ins().isub(x, y)
    }
    fn both(&mut self, x: Value, y: Value) -> Value {
        self.emit.b.ins().band(x, y)
    }
    fn either(&mut self, x: Value, y: Value) -> Value {
        self.emit.b.ins().bor(x, y)
    }
    fn differ(&mut self, x: Value, y: Value) -> Value {
        self.emit.b.ins().bxor(x, y)
    }
    fn left(&mut self, x: Value, by: u8) -> Value {
        let by = self.amount(by);
        self.emit.b.ins().ishl(x, by)
    }
    fn right(&mut self, x: Value, by: u8) -> Value {
        let by = self.amount(by);
        if R::DOUBLE { self.emit.b.ins().ushr(x, by) } else { self.emit.b.ins().sshr(x, by) }
    }
    fn size(&mut self, x: Value) -> Value {
        self.emit.b.ins().fabs(x)
    }
    fn turn(&mut self, x: Value, sign: Value) -> Value {
        let sign = self.cast(self.floats::<R>(), sign);
        self.emit.b.ins().bxor(x, sign)
    }
    fn beyond(&mut self, far: Value, angle: Angle, x: Value, found: Value) -> Value {
        let (lanes, float) = lanes::<R>();
        let callee = Callee::Kernel(angle.function(float));
        self.unless::<R>(far, found, |register| {
            if register.alone {
                register.emit.call_cold(ColdCall::Angle(angle), &[x])
            } else {
                register.one_by_one(&callee, lanes, &[x])
            }
        })
    }
    fn beyond_rest(&mut self, far: Value, x: Value, y: Value, found: Value) -> Value {
        let (lanes, float) = lanes::<R>();
        let callee = Callee::Kernel(Math::Mod.function(float));
        self.unless::<R>(far, found, |register| register.one_by_one(&callee, lanes, &[x, y]))
    }
}

/// Lanes of a register, and the precision of their numbers.
fn lanes<R: Precision>() -> (u8, MathFloat) {
    if R::DOUBLE { (2, MathFloat::F64) } else { (4, MathFloat::F32) }
}

impl Emit<'_> {
    /// A function of a number alone whose steps stand where it is called.
    pub(super) fn in_place(&mut self, function: &Function, x: Value) -> Option<Value> {
        let Some(formula @ Formula::Double(double)) = function.formula else { return None };
        let angle = double.angle().filter(|_| !self.cold)?;
        let [near, other, one_off, far, after] = [(); 5].map(|()| self.block());
        let given = self.b.append_block_param(after, types::F64);
        let (size, most) = (self.b.ins().fabs(x), self.b.ins().f64const(NEAR));
        let small = self.b.ins().fcmp(FloatCC::LessThan, size, most);
        self.b.ins().brif(small, near, &[], other, &[]);
        self.b.switch_to_block(other);
        let quarter = self.b.ins().f64const(QUARTER);
        let away = self.b.ins().fsub(size, quarter);
        let away = self.b.ins().fabs(away);
        let small = self.b.ins().fcmp(FloatCC::LessThan, away, most);
        self.b.ins().brif(small, one_off, &[], far, &[]);
        for block in [near, one_off, far] {
            self.b.switch_to_block(block);
            let steps = &mut Register { emit: self, alone: true };
            let found = if block == near {
                angle.near(steps, x)
            } else if block == one_off {
                angle.one_off(steps, x)
            } else {
                formula.apply(steps, &[x])
            };
            self.b.ins().jump(after, &[found.into()]);
        }
        self.b.switch_to_block(after);
        Some(given)
    }
}
