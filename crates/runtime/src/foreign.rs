//! Functions that the program gives: C functions of numbers, which machine code calls by their addresses.

use std::sync::{PoisonError, RwLock};

use gw_kernels::{Function, Word};

/// The functions that were declared, each at its number.
static DECLARED: RwLock<Vec<Function>> = RwLock::new(Vec::new());

/// The most integers that a function takes: as many as the calling conventions pass in registers.
pub const MOST_INTEGERS: usize = 6;
/// The same of floats.
pub const MOST_FLOATS: usize = 8;

/// Takes down a function of numbers; gives the number by which it is known. It stays for as long as the process.
///
/// # Safety
/// The address is that of a function with the C calling convention that takes `params`, gives `result`, may be called from
/// any thread, and is there for as long as the process.
pub unsafe fn declare(name: &str, params: &[Word], result: Word, address: *const u8) -> usize {
    let (name, params) = (String::from(name).leak(), params.to_vec().leak());
    let function = Function { name, params, result: Some(result), address, formula: None };
    let mut declared = DECLARED.write().unwrap_or_else(PoisonError::into_inner);
    declared.push(function);
    declared.len() - 1
}

/// The function of this number.
pub fn declared(number: usize) -> Option<Function> {
    DECLARED.read().unwrap_or_else(PoisonError::into_inner).get(number).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn next(n: i64) -> i64 {
        n + 1
    }

    #[test]
    fn a_function_is_found_by_its_number() {
        // SAFETY: these are the types of the function.
        let number = unsafe { declare("next", &[Word::I64], Word::I64, next as *const u8) };
        let found = declared(number);
        assert_eq!(
            found.map(|function| (function.name, function.address)),
            Some(("next", next as *const u8))
        );
        assert_eq!(declared(usize::MAX), None);
    }
}
