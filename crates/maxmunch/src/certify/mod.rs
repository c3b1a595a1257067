//! Certified splitting: where text may be cut, decided with proof or counter-example.
