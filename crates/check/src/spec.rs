//! Declared types of parameters: `gw.TensorSpec`, `graphwright.typing`, jaxtyping's strings.

use gw_syntax::{Constant, Expr, ExprId};
use gw_types::{DType, Dim, DimVar, Shape};

use crate::flow::Checker;
use crate::marks::Mark;
use crate::module::FunctionId;
use crate::value::{Tensor, UNKNOWN_LENGTH, Value};

impl Checker<'_> {
    /// The types that the signature or the annotations of a function give its parameters.
    pub fn declared(&mut self, id: FunctionId) -> Vec<Value> {
        let function = self.module.function(id);
        if let Mark::Graph(options) = self.mark(id).clone() {
            if !options.are_known {
                return Vec::new();
            }
            if let Some(signature) = options.signature {
                return self.signed(id, signature);
            }
        }
        let params = function.params.positional().chain(&function.params.kwonly);
        params.map(|param| param.annotation.map_or(Value::Unknown, |expr| self.annotated(id, expr))).collect()
    }

    /// The parameters of an `input_signature`; the owner of a method has none there.
    fn signed(&mut self, id: FunctionId, signature: ExprId) -> Vec<Value> {
        let value = if self.reads_around(id, signature) { Value::Unknown } else { self.default(signature) };
        let Some(items) = value.items().cloned() else { return Vec::new() };
        let owner = self.module.functions[id].in_class.then_some(Value::Unknown);
        owner.into_iter().chain(items.iter().map(described)).collect()
    }

    /// True if an expression in front of a function's body reads a name of a function around it.
    fn reads_around(&mut self, id: FunctionId, expr: ExprId) -> bool {
        let read = gw_analysis::of_expr(&self.module.tree, expr).reads;
        let mut around = self.module.functions[id].around;
        while let Some(outer) = around {
            let locals = self.locals_of(outer);
            if read.iter().any(|name| locals.number(name).is_some()) {
                return true;
            }
            around = self.module.functions[outer].around;
        }
        false
    }

    fn annotated(&mut self, id: FunctionId, annotation: ExprId) -> Value {
        let module = self.module;
        if self.reads_around(id, annotation) {
            return Value::Unknown;
        }
        if let Expr::Subscript { value, index } = &module.tree[annotation] {
            let path = crate::marks::path(module, *value).unwrap_or_default();
            return self.subscripted(id, &path, *index).map_or(Value::Unknown, Value::Tensor);
        }
        if crate::marks::path(module, annotation).as_deref() == Some("graphwright.Tensor") {
            return Value::any_tensor();
        }
        described(&self.default(annotation))
    }

    /// `Float32["batch 784"]`, and `Float32[Array, "batch 784"]` of jaxtyping's.
    fn subscripted(&mut self, id: FunctionId, path: &str, index: ExprId) -> Option<Tensor> {
        let tree = &self.module.tree;
        let (dtype, at) = if let Some(name) = path.strip_prefix("graphwright.typing.") {
            (Some(dtype_of(name)?), index)
        } else {
            let name = path.strip_prefix("jaxtyping.")?;
            let Expr::Tuple(items) = &tree[index] else { return None };
            let [_, lengths] = items[..] else { return None };
            (dtype_of_jaxtyping(name)?, lengths)
        };
        let Expr::Constant(Constant::Str(text)) = &tree[at] else { return None };
        Some(Tensor { dtype, shape: self.lengths(id, text) })
    }

    /// The lengths that a text names; nothing where it leaves their number open.
    fn lengths(&mut self, id: FunctionId, text: &str) -> Option<Shape> {
        let dims = text.split_whitespace().map(|word| self.length(id, word));
        dims.collect::<Option<Vec<Dim>>>().map(Shape)
    }

    fn length(&mut self, id: FunctionId, word: &str) -> Option<Dim> {
        if word == "..." || word.starts_with('*') {
            return None;
        }
        let word = word.rsplit('=').next().unwrap_or(word);
        if let Ok(length) = word.parse() {
            return Some(Dim::Fixed(length));
        }
        let is_name = word.chars().all(|c| c.is_alphanumeric() || c == '_') && !word.starts_with('_');
        if !is_name {
            return Some(UNKNOWN_LENGTH);
        }
        let number = self.symbols.len() as u32;
        let key = (id, word.to_owned());
        Some(Dim::Var(DimVar(*self.symbols.entry(key).or_insert(number))))
    }

    /// True if an annotation of the function describes a tensor.
    pub fn has_specs(&mut self, id: FunctionId) -> bool {
        self.declared(id).iter().any(|value| matches!(value, Value::Tensor(_)))
    }
}

/// The element type that a name of `graphwright.typing` stands for.
fn dtype_of(name: &str) -> Option<DType> {
    Some(match name {
        "Bool" => DType::Bool,
        "Int8" => DType::I8,
        "Int16" => DType::I16,
        "UInt8" => DType::U8,
        "UInt16" => DType::U16,
        "UInt32" => DType::U32,
        "UInt64" => DType::U64,
        "Float16" => DType::F16,
        "BFloat16" => DType::BF16,
        "Int32" => DType::I32,
        "Int64" => DType::I64,
        "Float32" => DType::F32,
        "Float64" => DType::F64,
        "String" => DType::Str,
        _ => return None,
    })
}

/// The same of jaxtyping's, of which some stand for several.
fn dtype_of_jaxtyping(name: &str) -> Option<Option<DType>> {
    const SEVERAL: &[&str] = &["Shaped", "Num", "Inexact", "Float", "Integer", "Int", "Real"];
    if SEVERAL.contains(&name) { Some(None) } else { dtype_of(name).map(Some) }
}

/// The tensor that a spec describes.
fn described(value: &Value) -> Value {
    if let Value::Spec(tensor) = value {
        return Value::Tensor(tensor.clone());
    }
    if *value == Value::OpenSpec { Value::any_tensor() } else { Value::Unknown }
}
