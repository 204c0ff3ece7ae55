//! The rules: a code, how severe a finding is unless it says otherwise, and a title.
//!
//! A rule about what a run raises has the code and the page of that diagnostic (`docs/diagnostics/`); one that no run
//! raises has a page in `docs/check/`.

use std::fmt;

/// The weight of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The program does what it says, but hardly what is meant.
    Warning,
    /// The line fails whenever it is executed.
    Error,
}

impl Severity {
    /// As it is shown.
    pub fn text(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// The folder of the documentation in which a rule has its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folder {
    /// `docs/diagnostics/`: a run raises it too.
    Diagnostics,
    /// `docs/check/`: the checker alone says it.
    Check,
}

macro_rules! rules {
    ($($code:literal $name:ident $severity:ident $folder:ident $title:literal)*) => {
        /// The rules, one variant per row of the table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule { $(#[doc = $title] $name,)* }

        impl Rule {
            /// Every rule, in the table's order.
            pub const ALL: &[Rule] = &[$(Rule::$name,)*];

            /// `GWnnn`, as it is shown and as its page is named.
            pub fn code(self) -> &'static str { match self { $(Rule::$name => $code,)* } }

            /// The message in general words.
            pub fn title(self) -> &'static str { match self { $(Rule::$name => $title,)* } }

            /// The severity of a finding that says no other.
            pub fn severity(self) -> Severity { match self { $(Rule::$name => Severity::$severity,)* } }

            /// Folder of its page.
            pub fn folder(self) -> Folder { match self { $(Rule::$name => Folder::$folder,)* } }
        }
    };
}

rules! {
    "GW003" SyntaxNotRead Error   Diagnostics "the source text cannot be parsed"
    "GW105" UnboundName   Warning Diagnostics "a name is read before it has a value"
    "GW111" LeakedTensor  Warning Diagnostics "a tensor is used outside the function that made it"
    "GW118" UnrolledLoop  Warning Diagnostics "a Python loop is unrolled many times"
    "GW126" HostFunction  Error   Diagnostics "a function of the host is called or marked as it cannot be"
    "GW202" WrongShape    Error   Diagnostics "an operation does not take these shapes"
    "GW203" DTypesDiffer  Error   Diagnostics "two tensors of different dtypes meet in one operation"
    "GW204" BadArgument   Error   Diagnostics "an argument is not what the operation takes"
    "GW205" IndexPastEnd  Error   Diagnostics "an index is out of a known range"
    "GW503" FrozenCall    Error   Diagnostics "Python code that differs from call to call would run once"
    "GW505" TracePerValue Warning Check       "a graph function is traced for each value of a Python number"
}

impl Rule {
    /// The address of its page.
    pub fn url(self) -> String {
        let folder = match self.folder() {
            Folder::Diagnostics => "diagnostics",
            Folder::Check => "check",
        };
        format!("docs/{folder}/{}.md", self.code())
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}
