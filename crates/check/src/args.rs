//! The arguments of a call, and the parameters that they are given to.

use gw_syntax::{ExprId, Function, Name};

use crate::value::Value;

/// The arguments of a call, with the expressions that they are the values of.
#[derive(Debug, Clone, Default)]
pub struct Args {
    /// By position.
    pub positional: Vec<(Value, ExprId)>,
    /// By name.
    pub keywords: Vec<(Name, Value, ExprId)>,
    /// True if `*args` or `**kwargs` may give others.
    pub is_open: bool,
}

impl Args {
    /// The argument at a position or of a name; nothing if it is surely left out.
    pub fn get(&self, position: usize, name: &str) -> Option<&Value> {
        let by_name = || self.keywords.iter().find(|(key, ..)| &**key == name).map(|(_, value, _)| value);
        let found = self.positional.get(position).filter(|_| !self.is_open).map(|(value, _)| value);
        found.or_else(by_name).or_else(|| self.is_open.then_some(&Value::Unknown))
    }

    /// The expression at a position or of a name.
    pub fn expr(&self, position: usize, name: &str) -> Option<ExprId> {
        let by_name = || self.keywords.iter().find(|(key, ..)| &**key == name).map(|(.., expr)| *expr);
        self.positional.get(position).map(|(_, expr)| *expr).or_else(by_name)
    }

    /// The values of a function's parameters, in the order of `Params::all`; nothing if the call does not fit.
    /// A declared signature goes before the types of the arguments.
    pub fn bind(
        &self,
        function: &Function,
        declared: &[Value],
        default: &mut dyn FnMut(ExprId) -> Value,
    ) -> Option<Vec<Value>> {
        let params = &function.params;
        let most = params.positional().count();
        if self.positional.len() > most && params.vararg.is_none() {
            return None;
        }
        let mut values = Vec::new();
        for (i, param) in params.positional().chain(&params.kwonly).enumerate() {
            let place = if i < most { i } else { usize::MAX };
            let given = self.get(place, &param.name).cloned();
            let value = match (declared.get(i), given, param.default) {
                (Some(declared), ..) if *declared != Value::Unknown => declared.clone(),
                (_, Some(given), _) => given.named(),
                (_, None, Some(expr)) => default(expr).named(),
                (_, None, None) => return None,
            };
            values.push(value);
        }
        Some(values)
    }
}
