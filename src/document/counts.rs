//! Numbers, ranges and times in words, and lists of words.

use std::fmt::Display;

use crate::value::Micros;

/// `1 line`, `3 lines`.
pub(crate) fn several<N: Copy + Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// `once`, `3 times`.
pub(crate) fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// `line 3`, `lines 3 to 7`.
pub(crate) fn lines(first: u64, last: u64) -> String {
    if first == last { format!("line {first}") } else { format!("lines {first} to {last}") }
}

/// The distinct items of `all`, in order.
pub(crate) fn distinct<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for one in all {
        if !distinct.contains(&one) {
            distinct.push(one);
        }
    }
    distinct
}

/// The texts separated by `between`.
pub(crate) fn joined<T: Display>(texts: impl IntoIterator<Item = T>, between: &str) -> String {
    let texts: Vec<String> = texts.into_iter().map(|text| text.to_string()).collect();
    texts.join(between)
}

/// The same; `None` if it is empty.
pub(crate) fn any<T: Display>(texts: impl IntoIterator<Item = T>, between: &str) -> Option<String> {
    Some(joined(texts, between)).filter(|text| !text.is_empty())
}

/// At most `most` characters of a text; marked if it was cut.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let start: String = text.chars().take(most).collect();
    if start.len() < text.len() { format!("{start}…") } else { start }
}

/// `+` if a reason supports a match, else `-`.
pub(crate) const fn sign(by: f64) -> char {
    if by < 0.0 { '-' } else { '+' }
}

/// A duration in its two largest units: `2 h 3 min`.
pub(crate) fn span(lasts: Micros) -> String {
    let whole = lasts.0 / 1_000_000;
    let (days, hours, minutes) = (whole / 86_400, whole / 3_600 % 24, whole / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) if whole < 10 => format!("{} s", seconds(lasts)),
        (0, 0, 0) => format!("{whole} s"),
        (0, 0, minutes) => two((minutes, "min"), (whole % 60, "s")),
        (0, hours, minutes) => two((hours, "h"), (minutes, "min")),
        (days, hours, _) => two((days, "d"), (hours, "h")),
    }
}

fn two((most, large): (i64, &str), (rest, small): (i64, &str)) -> String {
    if rest == 0 { format!("{most} {large}") } else { format!("{most} {large} {rest} {small}") }
}

/// Seconds with three decimals.
pub(crate) fn seconds(time: Micros) -> String {
    format!("{}.{:03}", time.0 / 1_000_000, (time.0 % 1_000_000) / 1_000)
}

/// A duration in the shortest exact form: `1.5 s`.
pub(crate) fn exact(span: Micros) -> String {
    let text = span.to_string();
    format!("{} s", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_as_long_as_they_have_to_be() {
        for (micros, short, long) in
            [(1_500_000, "1.5 s", "1.500 s"), (60_000_000, "60 s", "1 min"), (0, "0 s", "0.000 s")]
        {
            assert_eq!(
                (exact(Micros(micros)).as_str(), span(Micros(micros)).as_str()),
                (short, long)
            );
        }
    }
}
