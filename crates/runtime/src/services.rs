//! Services that running machine code calls. Each answers false if the run must end.

use std::sync::Arc;

use gw_types::{DType, Text, Texts};

pub use crate::share::share;

use crate::format::{TensorView, render};
use crate::frame::Activations;
use crate::overlap::{Asked, OverlappedWork, Pending};
use crate::rounding::{Rounding, outside};
use crate::{Buffer, Context, Failure, HostError, HostFn, Report, Site, Slot};

/// The runtime's state of one run.
pub(crate) struct Running<'a> {
    pub(crate) sites: &'a [Site],
    pub(crate) host: &'a mut dyn HostFn,
    /// The thread's rounding before the run, if that was another: it is the host's while that is asked.
    pub(crate) rounding: Option<Rounding>,
    /// Work that other threads can do.
    pub(crate) overlapped: &'a [Arc<OverlappedWork>],
    /// Tensors that nobody changes while the code runs, if it calls the host.
    pub(crate) known: Vec<&'a Buffer>,
    /// Least bytes of each slot of each function that is called.
    pub(crate) functions: &'a [Vec<usize>],
    /// Made when one of its parts is needed first: most runs are too short to make and drop them.
    pub(crate) rare: Option<Box<Rare>>,
}

/// The parts of a run's state that most runs do without.
#[derive(Default)]
pub(crate) struct Rare {
    /// Exception of the host, or failure of work that overlaps it.
    failed: Option<(Failure, String)>,
    /// The work that other threads have begun, by its number.
    begun: Vec<(usize, Pending)>,
    /// True if the stack was too short to call the host.
    too_deep: bool,
    /// The text for the failure that follows.
    text: String,
    activations: Activations,
    /// Keeps the strings that the run makes.
    texts: Texts,
}

impl std::fmt::Debug for Running<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running").field("sites", &self.sites.len()).finish_non_exhaustive()
    }
}

/// Makes room in a slot for `size` bytes.
///
/// # Safety
/// `slot` is a growing slot of the running frame.
pub unsafe extern "C" fn grow(slot: *mut Slot, size: i64) -> u8 {
    // SAFETY: the caller's promise; the frame belongs to this run alone.
    let slot = unsafe { &mut *slot };
    u8::from(usize::try_from(size).is_ok_and(|size| slot.grow(size)))
}

/// Makes room in a slot for `size` bytes and more; the first `used` stay.
///
/// # Safety
/// `slot` is a growing slot of the running frame, of which `used` bytes are written.
pub unsafe extern "C" fn extend(slot: *mut Slot, size: i64, used: i64) -> u8 {
    // SAFETY: the caller's promise; the frame belongs to this run alone.
    let slot = unsafe { &mut *slot };
    let sizes = usize::try_from(size).and_then(|size| Ok((size, usize::try_from(used)?)));
    u8::from(sizes.is_ok_and(|(size, used)| slot.extend(size, used)))
}

/// Prints the text of a site, or keeps it for the failure that follows.
///
/// # Safety
/// `context` is that of the running code, `site` one of its sites of texts, whose operands the scratch area describes.
pub unsafe extern "C" fn speak(context: *mut Context, site: i64) -> u8 {
    // SAFETY: the context and its `running` live as long as the run and are used by it alone.
    let running = unsafe { &mut *(*context).running };
    let Some(Report::Text { raises, template, operands }) =
        running.sites.get(site as usize).map(|s| &s.report)
    else {
        return 0;
    };
    // SAFETY: the code described each operand there just now.
    let views = unsafe { views((*context).scratch, operands) };
    let text = render(template, &views);
    if raises.is_some() {
        running.rare().text = text;
        return 1;
    }
    match outside(running.rounding, || running.host.print(template.stream, &text)) {
        Ok(()) => 1,
        Err(error) => {
            running.rare().failed = Some(raised(error));
            0
        }
    }
}

/// Failure of a run that ends with an exception of the host.
fn raised(error: HostError) -> (Failure, String) {
    (Failure::Host(error), "the host raised an error".to_owned())
}

