//! A compiled graph function: checks lengths, lends a frame, calls the code, hands the results out.

use std::borrow::Borrow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use gw_types::{Dim, DimVar, TensorType, count};

use crate::denormals::{self, Denormals};
use crate::frame::{COPY_BELOW, Context, Frame};
use crate::frames::Frames;
use crate::heat::{Better, Code, Heat};
use crate::lengths::Lengths;
use crate::marks;
use crate::memory::Block;
use crate::overlap::OverlappedWork;
use crate::rounding::Flushing;
use crate::services::Running;
use crate::stack::remaining_stack;
use crate::{Buffer, Failure, HostFn, Report, RunError, Site};

/// Machine code of one function: 0 for success, anything else after writing `Context::site`.
pub type Entry = unsafe extern "C" fn(*mut Context) -> u32;

/// All that belongs to a compiled function, whatever its code.
#[derive(Debug)]
pub struct Program {
    /// Types of the parameters.
    pub params: Vec<TensorType>,
    /// Types of the results.
    pub results: Vec<TensorType>,
    /// Least bytes of each slot of a frame; 0 for those that grow.
    pub slots: Vec<usize>,
    /// Least bytes of each slot of each function that is called.
    pub functions: Vec<Vec<usize>>,
    /// Words in the scratch area.
    pub scratch: usize,
    /// Sites at which the code prints or fails.
    pub sites: Vec<Site>,
    /// Tensors that the code reads by address.
    pub literals: Vec<Buffer>,
    /// True if subnormal numbers may be zeros in it.
    pub flushes: bool,
    /// The parameters into whose memory the code stores, in ascending order.
    pub stored_into: Vec<usize>,
}

/// A compiled graph function. Several threads may run it at once; a clone shares the code.
#[derive(Clone)]
pub struct Executable(Arc<Shared>, Option<Denormals>);

struct Shared {
    program: Arc<Program>,
    heat: Arc<Heat>,
    /// Words that tell about the results.
    words: usize,
    /// True if the code calls the host.
    asks: bool,
    /// Work that other threads can do during a call of the host.
    overlapped: OnceLock<Vec<Arc<OverlappedWork>>>,
    idle: Frames,
}

impl Executable {
    /// A function that can be run.
    ///
    /// # Safety
    /// The code, that which `better` makes, too, keeps to the frame, to its parameters and to `literals` when it is called
    /// with a context made for this program, and leaves results of the types in `results`.
    pub unsafe fn new(program: Program, code: Code, better: Option<Better>) -> Self {
        let words = program.results.iter().map(|ty| 1 + ty.rank()).sum();
        let asks = program.sites.iter().any(|site| matches!(site.report, Report::Host { .. }));
        let heat = Arc::new(Heat::new(code, better));
        let (program, idle, overlapped) = (Arc::new(program), Frames::default(), OnceLock::new());
        Self(Arc::new(Shared { program, heat, words, asks, overlapped, idle }), None)
    }

    /// The same function, with what it has other threads do while it calls the host, in the order of the numbers.
    #[must_use]
    pub fn with_overlapped(self, overlapped: Vec<Executable>) -> Self {
        // The thread does with subnormal numbers what this function says.
        let as_here = |one: Executable| one.with_denormals(Some(Denormals::Keep));
        let overlapped = overlapped.into_iter().map(|one| Arc::new(OverlappedWork::new(as_here(one))));
        let overlapped = overlapped.collect();
        // It is set where the function is made.
        drop(self.0.overlapped.set(overlapped));
        self
    }

    /// The same function, which does with subnormal numbers what this says in place of what the process does.
    #[must_use]
    pub fn with_denormals(mut self, denormals: Option<Denormals>) -> Self {
        self.1 = denormals;
        self
    }

    /// The fate of subnormal numbers in this function, if it has one of its own.
    pub fn denormals(&self) -> Option<Denormals> {
        self.1
    }

    /// True if runs that begin now have the better code.
    pub fn is_better(&self) -> bool {
        self.0.heat.is_better()
    }

