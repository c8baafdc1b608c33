//! What people are told to type: nothing that was found wrong, and nothing that the driver does not have.

use amdtriage::builtin::patterns;

use super::common::none;

/// Settings that circulate and do nothing, or do harm; each was looked up in the driver's source.
const WRONG: [(&str, &str); 19] = [
    ("gfxoff=", "there is no such parameter; GFXOFF is a bit of ppfeaturemask"),
    ("gtt_size", "there is no such parameter"),
    ("gttsize", "deprecated; ttm.pages_limit sets what it set"),
    ("vm_fragment_size", "the default is the largest sensible value"),
    ("noretry=0", "it switches retries of faults on, and is no remedy for them"),
    ("amdgpu.mes", "gfx11 and later cannot do without MES, and no code reads it any more"),
    ("reset_method=4", "LINK since 6.16, and refused; BACO before"),
    ("reset_method=5", "never accepted at start"),
    ("ppfeaturemask=0xffffffff", "it switches overdrive on and taints the kernel"),
    ("gpu_recovery=1", "that is what the driver does by itself"),
    ("gpu_recovery=0", "a hang then stays until power-off"),
    ("tmz=0", "not enabled where people set it"),
    ("amdgpu.dpm=0", "without power management the chip is slow and hot, or does not start"),
    ("HSA_OVERRIDE_GFX_VERSION=", "it makes ROCm run code for another chip"),
    ("ROC_ENABLE_PRE_VEGA", "gone from ROCm"),
    ("iommu=off", "devices can then write anywhere"),
    ("mitigations=off", "has nothing to do with GPUs"),
    ("chmod 777", "gives everybody everything"),
    ("| sh", "runs what somebody else may change"),
];

#[test]
fn nobody_is_told_to_set_what_was_found_wrong() {
    let mut told = Vec::new();
    for advice in patterns().advice.iter() {
        let commands = advice.command.clone().unwrap_or_default();
        let typed = commands.lines().filter(|line| !line.trim_start().starts_with('#'));
        for line in typed {
            for (wrong, why) in WRONG.iter().filter(|(wrong, _)| line.contains(wrong)) {
                told.push(format!("{}: `{line}` has {wrong}: {why}", advice.id));
            }
        }
        if let Some(sets) = &advice.sets {
            let set = format!("{}={}", sets.parameter, sets.value);
            for (wrong, why) in WRONG.iter().filter(|(wrong, _)| set.contains(wrong)) {
                told.push(format!("{}: sets {wrong}: {why}", advice.id));
            }
        }
    }
    none(&told);
}

#[test]
fn every_parameter_in_a_command_is_one_of_the_driver() {
    let patterns = patterns();
    let mut wrong = Vec::new();
    for advice in patterns.advice.iter() {
        for word in advice.command.iter().flat_map(|command| command.split_whitespace()) {
            let word = word.trim_matches(['"', '\'', '`', ',', '.']);
            let Some((name, _)) = word.strip_prefix("amdgpu.").and_then(|set| set.split_once('='))
            else {
                continue;
            };
            let known = patterns.hardware.parameter(name);
            if known.is_none_or(|parameter| parameter.exists_in(None) == Some(false)) {
                wrong.push(format!("{}: amdgpu.{name}", advice.id));
            }
        }
    }
    none(&wrong);
}

/// A claim without a source is an opinion.
#[test]
fn every_claim_says_where_it_comes_from() {
    let patterns = patterns();
    let advice = patterns.advice.iter().filter(|advice| advice.source.len() < 8);
    let advice = advice.map(|advice| format!("advice {}", advice.id));
    let signatures = patterns.signatures.iter().filter(|signature| signature.references.is_empty());
    let signatures = signatures.map(|signature| format!("signature {}", signature.id));
    let messages = patterns.messages.iter().filter(|message| message.source.len() < 4);
    let messages = messages.map(|message| format!("message {}", message.id));
    let wrong: Vec<String> = advice.chain(signatures).chain(messages).collect();
    none(&wrong);
}
