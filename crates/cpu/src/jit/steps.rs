//! Functions of single precision on a vector register of the code generator's.

use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Type, Value, types};
use gw_kernels::Steps;

use super::emit::Emit;
use super::lanes::LITTLE;

/// Four numbers.
pub(super) struct Four<'e, 'a>(pub(super) &'e mut Emit<'a>);

impl Four<'_, '_> {
    fn cast(&mut self, ty: Type, x: Value) -> Value {
        self.0.b.ins().bitcast(ty, MemFlagsData::new().with_endianness(LITTLE), x)
    }

    fn amount(&mut self, by: u8) -> Value {
        self.0.b.ins().iconst(types::I32, i64::from(by))
    }
}

impl Steps for Four<'_, '_> {
    type Float = Value;
    type Bits = Value;
    type Test = Value;

    fn real(&mut self, value: f32) -> Value {
        let one = self.0.b.ins().f32const(value);
        self.0.b.ins().splat(types::F32X4, one)
    }
    fn int(&mut self, value: i32) -> Value {
        let one = self.0.b.ins().iconst(types::I32, i64::from(value as u32));
        self.0.b.ins().splat(types::I32X4, one)
    }
    fn add(&mut self, x: Value, y: Value) -> Value {
        self.0.b.ins().fadd(x, y)
    }
    fn sub(&mut self, x: Value, y: Value) -> Value {
        self.0.b.ins().fsub(x, y)
    }
    fn mul(&mut self, x: Value, y: Value) -> Value {
        self.0.b.ins().fmul(x, y)
    }
    fn div(&mut self, x: Value, y: Value) -> Value {
        self.0.b.ins().fdiv(x, y)
    }
    fn fma(&mut self, x: Value, y: Value, z: Value) -> Value {
        self.0.b.ins().fma(x, y, z)
    }
    fn below(&mut self, x: Value, y: Value) -> Value {
        self.0.b.ins().fcmp(FloatCC::LessThan, x, y)
    }
    fn select(&mut self, test: Value, x: Value, y: Value) -> Value {
        let mask = self.cast(types::F32X4, test);
        self.0.b.ins().bitselect(mask, x, y)
    }
    fn bits(&mut self, x: Value) -> Value {
        self.cast(types::I32X4, x)
    }
    fn float(&mut self, x: Value) -> Value {
        self.cast(types::F32X4, x)
    }
    fn number(&mut self, x: Value) -> Value {
        self.0.b.ins().fcvt_from_sint(types::F32X4, x)
    }
    fn plus(&mut self, x: Value, y: Value) -> Value {
        self.0.b.ins().iadd(x, y)
    }
    fn minus(&mut self, x: Value, y: Value) -> Value {
        self.0.b.ins().isub(x, y)
    }
    fn both(&mut self, x: Value, y: Value) -> Value {
        self.0.b.ins().band(x, y)
    }
    fn either(&mut self, x: Value, y: Value) -> Value {
        self.0.b.ins().bor(x, y)
    }
    fn left(&mut self, x: Value, by: u8) -> Value {
        let by = self.amount(by);
        self.0.b.ins().ishl(x, by)
    }
    fn right(&mut self, x: Value, by: u8) -> Value {
        let by = self.amount(by);
        self.0.b.ins().sshr(x, by)
    }
}