/// Calls the host with what the scratch area describes, and writes there what it gives.
///
/// # Safety
/// `context` is that of the running code, `site` one of its calls of the host, which the scratch area describes.
pub unsafe extern "C" fn ask(context: *mut Context, site: i64) -> u8 {
    // SAFETY: the context and its `running` live as long as the run and are used by it alone.
    let (running, words) = unsafe { (&mut *(*context).running, (*context).scratch) };
    let Some(Report::Host { function, args, gives }) = running.sites.get(site as usize).map(|s| &s.report)
    else {
        return 0;
    };
    if crate::executable::is_stack_short() {
        running.rare().too_deep = true;
        return 0;
    }
    // SAFETY: the code described each argument there just now.
    let args_given: Vec<Buffer> =
        unsafe { views(words, args) }.iter().map(|view| running.argument(view)).collect();
    match running.served(*function, args_given) {
        Ok(given) if fits(gives, &given) => {
            let before: usize = args.iter().map(|(_, rank)| 1 + rank).sum();
            // SAFETY: the words of the results follow those of the arguments, and the results are what was promised.
            u8::from(unsafe { running.answer(words.add(before), given) })
        }
        Ok(_) => {
            running.rare().text = "the host gave something else than was promised".to_owned();
            0
        }
        Err(failure) => {
            running.rare().failed = Some(failure);
            0
        }
    }
}

/// True if the host gave the results that it promised.
fn fits(gives: &[(DType, Vec<Option<usize>>)], given: &[Buffer]) -> bool {
    let one = |((dtype, lengths), found): (&(DType, Vec<Option<usize>>), &Buffer)| {
        let axis = |(wanted, found): (&Option<usize>, &usize)| wanted.is_none_or(|wanted| wanted == *found);
        *dtype == found.dtype()
            && lengths.len() == found.lengths().len()
            && lengths.iter().zip(found.lengths()).all(axis)
    };
    gives.len() == given.len() && gives.iter().zip(given).all(one)
}

/// Gives a function that begins its slots.
///
/// # Safety
/// `context` is that of the running code.
pub unsafe extern "C" fn enter(context: *mut Context, function: i64) -> u8 {
    // SAFETY: the context and its `running` live as long as the run and are used by it alone.
    let running = unsafe { &mut *(*context).running };
    let functions = running.functions;
    let slots = usize::try_from(function)
        .ok()
        .and_then(|function| running.rare().activations.enter(functions, function));
    let Some(slots) = slots else { return 0 };
    // SAFETY: likewise.
    unsafe { (*context).activation = slots };
    1
}

/// Takes the slots of the innermost function back.
///
/// # Safety
/// `context` is that of the running code; the function that was entered last returns.
pub unsafe extern "C" fn leave(context: *mut Context) {
    // SAFETY: the context and its `running` live as long as the run and are used by it alone.
    let running = unsafe { &mut *(*context).running };
    running.rare().activations.leave();
}

/// Asks the host whether to go on, and counts anew.
///
/// # Safety
/// `context` is that of the running code.
pub unsafe extern "C" fn poll(context: *mut Context) -> u8 {
    // SAFETY: the context and its `running` live as long as the run and are used by it alone.
    let running = unsafe { &mut *(*context).running };
    u8::from(!outside(running.rounding, || running.host.check_interrupt()))
}

/// The string of one's bytes followed by another's, which stays until the run ends.
///
/// # Safety
/// `context` is that of the running code.
pub unsafe extern "C" fn append(context: *mut Context, first: i64, second: i64) -> i64 {
    // SAFETY: the context and its `running` live as long as the run and are used by it alone.
    let running = unsafe { &mut *(*context).running };
    let [first, second] = [first, second].map(|word| Text::from_word(word as u64).to_bytes());
    running.rare().texts.make(&[first, second].concat()).word() as i64
}

/// Number of bytes in a string.
pub extern "C" fn length(text: i64) -> i64 {
    Text::from_word(text as u64).with(|bytes| bytes.len() as i64)
}

/// The string with the letters of ASCII as capitals, which stays until the run ends.
///
/// # Safety
/// `context` is that of the running code.
pub unsafe extern "C" fn upper(context: *mut Context, text: i64) -> i64 {
    // SAFETY: the context and its `running` live as long as the run and are used by it alone.
    let running = unsafe { &mut *(*context).running };
    let made = Text::from_word(text as u64).with(<[u8]>::to_ascii_uppercase);
    running.rare().texts.make(&made).word() as i64
}

/// The string with the letters of ASCII as small ones, which stays until the run ends.
///
/// # Safety
/// `context` is that of the running code.
pub unsafe extern "C" fn lower(context: *mut Context, text: i64) -> i64 {
    // SAFETY: the context and its `running` live as long as the run and are used by it alone.
    let running = unsafe { &mut *(*context).running };
    let made = Text::from_word(text as u64).with(<[u8]>::to_ascii_lowercase);
    running.rare().texts.make(&made).word() as i64
}

