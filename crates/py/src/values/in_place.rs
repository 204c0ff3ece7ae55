//! Operators that change their operand: arrays of NumPy change, names of anything else are bound anew.

use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::optional::maybe::Maybe;
use crate::optional::used::Used;
use crate::session;
use crate::values::semantics::Semantics;
use crate::values::tensor::Tensor;
use crate::values::tensor_ops::binary;
use crate::values::variable::Variable;
use crate::values::{array, store};
use gw_base::Code;
use gw_ir::BinaryOp;
use gw_trace::calls::Call;
use gw_types::DType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

impl Semantics {
    /// That of an operand with axes, or of an array without; numbers and what is no tensor have none.
    fn of(object: &Bound<'_, PyAny>) -> Option<Self> {
        if let Ok(tensor) = object.cast::<Tensor>() {
            let tensor = tensor.get();
            return match tensor.known_semantics() {
                Some(Self::Reference) if tensor.is_staged() => Some(Self::Reference),
                _ => (!tensor.is_number()).then(|| tensor.semantics()),
            };
        }
        if object.is_instance_of::<Variable>() {
            return Some(Semantics::Value);
        }
        if object.is_instance_of::<Maybe>() {
            return Some(Semantics::Unknown);
        }
        let has_axes = || object.getattr("ndim").and_then(|n| n.is_truthy()).unwrap_or(false);
        (array::is_array(object) && has_axes()).then_some(Semantics::Reference)
    }

    /// That of what an operator or a function of NumPy makes of operands: one `gw.Tensor` among them makes it one.
    pub fn of_result(operands: &[&Bound<'_, PyAny>]) -> Self {
        let mut found = None;
        for operand in operands {
            match Self::of(operand) {
                Some(Semantics::Value) => return Semantics::Value,
                Some(Semantics::Unknown) => found = Some(Semantics::Unknown),
                Some(Semantics::Reference) => found = found.or(Some(Semantics::Reference)),
                None => {}
            }
        }
        found.unwrap_or(Semantics::Value)
    }
}

/// `x += other` and its kin: changes an array, and lets Python bind the name anew for anything else.
fn in_place<'py>(
    call: &Call,
    symbol: &'static str,
    target: &Bound<'py, Tensor>,
    other: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, tensor) = (target.py(), target.get());
    let rebinds = || Ok(py.NotImplemented().into_bound(py));
    let Some(tracing) = session::current().filter(|_| tensor.is_staged()) else { return rebinds() };
    let known = tensor.known_semantics();
    if tensor.is_number() && known != Some(Semantics::Reference) {
        return rebinds();
    }
    tracing.arrays().asked();
    match tensor.semantics() {
        Semantics::Value => return rebinds(),
        Semantics::Unknown => return Err(undecided(py, symbol)),
        Semantics::Reference => {}
    }
    if tensor.is_number() {
        return Err(without_axes(py, symbol));
    }
    let value = binary(call, target.as_any(), other, Used::Right(symbol, target.as_any()))?;
    if value.is(py.NotImplemented()) {
        return Ok(value);
    }
    store::replace(target, fitting(tensor, &value, ufunc(symbol))?)?;
    Ok(target.clone().into_any())
}

/// The same for what may be `None`, or an array or a number: refused where there are arrays.
fn perhaps_in_place<'py>(target: &Bound<'py, Maybe>, symbol: &'static str) -> PyResult<Bound<'py, PyAny>> {
    let (py, maybe) = (target.py(), target.get());
    let is_array = maybe.tracing.trace.ty(maybe.staged.value).rank() > 0;
    if is_array && maybe.tracing.arrays().are_present() {
        maybe.tracing.arrays().asked();
        return Err(undecided(py, symbol));
    }
    Ok(py.NotImplemented().into_bound(py))
}

/// `np.add(x, y, out=target)` and its kin, with what the function gives; refused where the target may be no array.
#[pyfunction]
pub fn replaced<'py>(
    target: &Bound<'py, Tensor>,
    value: &Bound<'py, PyAny>,
    function: &str,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(tracing) = session::current() {
        tracing.arrays().asked();
    }
    if target.get().semantics() != Semantics::Reference || target.get().is_number() {
        let message = format!(
            "`{function}` would change what it is given in place, which is no NumPy array, or the graph decides whether it is one"
        );
        let help = format!("write `x[...] = np.{function}(x)`, or give the result a name of its own");
        return Err(errors::here(target.py(), Code::StoreUnclear, &message, &help));
    }
    store::replace(target, fitting(target.get(), value, function)?)?;
    Ok(target.clone().into_any())
}

/// The result of an operator in the type of the array that takes it, as NumPy casts it: to no lower kind.
fn fitting(target: &Tensor, value: &Bound<'_, PyAny>, function: &str) -> PyResult<Operand> {
    let (to, found) = (target.element(), operands::operand(value)?);
    let from = found.dtype();
    if !casts(from, to) {
        let (from, to) = (from.python_name(), to.python_name());
        return Err(PyTypeError::new_err(format!(
            "Cannot cast ufunc '{function}' output from dtype('{from}') to dtype('{to}') with casting rule 'same_kind'"
        )));
    }
    let (wanted, lengths) = (target.lengths(), found.lengths());
    let differs = |(a, b): (&Option<usize>, &Option<usize>)| matches!((a, b), (Some(a), Some(b)) if a != b);
    if wanted.len() != lengths.len() || wanted.iter().zip(&lengths).any(differs) {
        return Err(PyValueError::new_err(format!(
            "non-broadcastable output operand with shape {} doesn't match the broadcast shape {}",
            crate::values::shapes::plain_shape(&wanted),
            crate::values::shapes::plain_shape(&lengths)
        )));
    }
    if from == to {
        return Ok(found);
    }
    operands::apply(value.py(), &Call::Cast(to), vec![found])
}

