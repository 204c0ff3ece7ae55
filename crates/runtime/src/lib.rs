//! The runtime of compiled graphs: buffers, frames, the host's channel, printed tensors.
//!
//! Data's way: the caller's [`Buffer`]s → [`Executable::run`] takes a frame, calls the machine code with a [`Context`]
//! → results leave the frame as new buffers. Machine code calls back only through [`services`].
#![allow(unsafe_code, reason = "owns raw memory and calls machine code")]

mod background;
mod buffer;
pub mod denormals;
mod executable;
mod failure;
mod foreign;
mod format;
mod frame;
mod frames;
mod grain;
mod heat;
mod host;
mod lengths;
pub mod marks;
mod memory;
mod overlap;
mod owner;
mod pages;
mod pool;
mod rounding;
pub mod services;
mod share;
mod stack;
mod threads;

pub use background::finish;
pub use buffer::{Buffer, Element};
pub use denormals::Denormals;
pub use executable::{Entry, Executable, Program};
pub use failure::{Failure, HostError, NO_QUOTIENT, NO_REMAINDER, Report, RunError, Site, TextFailure};
pub use foreign::{MOST_FLOATS, MOST_INTEGERS, declare, declared};
pub use format::{Template, TemplatePiece, TensorView, format_python, format_tensor, render};
pub use frame::{Context, Slot};
pub use grain::{Tuning, tune};
pub use heat::{Better, Code, improved};
pub use host::{HostFn, Stream};
pub use memory::set_waiting_bytes;
pub use owner::is_trusted;
pub use share::{Loop, Run};
pub use stack::remaining_stack;
pub use threads::{set_threads, threads};
