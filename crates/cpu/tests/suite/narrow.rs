//! Elements narrower than the numbers they are, which loops widen and cut in their lanes, are what they are one by one.

use gw_cpu::Registers;
use gw_eval::Array;
use gw_ir::text::parse;
use gw_runtime::Buffer;
use gw_types::{DType, Scalar};

use crate::support;

const NARROW: [DType; 6] = [DType::I8, DType::U8, DType::I16, DType::U16, DType::U32, DType::F16];

/// A chain of random ops over two arrays of a type, some of which are chosen by a comparison.
fn chain(dtype: DType, count: usize, seed: usize) -> String {
    let ty = format!("{}[{count}]", dtype.text());
    let ops: &[&str] = match dtype.is_float() {
        true => &["add", "sub", "mul", "max", "min", "div"],
        false => &["add", "sub", "mul", "max", "min", "and", "or", "xor"],
    };
    let mut random = seed;
    let mut below = |most: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % most
    };
    let (mut lines, mut known) = (String::new(), vec!["%x".to_owned(), "%y".to_owned()]);
    for at in 0..6 {
        let [x, y, z] = [(); 3].map(|()| known[below(known.len())].clone());
        lines += &match below(4) {
            0 => {
                format!("  %c{at} = lt {x}, {y} : bool[{count}]\n  %{at} = select %c{at}, {y}, {z} : {ty}\n")
            }
            1 if !dtype.is_float() => format!("  %{at} = neg {x} : {ty}\n"),
            _ => format!("  %{at} = {} {x}, {y} : {ty}\n", ops[below(ops.len())]),
        };
        known.push(format!("%{at}"));
    }
    format!(
        "func @f(%x: {ty}, %y: {ty}) -> ({ty}, {ty}) {{\n{lines}  return {}, {}\n}}\n",
        known[known.len() - 1],
        known[known.len() - 2]
    )
}

fn numbers(dtype: DType, count: usize, seed: usize) -> Array {
    let number = |i: usize| {
        let number = (i * 7919 + seed * 104_729) % 70_001;
        if dtype.is_float() {
            Scalar::Float((number as f64 - 35_000.0) / 64.0).cast(dtype)
        } else {
            Scalar::wrapped(dtype, number as i128 - 3_000)
        }
    };
    Array::new(dtype, vec![count], (0..count).map(number).collect::<Vec<_>>())
}

#[test]
fn random_chains_of_narrow_elements_agree() {
    for seed in 0..120 {
        let (dtype, count) = (NARROW[seed % NARROW.len()], [1, 15, 16, 53, 100, 150][seed / 6 % 6]);
        let text = chain(dtype, count, seed + 1);
        let graph = parse(&text).unwrap_or_else(|said| panic!("{said:?}: {text}"));
        let inputs = [numbers(dtype, count, seed), numbers(dtype, count, seed + 1)];
        support::compare(&graph, &inputs).unwrap_or_else(|said| panic!("{said}\n{text}"));
    }
}

/// The bytes of a cast of an array of all these bits, in code for so wide registers.
fn cast(from: DType, to: DType, bits: &Buffer, registers: Registers) -> Vec<u8> {
    let count = bits.lengths()[0];
    let (x, y) = (format!("{}[{count}]", from.text()), format!("{}[{count}]", to.text()));
    let text =
        format!("func @f(%x: {x}) -> ({y}) {{\n  %0 = cast %x to={} : {y}\n  return %0\n}}\n", to.text());
    let graph = parse(&text).unwrap_or_else(|said| panic!("{said:?}: {text}"));
    let code = gw_cpu::compile_for(&graph, registers).expect("compiles");
    let results = code.run(std::slice::from_ref(bits), &mut support::Recorder::default());
    results.expect("runs")[0].bytes().to_vec()
}

#[test]
fn all_numbers_of_half_precision_convert_as_one_by_one() {
    let halves: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    // Numbers around each half, ties and their neighbours, in the upper and in the lower bits.
    let near = |half: u16, more: u32| (u32::from(half) << 16 | more).to_le_bytes();
    let singles =
        [0, 1, 0x7fff, 0x8000, 0x8001, 0xffff].map(|more| (0..=u16::MAX).map(move |h| near(h, more)));
    let singles: Vec<u8> = singles.into_iter().flatten().flatten().collect();
    let ties: Vec<u8> =
        (0..1u32 << 18).flat_map(|n| ((n << 11) ^ 0x3800_0000 ^ (n & 1)).to_le_bytes()).collect();
    for half in [DType::F16, DType::BF16] {
        let up = Buffer::from_bytes(half, &[halves.len() / 2], &halves);
        let mut casts = vec![(half, DType::F32, up)];
        for numbers in [&singles, &ties] {
            casts.push((DType::F32, half, Buffer::from_bytes(DType::F32, &[numbers.len() / 4], numbers)));
        }
        for (from, to, bits) in casts {
            let wide = cast(from, to, &bits, Registers::UpTo512);
            let alone = cast(from, to, &bits, Registers::UpTo128);
            let differs = wide.iter().zip(&alone).position(|(x, y)| x != y);
            assert_eq!(differs, None, "{from} to {to}");
        }
    }
}
