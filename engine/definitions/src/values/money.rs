//! Money is an integer of paise, a rate an integer of millionths. Rounding is half away from zero,
//! computed in 128 bits; every line is rounded, then summed.

use super::type_error;
use serde_json::Value;

/// `amount * rate / 1,000,000`
pub fn share(amount: &Value, rate: &Value) -> Result<Value, String> {
    scale(amount, rate, &Value::from(1_000_000))
}

/// `a * n / d`
pub fn scale(a: &Value, n: &Value, d: &Value) -> Result<Value, String> {
    let (a, n, d) = (int(a)?, int(n)?, int(d)?);
    round_div(a, n, d).map(Value::from)
}

/// Computes a · n / d on plain integers, halves away from zero.
pub fn round_div(a: i64, n: i64, d: i64) -> Result<i64, String> {
    if d == 0 {
        return Err("division by zero".into());
    }
    let (product, d) = (i128::from(a) * i128::from(n), i128::from(d));
    let magnitude = (product.abs() * 2 + d.abs()) / (d.abs() * 2);
    let value = if (product < 0) == (d < 0) { magnitude } else { -magnitude };
    i64::try_from(value).map_err(|_| "the amount is out of range".into())
}

pub fn sum(list: &Value) -> Result<Value, String> {
    let items = list.as_array().ok_or_else(|| type_error("a list", list))?;
    if items.iter().any(Value::is_f64) {
        let numbers: Option<Vec<f64>> = items.iter().map(Value::as_f64).collect();
        let total: f64 = numbers.ok_or("expected a list of numbers")?.iter().sum();
        return Ok(serde_json::Number::from_f64(total).map_or(Value::Null, Value::Number));
    }
    items
        .iter()
        .try_fold(0i64, |total, v| total.checked_add(int(v)?).ok_or_else(|| "the sum is out of range".to_owned()))
        .map(Value::from)
}

/// `₹1,23,456.00`: Indian grouping, paise always shown.
pub fn show(paise: &Value) -> Result<String, String> {
    let paise = int(paise)?;
    let (sign, magnitude) = (if paise < 0 { "-" } else { "" }, paise.unsigned_abs());
    Ok(format!("{sign}₹{}.{:02}", group_digits(magnitude / 100), magnitude % 100))
}

/// Lakh and crore grouping of a whole number: the last three digits, then pairs.
pub fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let (head, tail) = digits.split_at(digits.len().saturating_sub(3));
    let mut out = String::new();
    for (i, c) in head.chars().enumerate() {
        if i > 0 && (head.len() - i) % 2 == 0 {
            out.push(',');
        }
        out.push(c);
    }
    if !out.is_empty() {
        out.push(',');
    }
    out + tail
}

/// `₹2,094` or `₹2,094.50` → paise.
pub fn parse(text: &str) -> Option<i64> {
    let (sign, text) = match text.trim().strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.trim()),
    };
    let body = text.strip_prefix('₹')?.trim();
    let (rupees, paise) = body.split_once('.').unwrap_or((body, "00"));
    let rupees = rupees.replace(',', "");
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if !digits(&rupees) || !digits(paise) || paise.len() > 2 {
        return None;
    }
    let paise: i64 = if paise.len() == 1 { paise.parse::<i64>().ok()? * 10 } else { paise.parse().ok()? };
    rupees.parse::<i64>().ok()?.checked_mul(100)?.checked_add(paise)?.checked_mul(sign)
}

/// `3.127%` → millionths (31270).
pub fn parse_rate(text: &str) -> Option<i64> {
    let body = text.trim().strip_suffix('%')?.trim();
    let (sign, body) = match body.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, body),
    };
    let (whole, part) = body.split_once('.').unwrap_or((body, ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(part) || part.len() > 4 {
        return None;
    }
    let fraction: i64 = format!("{part:0<4}").parse().ok()?;
    whole.parse::<i64>().ok()?.checked_mul(10_000)?.checked_add(fraction)?.checked_mul(sign)
}

pub fn int(value: &Value) -> Result<i64, String> {
    value.as_i64().ok_or_else(|| type_error("an integer", value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_half_away_from_zero() {
        for (a, n, d, expected) in [
            (5, 1, 2, 3),
            (-5, 1, 2, -3),
            (5, -1, 2, -3),
            (5, 1, -2, -3),
            (-5, -1, 2, 3),
            (4, 1, 3, 1),
            (i64::MAX, 2, 2, i64::MAX),
            (0, 5, 7, 0),
        ] {
            assert_eq!(round_div(a, n, d), Ok(expected), "{a}*{n}/{d}");
        }
        assert!(round_div(1, 1, 0).is_err());
        assert!(round_div(i64::MAX, 3, 1).is_err());
    }

    #[test]
    fn reads_and_shows_amounts() {
        for (text, paise) in [
            ("₹2,094", Some(209_400)),
            ("₹2,094.50", Some(209_450)),
            ("₹1,23,456.7", Some(12_345_670)),
            ("-₹1", Some(-100)),
            ("2094", None),
            ("₹", None),
            ("₹1.234", None),
        ] {
            assert_eq!(parse(text), paise, "{text}");
        }
        for (text, rate) in
            [("3.127%", Some(31_270)), ("18%", Some(180_000)), ("0.0001%", Some(1)), ("0.00001%", None), ("%", None)]
        {
            assert_eq!(parse_rate(text), rate, "{text}");
        }
        for (paise, text) in [
            (12_345_600, "₹1,23,456.00"),
            (5, "₹0.05"),
            (-209_450, "-₹2,094.50"),
            (100_000, "₹1,000.00"),
            (100_000_000_000_i64, "₹1,00,00,00,000.00"),
        ] {
            assert_eq!(show(&Value::from(paise)).as_deref(), Ok(text));
        }
    }
}
