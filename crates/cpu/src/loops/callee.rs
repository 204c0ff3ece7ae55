//! The functions outside that loops call: kernels, and what the runtime provides.

use gw_kernels::Function;

use super::Ty;

/// A function outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callee {
    /// Of the kernels.
    Kernel(Function),
    /// `grow(slot, bytes) -> bool`
    Grow,
    /// `extend(slot, bytes, used) -> bool`: the bytes that are used stay.
    Extend,
    /// `speak(context, site) -> bool`
    Speak,
    /// `ask(context, site) -> bool`: the host is called.
    Ask,
    /// `poll(context) -> bool`
    Poll,
    /// `enter(context, function) -> bool`
    Enter,
    /// `leave(context)`
    Leave,
    /// `copy(to, from, bytes)`
    Copy,
    /// `append(context, string, string) -> string`
    Append,
    /// `order(string, string) -> -1, 0 or 1`
    Order,
    /// `length(string) -> bytes`
    Length,
    /// `upper(context, string) -> string`
    Upper,
    /// `lower(context, string) -> string`
    Lower,
    /// `share(context, loop)`
    Share,
}

impl Callee {
    /// The types of its parameters and of its result.
    pub fn signature(&self) -> (Vec<Ty>, Option<Ty>) {
        let of = |word: &gw_kernels::Word| match word {
            gw_kernels::Word::F32 => Ty::F32,
            gw_kernels::Word::F64 => Ty::F64,
            gw_kernels::Word::I32 => Ty::I32,
            gw_kernels::Word::I64 => Ty::I64,
            gw_kernels::Word::Ptr => Ty::Ptr,
        };
        match self {
            Callee::Kernel(f) => (f.params.iter().map(of).collect(), f.result.as_ref().map(of)),
            Callee::Grow | Callee::Speak | Callee::Ask | Callee::Enter => {
                (vec![Ty::Ptr, Ty::I64], Some(Ty::Bool))
            }
            Callee::Extend => (vec![Ty::Ptr, Ty::I64, Ty::I64], Some(Ty::Bool)),
            Callee::Poll => (vec![Ty::Ptr], Some(Ty::Bool)),
            Callee::Leave => (vec![Ty::Ptr], None),
            Callee::Copy => (vec![Ty::Ptr, Ty::Ptr, Ty::I64], None),
            Callee::Append => (vec![Ty::Ptr, Ty::I64, Ty::I64], Some(Ty::I64)),
            Callee::Order => (vec![Ty::I64, Ty::I64], Some(Ty::I64)),
            Callee::Length => (vec![Ty::I64], Some(Ty::I64)),
            Callee::Upper | Callee::Lower => (vec![Ty::Ptr, Ty::I64], Some(Ty::I64)),
            Callee::Share => (vec![Ty::Ptr; 2], None),
        }
    }

    /// As it is shown in dumps.
    pub fn name(&self) -> &'static str {
        match self {
            Callee::Kernel(f) => f.name,
            Callee::Grow => "grow",
            Callee::Extend => "extend",
            Callee::Speak => "speak",
            Callee::Ask => "ask",
            Callee::Poll => "poll",
            Callee::Enter => "enter",
            Callee::Leave => "leave",
            Callee::Copy => "copy",
            Callee::Append => "append",
            Callee::Order => "order",
            Callee::Length => "length",
            Callee::Upper => "upper",
            Callee::Lower => "lower",
            Callee::Share => "share",
        }
    }
}
