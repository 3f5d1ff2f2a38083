//! Looks for inputs that break something: `hookledger-fuzz SECONDS [SEED]` for so long, `hookledger-fuzz FILE…` for inputs
//! that were found before.
//!
//! Coverage-guided: an input under which a branch is taken that none before it took is kept, and changed further. One
//! process, one thread, the compiler's own counters, and no library, so that it runs wherever the product can be built.

mod coverage;
mod mutate;
mod run;
mod targets;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use self::run::Run;
use self::targets::Targets;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seconds = arguments.first().and_then(|text| text.parse::<u64>().ok());
    let told = match seconds {
        Some(s) => {
            let seed = arguments.get(1).and_then(|text| text.parse().ok()).unwrap_or(s);
            look(Duration::from_secs(s), seed)
        }
        None if !arguments.is_empty() => again(&arguments),
        None => Err("usage: hookledger-fuzz SECONDS [SEED] | FILE…".to_owned()),
    };
    match told {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn look(time: Duration, seed: u64) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no repository around this")?;
    let targets = Targets::new();
    let seeds = targets.seeds(root).map_err(|error| format!("the samples cannot be read: {error}"))?;
    Run::new(targets, seed)?.for_a_while(seeds, time)
}

/// Runs inputs as they are, and lets a panic be seen.
fn again(files: &[String]) -> Result<(), String> {
    let targets = Targets::new();
    for file in files {
        let input = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
        let (names, which) = (targets.names(), input.first().copied().map_or(0, usize::from));
        println!("{file}: {}, {} bytes", names[which % names.len()], input.len());
        targets.run(&input);
    }
    Ok(())
}
