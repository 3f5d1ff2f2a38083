//! Inputs made of other inputs. Bytes are changed blindly; numbers, texts and lines as what they are, since most of what is
//! parsed here is JSON, forms, headers and XML.

/// Longer inputs show nothing that these do not, and take longer.
pub const BYTES_MAX: usize = 24 * 1024;

/// Where parsers go wrong.
const ODD: [&[u8]; 32] = [
    b"0",
    b"-0",
    b"-1",
    b"00",
    b"0.0",
    b"0.1",
    b"1e1",
    b"1e999999",
    b"9223372036854775807",
    b"9223372036854775808",
    b"-9223372036854775808",
    b"18446744073709551616",
    b"99999999999999999999.99",
    b"253402300800",
    b"null",
    b"true",
    b"\"\"",
    b"{}",
    b"[]",
    b"[",
    b"{\"a\":",
    b"\\u0000",
    b"\\ud800",
    b"\xff",
    b"\xc3\xa9",
    b"\0",
    b":",
    b"%3A",
    b"\r\n",
    b"<!DOCTYPE a>",
    b"&amp;",
    b"9999-12-31T23:59:60Z",
];

/// SplitMix64 (prng.di.unimi.it): the same seed, the same run.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// Below `end`; 0 where that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end.max(1)).unwrap_or(1)).unwrap_or(0)
    }

    fn pick<'a>(&mut self, from: &'a [Vec<u8>]) -> &'a [u8] {
        from.get(self.below(from.len())).map_or(&[], Vec::as_slice)
    }

    /// Mostly short.
    fn length(&mut self, longest: usize) -> usize {
        let bound = 1 << self.below(10);
        self.below(longest.min(bound) + 1)
    }
}

/// Changes `input` some times. `words` are texts that mean something to the target, `other` is another of its inputs. The
/// first `fixed` bytes stay.
pub fn mutate(random: &mut Random, input: &mut Vec<u8>, fixed: usize, words: &[Vec<u8>], other: &[u8]) {
    for _ in 0..=random.below(5) {
        let mut rest = input.split_off(fixed);
        once(random, &mut rest, words, other);
        rest.truncate(BYTES_MAX);
        input.append(&mut rest);
    }
}

fn once(random: &mut Random, input: &mut Vec<u8>, words: &[Vec<u8>], other: &[u8]) {
    let at = random.below(input.len() + 1);
    match random.below(12) {
        0 => flip(random, input),
        1 => input.insert(at, u8::try_from(random.below(256)).unwrap_or(0)),
        2 => drop(input.drain(at..at + random.length(input.len() - at))),
        3 => {
            let piece = input[at..at + random.length(input.len() - at)].to_vec();
            let to = random.below(input.len() + 1);
            replace(input, to, to, &piece);
        }
        4 => {
            let odd = ODD[random.below(ODD.len())];
            replace(input, at, at, odd);
        }
        5 => replace(input, at, at, random.pick(words)),
        6 => {
            let odd = ODD[random.below(16)];
            spot(random, input, u8::is_ascii_digit, odd);
        }
        7 => {
            let word = random.pick(words);
            spot(random, input, |byte| byte.is_ascii_alphanumeric() || b"_.-/".contains(byte), word);
        }
        8 => {
            let from = random.below(other.len() + 1);
            let piece = &other[from..from + random.length(other.len() - from)];
            let end = at + random.length(input.len() - at);
            replace(input, at, end, piece);
        }
        9 => value(random, input),
        10 => input.truncate(at),
        _ => {
            let piece = ODD[random.below(ODD.len())].repeat(1 + random.below(200));
            replace(input, at, at, &piece);
        }
    }
}

fn flip(random: &mut Random, input: &mut [u8]) {
    let at = random.below(input.len());
    if let Some(byte) = input.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
}

fn replace(input: &mut Vec<u8>, from: usize, to: usize, with: &[u8]) {
    input.splice(from..to, with.iter().copied());
}

/// Replaces one of the runs of bytes that are `of` a kind.
fn spot(random: &mut Random, input: &mut Vec<u8>, of: impl Fn(&u8) -> bool, with: &[u8]) {
    let from = random.below(input.len());
    let Some(start) = input[from..].iter().position(&of).map(|at| from + at) else { return };
    let end = input[start..].iter().position(|byte| !of(byte)).map_or(input.len(), |at| start + at);
    replace(input, start, end, with);
}

/// Replaces what stands behind a colon, up to where the value may end.
fn value(random: &mut Random, input: &mut Vec<u8>) {
    let from = random.below(input.len());
    let Some(start) = input[from..].iter().position(|byte| *byte == b':').map(|at| from + at + 1) else { return };
    let end = input[start..].iter().position(|byte| b",}\n".contains(byte)).map_or(input.len(), |at| start + at);
    replace(input, start, end, ODD[random.below(ODD.len())]);
}
