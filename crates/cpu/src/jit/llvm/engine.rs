//! From text to code: everything that a compilation needs is made for it alone, since LLVM shares nothing between threads.

use std::ffi::{CStr, CString, c_char};
use std::ptr;
use std::sync::Arc;

use gw_runtime::{Code, Entry};

use super::library::{Any, Library, Part, Symbol};

/// The optimisation level, `-O3` of C compilers.
const LEVEL: i32 = 3;

/// An object of LLVM's that has to be freed.
struct Kept<'l> {
    what: Any,
    back: &'l unsafe extern "C" fn(Any),
}

impl<'l> Kept<'l> {
    fn new(what: Any, back: &'l unsafe extern "C" fn(Any)) -> Self {
        Self { what, back }
    }

    /// Somebody else gives it back.
    fn given_away(mut self) -> Any {
        std::mem::replace(&mut self.what, ptr::null_mut())
    }
}

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        if !self.what.is_null() {
            // SAFETY: it was made by the function that belongs to this one, and nobody else has it.
            unsafe { (self.back)(self.what) }
        }
    }
}

/// The code with the linker that put it into memory.
struct Owner {
    library: Arc<Library>,
    linker: Any,
    linked: Any,
}

// SAFETY: both are touched again only to be given back, by the one who drops this.
unsafe impl Send for Owner {}
// SAFETY: likewise.
unsafe impl Sync for Owner {}

impl Drop for Owner {
    fn drop(&mut self) {
        let mut complaint = ptr::null();
        // SAFETY: the executable that holds this owner is gone, and with it every use of the entry; what was linked goes
        // before its linker.
        unsafe {
            (self.library.dispose_linked)(self.linked, &mut complaint);
            self.library.give_back(complaint);
            (self.library.dispose_linker)(self.linker);
        }
    }
}

/// Compiles a program whose entry is `@graph`.
pub(super) fn compile(library: &Arc<Library>, text: &str) -> Result<Code, String> {
    let text = CString::new(text).map_err(|_| "a text with a zero in it".to_owned())?;
    // SAFETY: the library was opened and is of the version whose functions these are. Each takes what one before it has
    // given, which is not null; texts end in zero and outlive the call.
    unsafe {
        let machine = machine(library)?;
        let context = Kept::new((library.context)(), &library.dispose_context);
        let module = said(library, |said| (library.parse)(context.what, text.as_ptr(), said))?;
        let module = Kept::new(module, &library.dispose_module);
        let mut complaint = ptr::null();
        let wrong = (library.verify)(module.what, &mut complaint);
        let complaint = taken(library, complaint);
        if wrong {
            return Err(complaint);
        }
        optimize(library, machine.what, module.what);
        let object = said(library, |said| (library.emit)(machine.what, module.what, 1, said))?;
        let object = Kept::new(object, &library.dispose_buffer);
        linked(library, machine.what, object.what)
    }
}

/// Puts an object file into memory, where code and constants find each other, and functions of the process.
///
/// # Safety
/// As in `compile`.
unsafe fn linked(library: &Arc<Library>, machine: Any, object: Any) -> Result<Code, String> {
    // SAFETY: the caller's promise; the parts and the names outlive the calls. The entry has the signature of `Entry`,
    // since that is what the text says of `@graph`.
    unsafe {
        let linker = said(library, |said| (library.linker)(machine, true, true, said))?;
        let linker = Kept::new(linker, &library.dispose_linker);
        let (start, size) = ((library.start)(object), (library.size)(object));
        let process = Part { kind: Part::LIBRARY, start: c"".as_ptr().cast(), size: 0 };
        let parts = [process, Part { kind: Part::OBJECT, start, size }];
        let mut found = Symbol { name: c"graph".as_ptr(), address: 0 };
        let linked = said(library, |said| {
            let (name, nothing) = (c"code".as_ptr(), ptr::null());
            (library.link)(linker.what, name, parts.as_ptr(), parts.len(), nothing, 0, &mut found, 1, said)
        })?;
        let owner = Owner { library: library.clone(), linker: linker.given_away(), linked };
        if found.address == 0 {
            return Err("the code has no beginning".to_owned());
        }
        let address: *const u8 = ptr::with_exposed_provenance(found.address as usize);
        let entry = std::mem::transmute::<*const u8, Entry>(address);
        Ok(Code { entry, owner: Box::new(owner) })
    }
}

/// This machine, as code is made for it.
///
/// # Safety
/// As in `compile`.
unsafe fn machine(library: &Library) -> Result<Kept<'_>, String> {
    let text = |text: String| CString::new(text).map_err(|_| "a name with a zero in it".to_owned());
    // SAFETY: the caller's promise.
    unsafe {
        let mut triple = ptr::null();
        (library.default_triple)(&mut triple);
        let mut cpu = ptr::null();
        (library.host_cpu)(&mut cpu);
        let mut features = ptr::null();
        (library.host_features)(&mut features);
        let [triple, cpu, features] = [triple, cpu, features].map(|said| text(taken(library, said)));
        let (triple, cpu, features) = (triple?, cpu?, features?);
        let target = said(library, |said| (library.target)(triple.as_ptr(), said))?;
        let (independent, near) = (c"pic".as_ptr(), c"small".as_ptr());
        let machine = (library.machine)(
            target,
            triple.as_ptr(),
            cpu.as_ptr(),
            features.as_ptr(),
            LEVEL,
            independent,
            near,
            0,
            1,
            c"".as_ptr(),
        );
        if machine.is_null() {
            return Err("there is no such machine".to_owned());
        }
        Ok(Kept::new(machine, &library.dispose_machine))
    }
}

/// # Safety
/// As in `compile`.
unsafe fn optimize(library: &Library, machine: Any, module: Any) {
    // SAFETY: the caller's promise.
    unsafe {
        let tuning = Kept::new((library.tuning)(), &library.dispose_tuning);
        // Vectors made of straight code cost numbers in loops more than they save.
        (library.tune_slp)(tuning.what, false);
        (library.tune_loops)(tuning.what, true);
        let builder = Kept::new((library.builder)(machine, tuning.what), &library.dispose_builder);
        let pipeline = Kept::new((library.pipeline)(builder.what, LEVEL), &library.dispose_pipeline);
        (library.run)(pipeline.what, module, builder.what);
    }
}

/// The result of a function, or its error message.
///
/// # Safety
/// `call` leaves null or a text of the library's.
unsafe fn said(library: &Library, call: impl FnOnce(*mut *const c_char) -> Any) -> Result<Any, String> {
    let mut said = ptr::null();
    let given = call(&mut said);
    // SAFETY: the caller's promise.
    let said = unsafe { taken(library, said) };
    if given.is_null() { Err(said) } else { Ok(given) }
}

/// A text of the library's, which gets its memory back.
///
/// # Safety
/// `text` is null or a text that the library has allocated.
unsafe fn taken(library: &Library, text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe {
        let own = CStr::from_ptr(text).to_string_lossy().into_owned();
        library.give_back(text);
        own
    }
}

impl Library {
    /// # Safety
    /// `text` is null or a text that the library has allocated.
    unsafe fn give_back(&self, text: *const c_char) {
        if !text.is_null() {
            // SAFETY: the caller's promise.
            unsafe { (self.dispose_string)(text) }
        }
    }
}
