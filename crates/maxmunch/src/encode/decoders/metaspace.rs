//! The `Metaspace` decoder: the replacement becomes a space again.

use crate::encode::pre_tokenizers::{MetaspaceOptions, PrependScheme};

/// Unless nothing was prepended, the first token loses all its replacement characters, wherever they are.
pub(super) fn decode_chain(options: MetaspaceOptions, tokens: Vec<String>) -> Vec<String> {
    let prepended = options.prepend_scheme != PrependScheme::Never;
    let tokens = tokens.into_iter().enumerate();
    tokens
        .map(|(index, token)| {
            let space = if index == 0 && prepended { "" } else { " " };
            token.replace(options.replacement, space)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::decode_chain;
    use crate::encode::pre_tokenizers::{MetaspaceOptions, PrependScheme};

    fn decoded(prepend_scheme: PrependScheme) -> Vec<String> {
        let options = MetaspaceOptions { replacement: '▁', prepend_scheme, split: true };
        decode_chain(options, ["▁a▁b", "▁c"].map(str::to_owned).to_vec())
    }

    #[test]
    fn the_first_token_loses_every_mark() {
        assert_eq!(vec!["ab", " c"], decoded(PrependScheme::Always));
        assert_eq!(vec!["ab", " c"], decoded(PrependScheme::First));
        assert_eq!(vec![" a b", " c"], decoded(PrependScheme::Never));
    }
}
