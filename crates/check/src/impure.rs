//! Calls whose answers differ each time and that the graph cannot make each time: GW503.
//!
//! `random`, `numpy.random`, `time.time` and the like are calls that the graph makes, so nothing is said of them.

use crate::args::Args;
use crate::value::{HostIterator, Value};

/// Functions whose results no graph holds, as `graphwright/_meanings/impure.py` refuses them.
const REFUSED: &[&str] = &[
    "datetime.date.today",
    "datetime.datetime.now",
    "datetime.datetime.today",
    "datetime.datetime.utcnow",
    "os.urandom",
    "random.randbytes",
    "secrets.token_bytes",
    "uuid.uuid1",
    "uuid.uuid4",
];

/// The same if they are called without arguments: then they answer for the time of the call.
const REFUSED_NOW: &[&str] = &["time.gmtime", "time.localtime"];

/// The message and the remedy for a function that the graph can neither call nor freeze.
pub fn refused(path: &str, args: &Args) -> Option<(String, String)> {
    let is_asked_now = !args.is_open && args.positional.is_empty() && args.keywords.is_empty();
    (REFUSED.contains(&path) || is_asked_now && REFUSED_NOW.contains(&path)).then(|| {
        let message = format!("`{path}` answers differently each time, and the graph cannot hold what it gives");
        let help = "call it outside the function and pass the result in, or in a function that `gw.host` marks and \
                    whose annotation says what it gives";
        (message, help.to_owned())
    })
}

/// The message and the remedy for a function that is called once, while the graph is built.
pub fn frozen(path: &str, args: &Args) -> Option<(String, String)> {
    if args.is_open || path != "builtins.open" || !reads(args) {
        return None;
    }
    let name = path.strip_prefix("builtins.").unwrap_or(path);
    let message =
        format!("`{name}` is called once, while the graph is built, and later calls get the same answer");
    let help = "call it outside the function and pass the result in, or in a function that `gw.host` marks";
    Some((message, help.to_owned()))
}

/// True if a file is opened to be read.
fn reads(args: &Args) -> bool {
    match args.get(1, "mode") {
        None => !args.positional.is_empty(),
        Some(Value::Str(mode)) => mode.starts_with('r') && !mode.contains('+'),
        Some(_) => false,
    }
}

/// The message and the remedy for items that are taken from an iterator that the graph cannot advance each time.
/// `is_next` says that one item is taken, which a graph can do if a copy of the iterator tells what it is.
pub fn advanced(iterator: HostIterator, is_next: bool, depth: u32) -> Option<(String, String)> {
    let message = match iterator.depth {
        Some(made) if made < depth => {
            "the iterator is made in front of this branch or loop of the graph, and would be advanced once, while the \
             graph is built"
        }
        None if !is_next || !iterator.can_be_copied => {
            "the iterator is made outside the function, and would be advanced once, while the graph is built"
        }
        Some(_) | None => return None,
    };
    let help = "index a tensor or a list by a counter, or pass the items in";
    Some((message.to_owned(), help.to_owned()))
}
