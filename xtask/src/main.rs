//! The tasks of the house: `cargo xtask tidy` states its laws, `cargo xtask cycles` shows the import cycles,
//! `cargo xtask stubs` writes the stubs that follow from tables, and `cargo xtask bless` accepts what the tests now say.

mod house;
mod imports;
mod laws;
mod stubs;

use std::process::{Command, ExitCode};

use house::House;

fn main() -> ExitCode {
    let task = std::env::args().nth(1);
    match task.as_deref() {
        Some("tidy") => tidy(),
        Some("cycles") => cycles(),
        Some("stubs") => write_stubs(),
        Some("bless") => bless(),
        Some(_) | None => {
            say("usage: cargo xtask tidy | cycles | stubs | bless");
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
    match stubs::stub(&house).map(|text| std::fs::write(house::root().join(stubs::STUB), text)) {
        Some(Ok(())) => ExitCode::SUCCESS,
        Some(Err(error)) => {
            say(&format!("{} cannot be written: {error}", stubs::STUB));
            ExitCode::FAILURE
        }
        None => {
            say("the tables of the stubs are not there");
            ExitCode::FAILURE
        }
    }
}

/// The repository; an error is said.
fn read() -> Option<House> {
    match House::read() {
        Ok(house) => Some(house),
        Err(error) => {
            say(&format!("the repository cannot be read: {error}"));
            None
        }
    }
}

/// Runs the tests with leave to rewrite their expected texts.
fn bless() -> ExitCode {
    let status = Command::new("cargo")
        .args(["test", "--workspace", "--exclude", "gw_py", "--no-fail-fast"])
        .env("UPDATE_EXPECT", "1")
        .status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            say(&format!("bless: cargo cannot be started: {error}"));
            ExitCode::FAILURE
        }
    }
}

#[allow(clippy::print_stdout, reason = "the tasks speak on the terminal")]
fn say(line: &str) {
    println!("{line}");
}
