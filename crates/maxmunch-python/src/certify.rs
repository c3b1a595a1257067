//! Certify: the classes of the flow of the same name.
