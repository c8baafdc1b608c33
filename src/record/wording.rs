//! The order of lines that have hardly any difference in time, from their wording: something starts
//! before it is done, and the lines of a page fault have an order.

/// The beginning of a line about a start, and its end.
const START: &str = "Starting ";
const AT_THE_START: &str = " start";
/// The ends of lines about an end.
const ENDS: [&str; 5] = ["succeeded", "completed", "Completed", "failed", "done"];

/// Three lines of a page fault, one right after the other (`gmc_v9_0.c` and later).
const FAULT: [&str; 3] =
    ["page fault (src_id:", "in page starting at address 0x", "_PROTECTION_FAULT_STATUS:0x"];
/// The begin of a reset of the whole GPU, and its end.
const RESET: [&str; 2] = ["GPU reset begin!", "GPU reset("];

/// Whether these lines are printed newest first: an action that starts has its end in an earlier
/// line, and none in a later line.
pub(super) fn runs_backward<'t>(lines: impl Iterator<Item = &'t str>) -> bool {
    let lines: Vec<&str> = lines.collect();
    let is_fault = |order: &[&str]| {
        let fits = |run: &[&str]| run.iter().zip(order).all(|(line, part)| line.contains(part));
        lines.windows(order.len()).any(fits)
    };
    let place = |part: &str| lines.iter().position(|line| line.contains(part));
    let reset = place(RESET[0]).zip(place(RESET[1]));
    let ends: Vec<(usize, &str)> =
        lines.iter().enumerate().filter_map(|(at, line)| Some((at, ended(line)?))).collect();
    let [head, page, status] = FAULT;
    let mut forward = is_fault(&[page, status]) || reset.is_some_and(|(begin, end)| begin < end);
    let mut back = is_fault(&[status, page, head]) || reset.is_some_and(|(begin, end)| end < begin);
    for (at, line) in lines.iter().enumerate() {
        let mut pairs = ends.iter().filter(|(_, end)| starts(line, end)).map(|(end, _)| *end > at);
        if let Some(first) = pairs.next() {
            let behind = first || pairs.any(|behind| behind);
            forward |= behind;
            back |= !behind;
        }
    }
    back && !forward
}

/// The action that a line reports as done.
fn ended(line: &str) -> Option<&str> {
    let line = line.trim_end();
    ENDS.iter().find_map(|end| line.strip_suffix(end)).map(str::trim_end)
}

/// Whether a line reports the start of `end`: in the same words, or with all of its words after
/// `Starting`.
fn starts(line: &str, end: &str) -> bool {
    let Some((_, what)) = line.split_once(START) else {
        let line = line.trim_end();
        return line.strip_suffix(AT_THE_START).unwrap_or(line) == end;
    };
    let ended: Vec<&str> = end.split_ascii_whitespace().collect();
    let is_of_it = |word: &str| ended.iter().any(|other| other.eq_ignore_ascii_case(word));
    !what.trim().is_empty() && what.split_ascii_whitespace().all(is_of_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BACKWARD: [&str; 5] = [
        "amdgpu 0000:0c:00.0: amdgpu: Ring comp_1.2.1 reset succeeded",
        "amdgpu 0000:0c:00.0: amdgpu: reset compute queue (1:2:1)",
        "amdgpu 0000:0c:00.0: amdgpu: Starting comp_1.2.1 ring reset",
        "amdgpu 0000:0c:00.0: amdgpu: Dumping IP State Completed",
        "amdgpu 0000:0c:00.0: amdgpu: Dumping IP State",
    ];

    #[test]
    fn the_lines_of_a_page_fault_have_an_order() {
        let head = "amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:5 pasid:32788)";
        let page = "amdgpu:   in page starting at address 0x0000800026c9c000 from client 0x1b";
        let status = "amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00501430";
        let fields = "amdgpu:          RW: 0x0";
        assert!(runs_backward([fields, status, page, head].into_iter()));
        assert!(!runs_backward([head, page, status, fields].into_iter()));
        assert!(!runs_backward([page, status, fields, head].into_iter()));
        // Filtered: lines of two faults, and a reset.
        let reset = ["amdgpu: GPU reset begin!", "amdgpu: GPU reset(1) succeeded!"];
        assert!(!runs_backward([status, page, reset[0], reset[1]].into_iter()));
    }

    #[test]
    fn what_is_done_before_it_starts_is_printed_newest_first() {
        assert!(runs_backward(BACKWARD.into_iter()));
        assert!(runs_backward(BACKWARD[..3].iter().copied()));
        assert!(runs_backward(BACKWARD[3..].iter().copied()));
        let restored = ["recover vram bo from shadow done", "recover vram bo from shadow start"];
        assert!(runs_backward(restored.into_iter()));
        assert!(!runs_backward(restored.into_iter().rev()));
        assert!(!runs_backward(BACKWARD.into_iter().rev()));
    }

    #[test]
    fn an_end_alone_and_another_ring_prove_nothing() {
        assert!(!runs_backward(BACKWARD[..2].iter().copied()));
        let other = ["Ring comp_1.2.2 reset succeeded", BACKWARD[2]];
        assert!(!runs_backward(other.into_iter()));
        // The reset before is done, and so is the next one.
        let two = [BACKWARD[0], BACKWARD[2], BACKWARD[0]];
        assert!(!runs_backward(two.into_iter()));
    }
}
