//! The tasks of the house: `cargo xtask tidy` states its laws, `cargo xtask bless` accepts what the tests now say.

mod house;
mod laws;

use std::process::{Command, ExitCode};

use house::House;

fn main() -> ExitCode {
    let task = std::env::args().nth(1);
    match task.as_deref() {
        Some("tidy") => tidy(),
        Some("bless") => bless(),
        Some(_) | None => {
            say("usage: cargo xtask tidy | bless");
            ExitCode::FAILURE
        }
    }
}

/// States every law and says which are broken, and where.
fn tidy() -> ExitCode {
    let house = match House::read() {
        Ok(house) => house,
        Err(error) => {
            say(&format!("tidy: the repository cannot be read: {error}"));
            return ExitCode::FAILURE;
        }
    };
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
