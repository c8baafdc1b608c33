"""What GPUs and drivers print: sentences of the driver, with intervals as they are on a machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Gpu:
    """A kind of GPU, by what it prints at boot."""

    chip: str
    pci_id: str
    firmware: str
    vram: int
    """Megabytes of video memory."""


@dataclass(frozen=True)
class Story:
    """A failure: what is printed, each line so many microseconds behind the one before."""

    diagnosis: str | None
    """The signature that has to be found; ``None`` for none."""
    lines: tuple[tuple[int, str], ...]
    gpus: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    """Which of ``GPUS`` print it."""


GPUS = (
    Gpu("IP DISCOVERY", "0x1002:0x744C 0x1002:0x0E3B 0xC8", "0x004e7300 (78.115.0)", 24560),
    Gpu("IP DISCOVERY", "0x1002:0x7550 0x1DA2:0xE498 0xC0", "0x00684500 (104.69.0)", 16304),
    Gpu("SIENNA_CICHLID", "0x1002:0x73BF 0x1002:0x0C34 0x01", "0x003a5900 (58.89.0)", 16368),
    Gpu("NAVI14", "0x1002:0x7340 0x1462:0x3827 0xC5", "0x00352300 (53.35.0)", 8176),
    Gpu("ALDEBARAN", "0x1002:0x740F 0x1002:0x0C34 0x02", "0x00443f00 (68.63.0)", 65520),
    Gpu("IP DISCOVERY", "0x1002:0x74A1 0x1002:0x74A1 0x00", "0x00557e00 (85.126.0)", 196592),
)

_G = "amdgpu {pci}: amdgpu: "


def _reset(how: str, *, lost: bool) -> tuple[tuple[int, str], ...]:
    lines = (
        (13, _G + "GPU reset begin!"),
        (557_459, _G + f"{how} reset"),
        (504_174, _G + "GPU reset succeeded, trying to resume"),
        (100_000, "[drm] VRAM is lost due to GPU reset!"),
        (3_277_233, _G + "GPU reset(1) succeeded!"),
    )
    return lines if lost else lines[:3] + lines[4:]


def _timeout(ring: str) -> tuple[tuple[int, str], ...]:
    return (
        (0, _G + f"ring {ring} timeout, signaled seq={{seq}}, emitted seq={{next}}"),
        (19, _G + " Process {process} pid {pid} thread {process}:cs0 pid {thread}"),
    )


def _fault(hub: str, status: str, vmid: int) -> tuple[tuple[int, str], ...]:
    who = "for process {process} pid {pid} thread {process} pid {pid}"
    return (
        (0, _G + f"[{hub}] page fault (src_id:0 ring:24 vmid:{vmid} pasid:32771, {who})"),
        (5, _G + "  in page starting at address 0x00007f3a{page}00000 from client 10"),
        (5, _G + f"GCVM_L2_PROTECTION_FAULT_STATUS:{status}"),
        (5, _G + "\t Faulty UTCL2 client ID: TCP (0x8)"),
        (5, _G + "\t PERMISSION_FAULTS: 0x3"),
        (5, _G + "\t RW: 0x0"),
    )


_MES = "[drm:mes_v11_0_submit_pkt_and_poll_completion.constprop.0 [amdgpu]] *ERROR* "
_SILENT = _MES + "MES failed to response msg=3"
_UNMAP = "[drm:amdgpu_mes_unmap_legacy_queue [amdgpu]] *ERROR* failed to unmap legacy queue"
_STUCK = "The cp might be in an unrecoverable state due to an unsuccessful queues preemption"
_ATHUB = "uncorrectable hardware error(ERREVENT_ATHUB_INTERRUPT) detected!"
_HOT = "ERROR: System is going to shutdown due to GPU HW CTF!"
_EVENT = "AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x000c address=0x7f5a{page}000 flags=0x0020]"

FAILURES = (
    Story("ring-timeout-reset", _timeout("gfx_0.0.0") + _reset("MODE1", lost=False)),
    Story("ring-timeout-reset", _timeout("comp_1.0.0") + _reset("MODE2", lost=False)),
    Story("vcn-hang", _timeout("vcn_dec_0") + _reset("MODE2", lost=True)),
    Story("gfx-page-fault", _fault("gfxhub", "0x00401030", 4), (2,)),
    Story(
        "gfx11-mes-hang",
        ((0, _SILENT), (200, _UNMAP)) * 4 + _reset("MODE1", lost=True),
        (0,),
    ),
    Story("ras-uncorrectable", ((0, _G + _ATHUB), *_reset("MODE1", lost=True))),
    Story(
        "kfd-hws-hang",
        (
            (0, "amdgpu: qcm fence wait loop timeout expired"),
            (40, "amdgpu: " + _STUCK),
            *_reset("MODE1", lost=True),
        ),
    ),
    Story(
        "thermal-shutdown",
        ((0, _G + "ERROR: GPU HW Critical Temperature Fault(aka CTF) detected!"), (10, _G + _HOT)),
    ),
    Story("iommu-fault", ((0, "amdgpu {pci}: " + _EVENT), (90, "amdgpu {pci}: " + _EVENT))),
)

HEALTHY = Story(None, ((0, _G + "Using BACO for runtime pm"),))

NOISE = (
    "usb 1-3: new high-speed USB device number 7 using xhci_hcd",
    "usb 2-1: USB disconnect, device number 2",
    "wlan0: associated",
    "EXT4-fs (nvme0n1p2): re-mounted. Quota mode: none.",
    'audit: type=1400 audit(1773471541.200:88): apparmor="STATUS" operation="profile_load"',
    "Bluetooth: hci0: ACL packet for unknown connection handle 11",
    "nvme nvme0: using unchecked data buffer",
    "docker0: port 2(veth041e72b) entered blocking state",
)


def boot_of(gpu: Gpu) -> list[tuple[int, str]]:
    """Return what the driver prints when the machine starts."""
    smu = "amdgpu {pci}: amdgpu: smu driver if version = 0x3d, smu fw if version = 0x3d, "
    return [
        (3_000_000, "[drm] amdgpu kernel modesetting enabled."),
        (10_000, f"[drm] initializing kernel modesetting ({gpu.chip} {gpu.pci_id})."),
        (10_000, "amdgpu {pci}: amdgpu: Fetched VBIOS from VFCT"),
        (10_000, f"[drm] amdgpu: {gpu.vram}M of VRAM memory ready"),
        (10_000, smu + f"smu fw program = 0, smu fw version = {gpu.firmware}"),
        (10_000, "amdgpu {pci}: amdgpu: SMU is initialized successfully!"),
        (10_000, "[drm] Initialized amdgpu 3.61.0 for {pci} on minor 1"),
    ]
