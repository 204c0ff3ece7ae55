//! The variables of a statement's state: what each of them is to the program, and how diagnostics speak of it.

use std::fmt;

/// A variable that flows through a statement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// A name as the program writes it.
    Name(String),
    /// An attribute as the program writes it: `self.x`, `d['k'].x`.
    Attribute(String),
    /// An item of a container as the program writes it: `d['k']`, `xs[0]`.
    Item(String),
    /// The value that the function returns.
    Returned,
    /// The same where something of the function runs between its `return` and its end: the `finally` of a `try`, the end of a `with`.
    ReturnedBefore,
    /// The value of an expression, which no name has yet.
    Result,
    /// The number of the exception that a function of the graph raises.
    Exception,
    /// The elements of a tensor that the statement stores into.
    Contents,
    /// The value of a `Variable`.
    Variable,
    /// A place that the program reaches by no text.
    Around,
    /// A variable of which nothing is known.
    Unknown,
}

impl Slot {
    /// The variable of this text of the program.
    pub fn of(text: impl Into<String>) -> Self {
        let text = text.into();
        match text.ends_with(']') {
            true => Self::Item(text),
            false if text.contains(['.', '[']) => Self::Attribute(text),
            false => Self::Name(text),
        }
    }

    /// The variable at a position of a statement's state.
    pub fn at(slots: &[Self], at: usize) -> &Self {
        slots.get(at).unwrap_or(&Self::Unknown)
    }

    /// True if the program says which variable it is, so that a lack of a value is the program's.
    pub fn is_users(&self) -> bool {
        match self {
            Self::Name(_) | Self::Attribute(_) | Self::Item(_) | Self::Unknown => true,
            Self::Returned | Self::ReturnedBefore | Self::Result | Self::Exception => false,
            Self::Contents | Self::Variable | Self::Around => false,
        }
    }

    /// True of the value that the function returns.
    pub fn is_returned(&self) -> bool {
        matches!(self, Self::Returned | Self::ReturnedBefore)
    }

    /// The words for it in a sentence, without quotation marks.
    pub fn text(&self) -> &str {
        match self {
            Self::Name(text) | Self::Attribute(text) | Self::Item(text) => text,
            Self::Returned | Self::ReturnedBefore => "the returned value",
            Self::Result => "the result",
            Self::Exception => "the number of an exception",
            Self::Contents => "the elements of a tensor",
            Self::Variable => "the value of a variable",
            Self::Around => "the value of an attribute or variable around it",
            Self::Unknown => "a variable",
        }
    }
}

/// The words for it in a sentence: the program's text stands between backticks.
impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(text) | Self::Attribute(text) | Self::Item(text) => write!(f, "`{text}`"),
            Self::Returned | Self::ReturnedBefore | Self::Result => f.write_str(self.text()),
            Self::Exception | Self::Contents => f.write_str(self.text()),
            Self::Variable | Self::Around | Self::Unknown => f.write_str(self.text()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_text_stands_between_backticks() {
        assert_eq!(Slot::of("self.x").to_string(), "`self.x`");
        assert_eq!(Slot::Returned.to_string(), "the returned value");
    }

    #[test]
    fn a_text_tells_what_it_names() {
        assert_eq!(Slot::of("d['k']"), Slot::Item("d['k']".to_owned()));
        assert_eq!(Slot::of("d['k'].x"), Slot::Attribute("d['k'].x".to_owned()));
    }

    #[test]
    fn a_variable_may_be_called_as_words_begin() {
        assert!(Slot::of("the x").is_users());
        assert_eq!(Slot::at(&[], 3), &Slot::Unknown);
    }
}
