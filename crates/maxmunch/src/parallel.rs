//! Cutting one text into parts that are worked on in parallel: the only module that knows certify and encode.
