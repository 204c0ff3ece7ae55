//! Walls around foreign trees: one room knows the name of each large dependency.

use crate::house::House;

/// A foreign tree and the only place that may name it.
struct Wall {
    /// Names of its crates begin so.
    prefix: &'static str,
    /// Files whose path begins so may name it.
    inside: &'static str,
    /// The crate that may depend on it.
    room: &'static str,
}

/// The parser is read in one file and lowered at once into our own tree.
pub fn one_file_names_ruff(house: &House) -> Vec<String> {
    breaches(house, &Wall { prefix: "ruff_", inside: "crates/syntax/src/from_ruff", room: "gw_syntax" })
}

/// The interpreter is reached through one crate.
pub fn py_alone_names_pyo3(house: &House) -> Vec<String> {
    breaches(house, &Wall { prefix: "pyo3", inside: "crates/py/", room: "gw_py" })
}

/// The code generator is reached through one module.
pub fn jit_alone_names_cranelift(house: &House) -> Vec<String> {
    breaches(house, &Wall { prefix: "cranelift", inside: "crates/cpu/src/jit", room: "gw_cpu" })
}

/// Libraries are opened in one folder, and the calls that open them may stand nowhere else.
pub fn one_folder_opens_libraries(house: &House) -> Vec<String> {
    breaches(house, &Wall { prefix: "libloading", inside: "crates/cpu/src/jit/llvm", room: "gw_cpu" })
}

fn breaches(house: &House, wall: &Wall) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in house.rust.iter().filter(|file| !file.path.starts_with(wall.inside)) {
        for word in file.words.iter().filter(|word| word.text.starts_with(wall.prefix)) {
            complaints.push(format!("{}:{}: `{}` outside {}", file.path, word.line, word.text, wall.inside));
        }
    }
    for room in house.rooms.iter().filter(|room| room.name != wall.room) {
        for used in room.uses.iter().filter(|used| used.starts_with(wall.prefix)) {
            complaints.push(format!("{}: `{}` may not use `{used}`", room.folder, room.name));
        }
    }
    complaints
}
