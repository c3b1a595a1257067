//! Exact natural numbers of any size: counts of windows grow as 256 to the width.

/// A natural number, little-endian in base 2^64, without leading zeros.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Count(Vec<u64>);

impl Count {
    /// Zero.
    pub const ZERO: Self = Self(Vec::new());

    /// 256 to the power of `exponent`.
    pub fn power_of_256(exponent: usize) -> Self {
        let mut limbs = vec![0; exponent / 8];
        limbs.push(1 << (8 * (exponent % 8)));
        Self(limbs)
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds `other`.
    pub fn add(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut carry = false;
        for (index, limb) in self.0.iter_mut().enumerate() {
            let (sum, first) = limb.overflowing_add(other.0.get(index).copied().unwrap_or(0));
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            *limb = sum;
            carry = first || second;
        }
        if carry {
            self.0.push(1);
        }
    }

    /// `self - other`, which must not be negative (it saturates at zero otherwise).
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        let mut limbs = self.0.clone();
        let mut borrow = false;
        for (index, limb) in limbs.iter_mut().enumerate() {
            let (left, first) = limb.overflowing_sub(other.0.get(index).copied().unwrap_or(0));
            let (left, second) = left.overflowing_sub(u64::from(borrow));
            *limb = left;
            borrow = first || second;
        }
        if borrow || other.0.len() > limbs.len() {
            return Self::ZERO;
        }
        Self::trimmed(limbs)
    }

    /// `self * other`.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        let mut limbs = vec![0_u64; self.0.len() + other.0.len()];
        for (i, &a) in self.0.iter().enumerate() {
            let mut carry = 0_u128;
            for (j, &b) in other.0.iter().enumerate() {
                let sum = u128::from(a) * u128::from(b) + u128::from(limbs[i + j]) + carry;
                limbs[i + j] = sum as u64;
                carry = sum >> 64;
            }
            limbs[i + other.0.len()] = carry as u64;
        }
        Self::trimmed(limbs)
    }

    /// The number as little-endian bytes.
    pub fn to_le_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|limb| limb.to_le_bytes()).collect()
    }

    fn trimmed(mut limbs: Vec<u64>) -> Self {
        while limbs.last() == Some(&0) {
            limbs.pop();
        }
        Self(limbs)
    }
}

impl From<u64> for Count {
    fn from(value: u64) -> Self {
        Self::trimmed(vec![value])
    }
}

/// How many windows of one width are certified and occur, and how many can occur in no text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Windows with exactly one realised origin, which lies inside the window.
    pub certified: Count,
    /// Windows that occur in no completely tokenizable text.
    pub vacuous: Count,
}

#[cfg(test)]
mod tests {
    use super::Count;
    use proptest::prelude::*;

    fn count(value: u128) -> Count {
        let mut total = Count::from((value >> 64) as u64).times(&Count::power_of_256(8));
        total.add(&Count::from(value as u64));
        total
    }

    proptest! {
        #[test]
        fn it_calculates_as_machine_integers_do(a: u64, b: u64, c: u64) {
            let product = u128::from(a) * u128::from(b);
            prop_assert_eq!(count(product), count(a.into()).times(&count(b.into())));
            if let Some(sum) = product.checked_add(c.into()) {
                let mut total = count(product);
                total.add(&count(c.into()));
                prop_assert_eq!(&count(sum), &total);
                prop_assert_eq!(count(product), total.minus(&count(c.into())));
            }
        }
    }
}
