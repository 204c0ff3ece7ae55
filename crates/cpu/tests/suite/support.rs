//! Runs a graph natively and in the reference interpreter, and compares all that can be seen.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use gw_base::Loc;
use gw_cpu::{Llvm, Native, Registers, Sharing};
use gw_eval::{Array, EvalError, Outcome};
use gw_ir::{Graph, Stream};
use gw_runtime::{Buffer, Executable, Failure, HostError, HostFn, RunError};
use gw_types::{DType, Scalar};

/// Keeps what is printed.
#[derive(Default)]
pub struct Recorder {
    pub printed: Vec<(Stream, String)>,
    pub polls: usize,
    /// Asks the run to end at this poll.
    pub stop_at: Option<usize>,
}

impl HostFn for Recorder {
    fn print(&mut self, stream: gw_runtime::Stream, text: &str) -> Result<(), HostError> {
        let stream = match stream {
            gw_runtime::Stream::Stderr => Stream::Stderr,
            gw_runtime::Stream::Stdout => Stream::Stdout,
        };
        self.printed.push((stream, text.to_owned()));
        Ok(())
    }

    fn call(&mut self, function: usize, args: Vec<Buffer>) -> Result<Vec<Buffer>, HostError> {
        let args: Vec<Array> = args.iter().map(array).collect();
        let unknown = || -> HostError { Box::new(format!("no function {function}")) };
        let given = gw_testkit::host::answer(function, &args).ok_or_else(unknown)?;
        Ok(given.iter().map(buffer).collect())
    }

    fn check_interrupt(&mut self) -> bool {
        self.polls += 1;
        self.stop_at.is_some_and(|stop| self.polls >= stop)
    }
}

pub fn buffer(array: &Array) -> Buffer {
    let mut bytes = Vec::new();
    array.elements.iter().for_each(|e| e.write(array.dtype, &mut bytes));
    Buffer::from_bytes(array.dtype, &array.lengths, &bytes)
}

pub fn array(buffer: &Buffer) -> Array {
    Array::new(buffer.dtype(), buffer.lengths().to_vec(), buffer.scalars())
}

/// The code of a graph, written as bytes and read again.
fn read_back(graph: &Graph, registers: Registers, sharing: Sharing) -> Executable {
    let native = Native::of(graph, registers, sharing).unwrap_or_else(|broken| panic!("{broken}"));
    let places: Vec<Loc> = graph.places.iter().filter_map(|(_, place)| place.clone()).collect();
    let number = |loc: &Loc| places.iter().position(|other| other == loc);
    let bytes = native.to_bytes(&number).expect("all that code wants has a name");
    let native = Native::from_bytes(&bytes, &places).expect("what was written reads back");
    native.load().unwrap_or_else(|broken| panic!("{broken}"))
}

/// The second tier, if its library was there when this was compiled.
pub fn llvm() -> Option<&'static Llvm> {
    static LLVM: OnceLock<Option<Llvm>> = OnceLock::new();
    let open = |path| Llvm::open(Path::new(path)).unwrap_or_else(|said| panic!("{path}: {said}"));
    LLVM.get_or_init(|| option_env!("LLVM_LIBRARY").filter(|path| !path.is_empty()).map(open)).as_ref()
}

/// Outcome of a run, in the reference interpreter's terms. The code has been written as bytes and read again.
/// The tiers give the same, bit by bit, and so does code for narrower registers, or whose loops several
/// threads share, however many.
pub fn native(graph: &Graph, inputs: &[Array]) -> Result<Outcome, (RunError, Printed)> {
    native_of(graph, inputs, true)
}

/// The same; loops are shared if that is wanted.
fn native_of(graph: &Graph, inputs: &[Array], shares: bool) -> Result<Outcome, (RunError, Printed)> {
    let (given, printed) = ran(&read_back(graph, Registers::UpTo512, Sharing::WorthIt), inputs);
    let alike = |executable: &Executable, what: &str| {
        let (other, other_printed) = ran(executable, inputs);
        let told = |given: &Result<Vec<Buffer>, RunError>| match given {
            Ok(results) => Ok(bits(results)),
            Err(error) => Err((error.message.clone(), error.place.clone())),
        };
        assert_eq!(told(&given), told(&other), "{what} differ: {}", gw_ir::text::print(graph));
        assert_eq!(printed, other_printed, "{what} print differently");
    };
    for (registers, of) in [(Registers::UpTo256, NARROWED), (Registers::UpTo128, DRAWN)] {
        if is_drawn(graph, of) {
            alike(&read_back(graph, registers, Sharing::WorthIt), &format!("registers {registers:?}"));
        }
    }
    if is_drawn(graph, NARROWED) {
        let marked = gw_cpu::compile_marked(graph, Registers::UpTo512, 1);
        alike(&marked.unwrap_or_else(|broken| panic!("{broken}")), "code that is profiled");
    }
    if shares {
        let shared = read_back(graph, Registers::UpTo512, Sharing::All);
        on_threads(|count| alike(&shared, &format!("{count} threads")));
    }
    if let Some(llvm) = llvm().filter(|_| is_drawn(graph, IMPROVED)) {
        let sharing = if shares { Sharing::All } else { Sharing::WorthIt };
        let second = gw_cpu::compile_by(llvm, graph, sharing).unwrap_or_else(|broken| panic!("{broken}"));
        on_threads(|count| alike(&second, &format!("tiers on {count} threads")));
    }
    match given {
        Ok(results) => Ok(Outcome { results: results.iter().map(array).collect(), printed }),
        Err(error) => Err((error, printed)),
    }
}

