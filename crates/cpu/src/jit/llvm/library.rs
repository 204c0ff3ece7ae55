//! LLVM's library as the package `llvmlite` of Python brings it: the functions that are called of it, by name and type.

use std::ffi::{c_char, c_int, c_void};
use std::path::Path;
use std::sync::Arc;

use libloading::Library as Loaded;

/// The version of LLVM whose functions these are.
const VERSION: u32 = 22;

pub(super) type Any = *mut c_void;
type Text = *const c_char;
/// Location in which a function leaves a text that it has allocated.
pub(super) type Said = *mut *const c_char;

/// The functions that are linked.
#[repr(C)]
pub(super) struct Part {
    pub(super) kind: u8,
    pub(super) start: *const c_void,
    pub(super) size: usize,
}

impl Part {
    /// An object file in memory.
    pub(super) const OBJECT: u8 = 2;
    /// Another library; that without a name is the process.
    pub(super) const LIBRARY: u8 = 3;
}

/// A name with its address.
#[repr(C)]
pub(super) struct Symbol {
    pub(super) name: Text,
    pub(super) address: u64,
}

macro_rules! functions {
    ($($field:ident $symbol:literal fn($($param:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions of an open library.
        pub(super) struct Library {
            $(pub(super) $field: unsafe extern "C" fn($($param),*) $(-> $result)?,)*
            /// Keeps the functions in memory; it is never closed, since LLVM registers what runs when the process ends.
            _loaded: std::mem::ManuallyDrop<Loaded>,
        }

        impl Library {
            fn of(loaded: Loaded) -> Result<Self, String> {
                $(
                    // SAFETY: in a library of llvmlite of this version the function has this type; the caller asks
                    // the version, the first of these functions, before it calls any other.
                    let $field = unsafe { *loaded.get(concat!($symbol, "\0").as_bytes()).map_err(|e| e.to_string())? };
                )*
                Ok(Self { $($field,)* _loaded: std::mem::ManuallyDrop::new(loaded) })
            }
        }
    };
}

functions! {
    version "LLVMPY_GetVersionInfo" fn() -> u32;
    native_target "LLVMPY_InitializeNativeTarget" fn();
    native_printer "LLVMPY_InitializeNativeAsmPrinter" fn();
    dispose_string "LLVMPY_DisposeString" fn(Text);
    default_triple "LLVMPY_GetDefaultTargetTriple" fn(Said);
    host_cpu "LLVMPY_GetHostCPUName" fn(Said);
    host_features "LLVMPY_GetHostCPUFeatures" fn(Said) -> c_int;
    target "LLVMPY_GetTargetFromTriple" fn(Text, Said) -> Any;
    machine "LLVMPY_CreateTargetMachine" fn(Any, Text, Text, Text, c_int, Text, Text, c_int, c_int, Text) -> Any;
    dispose_machine "LLVMPY_DisposeTargetMachine" fn(Any);
    context "LLVMPY_ContextCreate" fn() -> Any;
    dispose_context "LLVMPY_ContextDispose" fn(Any);
    parse "LLVMPY_ParseAssembly" fn(Any, Text, Said) -> Any;
    verify "LLVMPY_VerifyModule" fn(Any, Said) -> bool;
    dispose_module "LLVMPY_DisposeModule" fn(Any);
    tuning "LLVMPY_CreatePipelineTuningOptions" fn() -> Any;
    tune_slp "LLVMPY_PTOSetSLPVectorization" fn(Any, bool);
    tune_loops "LLVMPY_PTOSetLoopVectorization" fn(Any, bool);
    dispose_tuning "LLVMPY_DisposePipelineTuningOptions" fn(Any);
    builder "LLVMPY_CreatePassBuilder" fn(Any, Any) -> Any;
    dispose_builder "LLVMPY_DisposePassBuilder" fn(Any);
    pipeline "LLVMPY_buildPerModuleDefaultPipeline" fn(Any, c_int) -> Any;
    run "LLVMPY_RunNewModulePassManager" fn(Any, Any, Any);
    dispose_pipeline "LLVMPY_DisposeNewModulePassManger" fn(Any);
    emit "LLVMPY_TargetMachineEmitToMemory" fn(Any, Any, c_int, Said) -> Any;
    start "LLVMPY_GetBufferStart" fn(Any) -> *const c_void;
    size "LLVMPY_GetBufferSize" fn(Any) -> usize;
    dispose_buffer "LLVMPY_DisposeMemoryBuffer" fn(Any);
    linker "LLVMPY_CreateLLJITCompiler" fn(Any, bool, bool, Said) -> Any;
    dispose_linker "LLVMPY_LLJITDispose" fn(Any);
    link "LLVMPY_LLJIT_Link" fn(Any, Text, *const Part, usize, *const Symbol, usize, *mut Symbol, usize, Said) -> Any;
    dispose_linked "LLVMPY_LLJIT_Dylib_Tracker_Dispose" fn(Any, Said) -> bool;
}

impl Library {
    /// Opens the library of this file.
    pub(super) fn open(path: &Path) -> Result<Arc<Library>, String> {
        // SAFETY: a library runs code when it is opened; the user has installed this one to be run.
        let loaded = unsafe { Loaded::new(path) }.map_err(|e| e.to_string())?;
        let library = Self::of(loaded)?;
        // SAFETY: the function takes nothing and reads a constant.
        let major = version(unsafe { (library.version)() });
        if major != VERSION {
            return Err(format!("it is of version {major} of LLVM, and {VERSION} is wanted"));
        }
        // SAFETY: the version is the one whose functions these are; both may be called again.
        unsafe {
            (library.native_target)();
            (library.native_printer)();
        }
        Ok(Arc::new(library))
    }
}

/// The major version: the first byte of those that are not zero.
fn version(packed: u32) -> u32 {
    packed.to_be_bytes().into_iter().find(|&byte| byte != 0).map_or(0, u32::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_packed() {
        assert_eq!([0x16_01_00, 0x0e_00_06, 0].map(version), [22, 14, 0]);
    }

    #[test]
    fn what_is_no_library_of_llvm_is_said() {
        let no_such_file = Library::open(Path::new("/nowhere/libllvmlite.so"));
        assert!(no_such_file.is_err());
        let text = Library::open(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")));
        assert!(text.is_err());
    }
}
