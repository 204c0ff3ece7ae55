//! Tells the compiler for which version of the interpreter the package is built.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
