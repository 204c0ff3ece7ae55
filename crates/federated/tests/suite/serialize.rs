//! Serialised blocks read back, and damaged ones are refused.

use gw_federated::blocks::{Block, Local};
use gw_federated::serialize::{read_block, read_type, write_block, write_type};
use gw_federated::types::Field;
use gw_federated::{Placement, Raises};

use super::toy::{Text, Toys, Ty, allowed, literal, reference, structure, ty};

fn everything() -> Toys {
    let shared = literal("5", "int32");
    let pair = allowed(Block::structure(
        vec![
            gw_federated::blocks::Element::unnamed(shared.clone()),
            gw_federated::blocks::Element::unnamed(shared),
        ],
        Some("list"),
    ));
    let selected = allowed(Block::select_name(reference("s", "<a=int32[?,2]>"), "a"));
    let call = allowed(Block::call(reference("g", "( -> 'str'(shape=None))"), None));
    let elements = vec![
        (None, pair.clone()),
        (Some("sel"), selected),
        (None, allowed(Block::select_index(pair, 1))),
        (None, call),
        (None, Block::placement(Placement::Server)),
        (None, Block::intrinsic("federated_sum", ty("({int32}@CLIENTS -> int32@SERVER)"))),
        (None, Block::data(Text("data"), ty("<x=bool>*"))),
        (None, Block::compiled(Text("graph"), "01234567", ty("(T -> placement)"))),
        (None, Block::reference("r", ty("int32@CLIENTS"), Some(Text("ctx").into()))),
    ];
    let locals = vec![Local { name: "l".into(), value: structure(elements) }];
    let body = allowed(Block::with_locals(locals, allowed(Block::lambda(None, reference("l", "int32")))));
    allowed(Block::lambda(Some(("arg".into(), ty("<int32,a=float64>"))), body))
}

#[test]
fn blocks_read_back() {
    let block = everything();
    let written = write_block(&block);
    let again: Toys = allowed(read_block(&written.bytes, &written.containers, &written.payloads));
    assert_eq!(format!("{block:?}"), format!("{again:?}"));
    assert!(again.ty() == block.ty());
    assert_eq!(write_block(&again).bytes, written.bytes);
}

#[test]
fn shared_blocks_are_written_once_and_shared_again() {
    let mut block = reference("x", "int32");
    for _ in 0..40 {
        block = structure(vec![(None, block.clone()), (None, block)]);
    }
    let written = write_block(&block);
    assert!(written.bytes.len() < 2000);
    let again: Toys = allowed(read_block(&written.bytes, &written.containers, &written.payloads));
    assert!(again.children()[0].is(again.children()[1]));
}

#[test]
fn types_read_back() {
    let list = allowed(Ty::structure(vec![Field::named("a", ty("int32"))], Some("list")));
    for ty in [list, ty("(<a={T*}@CLIENTS,bool> -> float16[?])"), ty("complex128[-1]")] {
        let written = write_type(&ty);
        assert!(allowed(read_type(&written.bytes, &written.containers)) == ty);
    }
}

#[test]
fn damaged_bytes_are_refused() {
    let written = write_block(&everything());
    let read = |bytes: &[u8]| read_block::<super::toy::Toy>(bytes, &written.containers, &written.payloads);
    for length in 0..written.bytes.len() {
        assert!(read(&written.bytes[..length]).is_err(), "{length} bytes");
    }
    let mut refused = 0;
    for place in 0..written.bytes.len() {
        for byte in [0, 1, 2, 77, 128, 255] {
            let mut bytes = written.bytes.clone();
            bytes[place] = byte;
            refused += usize::from(read(&bytes).is_err());
        }
    }
    assert!(refused > written.bytes.len());
    let mut bytes = written.bytes.clone();
    bytes[4] = 2;
    let refusal = read(&bytes).err().map(|refusal| (refusal.raises, refusal.message));
    let message = "the computation is serialised in version 2, this one reads 1".to_owned();
    assert_eq!(refusal, Some((Raises::ValueError, message)));
    assert!(read_block::<super::toy::Toy>(&written.bytes, &[], &[]).is_err());
}
