//! Money over time: compound interest, regular payments, present values, the yield of payments. Factors are integers of
//! 10^-16, worked out one period after the other in 128 bits; a rate is an integer of millionths a year. Amounts are
//! rounded half up to their unit; balances that are carried on are rounded to a part of it first.

use super::money::int;
use super::type_error;
use serde_json::Value;

/// One, as a factor.
const ONE: i128 = 10_000_000_000_000_000;
/// A whole, as a rate.
const WHOLE: i128 = 1_000_000;
/// Parts of an amount's unit that are carried from year to year.
const PARTS: i128 = 100_000_000;
/// Most periods of one calculation, a hundred years of months.
const PERIODS_MAX: i64 = 1_200;
/// The highest yield that is looked for, in hundredths of a percent a year.
const YIELD_MAX: i64 = 3_000;

/// `amount` after `times` periods of which `per_year` make a year.
pub fn compound(amount: &Value, rate: &Value, per_year: &Value, times: &Value) -> Result<Value, String> {
    let factor = power(factor(int(rate)?, int(per_year)?)?, periods(times)?)?;
    narrow(round(product(int(amount)?.into(), factor)?, ONE))
}

/// What is to be paid now for `amount` after `times` periods.
pub fn discount(amount: &Value, rate: &Value, per_year: &Value, times: &Value) -> Result<Value, String> {
    let factor = power(factor(int(rate)?, int(per_year)?)?, periods(times)?)?;
    narrow(round(product(int(amount)?.into(), ONE)?, factor))
}

/// The balance after each of `payments`, every one of which is made `times` times in a row at the beginning of a
/// period. `per_year` periods make a year, interest is added `compounded` times a year, at most once a period.
pub fn deposits(
    payments: &Value,
    rate: &Value,
    per_year: &Value,
    compounded: &Value,
    times: &Value,
) -> Result<Value, String> {
    let payments = payments.as_array().ok_or_else(|| type_error("a list", payments))?;
    let (per_year, compounded, times) = (int(per_year)?, int(compounded)?, periods(times)?);
    if compounded < 1 || per_year % compounded != 0 {
        return Err("interest is added at most once a period, and after whole periods".into());
    }
    let period = root(factor(int(rate)?, compounded)?, per_year / compounded)?;
    let (grown, paid) = (power(period, times)?, due(period, times)?);
    let mut balance = 0;
    let mut balances = Vec::with_capacity(payments.len());
    for payment in payments {
        let carried = round(product(balance, grown)?, ONE);
        balance = carried + round(product(product(int(payment)?.into(), PARTS)?, paid)?, ONE);
        balances.push(rounded(balance, PARTS)?);
    }
    Ok(Value::Array(balances))
}

/// What `times` yearly payments are worth today, the first of which is `amount` and made now; each of the others is
/// higher by `growth` than the one before.
pub fn present_value(amount: &Value, growth: &Value, discount: &Value, times: &Value) -> Result<Value, String> {
    let (growth, discount) = (i128::from(int(growth)?), i128::from(int(discount)?));
    if growth <= -WHOLE || discount <= -WHOLE {
        return Err("a rate is above -100 %".into());
    }
    let ratio = round(product(WHOLE + growth, ONE)?, WHOLE + discount);
    let (mut total, mut factor) = (0, ONE);
    for _ in 0..periods(times)? {
        total += factor;
        factor = times_factor(factor, ratio)?;
    }
    rounded(round(product(product(int(amount)?.into(), PARTS)?, total)?, ONE), PARTS)
}

/// The greatest yield a year, in hundredths of a percent, at which what was paid has grown to at most what comes back;
/// `flows` has one amount a year, negative where it is paid. Null where less comes back than was paid.
pub fn yield_of(flows: &Value) -> Result<Value, String> {
    let flows = flows.as_array().ok_or_else(|| type_error("a list", flows))?;
    let flows: Vec<i64> = flows.iter().map(int).collect::<Result<_, _>>()?;
    let covers = |rate: i64| -> Result<bool, String> {
        let factor = ONE + i128::from(rate) * (ONE / 10_000);
        let mut balance: i128 = 0;
        for flow in &flows {
            let grown = times_factor(balance.abs(), factor)?;
            balance = if balance < 0 { -grown } else { grown } + i128::from(*flow) * WHOLE;
        }
        Ok(balance >= 0)
    };
    for rate in (0..=YIELD_MAX).rev() {
        if covers(rate)? {
            return Ok(Value::from(rate));
        }
    }
    Ok(Value::Null)
}

/// What one becomes in a period.
fn factor(rate: i64, per_year: i64) -> Result<i128, String> {
    if !(1..=366).contains(&per_year) {
        return Err("a year has 1 to 366 periods".into());
    }
    if rate < 0 {
        return Err("a rate is not negative".into());
    }
    Ok(ONE + round(product(rate.into(), ONE)?, WHOLE * i128::from(per_year)))
}

fn periods(times: &Value) -> Result<i64, String> {
    let times = int(times)?;
    if (0..=PERIODS_MAX).contains(&times) { Ok(times) } else { Err(format!("0 to {PERIODS_MAX} periods")) }
}

