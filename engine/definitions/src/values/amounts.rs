//! Amounts as people in India say them. The browser says the same (`web/src/ui/format.ts`); `tests/forms/amounts.json`
//! holds both to it.

use super::money::grouped;

const STEPS: [(u64, &str); 3] = [(10_000_000, " Cr"), (100_000, " Lakh"), (1_000, "K")];
const NAMES: [(u64, &str); 3] = [(10_000_000, "crore"), (100_000, "lakh"), (1_000, "thousand")];
const ONES: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// `₹1.5 Cr`, `₹5 Lakh`, `₹10K`: at most two decimals, cut off; smaller amounts as they are.
pub fn brief(paise: i64) -> String {
    let (sign, all) = (if paise < 0 { "−" } else { "" }, paise.unsigned_abs());
    let rupees = all / 100;
    let Some((size, mark)) = STEPS.iter().find(|(size, _)| rupees >= *size) else {
        let rest = if all.is_multiple_of(100) { String::new() } else { format!(".{:02}", all % 100) };
        return format!("{sign}₹{rupees}{rest}");
    };
    let hundredths = u128::from(rupees) * 100 / u128::from(*size);
    let decimals = format!("{:02}", hundredths % 100);
    let decimals = decimals.trim_end_matches('0');
    let point = if decimals.is_empty() { "" } else { "." };
    format!("{sign}₹{}{point}{decimals}{mark}", grouped(rupees / size))
}

/// `one crore fifty lakh rupees`; paise are left out.
pub fn spelled(paise: i64) -> String {
    let rupees = paise.unsigned_abs() / 100;
    let (sign, noun) = (if paise < 0 { "minus " } else { "" }, if rupees == 1 { "rupee" } else { "rupees" });
    format!("{sign}{} {noun}", number(rupees))
}

fn number(n: u64) -> String {
    let one = |n: u64| ONES.get(n as usize).copied().unwrap_or_default();
    let after = |rest: u64, by: &str| if rest == 0 { String::new() } else { format!("{by}{}", number(rest)) };
    match n {
        0..20 => one(n).to_owned(),
        20..100 => {
            let tens = TENS.get((n / 10 - 2) as usize).copied().unwrap_or_default();
            format!("{tens}{}", after(n % 10, "-"))
        }
        100..1_000 => format!("{} hundred{}", one(n / 100), after(n % 100, " and ")),
        _ => {
            let (size, name) = NAMES.iter().find(|(size, _)| n >= *size).copied().unwrap_or((1_000, "thousand"));
            format!("{} {name}{}", number(n / size), after(n % size, " "))
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn amounts_are_said_as_the_browser_says_them() {
        let cases: serde_json::Value =
            serde_json::from_str(include_str!("../../../../tests/forms/amounts.json")).expect("JSON");
        for case in cases.as_array().expect("a list") {
            let paise = case["paise"].as_i64().expect("paise");
            assert_eq!(super::brief(paise), case["brief"], "{paise}");
            assert_eq!(super::spelled(paise), case["spelled"], "{paise}");
        }
    }
}
