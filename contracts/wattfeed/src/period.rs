//! The integers of periods on chain.
//!
//! | frequency | integer |
//! | --- | --- |
//! | `annual` | `YYYY` |
//! | `quarterly` | `YYYYMM` of the quarter's first month |
//! | `monthly` | `YYYYMM` |
//! | `weekly`, `four-week-average`, `daily` | `YYYYMMDD` |
//! | `hourly`, `local-hourly` | seconds since 1970, in UTC |
//!
//! Each function returns none for what is not in the calendar. The guide says which date EIA gives a week, and which hour an hour.

/// Returns the integer of a year.
///
/// ```
/// assert_eq!(wattfeed::period::year(2026), Some(2026));
/// ```
pub fn year(year: u64) -> Option<u64> {
    (year <= 9999).then_some(year)
}

/// Returns the integer of a quarter, from 1 to 4.
///
/// ```
/// assert_eq!(wattfeed::period::quarter(2026, 4), Some(202610));
/// ```
pub fn quarter(year: u64, quarter: u64) -> Option<u64> {
    match quarter {
        1..=4 => month(year, 3 * quarter - 2),
        _ => None,
    }
}

/// Returns the integer of a month, from 1 to 12.
///
/// ```
/// assert_eq!(wattfeed::period::month(2026, 11), Some(202611));
/// ```
pub fn month(year: u64, month: u64) -> Option<u64> {
    match month {
        1..=12 => Some(self::year(year)? * 100 + month),
        _ => None,
    }
}

/// Returns the integer of a date, which is that of a day or of a week.
///
/// ```
/// assert_eq!(wattfeed::period::date(2026, 11, 20), Some(20261120));
/// assert_eq!(wattfeed::period::date(2026, 11, 31), None);
/// ```
pub fn date(year: u64, month: u64, day: u64) -> Option<u64> {
    let month_integer = self::month(year, month)?;
    (1..=days_of(year, month)).contains(&day).then(|| month_integer * 100 + day)
}

/// Returns the integer of an hour of UTC, from 0 to 23, since 1970.
///
/// ```
/// assert_eq!(wattfeed::period::hour(2026, 11, 26, 21), Some(1795726800));
/// ```
pub fn hour(year: u64, month: u64, day: u64, hour: u64) -> Option<u64> {
    seconds(year, month, day, hour)?.try_into().ok()
}

/// Returns the integer of a period in EIA's text.
///
/// ```
/// use wattfeed::period;
///
/// assert_eq!(period::encode("quarterly", "2026-Q4"), Some(202610));
/// assert_eq!(period::encode("local-hourly", "2026-11-26T16-05"), period::hour(2026, 11, 26, 21));
/// assert_eq!(period::encode("monthly", "2026-13"), None);
/// ```
pub fn encode(frequency: &str, text: &str) -> Option<u64> {
    match frequency {
        "annual" => numbers(text, "0000").and_then(|[y]| year(y)),
        "quarterly" => numbers(text, "0000-Q0").and_then(|[y, _, q]| quarter(y, q)),
        "monthly" => numbers(text, "0000-00").and_then(|[y, m]| month(y, m)),
        "weekly" | "daily" | "four-week-average" => numbers(text, "0000-00-00").and_then(|[y, m, d]| date(y, m, d)),
        "hourly" => numbers(text, "0000-00-00T00").and_then(|[y, m, d, h]| hour(y, m, d, h)),
        "local-hourly" => encode_local_hour(text),
        _ => None,
    }
}

/// The text ends with the offset of the local time from UTC in hours.
fn encode_local_hour(text: &str) -> Option<u64> {
    let (sign, form, most) = match text.as_bytes().get("0000-00-00T00".len())? {
        b'+' => (1, "0000-00-00T00+00", 14),
        _ => (-1, "0000-00-00T00-00", 12),
    };
    let [year, month, day, hour, offset] = numbers(text, form)?;
    if offset > most {
        return None;
    }
    let seconds = seconds(year, month, day, hour)? - sign * 3600 * offset as i64;
    seconds.try_into().ok()
}

/// Returns the seconds from 1970 to an hour of UTC.
fn seconds(year: u64, month: u64, day: u64, hour: u64) -> Option<i64> {
    date(year, month, day)?;
    if hour > 23 {
        return None;
    }
    // With March as the first month, the leap day is the last day of a year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    Some(((days as i64 - DAYS_BEFORE_1970) * 24 + hour as i64) * 3600)
}

/// From the first of March of the year 0.
const DAYS_BEFORE_1970: i64 = 719_468;

fn days_of(year: u64, month: u64) -> u64 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the numbers in a text of this form, in which 0 stands for a digit and all else for itself.
fn numbers<const N: usize>(text: &str, form: &str) -> Option<[u64; N]> {
    if text.len() != form.len() {
        return None;
    }
    let mut numbers = [0; N];
    let mut at = 0;
    for (byte, expected) in text.bytes().zip(form.bytes()) {
        match expected {
            b'0' if byte.is_ascii_digit() => numbers[at] = 10 * numbers[at] + u64::from(byte - b'0'),
            _ if byte == expected => at += 1,
            _ => return None,
        }
    }
    Some(numbers)
}
