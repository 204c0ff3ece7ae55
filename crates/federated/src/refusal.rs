//! A refusal: what the user's program may not do, as a kind of exception and a message.

/// The kinds of exceptions that the language raises, by the names that TFF gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raises {
    /// A value has the wrong type.
    TypeError,
    /// A value has the right type and is not allowed.
    ValueError,
    /// An index is out of range.
    IndexError,
    /// A value has no such attribute.
    AttributeError,
    /// A value is called that is no function.
    SyntaxError,
    /// A structure is nested too deeply.
    RecursionError,
    /// One type cannot be assigned to another.
    TypeNotAssignableError,
    /// Two types are not equivalent.
    TypesNotEquivalentError,
}

/// The user's program is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of exception.
    pub raises: Raises,
    /// The message of the exception.
    pub message: String,
}

/// A result that may be a refusal.
pub type Allowed<T> = Result<T, Refusal>;

impl Refusal {
    /// Refuses with an exception of the kind `raises`.
    pub fn new(raises: Raises, message: impl Into<String>) -> Refusal {
        Refusal { raises, message: message.into() }
    }

    /// Refuses with a `TypeError`.
    pub fn wrong_type(message: impl Into<String>) -> Refusal {
        Refusal::new(Raises::TypeError, message)
    }

    /// Refuses with a `ValueError`.
    pub fn wrong_value(message: impl Into<String>) -> Refusal {
        Refusal::new(Raises::ValueError, message)
    }
}
