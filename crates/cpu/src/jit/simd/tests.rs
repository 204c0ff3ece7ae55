//! Encodings of each kind of instruction of 256 bits, beside their disassembly:
//! `objdump -D -b binary -m i386:x86-64 -M intel`.

use expect_test::{Expect, expect};

use super::code::{Code, Jump};
use super::instruction::Place::{Given, Left, Register, Stream};
use super::instruction::{Instruction, Lanes, Place};
use super::vectors::{BITS_256, BITS_512};

const fn single(map: u8, prefix: u8, number: u8) -> Instruction {
    Instruction { map, prefix, wide: false, number }
}

const fn double(map: u8, prefix: u8, number: u8) -> Instruction {
    Instruction { map, prefix, wide: true, number }
}

/// An instruction, its registers, its operand that may be in memory, and its immediate.
type Written = (Instruction, [u8; 2], Place, Option<u8>);

const INSTRUCTIONS: &[(&str, Written)] = &[
    ("vmovups ymm3,[rcx+rax*4]", (single(1, 0, 0x10), [3, 0], Stream(1), None)),
    ("vmovups [r11+rax*4],ymm12", (single(1, 0, 0x11), [12, 0], Stream(11), None)),
    ("vmovaps ymm9,ymm14", (single(1, 0, 0x28), [9, 0], Register(14), None)),
    ("vmovups ymm15,[rsi]", (single(1, 0, 0x10), [15, 0], Left, None)),
    ("vmaskmovps ymm3,ymm3,[r8+rax*4]", (single(2, 1, 0x2c), [3, 3], Stream(8), None)),
    ("vmaskmovps [rdx+rax*4],ymm15,ymm4", (single(2, 1, 0x2e), [4, 15], Stream(2), None)),
    ("vmaskmovpd ymm3,ymm3,[r8+rax*4]", (single(2, 1, 0x2d), [3, 3], Stream(8), None)),
    ("vmaskmovpd [rdx+rax*4],ymm15,ymm4", (single(2, 1, 0x2f), [4, 15], Stream(2), None)),
    ("vaddps ymm3,ymm9,ymm14", (single(1, 0, 0x58), [3, 9], Register(14), None)),
    ("vmulps ymm10,ymm1,[rdi+0x40]", (single(1, 0, 0x59), [10, 1], Given(2), None)),
    ("vsubpd ymm3,ymm9,ymm14", (double(1, 1, 0x5c), [3, 9], Register(14), None)),
    ("vdivpd ymm3,ymm9,ymm14", (double(1, 1, 0x5e), [3, 9], Register(14), None)),
    ("vminps ymm3,ymm9,ymm14", (single(1, 0, 0x5d), [3, 9], Register(14), None)),
    ("vmaxpd ymm3,ymm9,ymm14", (double(1, 1, 0x5f), [3, 9], Register(14), None)),
    ("vsqrtps ymm8,ymm1", (single(1, 0, 0x51), [8, 0], Register(1), None)),
    ("vroundps ymm8,ymm1,0x9", (single(3, 1, 0x08), [8, 0], Register(1), Some(9))),
    ("vroundpd ymm8,ymm1,0xa", (double(3, 1, 0x09), [8, 0], Register(1), Some(10))),
    ("vcvtdq2ps ymm8,ymm1", (single(1, 0, 0x5b), [8, 0], Register(1), None)),
    ("vcvtps2pd ymm8,xmm9", (single(1, 0, 0x5a), [8, 0], Register(9), None)),
    ("vextractf128 xmm9,ymm8,0x1", (single(3, 1, 0x19), [8, 0], Register(9), Some(1))),
    ("vfmadd231ps ymm3,ymm9,ymm14", (single(2, 1, 0xb8), [3, 9], Register(14), None)),
    ("vfmadd213pd ymm3,ymm9,ymm14", (double(2, 1, 0xa8), [3, 9], Register(14), None)),
    ("vfmadd132ps ymm3,ymm9,[rdi]", (single(2, 1, 0x98), [3, 9], Given(0), None)),
    ("vfmsub231ps ymm3,ymm9,ymm14", (single(2, 1, 0xba), [3, 9], Register(14), None)),
    ("vpand ymm3,ymm9,ymm14", (single(1, 1, 0xdb), [3, 9], Register(14), None)),
    ("vpor ymm3,ymm9,ymm14", (double(1, 1, 0xeb), [3, 9], Register(14), None)),
    ("vpxor ymm3,ymm9,ymm14", (double(1, 1, 0xef), [3, 9], Register(14), None)),
    ("vandps ymm3,ymm9,[rsi]", (single(1, 0, 0x54), [3, 9], Left, None)),
    ("vorpd ymm3,ymm9,ymm14", (double(1, 1, 0x56), [3, 9], Register(14), None)),
    ("vpaddd ymm3,ymm9,ymm14", (single(1, 1, 0xfe), [3, 9], Register(14), None)),
    ("vpaddq ymm3,ymm9,ymm14", (double(1, 1, 0xd4), [3, 9], Register(14), None)),
    ("vpsubd ymm3,ymm9,ymm14", (single(1, 1, 0xfa), [3, 9], Register(14), None)),
    ("vpsubq ymm3,ymm9,ymm14", (double(1, 1, 0xfb), [3, 9], Register(14), None)),
    ("vpmulld ymm3,ymm9,ymm14", (single(2, 1, 0x40), [3, 9], Register(14), None)),
    ("vpmuludq ymm3,ymm9,ymm14", (double(1, 1, 0xf4), [3, 9], Register(14), None)),
    ("vpabsd ymm8,ymm1", (single(2, 1, 0x1e), [8, 0], Register(1), None)),
    ("vpslld ymm9,ymm14,0x17", (single(1, 1, 0x72), [6, 9], Register(14), Some(23))),
    ("vpsrad ymm9,ymm14,0x1", (single(1, 1, 0x72), [4, 9], Register(14), Some(1))),
    ("vpsllq ymm9,ymm14,0x20", (double(1, 1, 0x73), [6, 9], Register(14), Some(32))),
    ("vpsrlq ymm9,ymm14,0x20", (double(1, 1, 0x73), [2, 9], Register(14), Some(32))),
    ("vpsllvd ymm3,ymm9,ymm14", (single(2, 1, 0x47), [3, 9], Register(14), None)),
    ("vpsrlvq ymm3,ymm9,ymm14", (double(2, 1, 0x45), [3, 9], Register(14), None)),
    ("vpsravd ymm3,ymm9,[rdi+0x20]", (single(2, 1, 0x46), [3, 9], Given(1), None)),
    ("vcmplt_oqps ymm3,ymm9,ymm14", (single(1, 0, 0xc2), [3, 9], Register(14), Some(0x11))),
    ("vcmpneqpd ymm3,ymm9,ymm14", (double(1, 1, 0xc2), [3, 9], Register(14), Some(4))),
    ("vpcmpeqd ymm3,ymm9,ymm14", (single(1, 1, 0x76), [3, 9], Register(14), None)),
    ("vpcmpgtd ymm3,ymm9,ymm14", (single(1, 1, 0x66), [3, 9], Register(14), None)),
    ("vpcmpeqq ymm3,ymm9,ymm14", (single(2, 1, 0x29), [3, 9], Register(14), None)),
    ("vpcmpgtq ymm3,ymm9,ymm14", (single(2, 1, 0x37), [3, 9], Register(14), None)),
];

