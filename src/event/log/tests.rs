use super::*;
use crate::kind::Kind;

/// Reads `text` as a log.
pub(crate) fn log(text: &str) -> Log {
    let mut lines = Lines::new(text.as_bytes());
    Log::read(&mut lines, Options::default(), &crate::builtin::patterns()).unwrap()
}

fn kinds(log: &Log) -> Vec<(Kind, u64, u64)> {
    log.events.iter().map(|o| (o.event.kind(), o.first_line(), o.last_line())).collect()
}

#[test]
fn the_lines_of_one_fault_are_one_event() {
    let log = log("\
[   10.000001] amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32770, for process game pid 7 thread game:cs0 pid 8)
[   10.000002] amdgpu 0000:0a:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:4 pasid:32771, for process other pid 9 thread other pid 9)
[   10.000003] amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x0000000000201000 from client 0x1b (UTCL2)
[   10.000004] amdgpu 0000:03:00.0: amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00301031
[   10.000005] amdgpu 0000:0a:00.0: amdgpu:   in page starting at address 0x0000000000400000 from client 0x1b (UTCL2)
[   10.000006] amdgpu 0000:03:00.0: amdgpu: \t Faulty UTCL2 client ID: TCP (0x8)
");
    assert_eq!(kinds(&log), [(Kind::PageFault, 1, 6), (Kind::PageFault, 2, 5)]);
    let Event::PageFault(fault) = &log.events[0].event else { panic!("a page fault") };
    assert_eq!(fault.client.as_deref(), Some("TCP"));
    assert_eq!(fault.address.map(|address| address.value), Some(0x20_1000));
    let bits = fault.status.as_ref().unwrap().decoded.as_ref().unwrap();
    assert_eq!((bits.vmid, bits.permission_faults, bits.write), (3, 3, false));
}

