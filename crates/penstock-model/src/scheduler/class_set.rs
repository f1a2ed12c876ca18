//! Bit sets of classes. The first member is found in constant time.

/// Set of classes, up to 64 per word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassSet<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> ClassSet<WORDS> {
    /// The empty set.
    pub const NONE: ClassSet<WORDS> = ClassSet([0; WORDS]);

    /// Whether a set can hold `classes` classes.
    pub fn fits(classes: usize) -> bool {
        classes <= 64 * WORDS
    }

    /// Whether the set contains `class`.
    #[inline(always)]
    pub fn has(&self, class: usize) -> bool {
        self.0[class / 64 % WORDS] >> (class % 64) & 1 == 1
    }

    /// Adds or removes `class` without a branch, which would be unpredictable.
    #[inline(always)]
    pub fn set(&mut self, class: usize, is_in: bool) {
        // The class always fits. The remainder shows this to the compiler if there is a single word, so that it omits the check.
        let word = &mut self.0[class / 64 % WORDS];
        *word = *word & !(1 << (class % 64)) | u64::from(is_in) << (class % 64);
    }

    /// Whether the set is empty.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    /// First class of the set.
    #[inline(always)]
    pub fn first(&self) -> Option<usize> {
        let word = self.0.iter().position(|word| *word != 0)?;
        Some(64 * word + self.0[word].trailing_zeros() as usize)
    }

    /// Intersection of both sets.
    #[inline(always)]
    pub fn and(&self, other: &ClassSet<WORDS>) -> ClassSet<WORDS> {
        self.each(other, |a, b| a & b)
    }

    /// Union of both sets.
    #[inline(always)]
    pub fn or(&self, other: &ClassSet<WORDS>) -> ClassSet<WORDS> {
        self.each(other, |a, b| a | b)
    }

    /// Classes of this set that are not in `other`.
    #[inline(always)]
    pub fn without(&self, other: &ClassSet<WORDS>) -> ClassSet<WORDS> {
        self.each(other, |a, b| a & !b)
    }

    #[inline(always)]
    fn each(&self, other: &ClassSet<WORDS>, of: impl Fn(u64, u64) -> u64) -> ClassSet<WORDS> {
        ClassSet(std::array::from_fn(|word| of(self.0[word], other.0[word])))
    }

    /// Classes of the set in order.
    #[inline(always)]
    pub fn iter(mut self) -> impl Iterator<Item = usize> {
        std::iter::from_fn(move || {
            let first = self.first()?;
            self.set(first, false);
            Some(first)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_come_and_go() {
        let mut set = ClassSet::<4>::NONE;
        assert!(set.is_empty() && set.first().is_none());
        for class in [255, 64, 3, 200] {
            set.set(class, true);
        }
        set.set(200, false);
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 64, 255]);
        assert!(set.has(64) && !set.has(200) && set.first() == Some(3));
    }

    #[test]
    fn sets_are_joined_by_their_members() {
        let set = |classes: &[usize]| {
            let mut set = ClassSet::<2>::NONE;
            classes.iter().for_each(|class| set.set(*class, true));
            set
        };
        let (a, b) = (set(&[1, 2, 70]), set(&[2, 3, 70]));
        assert_eq!((a.and(&b), a.or(&b), a.without(&b)), (set(&[2, 70]), set(&[1, 2, 3, 70]), set(&[1])));
    }
}
