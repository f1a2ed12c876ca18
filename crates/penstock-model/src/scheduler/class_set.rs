//! Sets of classes as bits, whose first member is found in constant time.

/// A set of up to 64 classes for each word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassSet<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> ClassSet<WORDS> {
    /// No class.
    pub const NONE: ClassSet<WORDS> = ClassSet([0; WORDS]);

    /// Whether `classes` classes fit.
    pub fn fits(classes: usize) -> bool {
        classes <= 64 * WORDS
    }

    /// Whether `class` is in it.
    #[inline(always)]
    pub fn has(&self, class: usize) -> bool {
        self.0[class / 64 % WORDS] >> (class % 64) & 1 == 1
    }

    /// From now on `class` is in it, or is not: without a branch, since it is unpredictable.
    #[inline(always)]
    pub fn set(&mut self, class: usize, is_in: bool) {
        // It fits: the remainder says so where there is only one word, so that there is no check.
        let word = &mut self.0[class / 64 % WORDS];
        *word = *word & !(1 << (class % 64)) | u64::from(is_in) << (class % 64);
    }

    /// Whether no class is in it.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    /// The first class in it.
    #[inline(always)]
    pub fn first(&self) -> Option<usize> {
        let word = self.0.iter().position(|word| *word != 0)?;
        Some(64 * word + self.0[word].trailing_zeros() as usize)
    }

    /// Those that are in both.
    #[inline(always)]
    pub fn and(&self, other: &ClassSet<WORDS>) -> ClassSet<WORDS> {
        self.each(other, |a, b| a & b)
    }

    /// Those that are in either.
    #[inline(always)]
    pub fn or(&self, other: &ClassSet<WORDS>) -> ClassSet<WORDS> {
        self.each(other, |a, b| a | b)
    }

    /// Those that are not in the other.
    #[inline(always)]
    pub fn without(&self, other: &ClassSet<WORDS>) -> ClassSet<WORDS> {
        self.each(other, |a, b| a & !b)
    }

    #[inline(always)]
    fn each(&self, other: &ClassSet<WORDS>, of: impl Fn(u64, u64) -> u64) -> ClassSet<WORDS> {
        ClassSet(std::array::from_fn(|word| of(self.0[word], other.0[word])))
    }

    /// Its classes in their order.
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
