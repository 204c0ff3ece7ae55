//! Elements in a register of 512 bits.

use std::arch::x86_64::*;

/// An element of which a register of 512 bits holds many; none that is compared is NaN.
///
/// # Safety
/// The machine has AVX-512 with the instructions for lanes of all lengths, whatever is called.
pub(super) trait Lanes: Copy {
    /// So many.
    const LANES: usize;
    /// The last of all in order.
    const LAST: Self;

    /// The same element in each lane.
    ///
    /// # Safety
    /// As the trait.
    unsafe fn all(element: Self) -> __m512i;
    /// The numbers of the lanes, each with these bits turned.
    ///
    /// # Safety
    /// As the trait.
    unsafe fn places(turned: u8) -> __m512i;
    /// Lanes of two registers: the first half of one with that of the other, lane by lane, and the second halves.
    ///
    /// # Safety
    /// As the trait.
    unsafe fn riffled() -> [__m512i; 2];
    /// The first `count` elements from an address on, at most one for each lane, and the last of all behind them.
    ///
    /// # Safety
    /// As the trait.
    unsafe fn load(from: *const Self, count: usize) -> __m512i;
    /// Writes the first `count` lanes.
    ///
    /// # Safety
    /// As the trait.
    unsafe fn store(to: *mut Self, count: usize, row: __m512i);
    /// The lesser of each two elements.
    ///
    /// # Safety
    /// As the trait.
    unsafe fn least(x: __m512i, y: __m512i) -> __m512i;
    /// The lesser of each two elements; the greater where a bit of the mask is set.
    ///
    /// # Safety
    /// As the trait.
    unsafe fn ends(greatest: u16, x: __m512i, y: __m512i) -> __m512i;
    /// The elements of these lanes.
    ///
    /// # Safety
    /// As the trait.
    unsafe fn picked(places: __m512i, row: __m512i) -> __m512i;
    /// The elements of these lanes of two registers, those of the second behind those of the first.
    ///
    /// # Safety
    /// As the trait.
    unsafe fn picked_of_two(places: __m512i, x: __m512i, y: __m512i) -> __m512i;
    /// The lanes in which `x` is less than `y`.
    ///
    /// # Safety
    /// As the trait.
    unsafe fn below(x: __m512i, y: __m512i) -> u16;
    /// The elements of these lanes, moved to the first ones.
    ///
    /// # Safety
    /// As the trait.
    unsafe fn gathered(lanes: u16, row: __m512i) -> __m512i;
    /// Writes the elements of some lanes from `left` on and the others up to `right`; there may be anything in the room of a
    /// register behind `left` and before `right`.
    ///
    /// # Safety
    /// As the trait.
    unsafe fn write_parted(left: *mut Self, right: *mut Self, lanes: u16, row: __m512i);
}

/// A mask of the first `count` lanes.
#[inline(always)]
fn first(count: usize) -> u32 {
    !(u32::MAX << count)
}

