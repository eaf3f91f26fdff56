//! Numbers and strings of an expression.

use super::Fault;
use super::lexer::Token;

/// An integer (decimal or hexadecimal) or a double at the start of `rest`, and its length.
pub fn number(rest: &str, at: u32) -> Result<(Token, usize), Box<Fault>> {
    let digits = |from: usize| rest[from..].bytes().take_while(u8::is_ascii_digit).count();
    let byte = |i: usize| rest.as_bytes().get(i).copied().unwrap_or(0);
    let (token, length) = if byte(0) == b'0' && matches!(byte(1), b'x' | b'X') {
        let length = 2 + rest[2..].bytes().take_while(u8::is_ascii_hexdigit).count();
        (u64::from_str_radix(&rest[2..length], 16).ok().map(Token::Int), length)
    } else {
        let mut length = digits(0);
        let mut double = false;
        if byte(length) == b'.' && byte(length + 1).is_ascii_digit() {
            double = true;
            length += 1 + digits(length + 1);
        }
        if matches!(byte(length), b'e' | b'E') {
            let sign = usize::from(matches!(byte(length + 1), b'+' | b'-'));
            double = true;
            length += 1 + sign + digits((length + 1 + sign).min(rest.len()));
        }
        let text = &rest[..length.min(rest.len())];
        let token = if double {
            text.parse().ok().filter(|d: &f64| d.is_finite()).map(Token::Double)
        } else {
            text.parse().ok().map(Token::Int)
        };
        (token, length)
    };
    if matches!(byte(length), b'u' | b'U') {
        return Err(Fault::new(at, "unsigned integers are not supported"));
    }
    if byte(length).is_ascii_alphanumeric() || byte(length) == b'_' {
        return Err(Fault::new(at, "unexpected letter after a number"));
    }
    let token = token.ok_or_else(|| Fault::new(at, "number is malformed or out of range"))?;
    Ok((token, length))
}

/// A string, raw or not, with one or three quotes, and its length.
pub fn text(rest: &str, at: u32) -> Result<(Token, usize), Box<Fault>> {
    let raw = rest.starts_with(['r', 'R']);
    let start = usize::from(raw);
    let quote = &rest[start..start + 1];
    let triple = quote.repeat(3);
    let fence = if rest[start..].starts_with(&triple) { triple.as_str() } else { quote };
    let body = &rest[start + fence.len()..];
    let mut value = String::new();
    let mut chars = body.char_indices();
    while let Some((i, c)) = chars.next() {
        if body[i..].starts_with(fence) {
            return Ok((Token::Text(value), start + fence.len() + i + fence.len()));
        }
        match c {
            '\n' if fence.len() == 1 => break,
            '\\' if !raw => {
                value.push(escape(&mut chars).ok_or_else(|| Fault::new(at + i as u32, "unknown escape in string"))?)
            }
            _ => value.push(c),
        }
    }
    Err(Fault::new(at, "string is not closed"))
}

fn escape(chars: &mut std::str::CharIndices<'_>) -> Option<char> {
    let (_, c) = chars.next()?;
    let mut code = |digits: usize, radix: u32, first: u32| {
        let mut value = first;
        for _ in 0..digits {
            value = value.checked_mul(radix)?.checked_add(chars.next()?.1.to_digit(radix)?)?;
        }
        char::from_u32(value)
    };
    match c {
        'a' => Some('\u{7}'),
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'v' => Some('\u{b}'),
        '\\' | '\'' | '"' | '`' | '?' => Some(c),
        'x' | 'X' => code(2, 16, 0),
        'u' => code(4, 16, 0),
        'U' => code(8, 16, 0),
        '0'..='3' => code(2, 8, c as u32 - '0' as u32),
        _ => None,
    }
}
