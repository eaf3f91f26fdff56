//! Durations of the dialect: digits are milliseconds, or `<int>` + `ms`, `s`, `m`, `h`, `d`.

/// Parses a duration into milliseconds, or says why the text is none. At most 100 years.
///
/// ```
/// use engine_statechart::parse_duration_ms;
/// assert_eq!(parse_duration_ms("90s"), Ok(90_000));
/// assert!(parse_duration_ms("soon").is_err());
/// ```
pub fn parse_duration_ms(text: &str) -> Result<i64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor: i64 = match unit {
        "" | "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(not_a_duration(text)),
    };
    if number.is_empty() {
        return Err(not_a_duration(text));
    }
    number
        .parse::<i64>()
        .ok()
        .and_then(|n| n.checked_mul(factor))
        .filter(|ms| *ms <= DURATION_MS_MAX)
        .ok_or_else(|| format!("duration `{}` is longer than 100 years", short(text)))
}

pub(crate) const DURATION_MS_MAX: i64 = 36_525 * 86_400_000;

fn not_a_duration(text: &str) -> String {
    format!("`{}` is not a duration", short(text))
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::parse_duration_ms;

    #[test]
    fn reads_the_dialects_durations() {
        for (text, ms) in [
            ("0", Some(0)),
            ("1000", Some(1000)),
            ("5ms", Some(5)),
            ("2m", Some(120_000)),
            ("3h", Some(10_800_000)),
            ("30d", Some(2_592_000_000)),
            ("", None),
            ("s", None),
            ("-1s", None),
            ("1.5s", None),
            ("1 s", None),
            ("1w", None),
            ("99999999999999999999d", None),
            ("9223372036854775807", None),
        ] {
            assert_eq!(parse_duration_ms(text).ok(), ms, "{text}");
        }
    }
}