macro_rules! lanes {
    ($element:ident: $last:expr, $kind:ident $all:ident $mask_max:ident $min:ident $below:expr;) => {
        impl Lanes for $element {
            const LANES: usize = 64 / size_of::<Self>();
            const LAST: Self = $last;
            /// # Safety
            /// As [`Lanes`].
            #[inline(always)]
            unsafe fn all(element: Self) -> __m512i {
                // SAFETY: the trait's promise.
                unsafe { lanes!(@bits $kind, $all(element)) }
            }
            /// # Safety
            /// As [`Lanes`].
            #[inline(always)]
            unsafe fn least(x: __m512i, y: __m512i) -> __m512i {
                // SAFETY: the trait's promise.
                unsafe { lanes!(@bits $kind, $min(lanes!(@lanes $kind, x), lanes!(@lanes $kind, y))) }
            }
            /// # Safety
            /// As [`Lanes`].
            #[inline(always)]
            unsafe fn ends(greatest: u16, x: __m512i, y: __m512i) -> __m512i {
                // SAFETY: the trait's promise.
                unsafe {
                    let (x, y) = (lanes!(@lanes $kind, x), lanes!(@lanes $kind, y));
                    lanes!(@bits $kind, $mask_max($min(x, y), greatest as _, x, y))
                }
            }
            /// # Safety
            /// As [`Lanes`].
            #[inline(always)]
            unsafe fn below(x: __m512i, y: __m512i) -> u16 {
                // SAFETY: the trait's promise.
                unsafe { u16::from($below(lanes!(@lanes $kind, x), lanes!(@lanes $kind, y))) }
            }
            lanes!(@moves $kind);
        }
    };
    (@bits single, $row:expr) => { _mm512_castps_si512($row) };
    (@bits double, $row:expr) => { _mm512_castpd_si512($row) };
    (@bits $kind:ident, $row:expr) => { $row };
    (@lanes single, $row:expr) => { _mm512_castsi512_ps($row) };
    (@lanes double, $row:expr) => { _mm512_castsi512_pd($row) };
    (@lanes $kind:ident, $row:expr) => { $row };
    (@moves single) => { lanes!(@moves int); };
    (@moves double) => { lanes!(@moves long); };
    (@moves int) => {
        lanes!(@moves __mmask16 _mm512_mask_loadu_epi32 _mm512_mask_storeu_epi32 _mm512_permutexvar_epi32
            _mm512_permutex2var_epi32 _mm512_maskz_compress_epi32
            _mm512_set1_epi32 _mm512_setr_epi32 [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15]
            [0 16 1 17 2 18 3 19 4 20 5 21 6 22 7 23] [8 24 9 25 10 26 11 27 12 28 13 29 14 30 15 31]);

        /// # Safety
        /// As [`Lanes`].
        #[inline(always)]
        unsafe fn write_parted(left: *mut Self, right: *mut Self, lanes: u16, row: __m512i) {
            // SAFETY: the caller's promise.
            unsafe {
                let others = Self::gathered(!lanes, row);
                let upper = (u32::MAX << lanes.count_ones()) as u16;
                let row = _mm512_mask_expand_epi32(Self::gathered(lanes, row), upper, others);
                _mm512_storeu_si512(left.cast(), row);
                _mm512_storeu_si512(right.sub(Self::LANES).cast(), row);
            }
        }
    };
    (@moves long) => {
        lanes!(@moves __mmask8 _mm512_mask_loadu_epi64 _mm512_mask_storeu_epi64 _mm512_permutexvar_epi64
            _mm512_permutex2var_epi64 _mm512_maskz_compress_epi64
            _mm512_set1_epi64 _mm512_setr_epi64 [0 1 2 3 4 5 6 7] [0 8 1 9 2 10 3 11] [4 12 5 13 6 14 7 15]);

        /// # Safety
        /// As [`Lanes`].
        #[inline(always)]
        unsafe fn write_parted(left: *mut Self, right: *mut Self, lanes: u16, row: __m512i) {
            // SAFETY: the caller's promise; a mask has eight bits.
            unsafe {
                let order = _mm_loadl_epi64(ORDERS[usize::from(lanes as u8)].as_ptr().cast());
                let row = _mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(order), row);
                _mm512_storeu_si512(left.cast(), row);
                _mm512_storeu_si512(right.sub(Self::LANES).cast(), row);
            }
        }
    };
    (@moves $mask:ident $load:ident $store:ident $pick:ident $pick_two:ident $gather:ident
     $all:ident $set:ident [$($place:literal)*] [$($low:literal)*] [$($high:literal)*]) => {
        /// # Safety
        /// As [`Lanes`].
        #[inline(always)]
        unsafe fn places(turned: u8) -> __m512i {
            // SAFETY: the trait's promise.
            unsafe { _mm512_xor_si512($set($($place),*), $all(turned.into())) }
        }
        /// # Safety
        /// As [`Lanes`].
        #[inline(always)]
        unsafe fn riffled() -> [__m512i; 2] {
            // SAFETY: the trait's promise.
            unsafe { [$set($($low),*), $set($($high),*)] }
        }
        /// # Safety
        /// As [`Lanes`].
        #[inline(always)]
        unsafe fn load(from: *const Self, count: usize) -> __m512i {
            // SAFETY: the caller's promise.
            unsafe { $load(Self::all(Self::LAST), first(count) as $mask, from.cast()) }
        }
        /// # Safety
        /// As [`Lanes`].
        #[inline(always)]
        unsafe fn store(to: *mut Self, count: usize, row: __m512i) {
            // SAFETY: the caller's promise.
            unsafe { $store(to.cast(), first(count) as $mask, row) }
        }
        /// # Safety
        /// As [`Lanes`].
        #[inline(always)]
        unsafe fn picked(places: __m512i, row: __m512i) -> __m512i {
            // SAFETY: the trait's promise.
            unsafe { $pick(places, row) }
        }
        /// # Safety
        /// As [`Lanes`].
        #[inline(always)]
        unsafe fn picked_of_two(places: __m512i, x: __m512i, y: __m512i) -> __m512i {
            // SAFETY: the trait's promise.
            unsafe { $pick_two(x, places, y) }
        }
        /// # Safety
        /// As [`Lanes`].
        #[inline(always)]
        unsafe fn gathered(lanes: u16, row: __m512i) -> __m512i {
            // SAFETY: the trait's promise.
            unsafe { $gather(lanes as $mask, row) }
        }
    };
}

lanes! {
    i32: i32::MAX,
    int _mm512_set1_epi32 _mm512_mask_max_epi32 _mm512_min_epi32 _mm512_cmplt_epi32_mask;
}
lanes! {
    i64: i64::MAX,
    long _mm512_set1_epi64 _mm512_mask_max_epi64 _mm512_min_epi64 _mm512_cmplt_epi64_mask;
}
lanes! {
    f32: f32::INFINITY,
    single _mm512_set1_ps _mm512_mask_max_ps _mm512_min_ps _mm512_cmp_ps_mask::<_CMP_LT_OQ>;
}
lanes! {
    f64: f64::INFINITY,
    double _mm512_set1_pd _mm512_mask_max_pd _mm512_min_pd _mm512_cmp_pd_mask::<_CMP_LT_OQ>;
}

/// For each mask the lanes that it has, and those that it has not.
static ORDERS: [[u8; 8]; 256] = {
    let mut orders = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut has, mut has_not) = (0, (mask as u32).count_ones() as usize);
        let mut lane = 0;
        while lane < 8 {
            let place = if mask >> lane & 1 == 1 { &mut has } else { &mut has_not };
            orders[mask][*place] = lane as u8;
            *place += 1;
            lane += 1;
        }
        mask += 1;
    }
    orders
};
