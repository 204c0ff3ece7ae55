//! Diagnostics of the user's program: each is said once, with the place and what to write instead.
//!
//! One row of the table per diagnostic; one page per row in `docs/diagnostics/`.

use std::fmt;

use crate::Loc;

/// Python exception that a diagnostic is raised as.
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
    /// `graphwright.errors.ImplicitCopyError`, a `TypeError`
    ImplicitCopy,
}

/// The side that a diagnostic is about: the graph's limits or the program's mistakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// A limit of conversion or staging: plain Python raises nothing here, so no `except` of the program may catch it.
    Refusal,
    /// A mistake of the program: the same operation raises it outside of a graph too, and an `except` may catch it.
    Mistake,
}

macro_rules! diagnostics {
    ($($code:literal $name:ident $raises:ident $nature:ident $title:literal)*) => {
        /// The diagnostics, one variant per row of the table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code { $(#[doc = $title] $name,)* }

        impl Code {
            /// Every diagnostic, in the table's order.
            pub const ALL: &[Code] = &[$(Code::$name,)*];

            /// `GWnnn`, as it is shown and as its page is named.
            pub fn text(self) -> &'static str { match self { $(Code::$name => $code,)* } }

            /// General description of the diagnostic.
            pub fn title(self) -> &'static str { match self { $(Code::$name => $title,)* } }

            /// The side that it is about.
            pub fn nature(self) -> Nature { match self { $(Code::$name => Nature::$nature,)* } }

            /// The exception it is raised as.
            pub fn raises(self) -> Raises { match self { $(Code::$name => Raises::$raises,)* } }
        }
    };
}

diagnostics! {
    "GW001" NoSource            Conversion         Refusal "the source of a function cannot be found"
    "GW002" StaleSource         Conversion         Refusal "the source text no longer matches the running function"
    "GW003" SyntaxNotRead       Conversion         Refusal "the source text cannot be parsed"
    "GW004" TooDeep             Conversion         Refusal "a function nests too deep"
    "GW101" BranchTypesDiffer   TypeError          Refusal "a name has a different type in the two branches"
    "GW102" LoopChangesType     TypeError          Refusal "a name changes type from one iteration to the next"
    "GW103" BranchesDisagree    ValueError         Refusal "a name holds different Python objects after the two branches"
    "GW104" LoopChangesObject   ValueError         Refusal "a loop changes a Python object that is not a tensor"
    "GW105" UnboundName         UnboundLocal       Mistake "a name is read before it has a value"
    "GW106" TensorAsBool        OperatorNotAllowed Refusal "a tensor is used as a Python bool"
    "GW107" TensorIterated      OperatorNotAllowed Refusal "a tensor of the graph is iterated by Python"
    "GW108" TensorAsNumber      OperatorNotAllowed Refusal "a tensor of the graph is used as a Python number"
    "GW109" StagedStopInPython  OperatorNotAllowed Refusal "a Python `for` is stopped by a tensor"
    "GW110" MissingReturn       ValueError         Refusal "a value is returned on some paths only"
    "GW111" LeakedTensor        Leaked             Refusal "a tensor is used outside the function that made it"
    "GW112" CaughtInGraph       ValueError         Refusal "an exception of a branch or loop in the graph is caught"
    "GW113" ArgumentChanged     ValueError         Refusal "an argument is changed in place"
    "GW114" RaisedInGraph       ValueError         Mistake "an exception is raised where a tensor decides"
    "GW115" NotCaught           ValueError         Refusal "a `try` cannot catch what fails when the graph runs"
    "GW116" TensorAsText        OperatorNotAllowed Refusal "a tensor of the graph is put into a text"
    "GW117" EndlessCalls        RecursionError     Refusal "a function calls itself with arguments of another kind each time"
    "GW118" EndlessLoop         ValueError         Refusal "a `while` of Python's does not end while the graph is built"
    "GW120" NoMeaning           OperatorNotAllowed Refusal "a function of Python's own has no meaning for a tensor"
    "GW121" PartStored          ValueError         Refusal "a copy of a part of a tensor is stored into"
    "GW122" StoreUnclear        ValueError         Refusal "an array or object is changed that may be another one"
    "GW123" OutsideStored       ValueError         Refusal "a tensor from outside the function is stored into"
    "GW124" NoGradient          ValueError         Refusal "a derivative is asked of something that has none"
    "GW125" HostGradient        ValueError         Refusal "a derivative is asked through a call of the host"
    "GW126" HostCallRefused     TypeError          Refusal "a function of the host is called or marked as it cannot be"
    "GW130" ListInGraph         ValueError         Refusal "a list, dict or set in the graph is used as the graph cannot"
    "GW201" WrongDType          TypeError          Mistake "an operation does not take this dtype"
    "GW202" WrongShape          ValueError         Mistake "an operation does not take these shapes"
    "GW203" DTypesDiffer        TypeError          Mistake "two tensors of different dtypes meet in one operation"
    "GW204" BadArgument         ValueError         Mistake "an argument is not what the operation takes"
    "GW205" IndexPastEnd        Index              Mistake "an index is out of a known range"
    "GW301" NotATensor          TypeError          Mistake "a value cannot become a tensor"
    "GW302" SignatureMismatch   InvalidArgument    Mistake "a call does not fit the signature"
    "GW303" ResultNotTensor     TypeError          Refusal "a graph function returns something that is not a tensor"
    "GW304" VariableType        ValueError         Mistake "a variable is given a value that is not of its type"
    "GW305" VariableMadeAgain   ValueError         Refusal "a function makes a variable each time it is called"
    "GW306" IntegerTooWide      TypeError          Refusal "an integer of Python's is wider than a tensor holds"
    "GW401" BackendRefuses      TypeError          Refusal "a backend does not do what a value of its type decides"
    "GW402" TargetRefuses       TypeError          Refusal "a target does not do an operation of a graph"
    "GW501" CopyToHost          ImplicitCopy       Refusal "a value of the graph is copied to the host"
    "GW502" CopyToGraph         ImplicitCopy       Refusal "a value of the host is copied into the graph"
    "GW503" FrozenCall          ValueError         Refusal "Python code that differs from call to call would run once"
    "GW504" HostCallForbidden   ValueError         Refusal "a function that may not call the host calls it"
}

/// One place with what is to be said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Place that the label marks.
    pub at: Loc,
    /// Description of the marked text, in a few words.
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
    /// Advice on the code to write instead.
    pub help: Option<String>,
}

/// A value together with what was found wrong on the way to it. There is always a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosed<T> {
    /// The best value that could be made.
    pub value: T,
    /// Diagnostics, in the order of the text.
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
