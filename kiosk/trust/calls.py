"""The system calls that the seal refuses or looks at: their numbers on x86-64 and on aarch64.

From the kernel's syscall_64.tbl and scripts/syscall.tbl (Linux 6.18). None: not on that machine.
"""

from __future__ import annotations

# The newest call that was looked at: file_setattr. A later one answers ENOSYS, as on the kernel of today.
NEWEST = 469

Numbers = tuple[int | None, int | None]
MACHINES = ("x86_64", "aarch64")

# What is written about a file rather than into it: attributes, modes, owners, times are memory too.
ABOUT_FILES: dict[str, Numbers] = {
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
}
# Of these Landlock refuses most; truncate(2) only from Linux 6.2 on.
INTO_FILES: dict[str, Numbers] = {
    "truncate": (76, 45),
    "mknod": (133, None),
    "mknodat": (259, 33),
    # Queues of messages outlive the process that wrote them.
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "acct": (163, 89),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
}
# Another file system is another world, with other rules.
MOUNTS: dict[str, Numbers] = {
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "unshare": (272, 97),
    "setns": (308, 268),
}
# Into the memory of another process, or with its descriptors: it would write and send in our stead.
OTHER_PROCESSES: dict[str, Numbers] = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    # A new program would also be dumpable again (execve(2)).
    "execve": (59, 221),
    "execveat": (322, 281),
}
# Ways round a filter of system calls, keys that stay in the kernel, and what only an administrator may do.
KERNEL: dict[str, Numbers] = {
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "syslog": (103, 116),
    "reboot": (169, 142),
    "iopl": (172, None),
    "ioperm": (173, None),
}
REFUSED = ABOUT_FILES | INTO_FILES | MOUNTS | OTHER_PROCESSES | KERNEL

# Looked at: refused by their arguments, or only under some policies.
OTHERS: dict[str, Numbers] = {
    "open": (2, None),
    "openat": (257, 56),
    "openat2": (437, 437),
    "ioctl": (16, 29),
    "prctl": (157, 167),
    "setrlimit": (160, 164),
    "prlimit64": (302, 261),
    "memfd_create": (319, 279),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "connect": (42, 203),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    "sendto": (44, 206),
    "sendmsg": (46, 211),
    "sendmmsg": (307, 269),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "fcntl": (72, 25),
}


def number(name: str, machine: str) -> int | None:
    """A call's number on a machine; None where it has none there."""
    return (REFUSED | OTHERS)[name][MACHINES.index(machine)]
