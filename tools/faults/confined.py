"""Runs a program that meets a full disk, or a home it may not write: `confined HOW HOME MODULE ARGUMENTS`.

HOW is `full:BYTES`, `limited:BYTES`, `read-only` or `forbidden`. A program that cannot be confined here is not run; the
status is then `CANNOT`, and the last line says why.
"""

import ctypes
import os
import resource
import runpy
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

CANNOT = 77
_NOBODY = 65534
_NEW_MOUNTS, _NEW_USER = 0x2_0000, 0x1000_0000
_READ_ONLY, _REMOUNT, _BIND, _PRIVATE = 1, 32, 4096, 16384 | 2**18
_KEPT = os.ST_NOSUID | os.ST_NODEV | os.ST_NOEXEC
"""Flags that a user who is not root may not take from a mount."""
_PAGE = 4096


class CannotError(Exception):
    """This machine does not let a program be confined like that."""


def full(room: int, home: Path) -> Callable[[], None]:
    """Put the home on a file system of its own that has room for so many bytes more, and back when all is done."""
    original = os.open(home, os.O_RDONLY | os.O_DIRECTORY)
    _own_mounts()
    _mount("tmpfs", home, "tmpfs", 0, "mode=755")
    kept = Path(f"/proc/self/fd/{original}")
    shutil.copytree(kept, home, symlinks=True, dirs_exist_ok=True)
    state = os.statvfs(home)
    used = (state.f_blocks - state.f_bfree) * state.f_frsize
    _mount("tmpfs", home, "tmpfs", _REMOUNT, f"size={used + room // _PAGE * _PAGE}")

    def put_back() -> None:
        for path in kept.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        shutil.copytree(home, kept, symlinks=True, dirs_exist_ok=True)

    return put_back


def limited(most: int) -> Callable[[], None]:
    """Let no file become longer than so many bytes: the kernel refuses whoever writes, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    # Python would leave half of what it compiled beside the program, and read it again.
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    return lambda: None


def read_only(home: Path) -> Callable[[], None]:
    """Mount the home read-only for this program alone."""
    _own_mounts()
    _mount(str(home), home, "", _BIND)
    _mount(str(home), home, "", _BIND | _REMOUNT | _READ_ONLY | os.statvfs(home).f_flag & _KEPT)
    return lambda: None


def forbidden(home: Path) -> Callable[[], None]:
    """Take the permission to write the home from this program: root becomes nobody, others protect their files."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)
        if not os.access(home, os.R_OK | os.X_OK):
            raise CannotError(f"user {_NOBODY} cannot read {home}")
        return lambda: None
    modes = {path: path.lstat().st_mode for path in (home, *home.rglob("*")) if not path.is_symlink()}
    for path, mode in modes.items():
        path.chmod(mode & ~0o222)

    def put_back() -> None:
        for path, mode in modes.items():
            path.chmod(mode)

    return put_back


def _confine(how: str, home: Path) -> Callable[[], None]:
    """Do it to this process; what comes back puts back what must not stay."""
    name, _, number = how.partition(":")
    match name:
        case "full":
            return full(int(number), home)
        case "limited":
            return limited(int(number))
        case "read-only":
            return read_only(home)
        case "forbidden":
            return forbidden(home)
        case _:
            raise CannotError("is no way to confine a program")


def _own_mounts() -> None:
    """Leave the mounts of this machine to others; who is not root becomes root of a name space of its own first."""
    libc = ctypes.CDLL(None, use_errno=True)
    uid, gid = os.getuid(), os.getgid()
    if libc.unshare(_NEW_MOUNTS) != 0:
        if libc.unshare(_NEW_MOUNTS | _NEW_USER) != 0:
            raise CannotError(f"no mounts of its own ({os.strerror(ctypes.get_errno())})")
        with suppress(OSError):
            Path("/proc/self/setgroups").write_text("deny", "ascii")
        Path("/proc/self/uid_map").write_text(f"0 {uid} 1", "ascii")
        Path("/proc/self/gid_map").write_text(f"0 {gid} 1", "ascii")
    _mount("none", Path("/"), "", _PRIVATE)


def _mount(source: str, target: Path, kind: str, flags: int, options: str = "") -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(source.encode(), os.fsencode(target), kind.encode(), flags, options.encode()) != 0:
        raise CannotError(f"cannot mount {target} ({os.strerror(ctypes.get_errno())})")


def main() -> None:
    """Run what the arguments say, in a child: what it dies of, this process dies of when all is put back."""
    how, home = sys.argv[1], Path(sys.argv[2])
    sys.argv = sys.argv[3:]
    try:
        put_back = _confine(how, home)
    except (CannotError, OSError) as error:
        sys.stderr.write(f"{how}: {error}\n")
        sys.exit(CANNOT)
    child = os.fork()
    if child == 0:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        sys.exit()
    _, status = os.waitpid(child, 0)
    put_back()
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        os.kill(os.getpid(), -code)
    sys.exit(code)


if __name__ == "__main__":
    main()