    /// Runs the function on the caller's thread. `inputs` are of the parameters' types; lengths of axes that share a
    /// variable are compared here.
    ///
    /// # Errors
    /// Failure of the function. Effects that came before it stand.
    pub fn run<B: Borrow<Buffer>>(
        &self,
        inputs: &[B],
        host: &mut dyn HostFn,
    ) -> Result<Vec<Buffer>, RunError> {
        let program = &self.0.program;
        let is_flushed = || self.1.unwrap_or_else(denormals::said) == Denormals::Flush;
        let flushing = Flushing::begin(program.flushes && is_flushed());
        judge(&program.params, inputs)?;
        let mut frame = self.lend()?;
        let copies = self.copies(&mut frame, inputs)?;
        fill_args(&mut frame.args, inputs, &copies);
        frame.outs.resize(self.0.words, 0);
        let mut running = Running {
            sites: &program.sites,
            host,
            rounding: flushing.before(),
            overlapped: self.0.overlapped.get().map_or(&[], Vec::as_slice),
            known: self.known(inputs),
            functions: &program.functions,
            rare: None,
        };
        let mut context = Context {
            args: frame.args.as_ptr(),
            outs: frame.outs.as_mut_ptr(),
            slots: frame.slots.as_mut_ptr(),
            scratch: frame.scratch.as_mut_ptr(),
            ticks: 0,
            site: 0,
            mark: marks::place(),
            activation: std::ptr::null_mut(),
            stack_end: if program.functions.is_empty() { 0 } else { stack_end() },
            running: (&raw mut running).cast(),
        };
        let (entry, begun) = (self.0.heat.entry(), self.0.heat.begin());
        // SAFETY: the promise of `new`; the frame is this run's alone and was prepared for the program.
        let status = unsafe { entry(&mut context) };
        if self.0.heat.end(begun) {
            self.0.heat.improve(&self.0.program);
        }
        let answer = if status == 0 {
            Ok(self.results(&mut frame, inputs, &copies))
        } else {
            Err(failed(&mut running, &program.sites, context.site, &frame.scratch))
        };
        self.0.idle.put(frame);
        answer
    }

    /// Takes back a tensor that a result replaces: if nobody else holds it, the next run leaves a result in its memory.
    pub fn reuse(&self, value: Buffer) {
        let Some(block) = value.into_block() else { return };
        if let Some(mut frame) = self.0.idle.take() {
            frame.put_back(block, &self.0.program.slots);
            self.0.idle.put(frame);
        }
    }

    /// The tensors that nobody changes, for calls of the host.
    fn known<'a, B: Borrow<Buffer>>(&'a self, inputs: &'a [B]) -> Vec<&'a Buffer> {
        if !self.0.asks {
            return Vec::new();
        }
        inputs.iter().map(Borrow::borrow).chain(&self.0.program.literals).collect()
    }

    fn lend(&self) -> Result<Box<Frame>, RunError> {
        let program = &self.0.program;
        let frame = self.0.idle.take().or_else(|| Frame::new(&program.slots, program.scratch).map(Box::new));
        let prepared = frame.and_then(|mut frame| frame.prepare(&program.slots).then_some(frame));
        prepared.ok_or_else(out_of_memory)
    }

    /// The inputs that the code stores into, in memory of their own, each with its position; what the host lends to be changed
    /// is left where it is.
    fn copies<B: Borrow<Buffer>>(
        &self,
        frame: &mut Frame,
        inputs: &[B],
    ) -> Result<Vec<(usize, Buffer)>, RunError> {
        if self.0.program.stored_into.is_empty() {
            return Ok(Vec::new());
        }
        let stored = self.0.program.stored_into.iter().map(|&at| (at, inputs[at].borrow()));
        let copied = stored.filter(|(_, input)| !input.may_change());
        let copies = copied.map(|(at, input)| Some((at, copied_to_block(frame, input)?)));
        copies.collect::<Option<_>>().ok_or_else(out_of_memory)
    }

    fn results<B: Borrow<Buffer>>(
        &self,
        frame: &mut Frame,
        inputs: &[B],
        copies: &[(usize, Buffer)],
    ) -> Vec<Buffer> {
        let mut at = 0;
        let types = &self.0.program.results;
        let result = |ty: &TensorType| {
            let words = at..at + 1 + ty.rank();
            at = words.end;
            self.result(ty, words, frame, inputs, copies)
        };
        types.iter().map(result).collect()
    }

    fn result<B: Borrow<Buffer>>(
        &self,
        ty: &TensorType,
        words: std::ops::Range<usize>,
        frame: &mut Frame,
        inputs: &[B],
        copies: &[(usize, Buffer)],
    ) -> Buffer {
        let first = frame.outs[words.start];
        if ty.is_scalar() && !ty.dtype.is_complex() {
            return Buffer::from_word(ty.dtype, first as u64);
        }
        let lengths: Lengths = frame.outs[words.start + 1..words.end].iter().map(|&n| n as usize).collect();
        let start: *const u8 = std::ptr::with_exposed_provenance(first as usize);
        let inputs = inputs.iter().map(Borrow::borrow).chain(copies.iter().map(|(_, copy)| copy));
        let known = inputs.chain(&self.0.program.literals);
        let same = |b: &&Buffer| b.as_ptr() == start && b.dtype() == ty.dtype && *b.lengths() == lengths[..];
        if let Some(shared) = known.into_iter().find(same) {
            return shared.clone();
        }
        let size = count(&lengths) * ty.dtype.size();
        if size >= COPY_BELOW
            && let Some(block) = frame.take(start)
        {
            return Buffer::from_block(ty.dtype, lengths, block);
        }
        // SAFETY: the code left `size` bytes there, in the frame, an input or a literal, and all of them are alive.
        let bytes = if size == 0 { &[] } else { unsafe { std::slice::from_raw_parts(start, size) } };
        match frame.spare(size) {
            Some(block) => Buffer::from_block(ty.dtype, lengths, block.filled(bytes)),
            None => Buffer::copied(ty.dtype, lengths, bytes),
        }
    }
}

