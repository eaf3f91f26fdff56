//! "Did you mean": the known name nearest to an unknown one.

/// The nearest of `known` to `word` as a hint, when one is near enough.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    const WORD_MAX: usize = 64;
    if word.len() > WORD_MAX {
        return None;
    }
    let tolerance = match word.chars().count() {
        0..=1 => 1,
        2..=4 => 2,
        5..=8 => 3,
        _ => 4,
    };
    let best = known
        .into_iter()
        .filter(|k| !k.is_empty() && k.len() <= WORD_MAX && *k != word)
        // A quick look first: what differs more in length differs more in edits.
        .filter(|k| k.chars().count().abs_diff(word.chars().count()) <= tolerance)
        .map(|k| (distance(word, k), k))
        .filter(|(d, k)| *d <= tolerance && *d < k.chars().count().max(2))
        .min()?;
    Some(format!("did you mean `{}`?", best.1))
}

/// Edits between two words: insert, delete, replace, or swap of neighbours; case alone counts half.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replace = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replace.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn suggests_the_nearest_name_or_none() {
        for (word, known, expected) in [
            ("quots", vec!["quotes", "owner"], Some("quotes")),
            ("bb", vec!["a", "b"], Some("b")),
            ("Closed", vec!["closed", "open"], Some("closed")),
            ("entirely", vec!["a", "b"], None),
        ] {
            let hint = expected.map(|e| format!("did you mean `{e}`?"));
            assert_eq!(did_you_mean(word, known), hint, "{word}");
        }
    }
}