#[test]
fn a_status_of_zero_names_no_engine() {
    let log = log("\
[   10.000001] amdgpu 0000:03:00.0: amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00000000
[   10.000002] amdgpu 0000:03:00.0: amdgpu: \t Faulty UTCL2 client ID: CB/DB (0x0)
");
    assert_eq!(kinds(&log), [(Kind::PageFault, 1, 2)]);
    assert_eq!(log.events[0].event.field("client"), None);
}

#[test]
fn a_status_register_tells_what_no_line_prints() {
    let chip = "[    2.0] [drm] initializing kernel modesetting (RAVEN 0x1002:0x15DD 0x1002:0x15DD 0xC6).\n";
    let faults = "\
[   10.000001] amdgpu 0000:03:00.0: amdgpu: [mmhub0] retry page fault (src_id:0 ring:0 vmid:3 pasid:32774, for process game pid 7 thread game:cs0 pid 8)
[   10.000002] amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x0000000000000000 from client 18
[   10.000003] amdgpu 0000:03:00.0: amdgpu: VM_L2_PROTECTION_FAULT_STATUS:0x00340451
";
    let told = |text: &str| {
        let log = log(text);
        let fault = log.events.iter().find_map(|seen| {
            let Event::PageFault(fault) = &seen.event else { return None };
            Some(fault.clone())
        });
        fault.unwrap()
    };
    let known = told(&format!("{chip}{faults}"));
    assert_eq!((known.client.as_deref(), known.clients.is_none()), (Some("VCN"), true));
    assert_eq!(known.tried.unwrap().0, "a write to an address where nothing is mapped");
    assert_eq!(known.null.as_deref(), Some("yes"));
    let open = told(faults);
    let names = open.clients.unwrap().0;
    assert!(open.client.is_none() && names.iter().any(|name| name == "VCN"), "{names:?}");
    assert!(!names.iter().any(|name| name.starts_with("SDM")), "{names:?}");
}

#[test]
fn lines_tell_of_a_package_a_virtual_function_and_a_class_of_chips() {
    let log = log("\
[    5.266] amdgpu 0000:03:00.0: amdgpu: [drm:amdgpu_device_ip_init [amdgpu]] *ERROR* hw_init of IP block <gfx_v9_4_3> failed -110
[    5.300] amdgpu 0000:03:00.0: amdgpu: invalid pf2vf message size: 0xffffffff
[    5.400] WARNING: CPU: 4 PID: 31870 at kernel/workqueue.c:2406 __queue_work+0x2b4/0x388
[    5.401] Modules linked in: amdgpu(OE+) amdttm(OE) amdxcp(OE) amdkcl(OE) drm_exec video
");
    let [device] = &log.devices[..] else { panic!("one GPU") };
    assert!(device.virtual_function);
    assert_eq!(device.facts.get(crate::value::ChipFact::Display), Some(false));
    assert!(log.boots[0].package.is_some());
    let own = self::log(
        "\
[    5.400] WARNING: CPU: 4 PID: 31870 at kernel/workqueue.c:2406 __queue_work+0x2b4/0x388
[    5.401] Modules linked in: amdgpu amdxcp drm_buddy drm_exec ttm
",
    );
    assert!(own.boots[0].package.is_none());
}

#[test]
fn a_line_without_device_belongs_to_the_only_gpu_or_to_none() {
    let bare =
        "[   20.000000] [drm:amdgpu_cs_ioctl [amdgpu]] *ERROR* Failed to initialize parser -125!\n";
    let one = "[    1.000000] amdgpu 0000:03:00.0: amdgpu: SMU is initialized successfully!\n";
    let two = "[    1.000001] amdgpu 0000:0a:00.0: amdgpu: SMU is initialized successfully!\n";
    let near = "[   19.000000] amdgpu 0000:0a:00.0: amdgpu: GPU reset begin!\n";
    for (text, device) in [
        (format!("{one}{bare}"), Some("0000:03:00.0")),
        (format!("{one}{two}{bare}"), None),
        (format!("{one}{two}{near}{bare}"), Some("0000:0a:00.0")),
        (bare.to_owned(), None),
    ] {
        let log = log(&text);
        let last = log.events.last().unwrap();
        assert_eq!(last.device, device.map(|d| d.parse().unwrap()), "{text}");
        assert_eq!(last.inferred, device.is_some());
    }
}

fn devices_of(log: &Log, kind: Kind) -> Vec<Option<String>> {
    let wanted = log.events.iter().filter(|observed| observed.event.kind() == kind);
    wanted.map(|observed| observed.device.map(|device| device.to_string())).collect()
}

#[test]
fn unrelated_lines_do_not_end_a_failure() {
    let log = log("\
[    1.000000] amdgpu 0000:03:00.0: amdgpu: SMU is initialized successfully!
[    1.000001] amdgpu 0000:0a:00.0: amdgpu: SMU is initialized successfully!
[   20.000000] amdgpu 0000:0a:00.0: amdgpu: GPU reset begin!
[   20.000001] amdgpu 0000:0a:00.0: amdgpu: PSP is resuming...
[   20.000002] [drm] VRAM is lost due to GPU reset!
[   25.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
[   25.000001] [drm] VRAM is lost due to GPU reset!
");
    let second = Some("0000:0a:00.0".to_owned());
    assert_eq!(devices_of(&log, Kind::VramLost), [second, None], "then both failed");
}

#[test]
fn the_size_of_a_gpu_is_not_that_of_another_one_that_failed_before() {
    let log = log("\
[    3.000000] amdgpu 0000:03:00.0: amdgpu: Fatal error during GPU init
[    3.100000] amdgpu 0000:0a:00.0: amdgpu: VRAM: 1024M 0x000000F400000000 - 0x000000F43FFFFFFF (1024M used)
[    3.100001] [drm] amdgpu: 1024M of VRAM memory ready
");
    assert_eq!(devices_of(&log, Kind::VramSize), [Some("0000:0a:00.0".to_owned()), None]);
    let sizes: Vec<_> = log.devices.iter().map(|device| device.vram_mib).collect();
    assert_eq!(sizes, [None, Some(1024)]);
}

#[test]
fn a_register_of_ones_is_no_size() {
    let log = log("\
[    3.000000] amdgpu 0000:03:00.0: enabling device (0140 -> 0142)
[    3.000001] [drm] amdgpu: 4294967295M of VRAM memory ready
");
    assert_eq!(log.devices[0].vram_mib, None);
}

/// A GPU is reset during the setup of another one, so lines without a device are ambiguous.
#[test]
fn a_set_up_in_which_another_gpu_speaks_is_no_single_story() {
    let log = log("\
[    1.000000] amdgpu 0000:03:00.0: amdgpu: SMU is initialized successfully!
[    2.000000] [drm] initializing kernel modesetting (NAVI31 0x1002:0x744C 0x1002:0x0E3B 0xC8).
[    2.000001] amdgpu 0000:0a:00.0: amdgpu: Fetched VBIOS from VFCT
[    2.000002] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
[    2.000003] [drm] VRAM is lost due to GPU reset!
[    2.000004] [drm] Initialized amdgpu 3.57.0 for 0000:0a:00.0 on minor 2
");
    assert_eq!(devices_of(&log, Kind::VramLost), [Some("0000:03:00.0".to_owned())]);
}

#[test]
fn a_set_up_ends_where_it_fails_or_another_gpu_speaks() {
    for failed in ["amdgpu: probe of 0000:0a:00.0 failed with error -22", "usb 1-1: text"] {
        let log = log(&format!(
            "\
[    1.000000] amdgpu 0000:03:00.0: amdgpu: SMU is initialized successfully!
[    2.000000] [drm] initializing kernel modesetting (NAVI31 0x1002:0x744C 0x1002:0x0E3B 0xC8).
[    2.000001] amdgpu 0000:0a:00.0: amdgpu: Fetched VBIOS from VFCT
[    2.000002] {failed}
[  900.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
[  900.000001] [drm] VRAM is lost due to GPU reset!
[  999.000000] [drm:amdgpu_cs_ioctl [amdgpu]] *ERROR* Failed to initialize parser -125!
"
        ));
        assert_eq!(
            devices_of(&log, Kind::GpuIdentity),
            [Some("0000:0a:00.0".to_owned())],
            "{failed}"
        );
        assert_eq!(devices_of(&log, Kind::VramLost), [Some("0000:03:00.0".to_owned())]);
        assert_eq!(devices_of(&log, Kind::SubmissionRejected), [None]);
    }
}

#[test]
fn outputs_with_other_drivers_names_are_not_ours() {
    let timeout = |at: u32, name: &str| {
        format!(
            "[{at:5}.000000] [drm:drm_atomic_helper_wait_for_flip_done [drm_kms_helper]] \
             *ERROR* [CRTC:45:{name}] flip_done timed out\n"
        )
    };
    let ready = "[    1.000000] amdgpu 0000:03:00.0: amdgpu: SMU is initialized successfully!\n";
    for name in ["pipe A", "head-0"] {
        let log = log(&format!("{ready}{}", timeout(200, name)));
        assert_eq!(devices_of(&log, Kind::DisplayTimeout), [None], "{name}");
        assert!(log.events.iter().all(|o| o.event.kind() != Kind::DisplayTimeout || !o.of_a_gpu));
    }
    let log = log(&format!("{ready}{}", timeout(200, "crtc-0")));
    assert_eq!(devices_of(&log, Kind::DisplayTimeout), [Some("0000:03:00.0".to_owned())]);
}

#[test]
fn a_bus_recovery_belongs_to_the_device_with_the_error() {
    let report = |source: &str| {
        log(&format!(
            "\
[    1.000000] amdgpu 0000:03:00.0: amdgpu: SMU is initialized successfully!
[   10.000000] pcieport 0000:00:01.1: AER: Uncorrected (Fatal) error received: {source}
[   10.000005] pcieport 0000:00:01.1: AER: device recovery failed
"
        ))
    };
    let gpu = [Some("0000:03:00.0".to_owned())];
    assert_eq!(devices_of(&report("0000:03:00.0"), Kind::PciRecovery), gpu);
    // The kernel waits for up to a minute.
    let late = "\
[    1.000000] amdgpu 0000:03:00.0: amdgpu: SMU is initialized successfully!
[   10.000000] pcieport 0000:00:01.1: AER: Uncorrected (Fatal) error received: 0000:03:00.0
[   70.000005] pcieport 0000:00:01.1: AER: device recovery failed
";
    assert_eq!(devices_of(&log(late), Kind::PciRecovery), gpu);
    // Another device, and the port itself, which may lead to any.
    for source in ["0000:04:00.0", "0000:00:01.1"] {
        assert_eq!(devices_of(&report(source), Kind::PciRecovery), [None], "{source}");
    }
}

#[test]
fn the_device_of_a_record_distinguishes_two_gpus() {
    let bare = "[drm:amdgpu_cs_ioctl [amdgpu]] *ERROR* Failed to initialize parser -125!";
    let log = log(&format!(
        "6,1,1000000,-;amdgpu 0000:03:00.0: amdgpu: SMU is initialized successfully!\n\
         6,2,1000001,-;amdgpu 0000:0a:00.0: amdgpu: SMU is initialized successfully!\n\
         3,3,2000000,-;{bare}\n SUBSYSTEM=pci\n DEVICE=+pci:0000:0a:00.0\n\
         3,4,29000000,-;{bare}\n"
    ));
    let devices: Vec<_> = log.events.iter().map(|observed| observed.device).collect();
    assert_eq!(devices[devices.len() - 2], Some("0000:0a:00.0".parse().unwrap()));
    assert_eq!(devices.last(), Some(&None));
}

#[test]
fn other_vendors_lines_are_not_ours() {
    let log = log("\
[   10.000000] i915 0000:00:02.0: [drm] GPU reset begin!
[   10.000001] [drm:nv_drm_x [nvidia_drm]] *ERROR* ring gfx_0.0.0 timeout, but soft recovered
[   10.000002] amdgpu 0000:03:00.0: amdgpu: SMU is initialized successfully!
");
    assert_eq!(kinds(&log), [(Kind::BlockReady, 3, 3)]);
    assert_eq!(log.devices.len(), 1);
}

#[test]
fn a_drivers_name_before_a_device_proves_its_presence() {
    let lines = |first: &str| {
        format!(
            "{first}\n\
[   10.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n\
[   90.000000] [drm:drm_atomic_helper_wait_for_flip_done] *ERROR* [CRTC:51:crtc-0] flip_done timed out\n"
        )
    };
    let device = |text: &str| log(text).events.last().map(|observed| observed.device.is_some());
    let other = "[    9.000000] i915 0000:00:02.0: [drm] Reducing the compressed framebuffer size.";
    assert_eq!(device(&lines("[    9.000000] usb 1-1: text")), Some(true));
    assert_eq!(device(&lines(other)), Some(false));
}

#[test]
fn the_device_beside_a_shared_text_may_be_another_drivers() {
    let of = |device: &str| {
        let text = format!(
            "\
6,1,10000000,-;amdgpu 0000:03:00.0: amdgpu: SMU is initialized successfully!\n SUBSYSTEM=pci\n DEVICE=+pci:0000:03:00.0\n\
3,2,90000000,-;[drm:drm_atomic_helper_wait_for_flip_done] *ERROR* [CRTC:51:crtc-0] flip_done timed out\n SUBSYSTEM=pci\n DEVICE=+pci:{device}\n"
        );
        log(&text).events.last().and_then(|observed| observed.device).is_some()
    };
    assert!(of("0000:03:00.0"));
    assert!(!of("0000:00:02.0"));
}

#[test]
fn text_quoted_by_a_program_is_no_event() {
    let log = log("\
Feb 18 11:15:08 host chat[4410]: \"amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\"
Feb 18 11:15:08 host sudo[7710]: COMMAND=/usr/bin/grep Memory access fault by GPU node-1
Feb 18 11:15:08 host kernel: input: GPU reset begin! as /devices/virtual/input/input42
");
    assert!(log.events.is_empty(), "{:?}", log.events);
}

#[test]
fn a_stack_without_end_is_cut() {
    let mut text =
        String::from("[  200.000000] INFO: task x:1 blocked for more than 122 seconds.\n");
    for _ in 0..1000 {
        text.push_str("[  200.000009]  ttm_bo_delayed_delete+0x2b/0x90 [ttm]\n");
    }
    let log = log(&text);
    let Event::HungTask(task) = &log.events[0].event else { panic!("a hung task") };
    let depth = task.stack.as_ref().map_or(0, |stack| stack.0.len());
    assert!((100..=128).contains(&depth), "{depth}");
}

#[test]
fn a_stack_belongs_to_its_task() {
    let log = log("\
[  200.000000] INFO: task kworker/u64:3:4290 blocked for more than 122 seconds.
[  200.000001]       Not tainted 6.8.0-90-generic #91
[  200.000002] \"echo 0 > /proc/sys/kernel/hung_task_timeout_secs\" disables this message.
[  200.000003] task:kworker/u64:3   state:D stack:0     pid:4290  tgid:4290  ppid:2      flags:0x00004000
[  200.000004] Workqueue: ttm ttm_bo_delayed_delete [ttm]
[  200.000005] Call Trace:
[  200.000006]  <TASK>
[  200.000007]  schedule+0x5e/0xd0
[  200.000008]  dma_fence_default_wait+0x1d0/0x250
[  200.000009]  ttm_bo_delayed_delete+0x2b/0x90 [ttm]
[  200.000010]  </TASK>
");
    let [only] = log.events.as_slice() else { panic!("one event: {:?}", log.events) };
    let Event::HungTask(task) = &only.event else { panic!("a hung task") };
    assert_eq!(task.queue.as_deref(), Some("ttm"));
    assert_eq!(task.seconds, Some(122));
    assert_eq!(task.stack.as_ref().map(|stack| stack.0.len()), Some(3));
}

/// Crash reports contain the kernel's release, which is not an event.
#[test]
fn reports_of_crashes_tell_the_release() {
    let hung = "INFO: task game:7 blocked for more than 122 seconds.";
    let warning = "WARNING: CPU: 3 PID: 7 at drivers/gpu/drm/x.c:5 frob+0x1/0x2";
    let oops = "BUG: kernel NULL pointer dereference, address: 0000000000000008";
    let panic = "Kernel panic - not syncing: Fatal exception";
    for (report, line, want) in [
        (hung, "      Not tainted 6.1.0 #1", Some("6.1.0")),
        (hung, "      Tainted: G        W  OE      6.8.0-58-generic #60", Some("6.8.0-58-generic")),
        (
            warning,
            "CPU: 3 PID: 411 Comm: game Not tainted 6.14.0-27-generic #27 Debian",
            Some("6.14.0-27-generic"),
        ),
        (
            oops,
            "CPU: 3 UID: 0 PID: 411 Comm: Web Content Kdump: loaded Tainted: P           O        6.15.6 #1",
            Some("6.15.6"),
        ),
        (
            panic,
            "CPU: 0 PID: 1 Comm: swapper/0 Tainted: G  --------- -  - 4.18.0-553.el8.x86_64 #1",
            Some("4.18.0-553.el8.x86_64"),
        ),
        (warning, "Tainted: [W]=WARN, [O]=OOT_MODULE", None),
        (warning, "CPU: 3 PID: 411 Comm: game tainted 6.14.0-27-generic #27", None),
        (hung, "      Not tainted by 3 words #1", None),
        (hung, "the module 6.1.0 is not tainted 6.1.0 #1", None),
    ] {
        let log = log(&format!("[   10.000001] {report}\n[   10.000002] {line}\n"));
        assert_eq!(log.boots[0].kernel.as_deref(), want, "{line}");
        let lines = log.events.iter().map(|event| event.lines().count());
        assert_eq!(lines.collect::<Vec<_>>(), [if want.is_some() { 2 } else { 1 }], "{line}");
    }
    let late = log(
        "[    1.000001] Linux version 6.9.1 (a@b) (gcc) #1\n[    5.000001] INFO: task game:7 blocked for more than 122 seconds.\n[    5.000002]       Not tainted 6.1.0 #1\n",
    );
    assert_eq!(late.boots[0].kernel.as_deref(), Some("6.9.1"));
}

#[test]
fn a_chip_is_known_by_its_video_bios_and_its_firmware_files() {
    for (line, asic, target) in [
        (
            "amdgpu 0000:03:00.0: amdgpu: ATOM BIOS: 113-REMBRANDT-X37",
            Some("Rembrandt"),
            Some("gfx1035"),
        ),
        // Raphael and Granite Ridge have the same video BIOS.
        ("amdgpu 0000:03:00.0: amdgpu: ATOM BIOS: 102-RAPHAEL-008", None, Some("gfx1036")),
        ("amdgpu 0000:03:00.0: amdgpu: ATOM BIOS: 113-D0910802-101", None, None),
        (
            "amdgpu 0000:03:00.0: firmware: direct-loading firmware amdgpu/polaris12_mc.bin",
            Some("Polaris 12"),
            Some("gfx803"),
        ),
        (
            "amdgpu 0000:03:00.0: initializing kernel modesetting (IP DISCOVERY 0x1002:0x1586 0x103C:0x8D01 0xD1)",
            Some("Strix Halo"),
            Some("gfx1151"),
        ),
    ] {
        let log = log(&format!("[   10.000001] {line}\n"));
        let device = &log.devices[0];
        assert_eq!(device.asic.as_deref(), asic, "{line}");
        assert_eq!(device.target.map(|target| target.to_string()).as_deref(), target, "{line}");
    }
}

#[test]
fn a_chip_that_compute_programs_cannot_use_is_named() {
    let log = log("\
[    9.142575] amdgpu 0000:03:00.0: amdgpu: Fetched VBIOS from VFCT
[    9.142594] kfd kfd: amdgpu: TAHITI  not supported in kfd
");
    assert_eq!(log.devices[0].asic.as_deref(), Some("Tahiti"));
}

/// A title of a report is no line of its log.
#[test]
fn what_a_person_quotes_does_not_count_beside_the_line() {
    let title =
        "# The desktop is gone: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3";
    let line = "[   10.000001] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=7, emitted seq=9";
    let other = line.replace("gfx_0.0.0", "sdma0");
    let seen = |text: &str| -> Vec<(u64, bool)> {
        log(text).events.iter().map(|event| (event.line(), event.in_prose)).collect()
    };
    assert_eq!(seen(title), [(1, true)]);
    assert_eq!(seen(&format!("{title}\n\n{line}\n")), [(3, false)]);
    assert_eq!(seen(&format!("{title}\n\n{other}\n")), [(1, true), (3, false)]);
    // What a program prints before its message is no sentence, nor is the rest of a time.
    let error = "HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION: The agent attempted to access memory beyond the largest legal address. code: 0x29";
    let before = ":0:rocdevice.cpp :2672: 0696142325 us: 5999 : [tid:0x7f67] Device::callbackQueue aborting with error : ";
    assert_eq!(seen(&format!("{before}{error}\n")), [(1, false)]);
    assert_eq!(seen(&format!(":53:32 host kernel: {}\n", &line[15..])), [(1, false)]);
}

#[test]
fn the_kernel_and_the_distribution_may_be_in_the_text() {
    let timeout = "[   10.000001] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=7, emitted seq=9\n";
    let command_line =
        "[    0.000000] Command line: BOOT_IMAGE=/boot/vmlinuz-6.14.0-1014-oem root=/dev/sda1\n";
    let told = format!("- Kernel: 6.14.0-1014-oem\n\n{timeout}");
    let hung = "[    5.000001] INFO: task game:7 blocked for more than 122 seconds.\n[    5.000002]       Not tainted 6.2.0 #1-NixOS\n";
    for (text, kernel, told, system) in [
        (told, None, Some("6.14.0-1014-oem"), Some("ubuntu")),
        (command_line.to_owned(), Some("6.14.0-1014-oem"), None, Some("ubuntu")),
        (hung.to_owned(), Some("6.2.0"), None, Some("nixos")),
        (format!("Nov 19 10:00:00 archlinux kernel: {}", &timeout[15..]), None, None, Some("arch")),
        (timeout.to_owned(), None, None, None),
    ] {
        let log = log(&text);
        let boot = &log.boots[0];
        let distribution = boot.system.as_ref().and_then(|system| system.distribution.as_deref());
        let found = (boot.kernel.as_deref(), boot.told_kernel.as_deref(), distribution);
        assert_eq!(found, (kernel, told, system), "{text}");
    }
}

/// A GPU of the bus's list is one of the log where no other is known, or where something is said
/// about it.
#[test]
fn a_gpu_that_the_bus_lists_is_a_gpu_of_the_log() {
    const LISTED: &str = "[    1.0] pci 0000:03:00.0: [1002:73bf] type 00 class 0x030000\n";
    const AUDIO: &str = "[    1.1] pci 0000:04:00.1: [1002:ab28] type 00 class 0x040300\n";
    const OTHER: &str = "[    2.0] amdgpu 0000:08:00.0: amdgpu: MODE2 reset\n";
    const LOST: &str = "[  300.0] vfio-pci 0000:03:00.0: not ready 65535ms after FLR; giving up\n";
    let gpus = |text: &str| -> Vec<String> {
        let known = log(text).devices;
        known.iter().filter_map(|device| Some(device.address?.to_string())).collect()
    };
    assert_eq!(gpus(LISTED), ["0000:03:00.0"]);
    assert_eq!(gpus(AUDIO), [""; 0]);
    assert_eq!(gpus(&format!("{LISTED}{OTHER}")), ["0000:08:00.0"]);
    assert_eq!(gpus(&format!("{LISTED}{OTHER}{LOST}")), ["0000:03:00.0", "0000:08:00.0"]);
    assert_eq!(gpus(&format!("{OTHER}{LOST}")), ["0000:08:00.0"]);
}
