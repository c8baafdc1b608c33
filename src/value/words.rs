//! Closed sets of words, as pattern files and JSON write them.

/// Defines an enumeration whose variants have one word each: the variant's name, in kebab case
/// unless another case is given.
macro_rules! words {
    ($(#[$outer:meta])* $vis:vis $Name:ident { $($values:tt)* }) => {
        words! { $(#[$outer])* $vis $Name in "kebab-case" { $($values)* } }
    };
    ($(#[$outer:meta])* $vis:vis $Name:ident in $case:literal { $($values:tt)* }) => {
        $(#[$outer])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize,
            strum::Display, strum::EnumString, strum::IntoStaticStr,
            strum::VariantArray, strum::VariantNames,
        )]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(rename_all = $case)]
        #[strum(serialize_all = $case)]
        $vis enum $Name { $($values)* }

        #[allow(dead_code, reason = "not every set of words is asked for all of this")]
        impl $Name {
            /// All values.
            pub(crate) const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

            /// The word.
            #[must_use]
            $vis fn name(self) -> &'static str {
                self.into()
            }

            /// The value with this word.
            pub(crate) fn read(word: &str) -> Option<Self> {
                word.parse().ok()
            }

            /// All words.
            pub(crate) const fn names() -> &'static [&'static str] {
                <Self as strum::VariantNames>::VARIANTS
            }
        }
    };
}

pub(crate) use words;

/// The doc comment of a variant, without its full stop.
pub(crate) fn comment_of(value: &impl strum::EnumMessage) -> &'static str {
    match value.get_documentation() {
        Some(comment) => comment.trim_end_matches('.'),
        None => unreachable!("each value has a comment"),
    }
}
