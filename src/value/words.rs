//! Closed sets of words, as pattern files and JSON write them.

/// Defines an enumeration whose values have one word each: the value's name, in kebab case where no
/// other case is said.
macro_rules! words {
    ($(#[$outer:meta])* $Name:ident { $($values:tt)* }) => {
        words! { $(#[$outer])* $Name in "kebab-case" { $($values)* } }
    };
    ($(#[$outer:meta])* $Name:ident in $case:literal { $($values:tt)* }) => {
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
        pub enum $Name { $($values)* }

        impl $Name {
            /// All values.
            pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

            /// The word.
            #[must_use]
            pub fn name(self) -> &'static str {
                self.into()
            }

            /// The value with this word.
            #[must_use]
            pub fn read(word: &str) -> Option<Self> {
                word.parse().ok()
            }

            /// All words.
            #[must_use]
            pub const fn names() -> &'static [&'static str] {
                <Self as strum::VariantNames>::VARIANTS
            }
        }
    };
}

pub(crate) use words;
