//! Maximal munch: the short, obvious definition that everything fast is held to.