/// -1, 0 or 1, as the bytes of one string come before those of another, are the same, or come after them.
pub extern "C" fn order(first: i64, second: i64) -> i64 {
    let [first, second] = [first, second].map(|word| Text::from_word(word as u64));
    first.with(|first| second.with(|second| first.cmp(second))) as i64
}

/// # Safety
/// The words describe as many operands, whose memory is alive.
unsafe fn views<'a>(mut word: *const i64, operands: &[(gw_types::DType, usize)]) -> Vec<TensorView<'a>> {
    let view = |&(dtype, rank): &(gw_types::DType, usize)| {
        // SAFETY: a scalar takes one word, which is the address of a complex number, an array one and as many as it has axes.
        unsafe {
            let here = word;
            word = word.add(1 + rank);
            let lengths: Vec<usize> = (0..rank).map(|axis| *here.add(1 + axis) as usize).collect();
            let count = gw_types::count(&lengths);
            let start = if rank == 0 && !dtype.is_complex() {
                here.cast::<u8>()
            } else {
                std::ptr::with_exposed_provenance(*here as usize)
            };
            let bytes = match count {
                0 => &[][..],
                count => std::slice::from_raw_parts(start, count * dtype.size()),
            };
            TensorView { dtype, lengths, bytes }
        }
    };
    operands.iter().map(view).collect()
}

impl Running<'_> {
    fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// Results of a host function, or of overlapped work.
    fn served(&mut self, number: usize, args: Vec<Buffer>) -> Result<Vec<Buffer>, (Failure, String)> {
        let unknown = || (Failure::Runtime, "work that was not begun is waited for".to_owned());
        match Asked::of(number) {
            None => outside(self.rounding, || self.host.call(number, args)).map_err(raised),
            Some(Asked::Begin(number)) => {
                let work = self.overlapped.get(number).ok_or_else(unknown)?;
                let begun = work.begin(args);
                self.rare().begun.push((number, begun));
                Ok(Vec::new())
            }
            Some(Asked::Finish(number)) => {
                let all = &mut self.rare().begun;
                let at = all.iter().rposition(|(begun, _)| *begun == number).ok_or_else(unknown)?;
                let (_, pending) = all.swap_remove(at);
                pending.finish(self.host, self.rounding).map_err(|error| (error.failure, error.message))
            }
        }
    }

    /// Tensor of the host that a view shows: a known one, or a copy.
    fn argument(&self, view: &TensorView) -> Buffer {
        let same = |known: &&&Buffer| {
            known.as_ptr() == view.bytes.as_ptr()
                && known.dtype() == view.dtype
                && known.lengths() == view.lengths
        };
        let known = self.known.iter().find(same);
        known
            .map_or_else(|| Buffer::from_bytes(view.dtype, &view.lengths, view.bytes), |&known| known.clone())
    }

    /// Writes what the host gave; false if there is not so much memory.
    ///
    /// # Safety
    /// For each tensor there are words from `at` on: one for a scalar, and one with the address of a growing slot and
    /// one for each axis for an array.
    unsafe fn answer(&mut self, mut at: *mut i64, given: Vec<Buffer>) -> bool {
        for one in given {
            if !one.dtype().is_number() {
                let texts = &mut self.rare().texts;
                one.scalars().for_each(|text| texts.keep(text.to_text()));
            }
            let lengths: Vec<i64> = one.lengths().iter().map(|&n| n as i64).collect();
            // SAFETY: the caller's promise; elements of scalars are at most a word.
            unsafe {
                if lengths.is_empty() && !one.dtype().is_complex() {
                    let bytes = one.bytes();
                    std::ptr::copy_nonoverlapping(bytes.as_ptr(), at.cast::<u8>(), bytes.len());
                } else {
                    let slot = &mut *std::ptr::with_exposed_provenance_mut::<Slot>(*at as usize);
                    if !slot.hold(one) {
                        return false;
                    }
                    *at = slot.start.expose_provenance() as i64;
                    std::ptr::copy_nonoverlapping(lengths.as_ptr(), at.add(1), lengths.len());
                }
                at = at.add(1 + lengths.len());
            }
        }
        true
    }

    /// Exception type and message of a failed run.
    pub(crate) fn explain(&mut self, site: &Site, words: &[i64]) -> (Failure, String) {
        let rare = self.rare();
        match rare.failed.take() {
            Some(failed) => failed,
            None if rare.too_deep => Report::TooDeep.explain(words, String::new()),
            None => site.report.explain(words, std::mem::take(&mut rare.text)),
        }
    }
}
