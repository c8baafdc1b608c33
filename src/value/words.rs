//! Closed sets of words, as pattern files and JSON write them.

/// Defines an enumeration whose values have one word each.
macro_rules! words {
    ($(#[$outer:meta])* $Name:ident { $( $(#[$inner:meta])* $Value:ident = $word:literal, )* }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $Name { $( $(#[$inner])* $Value, )* }

        impl $Name {
            const WORDS: &'static [&'static str] = &[$($word),*];

            /// Reads the word of a value.
            #[must_use]
            pub fn read(text: &str) -> Option<Self> {
                match text {
                    $($word => Some(Self::$Value),)*
                    _ => None,
                }
            }

            /// All words, for checking pattern files.
            #[must_use]
            pub const fn names() -> &'static [&'static str] {
                Self::WORDS
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $(Self::$Value => $word,)* })
            }
        }
    };
}

pub(super) use words;
