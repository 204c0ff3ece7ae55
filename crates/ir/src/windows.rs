//! Windows of convolutions: their places on the two axes that they move along.

/// Along the first and the second of the two axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Windows {
    /// From one window to the next.
    pub strides: [usize; 2],
    /// So many places before the first element of an axis, and behind its last, may lie in a window too.
    pub padding: [[usize; 2]; 2],
    /// From one element of a window to the next.
    pub dilations: [usize; 2],
}

impl Windows {
    /// None of the numbers is greater, so that sums of them and of lengths fit.
    pub const GREATEST: usize = i32::MAX as usize;

    /// True if the windows move, their elements lie apart, and no number is too great.
    pub fn are_sound(&self) -> bool {
        let steps =
            self.strides.iter().chain(&self.dilations).all(|step| (1..=Self::GREATEST).contains(step));
        steps && self.padding.as_flattened().iter().all(|&places| places <= Self::GREATEST)
    }

    /// Number of windows of `size` elements that lie on an axis of this length.
    pub fn count(&self, axis: usize, length: usize, size: usize) -> usize {
        let [before, after] = self.padding[axis];
        let beyond = (size.max(1) - 1).saturating_mul(self.dilations[axis]);
        let places = length.saturating_add(before + after).saturating_sub(1);
        let any = length.saturating_add(before + after) > 0;
        if any && places >= beyond { (places - beyond) / self.strides[axis] + 1 } else { 0 }
    }

    /// Position of element `at` of a window on an axis of this length; none in the padding.
    pub fn place(&self, axis: usize, window: usize, at: usize, length: usize) -> Option<usize> {
        let place = window * self.strides[axis] + at * self.dilations[axis];
        place.checked_sub(self.padding[axis][0]).filter(|&place| place < length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_lie_within_the_padding() {
        let windows = Windows { strides: [2, 1], padding: [[1, 0], [0, 0]], dilations: [1, 2] };
        assert_eq!(windows.count(0, 6, 3), 3);
        assert_eq!(windows.count(1, 6, 3), 2);
        assert_eq!([windows.count(1, 4, 3), windows.count(1, 0, 1), windows.count(0, 0, 1)], [0, 0, 1]);
        assert_eq!([windows.place(0, 0, 0, 6), windows.place(0, 1, 0, 6)], [None, Some(1)]);
        assert_eq!(windows.place(1, 3, 2, 6), None);
    }
}
