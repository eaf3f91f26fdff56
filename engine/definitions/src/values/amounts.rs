//! Amounts as people in India say them. The browser says the same (`web/src/ui/format.ts`); `tests/forms/amounts.json`
//! holds both to it.

use super::money::group_digits;
use crate::text::ENGLISH;

const STEPS: [(u64, &str); 3] = [(10_000_000, " Cr"), (100_000, " Lakh"), (1_000, " K")];
const STEPS_HINDI: [(u64, &str); 3] = [(10_000_000, " करोड़"), (100_000, " लाख"), (1_000, " हज़ार")];
const NAMES: [(u64, &str); 3] = [(10_000_000, "crore"), (100_000, "lakh"), (1_000, "thousand")];

/// `₹1.5 Cr`, `₹5 Lakh`, `₹10 K` (R9-70), in Hindi `₹1.5 करोड़`: at most two decimals, cut off; smaller amounts as they
/// are.
pub fn brief(paise: i64, language: &str) -> String {
    let (sign, all) = (if paise < 0 { "−" } else { "" }, paise.unsigned_abs());
    let rupees = all / 100;
    let steps = if language == "hi" { STEPS_HINDI } else { STEPS };
    let Some((size, mark)) = steps.iter().find(|(size, _)| rupees >= *size) else {
        let rest = if all.is_multiple_of(100) { String::new() } else { format!(".{:02}", all % 100) };
        return format!("{sign}₹{rupees}{rest}");
    };
    let hundredths = u128::from(rupees) * 100 / u128::from(*size);
    let decimals = format!("{:02}", hundredths % 100);
    let decimals = decimals.trim_end_matches('0');
    let point = if decimals.is_empty() { "" } else { "." };
    format!("{sign}₹{}{point}{decimals}{mark}", group_digits(rupees / size))
}

/// `1 crore 50 lakh rupees` (R9-44); paise are left out. In another language than English in brief.
pub fn spell_out(paise: i64, language: &str) -> String {
    if language != ENGLISH {
        return brief(paise, language);
    }
    let rupees = paise.unsigned_abs() / 100;
    let (mut left, mut parts) = (rupees, Vec::new());
    for (size, name) in NAMES {
        if left >= size {
            parts.push(format!("{} {name}", group_digits(left / size)));
        }
        left %= size;
    }
    if left > 0 || parts.is_empty() {
        parts.push(left.to_string());
    }
    let (sign, noun) = (if paise < 0 { "minus " } else { "" }, if rupees == 1 { "rupee" } else { "rupees" });
    format!("{sign}{} {noun}", parts.join(" "))
}

#[cfg(test)]
mod tests {
    #[test]
    fn amounts_are_said_as_the_browser_says_them() {
        let cases: serde_json::Value =
            serde_json::from_str(include_str!("../../../../tests/forms/amounts.json")).expect("JSON");
        for case in cases.as_array().expect("a list") {
            let paise = case["paise"].as_i64().expect("paise");
            assert_eq!(super::brief(paise, "en"), case["brief"], "{paise}");
            assert_eq!(super::spell_out(paise, "en"), case["spelled"], "{paise}");
        }
        assert_eq!(super::brief(1_500_000_000, "hi"), "₹1.5 करोड़");
        assert_eq!(super::spell_out(5_000_000, "hi"), "₹50 हज़ार");
    }
}