/// Bytes of stack that are kept free for what the runtime and the host do in a function.
const RESERVE: usize = 1 << 18;

/// Bytes of stack that functions may take where nobody knows how many there are.
const UNKNOWN_STACK: usize = 1 << 18;

/// True if this thread has no more stack than the runtime and the host keep free.
pub(crate) fn is_stack_short() -> bool {
    remaining_stack().is_some_and(|left| left < RESERVE)
}

/// Address at which the stack of this thread ends for functions that call each other.
fn stack_end() -> usize {
    let here = 0u8;
    let top = (&raw const here).addr();
    let left = remaining_stack().unwrap_or(UNKNOWN_STACK + RESERVE);
    top.saturating_sub(left.saturating_sub(RESERVE.min(left / 2)))
}

/// Lengths of axes that share a variable agree.
fn judge<B: Borrow<Buffer>>(params: &[TensorType], inputs: &[B]) -> Result<(), RunError> {
    if params.len() != inputs.len() {
        let message = format!("{} arguments where {} are wanted", inputs.len(), params.len());
        return Err(plain(Failure::Value, &message));
    }
    let mut known: Vec<(DimVar, usize)> = Vec::new();
    for (ty, input) in params.iter().zip(inputs.iter().map(Borrow::borrow)) {
        if ty.dtype != input.dtype() || ty.rank() != input.lengths().len() {
            let message = format!("{}{:?} where {ty} is wanted", input.dtype(), input.lengths());
            return Err(plain(Failure::Value, &message));
        }
        for (&dim, &length) in ty.shape.0.iter().zip(input.lengths()) {
            let wanted = match dim {
                Dim::Fixed(wanted) => wanted,
                Dim::Var(var) => match known.iter().find(|(v, _)| *v == var) {
                    Some(&(_, wanted)) => wanted,
                    None => {
                        known.push((var, length));
                        length
                    }
                },
            };
            if length != wanted {
                let message = format!("an axis of length {length} where {wanted} is wanted");
                return Err(plain(Failure::ShapeMismatch, &message));
            }
        }
    }
    Ok(())
}

/// A tensor in a block that nobody else holds; `None` if there is not so much memory.
fn copied_to_block(frame: &mut Frame, input: &Buffer) -> Option<Buffer> {
    let bytes = input.bytes();
    let block = frame.spare(bytes.len()).or_else(|| Block::new(bytes.len()))?;
    Some(Buffer::from_block(input.dtype(), input.lengths().into(), block.filled(bytes)))
}

fn out_of_memory() -> RunError {
    plain(Failure::OutOfMemory, "cannot allocate the memory of an array")
}

fn fill_args<B: Borrow<Buffer>>(args: &mut Vec<i64>, inputs: &[B], copies: &[(usize, Buffer)]) {
    args.clear();
    let mut copies = copies.iter().peekable();
    for (at, input) in inputs.iter().map(Borrow::borrow).enumerate() {
        let input = copies.next_if(|(copied, _)| *copied == at).map_or(input, |(_, copy)| copy);
        args.push(input.as_ptr().expose_provenance() as i64);
        args.extend(input.lengths().iter().map(|&n| n as i64));
    }
}

fn failed(running: &mut Running, sites: &[Site], site: i64, words: &[i64]) -> RunError {
    let Some(site) = usize::try_from(site).ok().and_then(|at| sites.get(at)) else {
        return plain(Failure::Value, "the code failed at a place that it does not have");
    };
    let (failure, message) = running.explain(site, words);
    RunError { failure, message, place: site.place.clone() }
}

fn plain(failure: Failure, message: &str) -> RunError {
    RunError { failure, message: message.to_owned(), place: None }
}

impl fmt::Debug for Executable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let program = &self.0.program;
        write!(f, "Executable({:?} -> {:?})", program.params, program.results)
    }
}
