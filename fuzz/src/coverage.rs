//! Which branches a run took: a byte for each, which the compiled code counts up.
//!
//! `-sanitizer-coverage-inline-8bit-counters` puts the counters of each compiled unit into one array, and has a constructor
//! that runs before `main` say where it is (clang.llvm.org/docs/SanitizerCoverage.html, "Inline 8bit-counters").

use std::slice;
use std::sync::Mutex;

/// Where counters begin, and how many there are.
#[derive(Clone, Copy)]
struct Unit(usize, usize);

static UNITS: Mutex<Vec<Unit>> = Mutex::new(Vec::new());

/// Called once or more for each compiled unit, with the same array each time.
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_8bit_counters_init(start: *mut u8, stop: *mut u8) {
    let unit = Unit(start.addr(), stop.addr() - start.addr());
    start.expose_provenance();
    if let Ok(mut units) = UNITS.lock()
        && units.iter().all(|known| known.0 != unit.0)
    {
        units.push(unit);
    }
}

/// The counters, and for each what runs so far have shown.
pub struct Coverage {
    counters: Vec<&'static mut [u8]>,
    seen: Vec<Vec<u8>>,
    edges: usize,
}

impl Coverage {
    /// Of all that is compiled with counters. To be called once.
    pub fn take() -> Self {
        let units = UNITS.lock().map(|mut units| std::mem::take(&mut *units)).unwrap_or_default();
        let counters = |Unit(start, bytes): Unit| {
            // SAFETY: the compiler made this array for nothing else, it lives as long as the process, and each is taken
            // once. All code with counters runs on the thread that reads them, between the reads.
            unsafe { slice::from_raw_parts_mut(std::ptr::with_exposed_provenance_mut(start), bytes) }
        };
        let counters: Vec<&'static mut [u8]> = units.into_iter().map(counters).collect();
        let seen = counters.iter().map(|unit| vec![0; unit.len()]).collect();
        Self { counters, seen, edges: 0 }
    }

    /// How many branches there are.
    pub fn all(&self) -> usize {
        self.seen.iter().map(Vec::len).sum()
    }

    /// How many were ever taken.
    pub fn edges(&self) -> usize {
        self.edges
    }

    /// Sets the counters to nothing.
    pub fn clear(&mut self) {
        self.counters.iter_mut().for_each(|unit| unit.fill(0));
    }

    /// Whether the run since [`clear`](Self::clear) took a branch for the first time, or more often than any before.
    pub fn grew(&mut self) -> bool {
        let mut grew = false;
        for (unit, seen) in self.counters.iter().zip(&mut self.seen) {
            for (counts, seen) in unit.chunks(8).zip(seen.chunks_mut(8)) {
                // Most have counted nothing.
                if counts.iter().all(|count| *count == 0) {
                    continue;
                }
                for (count, seen) in counts.iter().zip(seen) {
                    let class = class(std::hint::black_box(*count));
                    self.edges += usize::from(*seen == 0 && class != 0);
                    grew |= class & !*seen != 0;
                    *seen |= class;
                }
            }
        }
        grew
    }
}

/// A bit for each order of magnitude: once, twice, thrice, a few, many.
fn class(count: u8) -> u8 {
    match count {
        0 => 0,
        1 => 1,
        2 => 2,
        3 => 4,
        4..=7 => 8,
        8..=15 => 16,
        16..=31 => 32,
        32..=127 => 64,
        128.. => 128,
    }
}
