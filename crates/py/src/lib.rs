//! The door to Python: objects in, the lobby's answer, objects out. It decides nothing.

#[cfg(feature = "mimalloc")]
mod allocator;
mod api;
mod calls;
mod containers;
mod convert;
mod dependencies;
mod effects;
mod exceptions;
mod federated;
mod function;
mod host;
mod host_calls;
mod iteration;
mod operators;
mod optional;
mod session;
mod settings;
mod tape;
mod values;

use pyo3::prelude::*;

/// The native half of `graphwright`.
///
/// It does not ask for the GIL: what threads share is behind locks that are never held while Python runs
/// (`graphwright::function::graph_cache`), what a tracing needs is of its thread (`session/mod.rs`), and all memory that is shared is immutable or
/// atomic. `make freethreaded` compiles it for a Python without the GIL.
#[pymodule(gil_used = false)]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::containers::tensor_array::TensorArray;
    #[pymodule_export]
    use crate::function::Function;
    #[pymodule_export]
    use crate::function::bound::BoundFunction;
    #[pymodule_export]
    use crate::function::concrete_function::ConcreteFunction;
    #[pymodule_export]
    use crate::host_calls::HostFunction;
    #[pymodule_export]
    use crate::host_calls::host_value::HostValue;
    #[pymodule_export]
    use crate::iteration::generators::Generator;
    #[pymodule_export]
    use crate::iteration::iterable::Iterable;
    #[pymodule_export]
    use crate::operators::backend::BackendState;
    #[pymodule_export]
    use crate::operators::object::Operators;
    #[pymodule_export]
    use crate::operators::registry::register_backend;
    #[pymodule_export]
    use crate::optional::possible::Possible;
    #[pymodule_export]
    use crate::session::backends::unregister_backend;
    #[pymodule_export]
    use crate::tape::GradientTape;
    #[pymodule_export]
    use crate::values::dtype::PyDType;
    #[pymodule_export]
    use crate::values::graph_text::{GraphDef, GraphText, NodeDef};
    #[pymodule_export]
    use crate::values::spec::PyTensorSpec;
    #[pymodule_export]
    use crate::values::tensor::Tensor;
    #[pymodule_export]
    use crate::values::turn::StateLock;
    #[pymodule_export]
    use crate::values::variable::Variable;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::register(module)
    }
}

fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    graphwright::disk::keep_code();
    graphwright::threads::as_configured();
    exceptions::errors::register(module)?;
    session::interrupts::prepare(module.py());
    session::wiring::connect(py);
    values::dtype::register(module)?;
    api::register(module)?;
    values::in_place::register(module.py())?;
    module.add_function(wrap_pyfunction!(values::in_place::replaced, module)?)?;
    values::view::register(module)?;
    host_calls::register(module)?;
    host_calls::marks::register(module)?;
    host_calls::by_hand::register(module)?;
    operators::builtin_table::register(module)?;
    containers::tables::register(module)?;
    convert::conversion::register(module)?;
    federated::register(module)?;
    host_calls::init_scope::register(module)?;
    iteration::progress::register(module)?;
    dependencies::register(module)?;
    module.add_function(wrap_pyfunction!(iteration::loop_settings::set_maximum_iterations, module)?)?;
    module.add_function(wrap_pyfunction!(iteration::loop_settings::set_checkpoint, module)?)?;
    module.add_function(wrap_pyfunction!(iteration::loop_settings::range_of_numbers, module)?)?;
    module.add_function(wrap_pyfunction!(values::tensor_ops::as_range, module)?)?;
    module.add_function(wrap_pyfunction!(tape::watched_by_tape, module)?)?;
    module.add_function(wrap_pyfunction!(function::target::stablehlo_module, module)?)?;
    module.add_function(wrap_pyfunction!(function::target::run_by, module)?)?;
    module.add_function(wrap_pyfunction!(settings::records::masked_crc32c, module)?)?;
    module.add_function(wrap_pyfunction!(settings::records::texts, module)?)?;
    module.add_function(wrap_pyfunction!(tape::custom_gradient::own_way, module)?)?;
    module.add_function(wrap_pyfunction!(tape::recomputed::recomputed, module)?)?;
    module.add_function(wrap_pyfunction!(function::eagerly::run_functions_eagerly, module)?)?;
    module.add_function(wrap_pyfunction!(function::eagerly::functions_run_eagerly, module)?)?;
    module.add_function(wrap_pyfunction!(session::log::verbosity, module)?)?;
    module.add_function(wrap_pyfunction!(session::log::set_verbosity, module)?)?;
    module.add_function(wrap_pyfunction!(settings::second_tier::found_library, module)?)?;
    module.add_function(wrap_pyfunction!(settings::second_tier::finish, module)?)?;
    module.add_function(wrap_pyfunction!(settings::second_tier::improved_functions, module)?)?;
    module.add_function(wrap_pyfunction!(settings::check::check_files, module)?)?;
    module.add_function(wrap_pyfunction!(settings::check::page, module)?)?;
    module.add_function(wrap_pyfunction!(settings::check::serve_editor, module)?)?;
    settings::denormals::register(module)?;
    module.add_function(wrap_pyfunction!(settings::overflow::integer_overflow, module)?)?;
    module.add_function(wrap_pyfunction!(settings::overflow::set_integer_overflow, module)?)?;
    module.add_function(wrap_pyfunction!(optional::number_types::as_number, module)?)?;
    module.add_function(wrap_pyfunction!(optional::number_types::like_items, module)?)?;
    module.add_function(wrap_pyfunction!(optional::number_types::were_items, module)?)?;
    module.add_function(wrap_pyfunction!(optional::number_types::is_number, module)?)?;
    module.add_function(wrap_pyfunction!(optional::number_types::check_integer, module)?)?;
    module.add_function(wrap_pyfunction!(settings::promotion::dtype_promotion, module)?)?;
    module.add_function(wrap_pyfunction!(settings::promotion::set_dtype_promotion, module)?)?;
    settings::register(module)?;
    module.add_function(wrap_pyfunction!(exceptions::traceback::full_tracebacks, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("operators", operators::object::the(module.py())?)?;
    // The package says what is public; a second list here would only have to agree with its stub.
    module.delattr("__all__")
}
