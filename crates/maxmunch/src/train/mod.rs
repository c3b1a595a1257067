//! Vocabularies for greedy longest-match encoding.
