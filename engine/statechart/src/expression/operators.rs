//! Arithmetic and membership. Integers never wrap; an int and a double do not mix.

use super::parser::Operator;
use super::val::Val;
use serde_json::Value;
use std::cmp::Ordering;

/// The value of `left operator right`; the message of an error otherwise.
pub fn binary<'a>(operator: Operator, left: Val<'a>, right: Val<'a>) -> Result<Val<'a>, String> {
    use Operator::*;
    match operator {
        Equal => Ok(Val::Bool(left.equals(&right))),
        NotEqual => Ok(Val::Bool(!left.equals(&right))),
        Less | LessOrEqual | Greater | GreaterOrEqual => order(operator, &left, &right).map(Val::Bool),
        In => contains(&left, &right).map(Val::Bool),
        Add | Subtract | Multiply | Divide | Remainder => arithmetic(operator, left, right),
    }
}

fn order(operator: Operator, left: &Val<'_>, right: &Val<'_>) -> Result<bool, String> {
    let numbers = |v: &Val<'_>| matches!(v, Val::Int(_) | Val::Double(_));
    let Some(order) = left.compare(right) else {
        // Not-a-number compares with no number.
        return if numbers(left) && numbers(right) { Ok(false) } else { Err(mismatch("compare", left, right)) };
    };
    Ok(match operator {
        Operator::Less => order == Ordering::Less,
        Operator::LessOrEqual => order != Ordering::Greater,
        Operator::Greater => order == Ordering::Greater,
        _ => order != Ordering::Less,
    })
}

fn contains(element: &Val<'_>, collection: &Val<'_>) -> Result<bool, String> {
    if let Some(list) = collection.as_list() {
        return Ok(list.iter().any(|item| Val::borrowed(item).equals(element)));
    }
    let key = element.as_text();
    if let Val::Event(event) = collection {
        return Ok(key.is_some_and(|k| k == "type" || event.data.contains_key(k)));
    }
    match collection.as_map() {
        Some(map) => Ok(key.is_some_and(|k| map.contains_key(k))),
        None => Err(format!("`in` needs a list or a map, not {}", collection.kind())),
    }
}

fn arithmetic<'a>(operator: Operator, left: Val<'a>, right: Val<'a>) -> Result<Val<'a>, String> {
    match (&left, &right) {
        (Val::Int(a), Val::Int(b)) => int(operator, *a, *b).map(Val::Int),
        (Val::Double(a), Val::Double(b)) => match operator {
            Operator::Add => Ok(Val::Double(a + b)),
            Operator::Subtract => Ok(Val::Double(a - b)),
            Operator::Multiply => Ok(Val::Double(a * b)),
            Operator::Divide => Ok(Val::Double(a / b)),
            _ => Err(mismatch("take `%` of", &left, &right)),
        },
        (Val::Int(_), Val::Double(_)) | (Val::Double(_), Val::Int(_)) => {
            Err("an int and a double do not mix: convert one with `double(…)` or `int(…)`".into())
        }
        _ if operator == Operator::Add => concatenate(left, right),
        _ => Err(mismatch("calculate with", &left, &right)),
    }
}

fn int(operator: Operator, a: i64, b: i64) -> Result<i64, String> {
    let zero = matches!(operator, Operator::Divide | Operator::Remainder) && b == 0;
    if zero {
        return Err("division by zero".into());
    }
    let result = match operator {
        Operator::Add => a.checked_add(b),
        Operator::Subtract => a.checked_sub(b),
        Operator::Multiply => a.checked_mul(b),
        Operator::Divide => a.checked_div(b),
        _ => a.checked_rem(b),
    };
    result.ok_or_else(|| "integer overflow".to_owned())
}

/// What `+` may build: a text or list that grows with every event must not eat the memory.
const TEXT_BYTES_MAX: usize = 65_536;
const LIST_ITEMS_MAX: usize = 10_000;

fn concatenate<'a>(left: Val<'a>, right: Val<'a>) -> Result<Val<'a>, String> {
    let texts = left.as_text().zip(right.as_text()).map(|(a, b)| a.len() + b.len());
    let lists = left.as_list().zip(right.as_list()).map(|(a, b)| a.len() + b.len());
    if texts.is_some_and(|bytes| bytes > TEXT_BYTES_MAX) {
        return Err(format!("text grows beyond {TEXT_BYTES_MAX} bytes"));
    }
    if lists.is_some_and(|items| items > LIST_ITEMS_MAX) {
        return Err(format!("list grows beyond {LIST_ITEMS_MAX} items"));
    }
    match (left, right) {
        (Val::Text(mut a), b) if b.as_text().is_some() => {
            a.push_str(b.as_text().unwrap_or_default());
            Ok(Val::Text(a))
        }
        (a, b) => {
            if let (Some(x), Some(y)) = (a.as_text(), b.as_text()) {
                return Ok(Val::Text([x, y].concat()));
            }
            match (a.as_list(), b.as_list()) {
                (Some(x), Some(y)) => Ok(Val::Made(Box::new(Value::Array([x, y].concat())))),
                _ => Err(mismatch("add", &a, &b)),
            }
        }
    }
}

fn mismatch(verb: &str, left: &Val<'_>, right: &Val<'_>) -> String {
    format!("cannot {verb} {} and {}", left.kind(), right.kind())
}
