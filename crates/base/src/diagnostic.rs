//! What is wrong with the user's program, said once, with the place and what to write instead.
//!
//! One row of the table per diagnostic; one page per row in `docs/diagnostics/`.

use std::fmt;

use crate::Loc;

/// Which Python exception a diagnostic is raised as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Raises {
    /// `TypeError`
    TypeError,
    /// `ValueError`
    ValueError,
    /// `graphwright.errors.OperatorNotAllowedInGraphError`, a `TypeError`
    OperatorNotAllowed,
    /// `graphwright.errors.ConversionError`, a `ValueError`
    Conversion,
    /// `UnboundLocalError`
    UnboundLocal,
    /// `IndexError`
    Index,
    /// `graphwright.errors.InvalidArgumentError`, a `TypeError` and a `ValueError`
    InvalidArgument,
    /// `graphwright.errors.LeakedTensorError`, a `TypeError` and an `AttributeError`
    Leaked,
    /// `RecursionError`
    RecursionError,
}

macro_rules! diagnostics {
    ($($code:literal $name:ident $raises:ident $title:literal)*) => {
        /// The diagnostics, one variant per row of the table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code { $(#[doc = $title] $name,)* }

        impl Code {
            /// Every diagnostic, in the table's order.
            pub const ALL: &[Code] = &[$(Code::$name,)*];

            /// `GWnnn`, as it is shown and as its page is named.
            pub fn text(self) -> &'static str { match self { $(Code::$name => $code,)* } }

            /// What it says, in general.
            pub fn title(self) -> &'static str { match self { $(Code::$name => $title,)* } }

            /// The exception it is raised as.
            pub fn raises(self) -> Raises { match self { $(Code::$name => Raises::$raises,)* } }
        }
    };
}

diagnostics! {
    "GW001" NoSource            Conversion         "the source of a function cannot be found"
    "GW002" StaleSource         Conversion         "the source text no longer matches the running function"
    "GW003" SyntaxNotRead       Conversion         "the source text cannot be parsed"
    "GW004" TooDeep             Conversion         "a function nests too deep"
    "GW101" BranchTypesDiffer   TypeError          "a name has a different type in the two branches"
    "GW102" LoopChangesType     TypeError          "a name changes type from one iteration to the next"
    "GW103" BranchesDisagree    ValueError         "a name holds different Python objects after the two branches"
    "GW104" LoopChangesObject   ValueError         "a loop changes a Python object that is not a tensor"
    "GW105" UnboundName         UnboundLocal       "a name is read before it has a value"
    "GW106" TensorAsBool        OperatorNotAllowed "a tensor is used as a Python bool"
    "GW107" TensorIterated      OperatorNotAllowed "a tensor of the graph is iterated by Python"
    "GW108" TensorAsNumber      OperatorNotAllowed "a tensor of the graph is used as a Python number"
    "GW109" StagedStopInPython  OperatorNotAllowed "a Python `for` is stopped by a tensor"
    "GW110" MissingReturn       ValueError         "a value is returned on some paths only"
    "GW111" LeakedTensor        Leaked             "a tensor is used outside the function that made it"
    "GW112" CaughtInGraph       ValueError         "an exception of a branch or loop in the graph is caught"
    "GW113" ArgumentChanged     ValueError         "an argument is changed in place"
    "GW114" RaisedInGraph       ValueError         "an exception is raised where a tensor decides"
    "GW115" NotCaught           ValueError         "a `try` cannot catch what fails when the graph runs"
    "GW116" TensorAsText        OperatorNotAllowed "a tensor of the graph is put into a text"
    "GW117" EndlessCalls        RecursionError     "a function calls itself with arguments of another kind each time"
    "GW118" EndlessLoop         ValueError         "a `while` of Python's does not end while the graph is built"
    "GW120" NoMeaning           OperatorNotAllowed "a function of Python's own has no meaning for a tensor"
    "GW121" PartStored          ValueError         "a copy of a part of a tensor is stored into"
    "GW122" StoreUnclear        ValueError         "an array or object is changed that may be another one"
    "GW123" OutsideStored       ValueError         "a tensor from outside the function is stored into"
    "GW124" NoGradient          ValueError         "a derivative is asked of something that has none"
    "GW125" HostGradient        ValueError         "a derivative is asked through a call of the host"
    "GW126" HostCallRefused     TypeError          "a function of the host is called or marked as it cannot be"
    "GW130" ListInGraph         ValueError         "a list, dict or set in the graph is used as the graph cannot"
    "GW201" WrongDType          TypeError          "an operation does not take this dtype"
    "GW202" WrongShape          ValueError         "an operation does not take these shapes"
    "GW203" DTypesDiffer        TypeError          "two tensors of different dtypes meet in one operation"
    "GW204" BadArgument         ValueError         "an argument is not what the operation takes"
    "GW205" IndexPastEnd        Index              "an index is out of a known range"
    "GW301" NotATensor          TypeError          "a value cannot become a tensor"
    "GW302" SignatureMismatch   InvalidArgument    "a call does not fit the signature"
    "GW303" ResultNotTensor     TypeError          "a graph function returns something that is not a tensor"
    "GW304" VariableType        ValueError         "a variable is given a value that is not of its type"
    "GW305" VariableMadeAgain   ValueError         "a function makes a variable each time it is called"
    "GW401" BackendRefuses      TypeError          "a backend does not do what a value of its type decides"
}

/// One place with what is to be said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub at: Loc,
    /// What is there, in a few words.
    pub text: String,
}

/// Something wrong with the user's program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The row of the table.
    pub code: Code,
    /// One line that names the user's own variables.
    pub message: String,
    /// The places, the main one first.
    pub labels: Vec<Label>,
    /// What to write instead.
    pub help: Option<String>,
}

/// A value together with what was found wrong on the way to it. There is always a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosed<T> {
    /// The best value that could be made.
    pub value: T,
    /// What is wrong, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl Diagnostic {
    /// A diagnostic without a place or a remedy yet.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), labels: Vec::new(), help: None }
    }

    /// With a place; the first one added is the main one.
    #[must_use]
    pub fn at(mut self, at: Loc, text: impl Into<String>) -> Self {
        self.labels.push(Label { at, text: text.into() });
        self
    }

    /// With what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl<T> Diagnosed<T> {
    /// A value with nothing wrong.
    pub fn fine(value: T) -> Self {
        Self { value, diagnostics: Vec::new() }
    }

    /// Goes on with the value and collects what the next step finds.
    pub fn then<U>(mut self, step: impl FnOnce(T) -> Diagnosed<U>) -> Diagnosed<U> {
        let next = step(self.value);
        self.diagnostics.extend(next.diagnostics);
        Diagnosed { value: next.value, diagnostics: self.diagnostics }
    }

    /// The value if nothing is wrong, otherwise the first diagnostic.
    pub fn into_result(self) -> Result<T, Box<Diagnostic>> {
        match self.diagnostics.into_iter().next() {
            None => Ok(self.value),
            Some(first) => Err(Box::new(first)),
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        if let Some(help) = &self.help {
            write!(f, "\nhelp: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}
