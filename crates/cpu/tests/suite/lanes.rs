//! A number has the same function wherever it is computed: alone, in a register of lanes, behind the last whole register.

use gw_cpu::Registers;
use gw_eval::Array;
use gw_ir::{Attr, Builder, Class, Graph, Op};
use gw_runtime::{Buffer, Executable};
use gw_types::{DType, Dim, Kind, Scalar, Shape, TensorType};

use crate::support;

/// The op on parameters of these shapes, and then something that it is fused with.
fn graph(op: Op, dtype: DType, dims: &[Dim]) -> Option<Graph> {
    let mut b = Builder::new("f");
    let dtypes = [if op == Op::Select { DType::Bool } else { dtype }, dtype, dtype];
    let params: Vec<_> = dtypes[..op.operands().len()]
        .iter()
        .map(|&dtype| b.param(TensorType::new(dtype, Shape(dims.to_vec()))))
        .collect();
    let attr = if op == Op::Cast { Attr::To(DType::F32) } else { Attr::None };
    let result = b.op(op, attr, &params).ok()?;
    let again = b.op(Op::Select, Attr::None, &[result, result, params[0]]).ok();
    Some(b.finish([Some(result), again].into_iter().flatten().collect()))
}

fn numbers(dtype: DType, count: usize, seed: usize) -> Array {
    let ints = [0, 1, -1, 2, 3, 7, 31, 5, 100, 12];
    let floats = [0.0, -0.0, 1.0, -1.0, 0.3, 0.7, -2.5, 1e-41, 88.0, -90.0, 1e30, f64::INFINITY, f64::NAN];
    let scalar = |i: usize| match dtype.kind() {
        Kind::Bool => Scalar::Bool(i % 3 == 1),
        Kind::Int => Scalar::Int(ints[i % ints.len()]),
        Kind::Float => Scalar::Float(floats[i % floats.len()]),
    };
    Array::new(dtype, vec![count], (0..count).map(|i| scalar(i * (2 * seed + 1) + seed)).collect::<Vec<_>>())
}

/// The results' elements, bit by bit but for those of NaN; `None` if the run fails.
fn run(code: &Executable, inputs: &[Array]) -> Option<Vec<Vec<Option<u64>>>> {
    let buffers: Vec<Buffer> = inputs.iter().map(support::buffer).collect();
    let results = code.run(&buffers, &mut support::Recorder::default()).ok()?;
    let bits = |scalar: Scalar| match scalar {
        Scalar::Float(x) if x.is_nan() => None,
        Scalar::Float(x) => Some(x.to_bits()),
        Scalar::Int(_) | Scalar::Bool(_) => Some(scalar.to_i64() as u64),
    };
    Some(results.iter().map(|result| result.scalars().map(bits).collect()).collect())
}

/// Runs an op on arrays of this length, for both kinds of registers, and on each of their elements alone.
fn check(op: Op, dtype: DType, count: usize) -> usize {
    let Some(alone) = graph(op, dtype, &[]) else { return 0 };
    let alone = gw_cpu::compile(&alone).expect("compiles");
    let array = graph(op, dtype, &[Dim::Fixed(count)]).expect("as alone");
    let dtypes = [if op == Op::Select { DType::Bool } else { dtype }, dtype, dtype];
    let operands: Vec<Array> = (0..op.operands().len()).map(|at| numbers(dtypes[at], count, at)).collect();
    for registers in [Registers::Widest, Registers::Common] {
        let code = gw_cpu::compile_for(&array, registers).expect("compiles");
        let Some(found) = run(&code, &operands) else { return 0 };
        for i in 0..count {
            let one: Vec<Array> = operands.iter().map(|x| Array::scalar(x.dtype, x.elements[i])).collect();
            let wanted = run(&alone, &one).expect("as in the array");
            let found: Vec<_> = found.iter().map(|result| vec![result[i]]).collect();
            assert_eq!(found, wanted, "{} of {one:?} in {registers:?}", op.text());
        }
    }
    count
}

#[test]
fn elements_are_computed_as_numbers_are() {
    let mut ran = 0;
    for &op in Op::ALL.iter().filter(|op| op.class() == Class::Elementwise) {
        for &dtype in DType::ALL {
            ran += check(op, dtype, 7) + check(op, dtype, 53);
        }
    }
    assert!(ran > 1000);
}
