//! The search itself.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::coverage::Coverage;
use crate::mutate::{BYTES_MAX, Random, mutate};
use crate::targets::Targets;

/// How long one input may take.
const HANG_S: u64 = 20;

/// A search that covers less is broken itself: the counters are not there, or the samples are not signed any more.
const EDGES_MIN: usize = 7_000;

/// Below it, the time went elsewhere.
const RUNS_A_SECOND_MIN: u64 = 200;

/// Whether anything panicked, also where the product caught it.
static PANICKED: AtomicBool = AtomicBool::new(false);

/// How many inputs were begun.
static RUNS: AtomicU64 = AtomicU64::new(0);

/// Inputs of one target that each took a branch first, and the words in them.
#[derive(Default)]
struct Kept {
    inputs: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
}

/// A search.
pub struct Run {
    targets: Targets,
    coverage: Coverage,
    random: Random,
    kept: Vec<Kept>,
    /// Holds the input that runs now, for the case that the process does not survive it.
    current: File,
    folder: PathBuf,
}

impl Run {
    /// The same seed looks in the same places.
    pub fn new(targets: Targets, seed: u64) -> Result<Self, String> {
        let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/target/found"));
        std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let current = File::create(folder.join("current")).map_err(|error| format!("current: {error}"))?;
        let coverage = Coverage::take();
        if coverage.all() == 0 {
            return Err("nothing was compiled with counters: build it with .ci/fuzz".to_owned());
        }
        let kept = targets.names().iter().map(|_| Kept::default()).collect();
        Ok(Self { targets, coverage, random: Random(seed), kept, current, folder })
    }

    /// Begins with `seeds`. Errors: what was found, or that the search was none.
    pub fn for_a_while(mut self, seeds: Vec<Vec<u8>>, time: Duration) -> Result<(), String> {
        std::panic::set_hook(Box::new(|panic| {
            PANICKED.store(true, Ordering::SeqCst);
            eprintln!("{panic}");
        }));
        thread::spawn(watch);
        let began = Instant::now();
        for seed in seeds {
            let kept = self.kept_of(&seed);
            kept.words.extend(words(&seed));
            kept.inputs.push(seed.clone());
            self.once(&seed)?;
        }
        self.kept.iter_mut().for_each(|kept| {
            kept.words.sort();
            kept.words.dedup();
        });
        let at_start = self.coverage.edges();
        println!("at the start: {} inputs, {at_start} of {} edges", self.inputs(), self.coverage.all());
        while began.elapsed() < time {
            // The clock is asked now and then.
            for _ in 0..256 {
                let input = self.next();
                if self.once(&input)? && input.len() <= BYTES_MAX {
                    self.kept_of(&input).inputs.push(input);
                }
            }
        }
        self.tell(began.elapsed(), at_start)
    }

    fn tell(&self, took: Duration, at_start: usize) -> Result<(), String> {
        let (runs, edges) = (RUNS.load(Ordering::SeqCst), self.coverage.edges());
        let a_second = runs / took.as_secs().max(1);
        println!(
            "after {} s: {runs} executions ({a_second}/s), {} inputs, {edges} edges",
            took.as_secs(),
            self.inputs()
        );
        for (name, kept) in self.targets.names().iter().zip(&self.kept) {
            println!("  {name}: {} inputs", kept.inputs.len());
        }
        if runs == 0 || a_second < RUNS_A_SECOND_MIN {
            return Err(format!("{a_second} executions a second are no search"));
        }
        if at_start == 0 || edges < EDGES_MIN || edges == at_start {
            return Err(format!(
                "{edges} edges after {at_start}: below {EDGES_MIN} or no more than at the start, it is no search"
            ));
        }
        Ok(())
    }

    /// Runs an input. Whether it took a branch first; errors if it broke something.
    fn once(&mut self, input: &[u8]) -> Result<bool, String> {
        let length = u64::try_from(input.len()).unwrap_or(0).to_le_bytes();
        self.current.write_all_at(&[&length, input].concat(), 0).map_err(|error| format!("current: {error}"))?;
        RUNS.fetch_add(1, Ordering::SeqCst);
        self.coverage.clear();
        let ran = catch_unwind(AssertUnwindSafe(|| self.targets.run(input)));
        if ran.is_err() || PANICKED.load(Ordering::SeqCst) {
            return Err(self.found(input));
        }
        Ok(self.coverage.grew())
    }

    fn found(&self, input: &[u8]) -> String {
        let path = self.folder.join(format!("{:016x}", fingerprint(input)));
        let written = std::fs::write(&path, input);
        let names = self.targets.names();
        let name = &names[usize::from(input[0]) % names.len()];
        let runs = RUNS.load(Ordering::SeqCst);
        format!("found after {runs} executions, by {name}, kept as {} ({written:?})", path.display())
    }

    fn next(&mut self) -> Vec<u8> {
        let random = &mut self.random;
        let kept = &self.kept[random.below(self.kept.len())];
        let pick = |random: &mut Random| {
            // What was found last has been tried least.
            let recent = if random.below(2) == 0 { kept.inputs.len().min(16) } else { kept.inputs.len() };
            kept.inputs.get(kept.inputs.len() - recent + random.below(recent)).cloned().unwrap_or_default()
        };
        let (mut input, other) = (pick(random), pick(random));
        mutate(random, &mut input, 1, &kept.words, &other);
        input
    }

    fn kept_of(&mut self, input: &[u8]) -> &mut Kept {
        let which = usize::from(input.first().copied().unwrap_or_default()) % self.kept.len();
        &mut self.kept[which]
    }

    fn inputs(&self) -> usize {
        self.kept.iter().map(|kept| kept.inputs.len()).sum()
    }
}

/// Ends the process if an input takes too long. It is in `current`.
fn watch() {
    let mut last = (0, Instant::now());
    loop {
        thread::sleep(Duration::from_secs(1));
        let runs = RUNS.load(Ordering::SeqCst);
        if runs != last.0 {
            last = (runs, Instant::now());
        } else if last.1.elapsed() > Duration::from_secs(HANG_S) {
            eprintln!(
                "execution {runs} takes longer than {HANG_S} s; its input is target/found/current, behind 8 bytes"
            );
            std::process::exit(1);
        }
    }
}

/// Names, texts and numbers: what stands between quotes, tags, spaces and signs.
fn words(input: &[u8]) -> Vec<Vec<u8>> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-/".contains(byte);
    let words = input.get(1..).unwrap_or_default().split(|byte| !is_word(byte));
    words.filter(|word| (2..=64).contains(&word.len())).map(<[u8]>::to_vec).collect()
}

/// FNV-1a (isthe.com/chongo/tech/comp/fnv): a name for a file.
fn fingerprint(input: &[u8]) -> u64 {
    input.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
