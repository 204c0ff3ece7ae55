//! Names that the user's function does not use.

use gw_analysis::NameSet;
use gw_syntax::Name;

macro_rules! names {
    ($($(#[$doc:meta])* $field:ident = $text:expr),* ; blocks: $($block:ident),*) => {
        /// The names that generated code uses, chosen once for a function of the user and all that is nested in it.
        #[derive(Debug, Clone)]
        pub struct Names {
            used: NameSet,
            flags: NameSet,
            $($(#[$doc])* pub $field: Name,)*
        }

        impl Names {
            /// Chooses names that differ from those used.
            pub fn new(mut used: NameSet) -> Self {
                $(let $field = choose(&mut used, $text);)*
                Self { used, flags: NameSet::new(), $($field),* }
            }

            /// The names of generated functions.
            pub fn blocks(&self) -> NameSet {
                [$(&self.$block),*].into_iter().cloned().collect()
            }
        }
    };
}

/// The beginning of the names that hold what a function returns.
pub const RETURNED: &str = "retval_";

/// The same where something of the function runs between its `return` and its end.
pub const RETURNED_BEFORE: &str = "retval_before_";

names! {
    /// Holds the operators.
    operators = "gw__",
    /// True once the function has returned.
    do_return = "do_return",
    /// Returned value.
    retval = RETURNED,
    /// The same, where a `finally`, or the end of a `with`, runs behind the `return`.
    retval_before = RETURNED_BEFORE,
    /// Reads the state of a block.
    get_state = "get_state",
    /// Writes the state of a block.
    set_state = "set_state",
    /// Argument of `set_state`.
    values = "values",
    /// The block of `if`.
    if_body = "if_body",
    /// The block of its `else`.
    if_orelse = "if_orelse",
    /// The test of `while`.
    loop_test = "loop_test",
    /// The block of a loop.
    loop_body = "loop_body",
    /// The block of the body of a `try`.
    try_body = "try_body",
    /// The block of all else of a `try`.
    try_rest = "try_rest",
    /// Argument of that function in place of the body.
    outcome = "outcome_",
    /// The block of the body of a `with`.
    with_body = "with_body",
    /// The block that leaves its manager.
    with_rest = "with_rest",
    /// Argument of a `for` block.
    item = "item_",
    /// Argument of a generator that may be a loop.
    items = "items_";
    blocks: get_state, set_state, if_body, if_orelse, loop_test, loop_body, try_body, try_rest,
        with_body, with_rest
}

impl Names {
    /// A name like this one that nothing uses yet.
    pub fn fresh(&mut self, like: &str) -> Name {
        choose(&mut self.used, like)
    }

    /// The flag of another loop that `break` leaves: true once it was left, and then nothing of its body runs any more.
    pub fn break_flag(&mut self) -> Name {
        let flag = self.fresh("break_");
        self.flags.insert(flag.clone());
        flag
    }

    /// True if a name is such a flag.
    pub fn is_break_flag(&self, name: &Name) -> bool {
        self.flags.contains(name)
    }
}

fn choose(used: &mut NameSet, like: &str) -> Name {
    let numbered = (1..).map(|n| Name::from(format!("{like}{n}")));
    let mut candidates = std::iter::once(Name::from(like)).chain(numbered);
    let free = candidates.find(|name| !used.contains(name)).unwrap_or_else(|| like.into());
    used.insert(free.clone());
    free
}
