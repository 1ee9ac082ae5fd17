//! A contiguous part of an array, with the indices of the whole.

/// Items `first..` of an array, as many as it holds.
#[derive(Debug)]
pub struct Window<'a, T> {
    first: usize,
    items: &'a mut [T],
}

impl<'a, T> Window<'a, T> {
    /// The whole of `items`, the first of which has the index `first`.
    pub fn new(first: usize, items: &'a mut [T]) -> Self {
        Self { first, items }
    }

    /// Two windows: before index `at`, and from there on.
    pub fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = self.items.split_at_mut(at - self.first);
        (Self { first: self.first, items: left }, Self { first: at, items: right })
    }

    /// Reborrows the window.
    pub fn reborrow(&mut self) -> Window<'_, T> {
        Window { first: self.first, items: self.items }
    }

    /// Index of the first item.
    pub fn first(&self) -> usize {
        self.first
    }

    /// The items.
    pub fn items(&self) -> &[T] {
        self.items
    }

    /// The items.
    pub fn items_mut(&mut self) -> &mut [T] {
        self.items
    }

    /// Item `index` of the array.
    #[inline(always)]
    pub fn at(&mut self, index: usize) -> &mut T {
        &mut self.items[index - self.first]
    }
}