fn power(factor: i128, times: i64) -> Result<i128, String> {
    (0..times).try_fold(ONE, |grown, _| times_factor(grown, factor))
}

/// One paid at the beginning of each period.
fn due(factor: i128, times: i64) -> Result<i128, String> {
    (0..times).try_fold(0, |balance, _| times_factor(balance + ONE, factor))
}

/// The greatest factor of which the `degree`th power is at most `of`.
fn root(of: i128, degree: i64) -> Result<i128, String> {
    if degree == 1 {
        return Ok(of);
    }
    let (mut low, mut high) = (0, of.max(ONE) + 1);
    while high - low > 1 {
        let middle = (low + high) / 2;
        let raised = (1..degree).try_fold(middle, |raised, _| times_factor(raised, middle));
        if raised? <= of { low = middle } else { high = middle }
    }
    Ok(low)
}

fn times_factor(a: i128, factor: i128) -> Result<i128, String> {
    Ok(round(product(a, factor)?, ONE))
}

/// Half up; neither is negative.
fn round(value: i128, by: i128) -> i128 {
    let (negative, value) = (value < 0, value.abs());
    let rounded = value / by + i128::from(value % by * 2 >= by);
    if negative { -rounded } else { rounded }
}

fn product(a: i128, b: i128) -> Result<i128, String> {
    a.checked_mul(b).ok_or_else(out_of_range)
}

fn rounded(value: i128, parts: i128) -> Result<Value, String> {
    narrow(round(value, parts))
}

fn narrow(value: i128) -> Result<Value, String> {
    i64::try_from(value).map(Value::from).map_err(|_| out_of_range())
}

fn out_of_range() -> String {
    "the amount is out of range".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn v(n: i64) -> Value {
        Value::from(n)
    }

    /// Rupees against figures worked out to 60 digits.
    #[test]
    fn lump_sums_grow() {
        assert_eq!(compound(&v(100_000), &v(120_000), &v(1), &v(10)), Ok(v(310_585)));
        assert_eq!(compound(&v(250_000), &v(75_500), &v(1), &v(7)), Ok(v(416_115)));
        assert_eq!(compound(&v(1_000_000_000), &v(300_000), &v(1), &v(40)).map(|v| v.is_i64()), Ok(true));
        // a deposit is carried in parts of a rupee
        let parts = compound(&v(250_000 * 100_000_000), &v(66_500), &v(4), &v(5));
        let days = 365 * 2 + 12 * 12;
        let simple =
            parts.clone().and_then(|p| super::super::money::scale(&p, &v(66_500 * days), &v(1_000_000 * 12 * 365)));
        let total = parts.and_then(|p| Ok(int(&p)? + int(&simple?)?)).map(|total| (total + 50_000_000) / 100_000_000);
        assert_eq!(total, Ok(275_086));
        assert!(compound(&v(i64::MAX), &v(300_000), &v(1), &v(40)).is_err());
    }

    #[test]
    fn regular_payments_add_up() {
        let monthly = |rupees: i64, years: usize| json!(vec![rupees; years]);
        let last = |balances: Result<Value, String>| balances.map(|b| b.as_array().and_then(|b| b.last().cloned()));
        let sip = deposits(&monthly(10_000, 10), &v(120_000), &v(12), &v(12), &v(12));
        assert_eq!(last(sip), Ok(Some(v(2_323_391))));
        // banks compound recurring deposits every quarter
        for (rupees, rate, months, total) in
            [(5_000, 75_000, 18, 95_502), (5_000, 67_000, 60, 356_829), (2_500, 70_000, 13, 33_851)]
        {
            assert_eq!(deposits(&json!([rupees]), &v(rate), &v(12), &v(4), &v(months)), Ok(json!([total])));
        }
        assert!(deposits(&json!([1]), &v(1), &v(4), &v(12), &v(1)).is_err());
    }

    #[test]
    fn an_income_has_a_value_today() {
        assert_eq!(present_value(&v(840_000), &v(50_000), &v(70_000), &v(30)), Ok(v(19_424_816)));
        assert_eq!(present_value(&v(600_000), &v(50_000), &v(50_000), &v(15)), Ok(v(9_000_000)));
    }

    #[test]
    fn payments_have_a_yield() {
        // five payments of 100 at the beginning of the year, 560 back after the fifth
        assert_eq!(yield_of(&json!([-100, -100, -100, -100, -100, 560])).map(|v| v.as_i64().is_some()), Ok(true));
        assert_eq!(yield_of(&json!([-100, 100])), Ok(v(0)));
        assert_eq!(yield_of(&json!([-100, 110])), Ok(v(1_000)));
        assert_eq!(yield_of(&json!([-100, 99])), Ok(Value::Null));
    }

    #[test]
    fn later_amounts_are_worth_less_now() {
        assert_eq!(discount(&v(110), &v(100_000), &v(1), &v(1)), Ok(v(100)));
        assert_eq!(discount(&v(110), &v(100_000), &v(1), &v(0)), Ok(v(110)));
    }
}
