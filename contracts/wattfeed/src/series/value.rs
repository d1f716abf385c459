//! The number that a value's text stands for.
use crate::Error;

/// Marks by which EIA withholds a value, in lower case. Withheld: w, d, q. Not available: na. Not meaningful: nm. Too small to
/// be shown: * and s. Not applicable or not reported: dashes, a dot.
const MARKS: [&str; 11] = ["w", "d", "q", "na", "n/a", "nm", "*", "s", "(s)", "-", "--"];

/// Maximum number of characters of a value.
pub(super) const MAX_VALUE_CHARACTERS: usize = 64;

/// Whether a leaf is built with this text: printable ASCII that JSON does not escape.
pub(super) fn is_plain(text: &str) -> bool {
    text.len() <= MAX_VALUE_CHARACTERS
        && text.bytes().all(|byte| matches!(byte, b' '..=b'~') && !b"\"\\".contains(&byte))
}

/// Returns an error if there is no value: it is null, empty, or a mark.
pub(super) fn given(value: Option<&str>) -> Result<&str, Error> {
    let text = value.ok_or(Error::Withheld)?;
    let shown = text.trim();
    if shown.is_empty() {
        return Err(Error::EmptyValue);
    }
    let is_withheld = shown == "." || MARKS.iter().any(|mark| mark.eq_ignore_ascii_case(shown));
    if is_withheld {
        Err(Error::Withheld)
    } else {
        Ok(text)
    }
}

/// Returns the number times 10^`decimals`. Nothing is rounded.
pub(super) fn scale(text: &str, decimals: u8) -> Result<i64, Error> {
    let (is_negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(m, e)| (m, Some(e)));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits = whole.bytes().chain(fraction.bytes());
    if whole.len() + fraction.len() == 0 || !digits.all(|byte| byte.is_ascii_digit()) {
        return Err(Error::NotANumber);
    }
    if let Some(exponent) = exponent {
        return Err(if is_integer(exponent) { Error::Exponent } else { Error::NotANumber });
    }
    let fraction = fraction.trim_end_matches('0');
    let zeros = usize::from(decimals).checked_sub(fraction.len()).ok_or(Error::TooManyDigits)?;
    let digits = whole.bytes().chain(fraction.bytes()).map(|byte| i64::from(byte - b'0'));
    // Counted down, because the lowest number has no positive counterpart.
    let negated = digits
        .chain(core::iter::repeat_n(0, zeros))
        .try_fold(0_i64, |number, digit| number.checked_mul(10)?.checked_sub(digit));
    let scaled = if is_negative { negated } else { negated.and_then(i64::checked_neg) };
    scaled.ok_or(Error::TooManyDigits)
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_scaled_exactly() {
        for (text, decimals, scaled) in [
            ("59.91", 2, 5_991),
            ("59.91", 6, 59_910_000),
            (".306", 3, 306),
            ("-.5", 1, -5),
            ("-0", 3, 0),
            ("7.", 1, 70),
            ("12.3400", 2, 1_234),
            ("0012", 0, 12),
            ("0.000", 0, 0),
            ("-37.63", 2, -3_763),
            ("9223372036854775807", 0, i64::MAX),
            ("-9223372036854775808", 0, i64::MIN),
        ] {
            assert_eq!(scale(text, decimals), Ok(scaled), "{text}");
        }
    }

    #[test]
    fn digits_beyond_the_decimals_or_an_integer_are_too_many() {
        for (text, decimals) in [("1.25", 1), ("0.001", 2), ("9223372036854775808", 0), ("92233720368547758", 3)] {
            assert_eq!(scale(text, decimals), Err(Error::TooManyDigits), "{text}");
        }
    }

    #[test]
    fn an_exponent_has_a_name_of_its_own() {
        for text in ["1e5", "-1.5E+3", ".5e-3"] {
            assert_eq!(scale(text, 6), Err(Error::Exponent), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_numbers() {
        for text in
            ["1,234", "12%", "0x10", "+5", "--5", "1.2.3", "1 ", "e5", "1e", "1e5.5", "-", ".", "NaN", "Infinity"]
        {
            assert_eq!(scale(text, 6), Err(Error::NotANumber), "{text}");
        }
    }

    #[test]
    fn a_null_and_a_mark_are_withheld() {
        assert_eq!(given(None), Err(Error::Withheld));
        for text in ["w", "W", " NA ", "n/a", "NM", "*", "(s)", "-", "--", "."] {
            assert_eq!(given(Some(text)), Err(Error::Withheld), "{text}");
        }
        assert_eq!(given(Some("")), Err(Error::EmptyValue));
        assert_eq!(given(Some("  ")), Err(Error::EmptyValue));
        assert_eq!(given(Some("1,234")), Ok("1,234"));
    }

    #[test]
    fn a_plain_text_needs_no_escape() {
        assert!(is_plain("(s) ~!-1.5"));
        assert!(is_plain(&"9".repeat(64)));
        assert!(!is_plain(&"9".repeat(65)));
        for text in ["\"", "\\", "\n", "\u{7f}", "–", "\u{0}"] {
            assert!(!is_plain(text), "{text:?}");
        }
    }
}
