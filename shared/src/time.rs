//! Time as an argument: a unit in every type, and no clock read below the runtime.

use std::pin::Pin;

/// Milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixMs(i64);

/// Seconds since the Unix epoch: the unit of signature stamps and of DynamoDB's TTL attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixS(i64);

impl UnixMs {
    /// Wraps a count of milliseconds.
    pub const fn new(ms: i64) -> Self {
        Self(ms)
    }

    /// The count of milliseconds.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// This moment, `ms` later.
    pub const fn plus_ms(self, ms: u64) -> Self {
        Self(self.0.saturating_add_unsigned(ms))
    }

    /// The second this moment lies in.
    pub const fn to_s(self) -> UnixS {
        UnixS(self.0.div_euclid(1000))
    }

    /// Milliseconds from here to `later`; 0 when that is in the past.
    pub fn ms_until(self, later: Self) -> u64 {
        u64::try_from(later.0.saturating_sub(self.0)).unwrap_or(0)
    }

    /// RFC 3339 in UTC with milliseconds, e.g. `2026-11-30T19:05:58.000Z`.
    pub fn rfc3339(self) -> String {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(stamp) => format!("{stamp:.3}"),
            Err(_) => format!("{} ms", self.0),
        }
    }

    /// Reads an RFC 3339 / ISO 8601 time with an offset.
    pub fn parse_rfc3339(text: &str) -> Option<Self> {
        text.parse::<jiff::Timestamp>().ok().map(|stamp| Self(stamp.as_millisecond()))
    }

    /// Reads a date as HTTP headers carry it, e.g. `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, 5.6.7).
    pub fn parse_http_date(text: &str) -> Option<Self> {
        let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok();
        date.map(|stamp| Self(stamp.as_millisecond()))
    }
}

impl UnixS {
    /// Wraps a count of seconds.
    pub const fn new(s: i64) -> Self {
        Self(s)
    }

    /// The count of seconds.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// This moment, `s` seconds later.
    pub const fn plus_s(self, s: u64) -> Self {
        Self(self.0.saturating_add_unsigned(s))
    }

    /// The first millisecond of this second.
    pub const fn to_ms(self) -> UnixMs {
        UnixMs(self.0.saturating_mul(1000))
    }
}

/// What a server says under `Retry-After`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    /// After so many seconds.
    Seconds(u64),
    /// Not before this moment.
    At(UnixMs),
}

impl RetryAfter {
    /// Seconds, or a date (RFC 9110, 10.2.3). `None`: neither.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        text.parse().ok().map(Self::Seconds).or_else(|| UnixMs::parse_http_date(text).map(Self::At))
    }

    /// The moment it means, said at `now`.
    pub fn moment(self, now: UnixMs) -> UnixMs {
        match self {
            Self::Seconds(s) => now.plus_ms(s.saturating_mul(1_000)),
            Self::At(moment) => moment,
        }
    }
}

/// Where the time comes from. The runtime hands the system's clock down; tests hand down one they set by hand.
pub trait Clock: Send + Sync + 'static {
    /// The time now.
    fn now(&self) -> UnixMs;

    /// Waits.
    fn sleep_ms(&self, ms: u64) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_floored_also_before_the_epoch() {
        assert_eq!(UnixMs::new(1_999).to_s(), UnixS::new(1));
        assert_eq!(UnixMs::new(-1).to_s(), UnixS::new(-1));
    }

    #[test]
    fn rfc3339_goes_both_ways() {
        let moment = UnixMs::new(1_796_065_558_123);
        assert_eq!(moment.rfc3339(), "2026-11-30T19:05:58.123Z");
        assert_eq!(UnixMs::parse_rfc3339(&moment.rfc3339()), Some(moment));
        assert_eq!(UnixMs::parse_rfc3339("2026-11-30T20:05:58.123+01:00"), Some(moment));
        assert_eq!(UnixMs::parse_rfc3339("2026-11-30"), None);
    }

    #[test]
    fn http_dates_are_read() {
        let moment = Some(UnixMs::new(784_111_777_000));
        assert_eq!(UnixMs::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), moment);
        assert_eq!(UnixMs::parse_http_date("in a while"), None);
    }
}
