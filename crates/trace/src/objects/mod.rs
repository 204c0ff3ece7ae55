//! Containers of the host in the graph: the meaning of a list, dict or set that a statement of the graph changes. The object stays
//! the host's, so every name of it stays one object; only its contents change form. Once a branch or loop makes a list
//! longer or shorter, or a value of the graph is its index, it holds *rows*: one item that stands for as many elements as
//! there are when the graph runs.

mod access;
mod carried;
mod each;
mod elements;
mod equality;
mod heap;
mod held;
mod operand;
mod order;
mod registry;
mod rows;
mod statement;
mod tables;

pub use access::{
    Index, at, change_items, count, delete, find, get, insert, is_at, pop, read_leaves, remove_at, reverse,
    set, some, store_leaves,
};
pub use carried::{ByValue, Lists};
pub use each::{Walk, Walking, check_walked};
pub use elements::{elements, elements_unknown, is_element, is_unchanged, list_refusal, parts, settled};
pub use equality::{contains, equal, tell_apart};
pub use heap::{Heap, TableKind};
pub use held::Elements;
pub use operand::Operand;
pub use order::{extreme, ordered, sort};
pub use registry::{Changed, ReachedList, Registry};
pub use rows::{Misfit, Piece, meet, rows, taken};
pub use statement::staged;
pub use tables::{PairPart, is_there, key, of_pairs, place, table_refusal};
