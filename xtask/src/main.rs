//! The tasks of the house: `cargo xtask tidy` states its laws, `cargo xtask cycles` shows the import cycles,
//! `cargo xtask figures` counts, `cargo xtask stubs` writes the stubs that follow from tables, and `cargo xtask bless`
//! accepts what the tests now say.

mod figures;
mod house;
mod imports;
mod laws;
mod stubs;

use std::path::Path;
use std::process::{Command, ExitCode};

use figures::Figures;
use house::House;

fn main() -> ExitCode {
    let task = std::env::args().nth(1);
    match task.as_deref() {
        Some("tidy") => tidy(),
        Some("cycles") => cycles(),
        Some("figures") => write_figures(),
        Some("stubs") => write_stubs(),
        Some("bless") => bless(),
        Some(_) | None => {
            say("usage: cargo xtask tidy | cycles | figures [FOLDER] | stubs | bless");
            ExitCode::FAILURE
        }
    }
}

/// States every law and says which are broken, and where.
fn tidy() -> ExitCode {
    let Some(house) = read() else { return ExitCode::FAILURE };
    let mut broken = 0;
    for law in laws::LAWS {
        let complaints = (law.find)(&house);
        broken += usize::from(!complaints.is_empty());
        for complaint in complaints {
            say(&format!("[{}] {complaint}", law.label()));
        }
    }
    say(&format!("tidy: {} laws, {} hold, {broken} broken", laws::LAWS.len(), laws::LAWS.len() - broken));
    if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Shows each import between files that import each other.
fn cycles() -> ExitCode {
    let Some(house) = read() else { return ExitCode::FAILURE };
    laws::arrows(&house).iter().for_each(|line| say(line));
    ExitCode::SUCCESS
}

/// Writes the stubs that follow from tables.
fn write_stubs() -> ExitCode {
    let Some(house) = read() else { return ExitCode::FAILURE };
    match stubs::stub(&house) {
        Some(text) => write(stubs::STUB, text),
        None => {
            say("the tables of the stubs are not there");
            ExitCode::FAILURE
        }
    }
}

/// Writes a file of the repository; an error is said.
fn write(path: &str, text: String) -> ExitCode {
    match std::fs::write(house::root().join(path), text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("{path} cannot be written: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Counts the sources, and those of a checkout of an earlier commit where a folder is given; shows and writes the page.
fn write_figures() -> ExitCode {
    let Some(house) = read() else { return ExitCode::FAILURE };
    let before = match std::env::args().nth(2) {
        Some(folder) => read_in(Path::new(&folder)).map(|house| Figures::of(&house)),
        None => Some(Figures::read(house.page(figures::PAGE)).1),
    };
    let Some(before) = before else { return ExitCode::FAILURE };
    let page = Figures::of(&house).page(&before, house.page(figures::PAGE));
    say(&page);
    write(figures::PAGE, page)
}

/// The repository; an error is said.
fn read() -> Option<House> {
    read_in(&house::root())
}

fn read_in(folder: &Path) -> Option<House> {
    match House::read(folder) {
        Ok(house) => Some(house),
        Err(error) => {
            say(&format!("the repository cannot be read: {error}"));
            None
        }
    }
}

/// Runs the tests with leave to rewrite their expected texts.
fn bless() -> ExitCode {
    // The packages of each command are those of `make rust`, whose build it shares.
    let packages: [&[&str]; 2] = [&["--workspace", "--exclude", "gw_macros"], &["-p", "gw_macros"]];
    let mut is_well = true;
    for packages in packages {
        let mut cargo = Command::new("cargo");
        cargo.args(["test", "--profile", "tested", "--no-fail-fast"]).args(packages);
        match cargo.env("UPDATE_EXPECT", "1").status() {
            Ok(status) => is_well &= status.success(),
            Err(error) => {
                say(&format!("bless: cargo cannot be started: {error}"));
                return ExitCode::FAILURE;
            }
        }
    }
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[allow(clippy::print_stdout, reason = "the tasks speak on the terminal")]
fn say(line: &str) {
    println!("{line}");
}
