//! From text to ids, stage by stage, exactly as `tokenizers` does it.
