//! Floors of the house, read from each `Cargo.toml`: they decide who may use whom.

use crate::house::{House, Room};

/// The rooms from the ground up. A room uses rooms of lower floors only.
const FLOORS: &[&[&str]] = &[
    &["gw_base", "gw_types", "gw_kernels"],
    &["gw_syntax", "gw_ir", "gw_runtime", "gw_federated"],
    &["gw_analysis", "gw_trace", "gw_eval", "gw_grad", "gw_cpu", "gw_stablehlo"],
    &["gw_lower", "gw_opt", "gw_check"],
    &["graphwright"],
    &["gw_py", "gw_cli", "gw_macros"],
];

/// The garden: never shipped, used by tests alone.
const GARDEN: &[&str] = &["gw_testkit", "xtask"];

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

fn in_house(name: &str) -> bool {
    floor(name).is_some() || GARDEN.contains(&name) || name.starts_with("gw_")
}

/// A room depends only on rooms of lower floors, and nothing that is shipped depends on the garden.
pub fn nobody_looks_upstairs(house: &House) -> Vec<String> {
    let mut complaints = Vec::new();
    for room in house.rooms.iter().filter(|room| !GARDEN.contains(&room.name.as_str())) {
        let Some(mine) = floor(&room.name) else {
            complaints.push(format!("{}: `{}` has no floor in FLOORS", room.folder, room.name));
            continue;
        };
        for dependency in room.uses.iter().filter(|name| in_house(name)) {
            if floor(dependency).is_none_or(|theirs| theirs >= mine) {
                complaints.push(format!("{}: `{}` looks upstairs at `{dependency}`", room.folder, room.name));
            }
        }
    }
    complaints
}

/// Version, edition and lints are said once, in the workspace.
pub fn rooms_inherit_the_workspace(house: &House) -> Vec<String> {
    let inherits = |table: Option<&toml::Value>| {
        table.and_then(|value| value.get("workspace")).and_then(toml::Value::as_bool) == Some(true)
    };
    let mut complaints = Vec::new();
    for room in &house.rooms {
        let package = room.manifest.get("package");
        for key in ["version", "edition", "rust-version", "license", "publish"] {
            if !inherits(package.and_then(|p| p.get(key))) {
                complaints.push(format!("{}/Cargo.toml: `{key}` is not the workspace's", room.folder));
            }
        }
        if !inherits(room.manifest.get("lints")) {
            complaints.push(format!("{}/Cargo.toml: `lints` are not the workspace's", room.folder));
        }
    }
    complaints
}

/// A crate, module or package is named after what it is about.
pub fn no_room_for_odds_and_ends(house: &House) -> Vec<String> {
    const ODD: &[&str] = &["utils", "util", "common", "helpers", "helper", "misc"];
    let is_odd = |path: &str| {
        path.split('/')
            .any(|part| ODD.contains(&part.split('.').next().unwrap_or(part).trim_start_matches("gw_")))
    };
    let rust = house.rust.iter().map(|file| &file.path);
    let python = house.python.iter().map(|file| &file.path);
    let paths = rust.chain(python).filter(|path| is_odd(path));
    paths.map(|path| format!("{path}: name it after what it is about")).collect()
}

fn room<'a>(house: &'a House, name: &str) -> Option<&'a Room> {
    house.rooms.iter().find(|room| room.name == name)
}

fn never_uses(house: &House, name: &str, forbidden: impl Fn(&str) -> bool) -> Vec<String> {
    let uses = room(house, name).map_or(&[][..], |room| &room.uses);
    let broken = uses.iter().filter(|dependency| forbidden(dependency));
    broken.map(|dependency| format!("`{name}` may not use `{dependency}`")).collect()
}

/// `kernels` are loops over slices.
pub fn kernels_know_no_graph(house: &House) -> Vec<String> {
    never_uses(house, "gw_kernels", in_house)
}

/// `lower` works on text alone; what a value is at run time is not its business.
pub fn lower_never_imports_ir(house: &House) -> Vec<String> {
    never_uses(house, "gw_lower", |used| ["gw_ir", "gw_trace", "gw_types"].contains(&used))
}

/// `trace` is told about the host through its trait alone.
pub fn trace_knows_no_host_language(house: &House) -> Vec<String> {
    never_uses(house, "gw_trace", |used| ["gw_syntax", "gw_analysis", "pyo3"].contains(&used))
}

/// `opt`, `grad` and `eval` say what a graph means, whatever it runs on.
pub fn meaning_knows_no_backend(house: &House) -> Vec<String> {
    const BACKENDS: &[&str] = &["gw_cpu", "gw_stablehlo", "gw_kernels", "gw_runtime"];
    let rooms = ["gw_opt", "gw_grad", "gw_eval", "gw_ir"];
    rooms.iter().flat_map(|room| never_uses(house, room, |used| BACKENDS.contains(&used))).collect()
}
