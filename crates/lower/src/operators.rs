//! The contract between lowered code and its run time: the attributes of the object that [`crate::Lowered::operators`]
//! names, with their parameters. *Thunks* are functions without parameters.

/// One operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operator {
    /// The attribute.
    pub name: &'static str,
    /// Its positional parameters; none for a value that is not called.
    pub params: Option<&'static [&'static str]>,
}

macro_rules! operators {
    ($($(#[$doc:meta])* $name:ident $(($($param:ident),*))?;)*) => {
        /// Every operator, in the order of the table.
        pub const OPERATORS: &[Operator] = &[$(Operator {
            name: stringify!($name),
            params: operators!(@ $(($($param),*))?),
        }),*];
    };
    (@) => { None };
    (@ ($($param:ident),*)) => { Some(&[$(stringify!($param)),*]) };
}

operators! {
    /// A thunk that does nothing: the `else` of an `if` without one.
    nothing();
    /// Runs one of two thunks.
    if_stmt(test, body, orelse, state);
    /// Runs `body()` while `test()`; the variable named `flag`, if there is one, is asked before the test.
    while_stmt(test, body, state, flag);
    /// Runs `body(item)`; before each fetch asks the variable named `flag`, if it is not `None`, whether the loop was left.
    for_stmt(iterable, flag, body, state);
    /// True if a test leaves a loop, as a bool: `if test: break` at the end of its body.
    leaves(test);
    /// `try: body()`, where `rest(outcome)` is the statement with a call of `outcome` as its body; its handlers catch what the
    /// thunk `kinds` gives, and `always` says whether there is a `finally`.
    try_stmt(body, rest, kinds, always, state);
    /// Context manager that a `with` enters and leaves, before any of its methods is called.
    manager(context);
    /// Enters a manager and runs `body()`; `rest(outcome)` runs what stands for the body and leaves the manager. What entering
    /// gave is assigned to the name `target`, if it is one.
    with_stmt(manager, body, rest, target, state);
    /// Value that entering a manager gave.
    entered(manager);
    /// Leaves a manager, with the exception that is handled now if `raised`; whether that goes on.
    leave(manager, raised);
    /// A context manager for a `with` that stays: itself, or what looks at the graph when it is left.
    managed(context);
    /// Calls what stands for the body in the rest of a `try`.
    run(outcome);
    /// A generator expression over an iterable: what makes it, and what gives test and element of a tuple of one item.
    generator(iterable, make, parts);
    /// A list comprehension over a range or a name: what makes it, and what gives test and element of a tuple of one item.
    listed(iterable, make, parts);
    /// Another generator expression over an iterable: what makes it.
    made(iterable, make);
    /// Calls a thunk that stood in a generator expression: no `StopIteration` leaves it.
    yielded(thunk);
    /// Iterable of a loop that yields: a value itself, but for tensors of few rows, which it takes one by
    /// one.
    one_by_one(iterable);
    /// Gives what a generator yields to the loop over it; whether that stops.
    emit(value);
    /// Runs the body of the `with` whose manager yields a value.
    within(value);
    /// True if a comprehension keeps an item.
    keeps(test);
    /// The value of one of two thunks.
    if_exp(test, body, orelse);
    /// `a and rest()`.
    and_(a, rest);
    /// `a or rest()`.
    or_(a, rest);
    /// `not a`.
    not_(a);
    /// Value that a test asks: itself, but for a list of the graph the fact that it has elements.
    truth(value);
    /// A chain of comparisons: `a`, then any number of `(symbol, thunk)`.
    compare(a, rest);
    /// `value is None`.
    is_none(value);
    /// `a is b`.
    is_(a, b);
    /// `item in container`.
    contains(item, container);
    /// True if a subject fits a pattern, with the pattern's captures: `(fits, *captures)`.
    match_case(subject, count, pattern);
    /// Function to call instead of `f`.
    conv(f);
    /// `assert test, message()`, which holds if it returns; the message may be `None`.
    assert_(test, message);
    /// The text of an f-string as the message of an assertion: its texts and values, in their order.
    text(parts);
    /// A field of a text that is printed, with a format: its text, or what it will show.
    shown(value, conversion, format);
    /// A context manager for the body of a `try`, whose handlers catch what the thunk gives.
    handled(kinds);
    /// The classes that the first `except` of a `try` catches and raises again: all of them for a diagnostic of ours, none for
    /// an exception of the program.
    refusals();
    /// Begins an `except`: the traceback of the exception is made the user's.
    caught();
    /// The value of a thunk that reads a name of the function, which may have no value: then `UnboundLocalError`.
    ld(read, name);
    /// The same of a name of the module, or of a function around: then `NameError`.
    outer(read, name, is_global);
    /// The value of a thunk that reads a name, attribute or item, or a mark that there is none.
    peek(read);
    /// A value that holds places for items; a `LookupError` for a tensor, whose items are none, and where an item runs code
    /// of the user's.
    holder(value);
    /// A value whose attribute of this name is a place; an `AttributeError` where it runs code of the user's.
    fields(value, name);
    /// A value of which an attribute is taken away, or all that it holds itself is looked at.
    owner(value, name);
    /// A value into which an attribute is stored.
    stores(value, name);
    /// Value of a name into whose value the function stores.
    filled(value);
    /// Follows a store of an attribute: an object that stands for an element of a list changes the list.
    stored();
    /// A value of which `shape` is read: itself, but for tensors with lengths that only the run of a graph knows.
    shaped(value);
    /// Object whose items are read and changed: a value itself, but for lists while a graph is built.
    items(value);
    /// Iterable that Python takes all items from: a value itself, but for lists while a graph is built.
    each(value);
    /// A set of these items.
    set_of(items);
    /// A dict of these pairs.
    dict_of(pairs);
    /// `a ** b`.
    power(a, b);
    /// `a | b`.
    united(a, b);
    /// `a |= b`: the value of `a` then.
    united_in_place(a, b);
    /// Operand of `==`: a value itself, but for lists while a graph is built.
    whole(value);
    /// True if a value is not that mark.
    bound(value);
    /// Result of a function, some of whose paths reach its end, from the value of `retval_` there.
    retval(value);
    /// Result of a function, all of whose paths return, from the value of `retval_` at its end.
    returned(value);
    /// Value of `retval_` before the function returned; a value, not called.
    no_return;
}
