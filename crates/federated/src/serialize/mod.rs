//! Serialised types and blocks: bytes for the structure, and tables of the host's containers and payloads beside them.
//!
//! The bytes begin with four letters and a version. Types and blocks are listed children first; each refers to earlier ones
//! by their numbers, so that what is shared is written once and is shared again when it is read.

mod bytes;
mod read;
mod write;

pub use read::{read_block, read_type};
pub use write::{write_block, write_type};

use std::sync::Arc;

use crate::host::Host;

/// The first bytes.
pub const MAGIC: &[u8; 4] = b"GWFC";

/// The version that is written, and the only one that is read.
pub const VERSION: u8 = 1;

/// A serialised type or block.
pub struct Serialized<H: Host> {
    /// The structure.
    pub bytes: Vec<u8>,
    /// The containers that the structure refers to by their numbers.
    pub containers: Vec<H::Container>,
    /// The payloads that the structure refers to by their numbers.
    pub payloads: Vec<Arc<H::Payload>>,
}

/// Tags of the kinds of types.
mod type_tag {
    pub const TENSOR: u8 = 0;
    pub const STRUCT: u8 = 1;
    pub const SEQUENCE: u8 = 2;
    pub const FUNCTION: u8 = 3;
    pub const ABSTRACT: u8 = 4;
    pub const PLACEMENT: u8 = 5;
    pub const FEDERATED: u8 = 6;
}

/// Tags of the kinds of blocks.
mod block_tag {
    pub const REFERENCE: u8 = 0;
    pub const SELECTION: u8 = 1;
    pub const STRUCT: u8 = 2;
    pub const CALL: u8 = 3;
    pub const LAMBDA: u8 = 4;
    pub const BLOCK: u8 = 5;
    pub const INTRINSIC: u8 = 6;
    pub const DATA: u8 = 7;
    pub const COMPILED: u8 = 8;
    pub const PLACEMENT: u8 = 9;
    pub const LITERAL: u8 = 10;
}