/// The first bytes of code for elements of this width.
fn bytes(width: usize, emit: impl FnOnce(&mut Code)) -> String {
    let mut code = Code::new(&BITS_256, width, vec![1, 2]);
    emit(&mut code);
    code.bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[track_caller]
fn check(rows: impl IntoIterator<Item = (String, &'static str)>, wanted: &Expect) {
    let rows: Vec<String> = rows.into_iter().map(|(bytes, read)| format!("{bytes:24} {read}\n")).collect();
    wanted.assert_eq(&rows.concat());
}

#[test]
fn instructions_of_256_bits() {
    let written = |(read, (instruction, registers, from, immediate)): &(&'static str, Written)| {
        let emit = |code: &mut Code| code.vector(*instruction, Lanes::All, *registers, *from, *immediate);
        (bytes(4, emit), *read)
    };
    check(
        INSTRUCTIONS.iter().map(written),
        &expect![[r#"
            c4e17c101c81             vmovups ymm3,[rcx+rax*4]
            c4417c112483             vmovups [r11+rax*4],ymm12
            c4417c28ce               vmovaps ymm9,ymm14
            c4617c103e               vmovups ymm15,[rsi]
            c4c2652c1c80             vmaskmovps ymm3,ymm3,[r8+rax*4]
            c4e2052e2482             vmaskmovps [rdx+rax*4],ymm15,ymm4
            c4c2652d1c80             vmaskmovpd ymm3,ymm3,[r8+rax*4]
            c4e2052f2482             vmaskmovpd [rdx+rax*4],ymm15,ymm4
            c4c13458de               vaddps ymm3,ymm9,ymm14
            c46174599740000000       vmulps ymm10,ymm1,[rdi+0x40]
            c4c1b55cde               vsubpd ymm3,ymm9,ymm14
            c4c1b55ede               vdivpd ymm3,ymm9,ymm14
            c4c1345dde               vminps ymm3,ymm9,ymm14
            c4c1b55fde               vmaxpd ymm3,ymm9,ymm14
            c4617c51c1               vsqrtps ymm8,ymm1
            c4637d08c109             vroundps ymm8,ymm1,0x9
            c463fd09c10a             vroundpd ymm8,ymm1,0xa
            c4617c5bc1               vcvtdq2ps ymm8,ymm1
            c4417c5ac1               vcvtps2pd ymm8,xmm9
            c4437d19c101             vextractf128 xmm9,ymm8,0x1
            c4c235b8de               vfmadd231ps ymm3,ymm9,ymm14
            c4c2b5a8de               vfmadd213pd ymm3,ymm9,ymm14
            c4e235989f00000000       vfmadd132ps ymm3,ymm9,[rdi]
            c4c235bade               vfmsub231ps ymm3,ymm9,ymm14
            c4c135dbde               vpand ymm3,ymm9,ymm14
            c4c1b5ebde               vpor ymm3,ymm9,ymm14
            c4c1b5efde               vpxor ymm3,ymm9,ymm14
            c4e134541e               vandps ymm3,ymm9,[rsi]
            c4c1b556de               vorpd ymm3,ymm9,ymm14
            c4c135fede               vpaddd ymm3,ymm9,ymm14
            c4c1b5d4de               vpaddq ymm3,ymm9,ymm14
            c4c135fade               vpsubd ymm3,ymm9,ymm14
            c4c1b5fbde               vpsubq ymm3,ymm9,ymm14
            c4c23540de               vpmulld ymm3,ymm9,ymm14
            c4c1b5f4de               vpmuludq ymm3,ymm9,ymm14
            c4627d1ec1               vpabsd ymm8,ymm1
            c4c13572f617             vpslld ymm9,ymm14,0x17
            c4c13572e601             vpsrad ymm9,ymm14,0x1
            c4c1b573f620             vpsllq ymm9,ymm14,0x20
            c4c1b573d620             vpsrlq ymm9,ymm14,0x20
            c4c23547de               vpsllvd ymm3,ymm9,ymm14
            c4c2b545de               vpsrlvq ymm3,ymm9,ymm14
            c4e235469f20000000       vpsravd ymm3,ymm9,[rdi+0x20]
            c4c134c2de11             vcmplt_oqps ymm3,ymm9,ymm14
            c4c1b5c2de04             vcmpneqpd ymm3,ymm9,ymm14
            c4c13576de               vpcmpeqd ymm3,ymm9,ymm14
            c4c13566de               vpcmpgtd ymm3,ymm9,ymm14
            c4c23529de               vpcmpeqq ymm3,ymm9,ymm14
            c4c23537de               vpcmpgtq ymm3,ymm9,ymm14
        "#]],
    );
}

#[test]
fn what_lies_around_them() {
    let to_the_start = |code: &mut Code, jump: Jump| code.land(jump, 0);
    let rows = [
        (bytes(4, |code| code.blend(false, 13, [3, 9], Register(14))), "vblendvps ymm3,ymm9,ymm14,ymm13"),
        (bytes(8, |code| code.blend(true, 13, [3, 9], Given(1))), "vblendvpd ymm3,ymm9,[rdi+0x20],ymm13"),
        (
            bytes(8, |code| code.vector(double(1, 1, 0x10), Lanes::All, [8, 0], Stream(9), None)),
            "vmovupd ymm8,[r9+rax*8]",
        ),
        (bytes(4, |code| code.leave(9)), "vptest ymm9,ymm9; jne"),
        (bytes(4, Code::mask_rest), "lea r11,[rip]; neg rsi; lea rsi,[r11+rsi*4]"),
        (bytes(8, Code::mask_rest), "lea r11,[rip]; neg rsi; lea rsi,[r11+rsi*8]"),
        (
            bytes(8, |code| {
                let jump = code.mask_next();
                to_the_start(code, jump);
            }),
            "add rsi,0x20; lea r11,[rip]; cmp rsi,r11; jge 0",
        ),
        (bytes(4, |code| code.begin(2)), "xor eax,eax; sub rsi,0x10"),
        (bytes(8, Code::advance), "add rax,0x4"),
        (bytes(8, |code| code.count_rest(2)), "add rsi,0x8; sub rsi,rax"),
    ];
    check(
        rows,
        &expect![[r#"
        c4c3354aded0             vblendvps ymm3,ymm9,ymm14,ymm13
        c4e3354b9f20000000d0     vblendvpd ymm3,ymm9,[rdi+0x20],ymm13
        c441fd1004c1             vmovupd ymm8,[r9+rax*8]
        c4427d17c90f8500000000   vptest ymm9,ymm9; jne
        4c8d1d0000000048f7de498d34b3 lea r11,[rip]; neg rsi; lea rsi,[r11+rsi*4]
        4c8d1d0000000048f7de498d34f3 lea r11,[rip]; neg rsi; lea rsi,[r11+rsi*8]
        4883c6204c8d1d000000004c39de0f8decffffff add rsi,0x20; lea r11,[rip]; cmp rsi,r11; jge 0
        31c04881ee10000000       xor eax,eax; sub rsi,0x10
        480504000000             add rax,0x4
        4881c6080000004829c6     add rsi,0x8; sub rsi,rax
    "#]],
    );
}

#[test]
fn constants_lie_behind_the_code_once_for_each_lane() {
    let mut code = Code::new(&BITS_256, 8, vec![1, 2]);
    code.vector(double(3, 1, 0x09), Lanes::All, [1, 0], Place::Pool(1), Some(9));
    let code = code.finish();
    // vroundpd ymm1,[rip+0x56],0x9; vzeroupper; ret
    assert_eq!(code[..14], [0xc4, 0xe3, 0xfd, 0x09, 0x0d, 0x56, 0, 0, 0, 9, 0xc5, 0xf8, 0x77, 0xc3]);
    let (constants, lanes) = code[64..].split_at(64);
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    assert_eq!(constants.chunks(8).map(word).collect::<Vec<_>>(), [1, 1, 1, 1, 2, 2, 2, 2]);
    assert_eq!(lanes, [[0xff; 64], [0; 64]].concat());
}

#[test]
fn tables_lie_between_the_code_and_the_constants() {
    let mut code = Code::new(&BITS_512, 4, vec![3]);
    code.tables = [[1; 64], [2; 64]].concat();
    code.vector(single(2, 1, 0x16), Lanes::All, [1, 17], Place::Table(64), None);
    code.vector(single(1, 0, 0x58), Lanes::All, [1, 2], Place::Pool(0), None);
    let code = code.finish();
    // vpermps zmm1,zmm17,[rip+0x76]; vaddps zmm1,zmm2,[rip+0xac]{1to16}; vzeroupper; ret
    assert_eq!(code[..10], [0x62, 0xf2, 0x75, 0x40, 0x16, 0x0d, 0x76, 0, 0, 0]);
    assert_eq!(code[10..20], [0x62, 0xf1, 0x6c, 0x58, 0x58, 0x0d, 0xac, 0, 0, 0]);
    assert_eq!(code[64..], [&[1; 64][..], &[2; 64], &[3, 0, 0, 0]].concat());
}