/// With one thread for loops, and with several; the tests of a process do this in turn.
pub fn on_threads(mut check: impl FnMut(usize)) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for count in [1, 2, 3, 7] {
        gw_runtime::set_threads(count);
        check(count);
    }
    gw_runtime::set_threads(2);
}

/// One of so many graphs runs in registers of 128 bits, drawn by its text; all do in the long run that `make graphs` is.
const DRAWN: u64 = 16;

/// One of so many runs in both tiers: LLVM takes twenty times as long as the first tier.
const IMPROVED: u64 = 48;

/// One of so many graphs runs in registers of 256 bits, too, and with the marks of the profiler.
const NARROWED: u64 = 2;

/// One of so many of the other graphs runs with its loops shared.
const SHARED: u64 = 4;

fn is_drawn(graph: &Graph, of: u64) -> bool {
    let mut hasher = DefaultHasher::new();
    gw_ir::text::print(graph).hash(&mut hasher);
    option_env!("GRAPHS").is_some() || hasher.finish().is_multiple_of(of)
}

type Printed = Vec<(Stream, String)>;

/// Results of an executable, twice.
pub fn ran(executable: &Executable, inputs: &[Array]) -> (Result<Vec<Buffer>, RunError>, Printed) {
    let buffers: Vec<Buffer> = inputs.iter().map(buffer).collect();
    let mut host = Recorder::default();
    let first = executable.run(&buffers, &mut host).map(|r| bytes_of(&r));
    let mut again = Recorder::default();
    let results = executable.run(&buffers, &mut again);
    assert_eq!(
        first.ok(),
        results.as_ref().ok().map(|r| bytes_of(r)),
        "a second run in the same frame differs"
    );
    assert_eq!(host.printed, again.printed, "a second run prints something else");
    let given = buffers.iter().map(|b| if b.dtype().is_number() { b.given_up() } else { Some(b.clone()) });
    let given: Vec<Buffer> = given.collect::<Option<_>>().expect("memory");
    let in_place = executable.run(&given, &mut Recorder::default()).ok();
    let alike = in_place.as_ref().map(|r| bytes_of(r)) == results.as_ref().ok().map(|r| bytes_of(r));
    assert!(alike, "a run that may store into its inputs differs");
    (results, again.printed)
}

/// Bits that are the same however a graph is compiled: all but those of a NaN.
pub fn bits(buffers: &[Buffer]) -> Vec<(Vec<usize>, Vec<u8>)> {
    let bits = |scalar: Scalar| match scalar {
        Scalar::Float(x) if !x.is_nan() => x.to_bits().to_le_bytes(),
        Scalar::Float(_) | Scalar::Bool(_) | Scalar::Int(_) | Scalar::Nat(_) => [u8::MAX; 8],
        Scalar::Complex(..) | Scalar::Text(_) => [u8::MAX; 8],
    };
    let parts = |scalar: Scalar| scalar.parts().map(Scalar::Float);
    let bits = |b: &Buffer| match b.dtype().is_float() {
        _ if b.dtype().is_complex() => b.scalars().flat_map(parts).flat_map(bits).collect(),
        true => b.scalars().flat_map(bits).collect(),
        false => bytes_of(std::slice::from_ref(b)).remove(0).1,
    };
    buffers.iter().map(|b| (b.lengths().to_vec(), bits(b))).collect()
}

fn bytes_of(buffers: &[Buffer]) -> Vec<(Vec<usize>, Vec<u8>)> {
    let bytes = |b: &Buffer| match b.dtype().is_number() {
        false => b.scalars().flat_map(|text| text.to_text().to_bytes()).collect(),
        true => b.bytes().to_vec(),
    };
    buffers.iter().map(|b| (b.lengths().to_vec(), bytes(b))).collect()
}

