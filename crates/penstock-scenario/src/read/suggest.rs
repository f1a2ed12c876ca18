//! Suggestions for misspelt words: the nearest of those that are allowed.

use penstock_model::parameters::LONGEST_NAME;
use penstock_model::printable::{quoted, shortened};
use std::cell::Cell;

/// The word of `known` nearest to `word`, if it is near enough; otherwise one that `word` continues with a hyphen, such as `rack` for
/// `rack-tlp`.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().take(LONGEST_NAME + 1).collect();
    if word.len() > LONGEST_NAME {
        return None;
    }
    let rank = |candidate: &str| {
        let candidate: Vec<char> = candidate.to_lowercase().chars().collect();
        let distance = distance(&word, &candidate);
        let is_near = distance <= (word.len().max(candidate.len()) / 3).max(1) && distance < word.len();
        let is_continued = candidate.len() >= SHORTEST_PART && word.starts_with(&candidate) && word.get(candidate.len()) == Some(&'-');
        is_near.then_some(distance).or(is_continued.then_some(LONGEST_NAME))
    };
    known.filter_map(|candidate| Some((rank(candidate)?, candidate))).min_by_key(|(rank, _)| *rank).map(|(_, candidate)| candidate)
}

/// Minimum length of a word that another may continue: shorter ones are common by chance.
const SHORTEST_PART: usize = 4;

/// `unknown node 'rr1'; did you mean 'r1'? (r1, r2)`.
pub(crate) fn unknown(what: &str, word: &str, known: &[&str]) -> String {
    unknown_of(what, word, nearest(word, known.iter().copied()), &join_words(known))
}

fn unknown_of(what: &str, word: &str, near: Option<&str>, known: &str) -> String {
    let meant = near.map(|near| format!("; did you mean {}?", quoted(near))).unwrap_or_default();
    let allowed = match known {
        "" => format!("there is no {what} here"),
        _ if meant.is_empty() => format!("one of {known}"),
        _ => known.to_owned(),
    };
    format!("unknown {what} {}{meant} ({allowed})", quoted(word))
}

/// Suggestions among the names of a scenario, with a budget for comparisons: each of a million references may be mistaken, and
/// would be compared with each of a million names.
#[derive(Debug)]
pub(crate) struct Suggestions {
    /// Pairs of characters that may still be compared.
    left: Cell<usize>,
}

impl Default for Suggestions {
    /// A budget for about a tenth of a second.
    fn default() -> Suggestions {
        Suggestions { left: Cell::new(20_000_000) }
    }
}

impl Suggestions {
    /// As [`unknown`], among any number of names.
    pub fn unknown<'a>(&self, what: &str, word: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
        let first: Vec<&str> = known.clone().take(SHOWN + 1).collect();
        unknown_of(what, word, self.nearest(word, known), &join_words(&first))
    }

    /// As [`unknown`], but lists all known words, for lists of a few dozen at most.
    pub fn unknown_of_all(&self, what: &str, word: &str, known: &[&str]) -> String {
        unknown_of(what, word, self.nearest(word, known.iter().copied()), &known.join(", "))
    }

    fn nearest<'a>(&self, word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
        let compared = known.take_while(|name| {
            let left = self.left.get().checked_sub((word.len() + 1) * (name.len() + 1));
            self.left.set(left.unwrap_or(0));
            left.is_some()
        });
        nearest(word, compared)
    }
}

/// Words that a message shows.
const SHOWN: usize = 12;

/// The words with commas, the first dozen of them.
pub(crate) fn join_words(words: &[&str]) -> String {
    let rest = if words.len() > SHOWN { ", ..." } else { "" };
    let shown: Vec<String> = words.iter().take(SHOWN).map(|word| shortened(word, LONGEST_NAME)).collect();
    format!("{}{rest}", shown.join(", "))
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
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
    use super::*;

    #[test]
    fn a_word_that_goes_on_after_a_known_one_means_that_one() {
        let meant = |word| nearest(word, ["reno", "rack", "sack", "cubic", "r1"].into_iter());
        assert_eq!(
            ["rack-tlp", "RACK-TLP", "racktlp", "r1-r2-r3", "cubic-with-hystart"].map(meant),
            [Some("rack"), Some("rack"), None, None, Some("cubic")]
        );
        assert_eq!(nearest("new-reno-x", ["new", "new-reno"].into_iter()), Some("new-reno"), "the nearest first");
    }

    #[test]
    fn distances_count_edits_and_swaps() {
        let distance = |a: &str, b: &str| super::distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!(distance("wwr", "wrr"), 1);
        assert_eq!(distance("dealy", "delay"), 1);
        assert_eq!(distance("", "red"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn only_near_words_are_suggested() {
        assert_eq!(nearest("warmup", ["duration", "warm-up"].into_iter()), Some("warm-up"));
        assert_eq!(nearest("colour", ["duration", "warm-up"].into_iter()), None);
        assert_eq!(nearest("x", ["y"].into_iter()), None);
    }

    #[test]
    fn suggestions_among_many_names_end() {
        let names: Vec<String> = (0..100_000).map(|i| format!("node{i:020}")).collect();
        let known = || names.iter().map(String::as_str);
        let suggestions = Suggestions::default();
        let asked = |i: usize| suggestions.unknown("node", &format!("nodo{i:020}"), known());
        assert!(asked(0).contains("did you mean"), "{}", asked(0));
        // Comparing 25 characters with 25 of each name takes more than the budget.
        assert_eq!(suggestions.left.get(), 0);
        assert!(asked(1).starts_with("unknown node 'nodo00000000000000000001' (one of node00000000000000000000, "), "{}", asked(1));
        assert!(asked(1).ends_with(", ...)"));
    }

    #[test]
    fn the_allowed_words_follow() {
        assert_eq!(unknown("scheduler", "fifi", &["fifo", "priority"]), "unknown scheduler 'fifi'; did you mean 'fifo'? (fifo, priority)");
        assert_eq!(unknown("scheduler", "lottery", &["fifo", "priority"]), "unknown scheduler 'lottery' (one of fifo, priority)");
        assert_eq!(unknown("node", "a", &[]), "unknown node 'a' (there is no node here)");
    }
}
