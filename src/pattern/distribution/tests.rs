use super::*;
use crate::builtin::patterns;
use DistributionFamily::{Apt, Dnf, Gentoo, Nix, Pacman, RpmOstree, Steamos, Zypper};

fn known(found: Option<System>) -> Option<(DistributionFamily, String)> {
    found.map(|system| (system.family, system.distribution.unwrap_or_default()))
}

#[test]
fn a_kernel_shows_its_distribution() {
    let distributions = &patterns().distributions;
    let of = |release: &str| known(distributions.of_kernel(Some(release), None, None));
    for (release, family, id) in [
        ("6.17.7-ba25.fc43.x86_64", RpmOstree, "bazzite"),
        ("6.17.8-300.fc43.x86_64", Dnf, "fedora"),
        ("6.17.8-300.fc43.x86_64+debug", Dnf, "fedora"),
        ("6.17.8-300.fc43.ppc64le", Dnf, "fedora"),
        ("6.12.0-55.9.1.el10_0.x86_64+debug", Dnf, "rhel"),
        ("6.17.9-arch1-1", Pacman, "arch"),
        ("7.2.1-zen1-1-zen", Pacman, "arch"),
        ("7.2.2-2-cachyos", Pacman, "arch"),
        ("6.12.48-1-MANJARO", Pacman, "arch"),
        ("6.12.48+deb13-amd64", Apt, "debian"),
        ("6.1.0-25-amd64", Apt, "debian"),
        ("6.8.12-4-pve", Apt, "proxmox"),
        ("6.16.8+kali-amd64", Apt, "kali"),
        ("6.8.0-90-generic", Apt, "ubuntu"),
        ("6.8.0-76-generic", Apt, "ubuntu"),
        ("5.15.0-1076-generic", Apt, "ubuntu"),
        ("6.14.0-1017-oem", Apt, "ubuntu"),
        ("6.8.0-90-lowlatency", Apt, "ubuntu"),
        ("6.16.3-76061603-generic", Apt, "pop"),
        ("6.1.52-valve16-1-neptune-61", Steamos, "steamos"),
        ("6.17.7-1-default", Zypper, "tumbleweed"),
        ("6.4.0-150600.23.47-default", Zypper, "opensuse"),
        ("6.12.0-160000.5-default", Zypper, "opensuse"),
        ("6.12.58-gentoo", Gentoo, "gentoo"),
    ] {
        assert_eq!(of(release), Some((family, id.to_owned())), "{release}");
    }
    for release in ["6.17.8", "7.0.0-rc3+", "6.6.60-0-lts", "6.12.58-1-lts", "6.12.8-zen1"] {
        assert_eq!(of(release), None, "{release}");
    }
}

#[test]
fn a_banner_shows_what_a_release_leaves_open() {
    let distributions = &patterns().distributions;
    let of = |release, banner: &str| {
        let banner = format!("Linux version {release} {banner}");
        known(distributions.of_kernel(Some(release), Some(&banner), None))
    };
    let arch = of("6.12.58-1-lts", "(linux-lts@archlinux) (gcc (GCC) 15.2.1) #1 SMP");
    assert_eq!(arch, Some((Pacman, "arch".to_owned())));
    let alpine =
        of("6.12.58-1-lts", "(buildozer@build-3-22-x86_64) (gcc (Alpine 14.2.0)) #2-Alpine");
    assert_eq!(alpine, None);
    let kali = of("6.12.25-amd64", "(devel@kali.org) (gcc-14 (Debian 14.2.0-19) 14.2.0) #1 SMP");
    assert_eq!(kali, Some((Apt, "kali".to_owned())));
}

#[test]
fn the_command_line_counts_more_than_the_release() {
    let distributions = &patterns().distributions;
    let of = |release, line| known(distributions.of_kernel(Some(release), None, Some(line)));
    let ostree = of("6.17.8-300.fc43.x86_64", "rhgb ostree=/ostree/boot.1/fedora/0/0 rw");
    assert_eq!(ostree, Some((RpmOstree, "fedora-atomic".to_owned())));
    let nix = of("6.12.58", "init=/nix/store/0-nixos-system-box/init");
    assert_eq!(nix, Some((Nix, "nixos".to_owned())));
}

#[test]
fn os_release_shows_it_by_its_most_exact_word() {
    let distributions = &patterns().distributions;
    for (names, family, id) in [
        (&["silverblue", "fedora"][..], RpmOstree, "fedora-atomic"),
        (&["kde", "fedora"], Dnf, "fedora"),
        (&["linuxmint", "ubuntu", "debian"], Apt, "ubuntu"),
        (&["linuxmint", "debian"], Apt, "debian"),
        (&["kali", "debian"], Apt, "kali"),
        (&["opensuse-tumbleweed", "opensuse", "suse"], Zypper, "tumbleweed"),
        (&["opensuse-leap", "suse", "opensuse"], Zypper, "opensuse"),
        (&["unheard-of", "arch"], Pacman, "arch"),
    ] {
        let found = known(distributions.of_names(names.iter().copied()));
        assert_eq!(found, Some((family, id.to_owned())), "{names:?}");
    }
    assert_eq!(distributions.of_names(["openbsd"]), None);
}

#[test]
fn the_given_distribution_wins_unless_the_log_is_more_exact() {
    let mut distributions = Distributions::clone(&patterns().distributions);
    let of = |it: &Distributions, release| known(it.of_kernel(Some(release), None, None));
    distributions.assume(Some(System::of_family(Apt)));
    let ubuntu = of(&distributions, "6.8.0-90-generic");
    assert_eq!(ubuntu, Some((Apt, "ubuntu".to_owned())));
    assert_eq!(of(&distributions, "6.17.9-arch1-1"), Some((Apt, String::new())));
}

