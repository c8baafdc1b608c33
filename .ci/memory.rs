//! memcpy, memmove, memcmp and bcmp for the static program on x86-64.
//!
//! musl copies what is short with `rep movsq` and compares byte by byte, which costs a third of the time in places.
//! `.ci/release` tests this file, then links it in front of musl. amdtriage itself has no unsafe code.

#![cfg_attr(not(test), no_std)]
// A loop in here is not to become a call of what it is the body of.
#![no_builtins]
#![allow(unsafe_op_in_unsafe_fn)]

use core::arch::asm;
use core::arch::x86_64::{__m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_storeu_si128};

/// From here on the processor's own copying is faster.
const LONG: usize = 2048;

unsafe fn load(from: *const u8) -> __m128i {
    _mm_loadu_si128(from.cast())
}

unsafe fn store(to: *mut u8, what: __m128i) {
    _mm_storeu_si128(to.cast(), what);
}

/// 64 bytes.
unsafe fn load4(from: *const u8) -> [__m128i; 4] {
    [load(from), load(from.add(16)), load(from.add(32)), load(from.add(48))]
}

unsafe fn store4(to: *mut u8, what: [__m128i; 4]) {
    store(to, what[0]);
    store(to.add(16), what[1]);
    store(to.add(32), what[2]);
    store(to.add(48), what[3]);
}

/// The first and the last of `n` bytes as two numbers, which may overlap. All is read before anything is written.
macro_rules! both_ends {
    ($number:ty, $to:ident, $from:ident, $n:ident) => {{
        let back = $n - size_of::<$number>();
        let first = $from.cast::<$number>().read_unaligned();
        let last = $from.add(back).cast::<$number>().read_unaligned();
        $to.cast::<$number>().write_unaligned(first);
        $to.add(back).cast::<$number>().write_unaligned(last);
    }};
}

#[inline(always)]
unsafe fn copy(to: *mut u8, from: *const u8, n: usize) -> *mut u8 {
    if n <= 16 {
        if n >= 8 {
            both_ends!(u64, to, from, n);
        } else if n >= 4 {
            both_ends!(u32, to, from, n);
        } else if n >= 2 {
            both_ends!(u16, to, from, n);
        } else if n == 1 {
            *to = *from;
        }
    } else if n <= 32 {
        let (first, last) = (load(from), load(from.add(n - 16)));
        store(to, first);
        store(to.add(n - 16), last);
    } else if n <= 64 {
        let first = [load(from), load(from.add(16))];
        let last = [load(from.add(n - 32)), load(from.add(n - 16))];
        store(to, first[0]);
        store(to.add(16), first[1]);
        store(to.add(n - 32), last[0]);
        store(to.add(n - 16), last[1]);
    } else if n <= 128 {
        let (first, last) = (load4(from), load4(from.add(n - 64)));
        store4(to, first);
        store4(to.add(n - 64), last);
    } else {
        long(to, from, n);
    }
    to
}

#[inline(never)]
unsafe fn long(to: *mut u8, from: *const u8, n: usize) {
    let ahead = (to as usize).wrapping_sub(from as usize);
    if ahead >= n {
        if n >= LONG && ahead.wrapping_neg() >= n {
            asm!("rep movsb", inout("rcx") n => _, inout("rdi") to => _, inout("rsi") from => _,
                options(nostack, preserves_flags));
            return;
        }
        // What would be overwritten is read first, and what would overwrite is written last.
        let (first, last) = (load(from), load4(from.add(n - 64)));
        let mut at = 16 - (to as usize & 15);
        while at + 64 < n {
            store4(to.add(at), load4(from.add(at)));
            at += 64;
        }
        store4(to.add(n - 64), last);
        store(to, first);
    } else {
        let first = load4(from);
        let mut end = n;
        while end > 64 {
            store4(to.add(end - 64), load4(from.add(end - 64)));
            end -= 64;
        }
        store4(to, first);
    }
}

/// C's, for what does not overlap; here it may.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, n: usize) -> *mut u8 {
    copy(to, from, n)
}

/// C's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, n: usize) -> *mut u8 {
    copy(to, from, n)
}

/// Which of two numbers that differ is the greater in the order of their bytes.
macro_rules! order {
    ($number:ty, $a:ident, $b:ident, $at:expr) => {{
        let a = $a.add($at).cast::<$number>().read_unaligned();
        let b = $b.add($at).cast::<$number>().read_unaligned();
        if a != b {
            return if <$number>::from_be(a) < <$number>::from_be(b) { -1 } else { 1 };
        }
    }};
}