/// NumPy's rule `same_kind`, to which integers with and without a sign are two kinds.
fn casts(from: DType, to: DType) -> bool {
    let loses_sign = from.is_int() && !from.is_unsigned() && to.is_unsigned();
    from == to || (from.kind().is_in(to.kind()) && !loses_sign)
}

/// Name of the NumPy function of an operator.
fn ufunc(symbol: &str) -> &'static str {
    const NAMES: &[(&str, &str)] = &[
        ("+=", "add"),
        ("-=", "subtract"),
        ("*=", "multiply"),
        ("/=", "divide"),
        ("//=", "floor_divide"),
        ("%=", "remainder"),
        ("**=", "power"),
        ("&=", "bitwise_and"),
        ("|=", "bitwise_or"),
        ("^=", "bitwise_xor"),
        ("<<=", "left_shift"),
        (">>=", "right_shift"),
    ];
    NAMES.iter().find(|(operator, _)| *operator == symbol).map_or("matmul", |(_, name)| name)
}

#[pymethods]
impl Tensor {
    /// Stores other real parts.
    #[setter(real)]
    fn set_real(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        set_part(slf, "real", value)
    }

    /// Stores other imaginary parts.
    #[setter(imag)]
    fn set_imag(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        set_part(slf, "imag", value)
    }
}

/// `x.real = value` and `x.imag = value`
fn set_part(slf: &Bound<'_, Tensor>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let methods = slf.py().import("graphwright._numpy.methods")?;
    methods.call_method1("set_part", (slf, name, value)).map(drop)
}

fn undecided(py: Python<'_>, symbol: &str) -> PyErr {
    let message = format!(
        "`{symbol}` changes a NumPy array in place and binds the name of a tensor anew, and the graph decides which \
         of them this is"
    );
    let plain = symbol.trim_end_matches('=');
    let help =
        format!("write `x = x {plain} y` for a new array, or `x[...] = x {plain} y` to change this one");
    errors::here(py, Code::StoreUnclear, message, &help)
}

fn without_axes(py: Python<'_>, symbol: &str) -> PyErr {
    let message = format!("`{symbol}` changes a NumPy array without axes in place, which a graph cannot do");
    let plain = symbol.trim_end_matches('=');
    let help = format!("pass a number, or write `x = x {plain} y`");
    errors::here(py, Code::StoreUnclear, message, &help)
}

macro_rules! in_place_operators {
    ($($name:ident $public:literal $symbol:literal $call:expr;)*) => {
        $(
            #[pymethods]
            impl Tensor {
                fn $name<'py>(
                    slf: &Bound<'py, Self>,
                    other: &Bound<'py, PyAny>,
                ) -> PyResult<Bound<'py, PyAny>> {
                    in_place(&$call, $symbol, slf, other)
                }
            }

            #[pymethods]
            impl Maybe {
                fn $name<'py>(
                    slf: &Bound<'py, Self>,
                    other: &Bound<'py, PyAny>,
                ) -> PyResult<Bound<'py, PyAny>> {
                    let _ = other;
                    perhaps_in_place(slf, $symbol)
                }
            }
        )*

        /// Gives the classes Python's names of these operators: written as such, they could not leave the name to be bound
        /// anew.
        pub fn register(py: Python<'_>) -> PyResult<()> {
            for class in [py.get_type::<Tensor>(), py.get_type::<Maybe>()] {
                $(
                    class.setattr($public, class.getattr(stringify!($name))?)?;
                    class.delattr(stringify!($name))?;
                )*
            }
            Ok(())
        }
    };
}

in_place_operators! {
    _iadd "__iadd__" "+=" Call::binary(BinaryOp::Add);
    _isub "__isub__" "-=" Call::binary(BinaryOp::Sub);
    _imul "__imul__" "*=" Call::binary(BinaryOp::Mul);
    _itruediv "__itruediv__" "/=" Call::TrueDiv;
    _ifloordiv "__ifloordiv__" "//=" Call::binary(BinaryOp::FloorDiv);
    _imod "__imod__" "%=" Call::binary(BinaryOp::Mod);
    _ipow "__ipow__" "**=" Call::Power;
    _iand "__iand__" "&=" Call::binary(BinaryOp::And);
    _ior "__ior__" "|=" Call::binary(BinaryOp::Or);
    _ixor "__ixor__" "^=" Call::binary(BinaryOp::Xor);
    _ilshift "__ilshift__" "<<=" Call::binary(BinaryOp::Shl);
    _irshift "__irshift__" ">>=" Call::binary(BinaryOp::Shr);
    _imatmul "__imatmul__" "@=" Call::Matmul { transpose_x: false, transpose_y: false };
}
