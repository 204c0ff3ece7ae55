//! Functions of the host: what of an annotation or a promise tells no graph what comes back.

use crate::value::Value;

/// The classes of which no graph knows a tensor.
const OPAQUE: &[&str] = &[
    "builtins.bytearray",
    "builtins.bytes",
    "builtins.dict",
    "builtins.frozenset",
    "builtins.list",
    "builtins.object",
    "builtins.set",
    "builtins.tuple",
    "graphwright.Tensor",
    "numpy.ndarray",
    "typing.Any",
];

/// The reason why an annotation does not say what a function gives; nothing if it does, or is not known.
pub fn unpromised(annotation: &Value) -> Option<String> {
    if let Some(path) = annotation.path().filter(|path| OPAQUE.contains(path)) {
        let name = path.strip_prefix("builtins.").unwrap_or(path);
        return Some(format!("`{name}` does not say what it gives"));
    }
    without_axes(annotation)
}

/// The reason why a promise does not say how many axes a result has; nothing if it does, or is not known.
fn without_axes(promise: &Value) -> Option<String> {
    if let Value::DType(dtype) = promise {
        return Some(format!("`{}` does not say how many axes it has", dtype.python_name()));
    }
    if *promise == Value::OpenSpec {
        return Some("`TensorSpec(None)` does not say how many axes it has".to_owned());
    }
    promise.items()?.iter().find_map(without_axes)
}
