//! The intrinsics as users call them: arguments are turned into blocks with a hint of their type, checked, and bound.

mod aggregations;
mod caller;
mod maps;
mod select;
mod sequences;

pub use aggregations::{
    federated_aggregate, federated_max, federated_mean, federated_min, federated_secure_sum,
    federated_secure_sum_bitwidth, federated_sum,
};
pub use caller::Caller;
pub use maps::{
    federated_broadcast, federated_eval, federated_map, federated_map_all_equal, federated_value,
    federated_zip,
};
pub use select::{federated_secure_select, federated_select};
pub use sequences::{sequence_map, sequence_reduce, sequence_sum};
