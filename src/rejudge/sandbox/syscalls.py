"""The system calls that code in the bubblewrap sandbox may not make, as a filter that the kernel runs."""

from __future__ import annotations

import errno
from struct import pack
from typing import Final, NamedTuple

from rejudge.domain.errors import ConfigurationError

LAST_KNOWN: Final = 450
"""Calls that Linux got later do not exist for the code, so that none of them opens a door unseen."""


def _numbers(table: str) -> tuple[int, ...]:
    """The numbers of a table of calls; their names are for the reader."""
    return tuple(int(number) for number in table.split()[1::2])


# In this order: other programs and processes; namespaces and mounts; what outlives a call, speaks to others or is
# memory that no limit counts; the machine.
_X86_64: Final = _numbers("""
    fork 57  vfork 58  execve 59  execveat 322  kill 62  tkill 200  tgkill 234
    rt_sigqueueinfo 129  rt_tgsigqueueinfo 297  ptrace 101  process_vm_readv 310
    process_vm_writev 311  kcmp 312  setpriority 141  ioprio_set 251  sched_setparam 142
    sched_setscheduler 144  sched_setaffinity 203  sched_setattr 314  migrate_pages 256
    move_pages 279  perf_event_open 298  bpf 321  userfaultfd 323
    unshare 272  setns 308  mount 165  umount2 166  pivot_root 155  chroot 161
    mknod 133  mknodat 259  name_to_handle_at 303  open_by_handle_at 304  fanotify_init 300
    socket 41  connect 42  accept 43  accept4 288  bind 49  listen 50
    memfd_create 319  shmget 29  shmat 30  shmctl 31  shmdt 67  semget 64  semop 65  semctl 66
    semtimedop 220  msgget 68  msgsnd 69  msgrcv 70  msgctl 71  mq_open 240  mq_unlink 241
    add_key 248  request_key 249  keyctl 250
    init_module 175  finit_module 313  delete_module 176  kexec_load 246  kexec_file_load 320
    reboot 169  acct 163  quotactl 179  swapon 167  swapoff 168  syslog 103
    settimeofday 164  adjtimex 159  clock_settime 227  clock_adjtime 305
""")
_AARCH64: Final = _numbers("""
    execve 221  execveat 281  kill 129  tkill 130  tgkill 131  rt_sigqueueinfo 138
    rt_tgsigqueueinfo 240  ptrace 117  process_vm_readv 270  process_vm_writev 271  kcmp 272
    setpriority 140  ioprio_set 30  sched_setparam 118  sched_setscheduler 119
    sched_setaffinity 122  sched_setattr 274  migrate_pages 238  move_pages 239
    perf_event_open 241  bpf 280  userfaultfd 282
    unshare 97  setns 268  mount 40  umount2 39  pivot_root 41  chroot 51
    mknodat 33  name_to_handle_at 264  open_by_handle_at 265  fanotify_init 262
    socket 198  connect 203  accept 202  accept4 242  bind 200  listen 201
    memfd_create 279  shmget 194  shmctl 195  shmat 196  shmdt 197  semget 190  semctl 191
    semtimedop 192  semop 193  msgget 186  msgctl 187  msgrcv 188  msgsnd 189
    mq_open 180  mq_unlink 181  add_key 217  request_key 218  keyctl 219
    init_module 105  finit_module 273  delete_module 106  kexec_load 104  kexec_file_load 294
    reboot 142  acct 89  quotactl 60  swapon 224  swapoff 225  syslog 116
    settimeofday 170  adjtimex 171  clock_settime 112  clock_adjtime 266
""")
_EVERYWHERE: Final = _numbers("""
    pidfd_send_signal 424  io_uring_setup 425  io_uring_enter 426  io_uring_register 427
    open_tree 428  move_mount 429  fsopen 430  fsconfig 431  fsmount 432  fspick 433
    pidfd_open 434  pidfd_getfd 438  process_madvise 440  mount_setattr 442  quotactl_fd 443
    memfd_secret 447  process_mrelease 448
""")
_CLONE3: Final = 435


class _Machine(NamedTuple):
    audit: int
    clone: int
    prlimit: int
    refused: tuple[int, ...]


MACHINES: Final = {
    "x86_64": _Machine(0xC000003E, 56, 302, _X86_64 + _EVERYWHERE),
    "aarch64": _Machine(0xC00000B7, 220, 261, _AARCH64 + _EVERYWHERE),
}
"""By what `platform.machine()` says: the kernel's name of the architecture, and its numbers."""

_LOAD, _EQUAL, _AT_LEAST, _HAS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_CLONE_THREAD = 0x00010000


def call_filter(machine: str) -> bytes:
    """The filter as the kernel takes it (an array of `sock_filter`); raises ConfigurationError for an unknown machine.

    What is refused answers EPERM. A process cannot be made, a thread can: only its memory bounds how many.
    """
    if machine not in MACHINES:
        raise ConfigurationError(
            f"the bubblewrap sandbox has no filter of system calls for {machine}", fix="use sandbox: monty"
        )
    audit, clone, prlimit, refused = MACHINES[machine]
    denied, absent = _ERROR | errno.EPERM, _ERROR | errno.ENOSYS
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        *((_EQUAL, 1, 0, audit), (_RETURN, 0, 0, _KILL)),
        (_LOAD, 0, 0, _NUMBER),
        *((_AT_LEAST, 0, 1, LAST_KNOWN + 1), (_RETURN, 0, 0, absent)),
        *((_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, absent)),  # the C library then makes threads by clone
        *((_EQUAL, 0, 4, clone), (_LOAD, 0, 0, _FIRST_ARGUMENT), (_HAS, 0, 1, _CLONE_THREAD)),
        *((_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, denied)),
        *((_EQUAL, 0, 4, prlimit), (_LOAD, 0, 0, _FIRST_ARGUMENT), (_EQUAL, 0, 1, 0)),
        *((_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, denied)),
    ]
    for number in sorted(refused):
        steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, denied)]
    steps.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(pack("=HBBI", *step) for step in steps)
