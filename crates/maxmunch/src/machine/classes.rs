//! Byte classes: bytes that a machine cannot tell apart are one symbol.

/// A partition of the 256 bytes, numbered by first member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByteClasses {
    class_of: [u8; 256],
    /// For each class its members, increasing.
    members: Vec<Vec<u8>>,
}

impl ByteClasses {
    /// The coarsest partition in which bytes with different keys are apart.
    pub fn by_key<K: Eq + std::hash::Hash>(key: impl Fn(u8) -> K) -> Self {
        let mut numbers = hashbrown::HashMap::new();
        let mut class_of = [0; 256];
        let mut members: Vec<Vec<u8>> = vec![];
        for byte in 0..=255_u8 {
            let class = *numbers.entry(key(byte)).or_insert_with(|| {
                members.push(vec![]);
                members.len() - 1
            });
            class_of[usize::from(byte)] = class as u8;
            members[class].push(byte);
        }
        Self { class_of, members }
    }

    /// Number of classes, at least 1.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Never: a partition of 256 bytes has a class.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The class of a byte.
    #[inline]
    pub fn of(&self, byte: u8) -> usize {
        usize::from(self.class_of[usize::from(byte)])
    }

    /// The bytes of a class, increasing.
    pub fn members(&self, class: usize) -> &[u8] {
        &self.members[class]
    }

    /// The byte that stands for a class: a printable one where it has one, for readable evidence.
    pub fn representative(&self, class: usize) -> u8 {
        let members = &self.members[class];
        let letter = members.iter().find(|byte| byte.is_ascii_alphanumeric());
        let graphic = || members.iter().find(|byte| byte.is_ascii_graphic());
        *letter.or_else(graphic).unwrap_or(&members[0])
    }

    /// The coarsest partition that refines both.
    #[must_use]
    pub fn common(&self, other: &Self) -> Self {
        Self::by_key(|byte| (self.of(byte), other.of(byte)))
    }
}
