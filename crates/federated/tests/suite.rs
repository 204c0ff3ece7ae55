//! Tests of the federated language with a host of their own.

mod suite {
    mod blocks;
    mod drawings;
    mod intrinsics;
    mod packing;
    mod serialize;
    mod toy;
    mod tracing;
    mod types;
    mod values;
}
