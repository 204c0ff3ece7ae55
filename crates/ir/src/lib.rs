//! The graph: typed, functional, with control flow as regions. What an op is called, what it takes, what it gives.
//!
//! Data's way: `Builder` makes a [`Graph`] (each op checked by [`infer`]), `verify` judges it, `text` prints and reads it.

mod attr;
mod builder;
mod compact;
mod denormals;
mod failing;
mod graph;
mod ids;
mod infer;
mod ops;
mod parts;
mod powers;
mod registers;
pub mod text;
mod verify;
mod windows;

pub use attr::{
    Attr, AxisSlice, Bound, CheckKind, DimArg, ForeignCall, HostCall, HostType, Keep, Literal, Piece, Place,
    PrintFormat, Stream,
};
pub use builder::Builder;
pub use failing::{can_fail, every, lengths_may_misfit, literal, may_overflow, values_may_fail};
pub use graph::{Function, Graph, Node, Region, Value, ValueDef};
pub use ids::{FunctionId, NodeId, RegionId, ValueId};
pub use infer::{Unfit, infer};
pub use ops::{
    ArgOp, Arity, BinaryOp, Class, CompareOp, Cost, Exact, MatrixOp, Needs, Op, PartOp, ReduceOp, Row,
    StringOp, Takes, TestOp, UnaryOp,
};
pub use powers::KnownPower;
pub use verify::{fits, verify};
pub use windows::Windows;
