//! The functions of the dialect. To add one: a variant, its names and arity here, its meaning in
//! `call`; a line in the test.

use super::val::Val;
use std::ops::RangeInclusive;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Size,
    Contains,
    StartsWith,
    EndsWith,
    LowerAscii,
    UpperAscii,
    Trim,
    Int,
    Double,
    Text,
}

struct Form {
    name: &'static str,
    function: Function,
    /// Arguments, the target of a method included.
    arity: RangeInclusive<usize>,
    as_method: bool,
    as_global: bool,
}

const fn method(name: &'static str, function: Function, arity: usize) -> Form {
    Form { name, function, arity: arity..=arity, as_method: true, as_global: false }
}

const fn global(name: &'static str, function: Function) -> Form {
    Form { name, function, arity: 1..=1, as_method: false, as_global: true }
}

const FORMS: [Form; 10] = [
    Form { name: "size", function: Function::Size, arity: 1..=1, as_method: true, as_global: true },
    method("contains", Function::Contains, 2),
    method("startsWith", Function::StartsWith, 2),
    method("endsWith", Function::EndsWith, 2),
    method("lowerAscii", Function::LowerAscii, 1),
    method("upperAscii", Function::UpperAscii, 1),
    method("trim", Function::Trim, 1),
    global("int", Function::Int),
    global("double", Function::Double),
    global("string", Function::Text),
];

/// The function called `name` in this position, and how many arguments it takes.
pub fn find(name: &str, is_method: bool) -> Option<(Function, RangeInclusive<usize>)> {
    let fits = |f: &&Form| f.name == name && if is_method { f.as_method } else { f.as_global };
    FORMS.iter().find(fits).map(|f| (f.function, f.arity.clone()))
}

/// Names usable in this position, for suggestions.
pub fn names(is_method: bool) -> impl Iterator<Item = &'static str> {
    FORMS.iter().filter(move |f| if is_method { f.as_method } else { f.as_global }).map(|f| f.name)
}

/// The value of a call; the message of an error otherwise.
pub fn call<'a>(function: Function, args: &[Val<'a>]) -> Result<Val<'a>, String> {
    use Function::*;
    let text = |i: usize| args.get(i).and_then(Val::as_text);
    let wrong = || {
        let kinds: Vec<_> = args.iter().map(Val::kind).collect();
        format!("this function does not take {}", kinds.join(" and "))
    };
    match function {
        Size => args.first().and_then(Val::size).map(Val::Int).ok_or_else(wrong),
        Contains => Ok(Val::Bool(text(0).ok_or_else(wrong)?.contains(text(1).ok_or_else(wrong)?))),
        StartsWith => Ok(Val::Bool(text(0).ok_or_else(wrong)?.starts_with(text(1).ok_or_else(wrong)?))),
        EndsWith => Ok(Val::Bool(text(0).ok_or_else(wrong)?.ends_with(text(1).ok_or_else(wrong)?))),
        LowerAscii => Ok(Val::Text(text(0).ok_or_else(wrong)?.to_ascii_lowercase())),
        UpperAscii => Ok(Val::Text(text(0).ok_or_else(wrong)?.to_ascii_uppercase())),
        Trim => Ok(Val::Text(text(0).ok_or_else(wrong)?.trim().to_owned())),
        Int => int(args.first(), wrong),
        Double => double(args.first(), wrong),
        Text => string(args.first(), wrong),
    }
}

fn int<'a>(arg: Option<&Val<'a>>, wrong: impl Fn() -> String) -> Result<Val<'a>, String> {
    match arg {
        Some(Val::Int(i)) => Ok(Val::Int(*i)),
        Some(Val::Double(d)) => {
            let whole = d.trunc();
            // 2^63 is exact as a double; the largest i64 is not.
            if whole >= -(2f64.powi(63)) && whole < 2f64.powi(63) {
                Ok(Val::Int(whole as i64))
            } else {
                Err("number is out of range of int".into())
            }
        }
        Some(other) => match other.as_text() {
            Some(text) => text.parse().map(Val::Int).map_err(|_| "string is not an integer".to_owned()),
            None => Err(wrong()),
        },
        None => Err(wrong()),
    }
}

fn double<'a>(arg: Option<&Val<'a>>, wrong: impl Fn() -> String) -> Result<Val<'a>, String> {
    match arg {
        Some(Val::Int(i)) => Ok(Val::Double(*i as f64)),
        Some(Val::Double(d)) => Ok(Val::Double(*d)),
        Some(other) => match other.as_text() {
            Some(text) => text.parse().map(Val::Double).map_err(|_| "string is not a number".to_owned()),
            None => Err(wrong()),
        },
        None => Err(wrong()),
    }
}

fn string<'a>(arg: Option<&Val<'a>>, wrong: impl Fn() -> String) -> Result<Val<'a>, String> {
    match arg {
        Some(Val::Int(i)) => Ok(Val::Text(i.to_string())),
        Some(Val::Double(d)) => Ok(Val::Text(d.to_string())),
        Some(Val::Bool(b)) => Ok(Val::Text(b.to_string())),
        Some(other) => other.as_text().map(|t| Val::Text(t.to_owned())).ok_or_else(wrong),
        None => Err(wrong()),
    }
}
