//! Text to tokens. Each token knows the byte at which it starts.

use super::{Fault, literal};

#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    Int(u64),
    Double(f64),
    Text(String),
    Ident(String),
    True,
    False,
    Null,
    In,
    /// An operator or bracket.
    Sign(&'static str),
    End,
}

const SIGNS: [&str; 25] = [
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", ".", ",", "(", ")", "[", "]",
    "{", "}", "=",
];

const RESERVED: [&str; 17] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// All tokens, `End` last.
pub fn tokens(text: &str) -> Result<Vec<(u32, Token)>, Box<Fault>> {
    let mut list = Vec::with_capacity(text.len() / 3 + 1);
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        if next.is_ascii_whitespace() {
            at += 1;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else {
            let (token, length) = token(rest, at as u32)?;
            list.push((at as u32, token));
            at += length;
        }
    }
    list.push((at as u32, Token::End));
    Ok(list)
}

fn token(rest: &str, at: u32) -> Result<(Token, usize), Box<Fault>> {
    let bytes = rest.as_bytes();
    let second_is_digit = bytes.get(1).is_some_and(u8::is_ascii_digit);
    match bytes[0] {
        b'\'' | b'"' => literal::text(rest, at),
        b'r' | b'R' if matches!(bytes.get(1), Some(b'\'' | b'"')) => literal::text(rest, at),
        b'b' | b'B' if matches!(bytes.get(1), Some(b'\'' | b'"')) => Err(Fault::new(at, "bytes are not supported")),
        b'0'..=b'9' => literal::number(rest, at),
        b'.' if second_is_digit => literal::number(rest, at),
        b'_' | b'a'..=b'z' | b'A'..=b'Z' => word(rest, at),
        _ => match SIGNS.iter().find(|s| rest.starts_with(**s)) {
            Some(&"=") => Err(Fault::with_code(at, "expression", "unexpected `=`", Some("compare with `==`".into()))),
            Some(sign) => Ok((Token::Sign(sign), sign.len())),
            None => {
                let shown: String = rest.chars().take(1).collect();
                Err(Fault::new(at, format!("unexpected character `{shown}`")))
            }
        },
    }
}

fn word(rest: &str, at: u32) -> Result<(Token, usize), Box<Fault>> {
    let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let word = &rest[..length];
    let token = match word {
        "true" => Token::True,
        "false" => Token::False,
        "null" => Token::Null,
        "in" => Token::In,
        _ if RESERVED.contains(&word) => return Err(Fault::new(at, format!("`{word}` is a reserved word"))),
        _ => Token::Ident(word.to_owned()),
    };
    Ok((token, length))
}
