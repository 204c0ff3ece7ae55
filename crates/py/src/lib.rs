//! The door to Python: objects in, the lobby's answer, objects out. It decides nothing.

mod alone;
mod any_rank;
mod api;
mod arguments;
mod array;
mod array_methods;
mod as_it_is;
mod asked;
mod asking;
mod assigned;
mod bound;
mod boxes;
mod builtins;
mod call_node;
mod carried_arrays;
mod cell;
mod check;
mod compare;
mod concrete;
mod concrete_function;
mod conversion;
mod convert;
mod current;
mod denormals;
mod depth;
mod dtype;
mod eagerly;
mod effects;
mod endless;
mod errors;
mod federated;
mod fingerprint;
mod forwards;
mod frames;
mod function;
mod generators;
mod growing;
mod guards;
mod hidden;
mod holder;
mod host;
mod host_value;
mod inherited;
mod init_scope;
mod iterable;
mod kept;
mod key;
mod lists;
mod log;
mod maybe_structure;
mod meanings;
mod moment;
mod number_types;
mod opaque;
mod operators;
mod optional;
mod output;
mod outward;
mod overflow;
mod own_type;
mod own_way;
mod pack;
mod parameters;
mod pattern;
mod places;
mod positions;
mod print;
mod progress;
mod promotion;
mod python_for;
mod python_print;
mod raised;
mod reached;
mod recomputed;
mod records;
mod recursion;
mod regions;
mod retrace;
mod roll;
mod rolling;
mod second_tier;
mod semantics;
mod served;
mod settled;
mod shared;
mod sharing;
mod signature;
mod spec;
mod special_methods;
mod spot;
mod stage;
mod staged_for;
mod store;
mod strings;
mod structure;
mod structured;
mod surroundings;
mod tables;
mod tape;
mod target;
mod tensor;
mod tensor_array;
mod tensor_folds;
mod tensor_ops;
mod tensor_text;
mod threads;
mod traceback;
mod traces;
mod tracked;
mod tries;
mod turn;
mod unclear;
mod updates;
mod variable;
mod view;
mod walk;
mod watch;
mod withs;
mod world;
mod write_back;
mod written;

use pyo3::prelude::*;

/// The native half of `graphwright`.
///
/// It does not ask for the GIL: what threads share is behind locks that are never held while Python runs
/// (`traces.rs`), what a tracing needs is of its thread (`current.rs`), and all memory that is shared is immutable or
/// atomic. `make freethreaded` compiles it for a Python without the GIL.
#[pymodule(gil_used = false)]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::bound::BoundFunction;
    #[pymodule_export]
    use crate::concrete_function::{ConcreteFunction, GraphDef, GraphText, NodeDef};
    #[pymodule_export]
    use crate::dtype::PyDType;
    #[pymodule_export]
    use crate::function::Function;
    #[pymodule_export]
    use crate::generators::Generator;
    #[pymodule_export]
    use crate::host_value::HostValue;
    #[pymodule_export]
    use crate::iterable::Iterable;
    #[pymodule_export]
    use crate::operators::Operators;
    #[pymodule_export]
    use crate::operators::backend::BackendState;
    #[pymodule_export]
    use crate::operators::names::Possible;
    #[pymodule_export]
    use crate::operators::registry::{register_backend, unregister_backend};
    #[pymodule_export]
    use crate::served::HostFunction;
    #[pymodule_export]
    use crate::spec::PyTensorSpec;
    #[pymodule_export]
    use crate::tape::GradientTape;
    #[pymodule_export]
    use crate::tensor::Tensor;
    #[pymodule_export]
    use crate::tensor_array::TensorArray;
    #[pymodule_export]
    use crate::turn::StateLock;
    #[pymodule_export]
    use crate::variable::Variable;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::register(module)
    }
}

fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    graphwright::disk::keep_code();
    graphwright::threads::as_configured();
    errors::register(module)?;
    recursion::prepare(module.py());
    dtype::register(module)?;
    api::register(module)?;
    semantics::register(module.py())?;
    view::register(module)?;
    served::register(module)?;
    served::marks::register(module)?;
    served::by_hand::register(module)?;
    meanings::register(module)?;
    tables::register(module)?;
    conversion::register(module)?;
    federated::register(module)?;
    init_scope::register(module)?;
    progress::register(module)?;
    reached::register(module)?;
    module.add_function(wrap_pyfunction!(roll::set_maximum_iterations, module)?)?;
    module.add_function(wrap_pyfunction!(roll::set_checkpoint, module)?)?;
    module.add_function(wrap_pyfunction!(roll::range_of_numbers, module)?)?;
    module.add_function(wrap_pyfunction!(tensor_ops::as_range, module)?)?;
    module.add_function(wrap_pyfunction!(tape::watched_by_tape, module)?)?;
    module.add_function(wrap_pyfunction!(target::stablehlo_module, module)?)?;
    module.add_function(wrap_pyfunction!(target::run_by, module)?)?;
    module.add_function(wrap_pyfunction!(records::masked_crc32c, module)?)?;
    module.add_function(wrap_pyfunction!(records::texts, module)?)?;
    module.add_function(wrap_pyfunction!(own_way::own_way, module)?)?;
    module.add_function(wrap_pyfunction!(recomputed::recomputed, module)?)?;
    module.add_function(wrap_pyfunction!(eagerly::run_functions_eagerly, module)?)?;
    module.add_function(wrap_pyfunction!(eagerly::functions_run_eagerly, module)?)?;
    module.add_function(wrap_pyfunction!(log::verbosity, module)?)?;
    module.add_function(wrap_pyfunction!(log::set_verbosity, module)?)?;
    module.add_function(wrap_pyfunction!(second_tier::found_library, module)?)?;
    module.add_function(wrap_pyfunction!(second_tier::finish, module)?)?;
    module.add_function(wrap_pyfunction!(second_tier::improved_functions, module)?)?;
    module.add_function(wrap_pyfunction!(check::check_files, module)?)?;
    module.add_function(wrap_pyfunction!(check::page, module)?)?;
    module.add_function(wrap_pyfunction!(check::serve_editor, module)?)?;
    denormals::register(module)?;
    module.add_function(wrap_pyfunction!(overflow::integer_overflow, module)?)?;
    module.add_function(wrap_pyfunction!(overflow::set_integer_overflow, module)?)?;
    module.add_function(wrap_pyfunction!(number_types::as_number, module)?)?;
    module.add_function(wrap_pyfunction!(number_types::like_items, module)?)?;
    module.add_function(wrap_pyfunction!(number_types::were_items, module)?)?;
    module.add_function(wrap_pyfunction!(number_types::is_number, module)?)?;
    module.add_function(wrap_pyfunction!(number_types::check_integer, module)?)?;
    module.add_function(wrap_pyfunction!(promotion::dtype_promotion, module)?)?;
    module.add_function(wrap_pyfunction!(promotion::set_dtype_promotion, module)?)?;
    module.add_function(wrap_pyfunction!(threads::threads, module)?)?;
    module.add_function(wrap_pyfunction!(threads::set_threads, module)?)?;
    module.add_function(wrap_pyfunction!(traceback::full_tracebacks, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("operators", operators::the(module.py())?)?;
    // The package says what is public; a second list here would only have to agree with its stub.
    module.delattr("__all__")
}
