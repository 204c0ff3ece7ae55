//! Elementwise ops of one operand: `out = f(x)`; what flows back is `g * f'(x)`, by `x` or by `out`, what is cheaper.

use gw_ir::{Attr, Op};

use super::Step;
use crate::Made;
use crate::activity::is_float;
use crate::reverse::Reverse;

/// `2 / √π`
const ERF_SLOPE: f64 = std::f64::consts::FRAC_2_SQRT_PI;

pub(super) fn rule(r: &mut Reverse<'_, '_>, step: &Step) -> Made<()> {
    let (arg, g) = (step.args[0], step.g);
    let dtype = r.ty(arg).dtype;
    let flows = match step.op {
        Op::Neg => r.op(Op::Neg, [g])?,
        Op::Abs => {
            let x = r.primal(arg)?;
            let sign = r.op(Op::Sign, [x])?;
            r.op(Op::Mul, [g, sign])?
        }
        Op::Exp => {
            let out = r.primal(step.out)?;
            r.op(Op::Mul, [g, out])?
        }
        Op::Expm1 => {
            let (out, one) = (r.primal(step.out)?, r.number(dtype, 1.0));
            let slope = r.op(Op::Add, [out, one])?;
            r.op(Op::Mul, [g, slope])?
        }
        Op::Log => {
            let x = r.primal(arg)?;
            r.op(Op::Div, [g, x])?
        }
        Op::Log1p => {
            let (x, one) = (r.primal(arg)?, r.number(dtype, 1.0));
            let below = r.op(Op::Add, [x, one])?;
            r.op(Op::Div, [g, below])?
        }
        Op::Sqrt => {
            let (out, half) = (r.primal(step.out)?, r.number(dtype, 0.5));
            let above = r.op(Op::Mul, [g, half])?;
            r.op(Op::Div, [above, out])?
        }
        Op::Rsqrt => {
            let (out, factor) = (r.primal(step.out)?, r.number(dtype, -0.5));
            let square = r.op(Op::Mul, [out, out])?;
            let cube = r.op(Op::Mul, [square, out])?;
            let slope = r.op(Op::Mul, [cube, factor])?;
            r.op(Op::Mul, [g, slope])?
        }
        Op::Sin => {
            let x = r.primal(arg)?;
            let slope = r.op(Op::Cos, [x])?;
            r.op(Op::Mul, [g, slope])?
        }
        Op::Cos => {
            let x = r.primal(arg)?;
            let sine = r.op(Op::Sin, [x])?;
            let slope = r.op(Op::Neg, [sine])?;
            r.op(Op::Mul, [g, slope])?
        }
        Op::Tan => slope_of_square(r, step, Op::Add)?,
        Op::Tanh => slope_of_square(r, step, Op::Sub)?,
        Op::Atan => {
            let (x, one) = (r.primal(arg)?, r.number(dtype, 1.0));
            let square = r.op(Op::Mul, [x, x])?;
            let below = r.op(Op::Add, [one, square])?;
            r.op(Op::Div, [g, below])?
        }
        Op::Erf => {
            let (x, factor) = (r.primal(arg)?, r.number(dtype, ERF_SLOPE));
            let square = r.op(Op::Mul, [x, x])?;
            let negative = r.op(Op::Neg, [square])?;
            let bell = r.op(Op::Exp, [negative])?;
            let slope = r.op(Op::Mul, [bell, factor])?;
            r.op(Op::Mul, [g, slope])?
        }
        Op::Cast if is_float(r.graph(), arg) => r.with(Op::Cast, Attr::To(dtype), &[g])?,
        _ => return Ok(()),
    };
    r.add(arg, flows)
}

/// `g * (1 ± out²)`
fn slope_of_square(r: &mut Reverse<'_, '_>, step: &Step, sign: Op) -> Made<gw_ir::ValueId> {
    let dtype = r.ty(step.out).dtype;
    let (out, one) = (r.primal(step.out)?, r.number(dtype, 1.0));
    let square = r.op(Op::Mul, [out, out])?;
    let slope = r.op(sign, [one, square])?;
    r.op(Op::Mul, [step.g, slope])
}