/// Proxmox VE has Debian's os-release, but Debian's firmware package would remove it.
#[test]
fn a_kernel_shows_what_a_machine_calls_by_its_bases_name() {
    let mut distributions = Distributions::clone(&patterns().distributions);
    let of = |it: &Distributions, name, release| known(it.of_machine([name], release));
    let debian = Some((Apt, "debian".to_owned()));
    let proxmox = Some((Apt, "proxmox".to_owned()));
    assert_eq!(of(&distributions, "debian", Some("6.8.12-4-pve")), proxmox);
    assert_eq!(of(&distributions, "debian", None), debian);
    assert_eq!(of(&distributions, "debian", Some("6.17.9-arch1-1")), debian);
    // A newer kernel does not turn Leap into Tumbleweed, or Debian into Ubuntu.
    let leap = Some((Zypper, "opensuse".to_owned()));
    assert_eq!(of(&distributions, "opensuse-leap", Some("6.17.7-1-default")), leap);
    assert_eq!(of(&distributions, "debian", Some("6.8.0-90-generic")), debian);
    assert_eq!(of(&distributions, "openbsd", Some("6.8.12-4-pve")), None);

    let of = |it: &Distributions, release| known(it.of_kernel(Some(release), None, None));
    distributions.assume(Some(System { family: Apt, distribution: Some("debian".to_owned()) }));
    assert_eq!(of(&distributions, "6.8.12-4-pve"), proxmox);
    assert_eq!(of(&distributions, "6.8.0-90-generic"), debian);
}

fn typed(id: &str, system: Option<&System>) -> Vec<(Vec<DistributionFamily>, Vec<String>, String)> {
    let patterns = patterns();
    let Some(advice) = patterns.advice(id) else { panic!("{id}") };
    let commands = patterns.distributions.commands(advice, system);
    commands.into_iter().map(|one| (one.families, one.distributions, one.text)).collect()
}

#[test]
fn a_parameter_is_set_as_each_distribution_does_it() {
    let on = |family| match typed("runpm0", Some(&System::of_family(family))).as_slice() {
        [(_, _, command)] => command.clone(),
        several => panic!("{several:?}"),
    };
    assert_eq!(on(Dnf), r#"sudo grubby --update-kernel=ALL --args="amdgpu.runpm=0""#);
    assert_eq!(on(RpmOstree), r#"rpm-ostree kargs --append-if-missing="amdgpu.runpm=0""#);
    assert!(
        on(Pacman).starts_with(
            "echo 'options amdgpu runpm=0' | sudo tee /etc/modprobe.d/amdgpu-runpm.conf"
        )
    );
    // A parameter of the core kernel cannot be set in modprobe.d.
    let core = typed("iommu-pt", Some(&System::of_family(Pacman)));
    assert!(core[0].2.contains("grub-mkconfig"), "{core:?}");
    assert!(
        typed("recovery-default", Some(&System::of_family(Dnf)))[1].2.contains("--remove-args")
    );
}

#[test]
fn of_one_family_each_distribution_has_its_own_command_or_that_of_its_base() {
    let of = |advice: &str, family, id: &str| {
        let system = System { family, distribution: Some(id.to_owned()) };
        match typed(advice, Some(&system)).as_slice() {
            [(_, names, command)] if names.is_empty() => command.clone(),
            several => panic!("{id}: {several:?}"),
        }
    };
    for (advice, family, id, wanted) in [
        ("fw-update", Apt, "debian", "backports"),
        ("fw-update", Apt, "pop", "install --only-upgrade linux-firmware"),
        ("fw-update", Apt, "kali", "sudo apt update && sudo apt full-upgrade"),
        ("fw-rollback", Apt, "kali", "firmware-amd-graphics=VERSION"),
        ("fw-rollback", Apt, "proxmox", "pve-firmware=VERSION"),
        ("runpm0", Apt, "proxmox", "update-grub"),
        ("kern-update", Apt, "proxmox", "sudo apt update && sudo apt full-upgrade"),
        ("mesa-update", Apt, "debian", "\"$VERSION_CODENAME-backports\" mesa-vulkan-drivers"),
        ("fw-update", Dnf, "fedora", "amd-gpu-firmware"),
        ("fw-update", Dnf, "rhel", " linux-firmware "),
        ("fw-update", Zypper, "tumbleweed", "sudo zypper dup"),
        ("fw-update", Zypper, "opensuse", "zypper update kernel-firmware-amdgpu"),
        ("fw-rollback", Zypper, "tumbleweed", "kernel-firmware-amdgpu=VERSION"),
    ] {
        let command = of(advice, family, id);
        assert!(command.contains(wanted), "{advice} {id}: {command}");
    }
    let open = typed("fw-update", Some(&System::of_family(Apt)));
    let names: Vec<String> = open.iter().flat_map(|one| one.1.clone()).collect();
    assert_eq!(names, ["Debian", "Kali", "Proxmox VE", "Ubuntu"]);
    assert_eq!(open.len() + 10, typed("fw-update", None).len());
}

/// Debian's package conflicts with pve-firmware: apt would remove Proxmox VE.
#[test]
fn proxmox_gets_no_debian_firmware_package() {
    let proxmox = System { family: Apt, distribution: Some("proxmox".to_owned()) };
    for advice in &patterns().advice {
        for (_, _, command) in typed(&advice.id, Some(&proxmox)) {
            assert!(!command.contains("firmware-amd-graphics"), "{}: {command}", advice.id);
        }
    }
}