#[inline(always)]
unsafe fn compare(a: *const u8, b: *const u8, n: usize) -> i32 {
    if n >= 16 {
        let mut at = 0;
        loop {
            let equal = _mm_movemask_epi8(_mm_cmpeq_epi8(load(a.add(at)), load(b.add(at))));
            if equal != 0xffff {
                let at = at + (!equal).trailing_zeros() as usize;
                return i32::from(*a.add(at)) - i32::from(*b.add(at));
            }
            if at + 16 == n {
                return 0;
            }
            // The last sixteen, some of them once more.
            at = if at + 32 <= n { at + 16 } else { n - 16 };
        }
    }
    if n >= 8 {
        order!(u64, a, b, 0);
        order!(u64, a, b, n - 8);
    } else if n >= 4 {
        order!(u32, a, b, 0);
        order!(u32, a, b, n - 4);
    } else if n >= 2 {
        order!(u16, a, b, 0);
        order!(u16, a, b, n - 2);
    } else if n == 1 {
        return i32::from(*a) - i32::from(*b);
    }
    0
}

/// C's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    compare(a, b, n)
}

/// What a compiler calls where only equality matters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    compare(a, b, n)
}

#[cfg(test)]
mod tests {
    use core::hint::black_box;

    /// Up to 300 bytes, and around each place where another way begins.
    fn lengths() -> impl Iterator<Item = usize> {
        (0..=300).chain(super::LONG - 2..super::LONG + 70).chain([4096, 5000])
    }

    fn bytes() -> Vec<u8> {
        (0..16384_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
    }

    #[test]
    fn copies_are_equal_and_nothing_beside_them_changes() {
        let source = bytes();
        for n in lengths() {
            for (from, to) in [(0, 0), (1, 0), (0, 1), (7, 13), (15, 16)] {
                let mut got = vec![0xaa_u8; n + 64];
                unsafe { super::memcpy(got.as_mut_ptr().add(to), source.as_ptr().add(from), n) };
                for (at, byte) in got.iter().enumerate() {
                    let inside = at >= to && at < to + n;
                    let want = if inside { source[at - to + from] } else { 0xaa };
                    assert_eq!(*byte, want, "{n} bytes from {from} to {to}, at {at}");
                }
            }
        }
    }

    #[test]
    fn what_overlaps_is_moved() {
        let source = bytes();
        for n in lengths() {
            for ahead in [-5000_isize, -130, -64, -63, -17, -16, -8, -3, -1, 0, 1, 2, 7, 15, 16, 31, 64, 65, 130, 5000] {
                let from = 5100_usize;
                let to = from.checked_add_signed(ahead).unwrap();
                let mut got = source.clone();
                unsafe { super::memmove(got.as_mut_ptr().add(to), got.as_ptr().add(from), n) };
                for (at, byte) in got.iter().enumerate() {
                    let inside = at >= to && at < to + n;
                    let want = if inside { source[at - to + from] } else { source[at] };
                    assert_eq!(*byte, want, "{n} bytes by {ahead}, at {at}");
                }
            }
        }
    }

    #[test]
    fn the_first_byte_that_differs_decides() {
        let source = bytes();
        for n in lengths() {
            let (a, mut b) = (&source[3..3 + n], source[3..3 + n].to_vec());
            assert_eq!(unsafe { super::memcmp(a.as_ptr(), b.as_ptr(), n) }, 0, "{n}");
            let step = if n > 300 { 37 } else { 1 };
            for at in (0..n).step_by(step).chain(n.checked_sub(1)) {
                let was = b[at];
                // Of a later one nothing depends on it, and bytes are without a sign.
                let later = b[n - 1];
                for now in [was ^ 0x80, was.wrapping_add(1), was.wrapping_sub(1)] {
                    b[n - 1] = !later;
                    b[at] = now;
                    let said = unsafe { super::memcmp(a.as_ptr(), b.as_ptr(), n) };
                    assert_eq!(said.signum(), was.cmp(&now) as i32, "{n} bytes that differ at {at}");
                    assert_ne!(unsafe { super::bcmp(a.as_ptr(), b.as_ptr(), n) }, 0);
                    b[n - 1] = later;
                    b[at] = was;
                }
            }
        }
        black_box(source);
    }
}
