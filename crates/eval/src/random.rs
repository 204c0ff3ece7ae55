//! Random bits as Threefry-2x32 defines them: twenty rounds on two words, with a word of the key added after every four.

use gw_types::Scalar;

/// The bits that belong to a counter under a key; the first word of each is the lower half.
pub(crate) fn bits(key: Scalar, counter: Scalar) -> Scalar {
    let words = |x: Scalar| [x.to_i64() as u32, (x.to_i64() >> 32) as u32];
    let [k0, k1] = words(key);
    let keys = [k0, k1, k0 ^ k1 ^ 0x1BD1_1BDA];
    let [mut x, mut y] = words(counter);
    x = x.wrapping_add(keys[0]);
    y = y.wrapping_add(keys[1]);
    for round in 1..=20usize {
        let turn = [24, 13, 15, 26, 6, 17, 29, 16][round % 8];
        x = x.wrapping_add(y);
        y = y.rotate_left(turn) ^ x;
        if round % 4 == 0 {
            let group = round / 4;
            x = x.wrapping_add(keys[group % 3]);
            y = y.wrapping_add(keys[(group + 1) % 3]).wrapping_add(group as u32);
        }
    }
    Scalar::Int((u64::from(x) | u64::from(y) << 32) as i64)
}