/// Says where native code and the interpreter differ.
pub fn compare(graph: &Graph, inputs: &[Array]) -> Result<(), String> {
    let has = |dtype: DType| graph.values.iter().any(|(_, value)| value.ty.dtype == dtype);
    let tolerances = [
        (DType::BF16, 2e-2),
        (DType::F16, 3e-3),
        (DType::F32, 2e-5),
        (DType::C64, 2e-5),
        (DType::F64, 1e-11),
    ];
    let tolerance = tolerances.iter().find(|(dtype, _)| has(*dtype)).map_or(1e-11, |(_, most)| *most);
    let found = native_of(graph, inputs, is_drawn(graph, SHARED));
    match (found, gw_testkit::host::run(graph, inputs)) {
        (Ok(found), Ok(wanted)) => {
            for (at, (found, wanted)) in found.results.iter().zip(&wanted.results).enumerate() {
                if !close(found, wanted, tolerance) {
                    return Err(format!("result {at} is {found:?}\nwanted {wanted:?}"));
                }
            }
            if same_texts(&found.printed, &wanted.printed) {
                Ok(())
            } else {
                Err(format!("printed {:?}\nwanted {:?}", found.printed, wanted.printed))
            }
        }
        (Err((found, _)), Err(wanted)) if same_failure(&found, &wanted) => Ok(()),
        (Err((found, _)), wanted) => Err(format!("failed with {found:?}\nwanted {wanted:?}")),
        (Ok(found), Err(wanted)) => Err(format!("gave {found:?}\nwanted {wanted:?}")),
    }
}

fn same_failure(found: &RunError, wanted: &EvalError) -> bool {
    use gw_eval::Failure as Wanted;
    let same = match &found.failure {
        Failure::ZeroDivision => wanted.kind == Wanted::ZeroDivision,
        Failure::IndexOutOfRange => wanted.kind == Wanted::IndexOutOfRange,
        Failure::ShapeMismatch => wanted.kind == Wanted::ShapeMismatch,
        Failure::UnboundLocal => wanted.kind == Wanted::UnboundLocal,
        Failure::Name => wanted.kind == Wanted::Name,
        Failure::Assertion => {
            wanted.kind == Wanted::Assertion
                && same_texts(
                    &[(Stream::Stderr, found.message.clone())],
                    &[(Stream::Stderr, wanted.message.clone())],
                )
        }
        Failure::Value => wanted.kind == Wanted::Value,
        Failure::Overflow => wanted.kind == Wanted::Overflow,
        Failure::Type => wanted.kind == Wanted::Type,
        Failure::Recursion => wanted.kind == Wanted::Recursion,
        Failure::Key => wanted.kind == Wanted::Key,
        Failure::Runtime => wanted.kind == Wanted::Runtime,
        Failure::Argument => wanted.kind == Wanted::Argument,
        Failure::OutOfMemory | Failure::Interrupted | Failure::Host(_) => false,
    };
    same && found.place == wanted.place
}

/// The same words, numbers being as close as results are.
fn same_texts(found: &[(Stream, String)], wanted: &[(Stream, String)]) -> bool {
    let words = |text: &str| -> Vec<String> {
        // The parts of a complex number are words.
        let parts = || text.replace('j', " j ").replace('(', "( ").replace('+', " +").replace('-', " -");
        let text = match text.contains('j') {
            true => parts().replace("e -", "e-").replace("e +", "e+"),
            false => text.to_owned(),
        };
        text.split_inclusive([' ', '[', ']', '\n'])
            .map(|word| word.trim_end_matches([' ', ']', '\n']).to_owned())
            .filter(|word| !word.is_empty())
            .collect()
    };
    let near = |(x, y): (&String, &String)| match (x.parse::<f64>(), y.parse::<f64>()) {
        (Ok(x), Ok(y)) => x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= 2e-5 * y.abs().max(1.0),
        _ => x == y,
    };
    let same = |((stream, x), (other, y)): (&(Stream, String), &(Stream, String))| {
        let (x, y) = (words(x), words(y));
        stream == other && x.len() == y.len() && x.iter().zip(&y).all(near)
    };
    found.len() == wanted.len() && found.iter().zip(wanted).all(same)
}

fn close(found: &Array, wanted: &Array, tolerance: f64) -> bool {
    let part = |x: &f64, y: &f64, size: f64| {
        x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= tolerance * size.max(1.0)
    };
    let near = |(x, y): (&Scalar, &Scalar)| match (x, y) {
        (Scalar::Float(x), Scalar::Float(y)) => part(x, y, y.abs()),
        (Scalar::Complex(a, b), Scalar::Complex(c, d)) => {
            let size = [c, d]
                .into_iter()
                .filter(|part| part.is_finite())
                .fold(0.0, |size: f64, part| size.max(part.abs()));
            part(a, c, size) && part(b, d, size)
        }
        (x, y) => x == y,
    };
    found.dtype == wanted.dtype
        && found.lengths == wanted.lengths
        && found.elements.iter().zip(&wanted.elements).all(near)
}
