//! How easy English reads: Flesch and Kincaid's grade of school, from the length of sentences and words.

/// What is counted in some texts.
#[derive(Debug, Default, Clone, Copy)]
pub struct Count {
    sentences: usize,
    pub words: usize,
    syllables: usize,
}

impl Count {
    pub fn add(&mut self, text: &str) {
        for sentence in sentences(text) {
            let words = words(sentence);
            let all: Vec<&str> = words.collect();
            if !all.is_empty() {
                self.sentences += 1;
                self.words += all.len();
                self.syllables += all.iter().map(|word| syllables(word)).sum::<usize>();
            }
        }
    }

    /// Years of school that a reader needs.
    pub fn grade(&self) -> f64 {
        let (sentences, words) = (self.sentences.max(1) as f64, self.words.max(1) as f64);
        0.39 * words / sentences + 11.8 * self.syllables as f64 / words - 15.59
    }
}

pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| word.chars().any(char::is_alphanumeric))
}

/// Sentences end at a stop with a blank behind it.
pub fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.match_indices(['.', '?', '!', ':', ';', '\n']).find_map(|(at, stop)| {
            let after = at + stop.len();
            rest[after..].chars().next().is_none_or(char::is_whitespace).then_some(after)
        });
        let (sentence, more) = rest.split_at(end.unwrap_or(rest.len()));
        rest = more;
        Some(sentence.trim())
    })
    .filter(|sentence| !sentence.is_empty())
}

/// Groups of vowels without a silent `e`; numbers count as two.
fn syllables(word: &str) -> usize {
    if !word.chars().all(|c| c.is_ascii_alphabetic() || c == '\'') {
        return 2;
    }
    let lower = word.to_ascii_lowercase();
    let is_vowel = |c: char| "aeiouy".contains(c);
    let mut groups = 0;
    let mut was = false;
    for c in lower.chars() {
        groups += usize::from(is_vowel(c) && !was);
        was = is_vowel(c);
    }
    let silent = lower.ends_with('e') && !lower.ends_with("le") && groups > 1;
    // what is long everywhere is known to who reads it
    (groups - usize::from(silent)).clamp(1, 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_stops() {
        let found: Vec<&str> = sentences("One. Two at 3.5 percent? Three: four").collect();
        assert_eq!(found, ["One.", "Two at 3.5 percent?", "Three:", "four"]);
    }

    #[test]
    fn short_words_in_short_sentences_read_easily() {
        let grade = |text: &str| {
            let mut count = Count::default();
            count.add(text);
            count.grade()
        };
        assert!(grade("The cat sat on the mat. It was hot.") < 2.0);
        let hard = "Intermediaries necessarily communicate considerable administrative complications, notwithstanding \
                    alternative interpretations of applicable regulation that institutions habitually disregard";
        assert!(grade(hard) > 12.0, "{}", grade(hard));
        assert_eq!(["one", "table", "2026", "idea"].map(syllables), [1, 2, 2, 2]);
    }
}
