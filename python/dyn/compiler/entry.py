# ===- entry.py - Files that one of many processes makes -------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that any number of threads and processes may request at the same time.

While the file NAME of a folder is made, beside it are

    NAME.lock   locked by the maker; others wait for it
    NAME.work/  where the maker works; complete files are renamed out of it

When a process dies, the kernel releases its locks, so one of those that wait takes over, whatever
the maker died of. The compiler that a maker started holds the lock too: it may outlive the maker,
and its work is not repeated.
"""

import contextlib
import errno
import fcntl
import os
import pathlib
import shutil
import tempfile

from dyn.errors import CompileError

_LOCK, _WORK = ".lock", ".work"


def find_or_make(folder, name, build):
    """Path of the file `name` of `folder`, which `build` makes if there is none.

    Args:
      build: a function of a path in a separate folder and of descriptors that the
        processes it starts have to keep open. Files that it leaves in that folder
        under names that begin with `name` are moved to `folder`.

    Raises:
      OSError: the folder cannot be written to.
      CompileError: `build` raised it, here or for another caller that waited.
    """
    path = pathlib.Path(folder) / name
    if path.exists():
        return str(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with _Lock.of(path) as lock:
        # Another maker may have finished while this one waited.
        if not path.exists():
            if lock.said:
                raise CompileError(lock.said)
            _make(path, build, lock)
    return str(path)


def _make(path, build, lock):
    if lock.file is None:
        work = pathlib.Path(tempfile.mkdtemp(_WORK, path.name, path.parent))
    else:
        work = pathlib.Path(f"{path}{_WORK}")
        # Left by a maker that was killed, perhaps after its compiler had finished.
        if not (work / path.name).exists():
            shutil.rmtree(work, ignore_errors=True)
        work.mkdir(exist_ok=True)
    try:
        made = work / path.name
        if not made.exists():
            build(made, () if lock.file is None else (lock.file,))
        # Files beside it are moved first, so that whoever finds the file finds all of them.
        for other in work.glob(f"{path.name}.*"):
            os.replace(other, path.parent / other.name)
        os.replace(made, path)
    except CompileError as error:
        lock.tell(str(error))
        raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    _sweep(path.parent)


def _sweep(folder):
    """Removes the leftovers of killed makers of other files."""
    for path in folder.glob("*" + _LOCK):
        with contextlib.suppress(OSError):
            lock = _Lock(path, wait=False)
            if lock.mine:
                shutil.rmtree(f"{os.fspath(path)[: -len(_LOCK)]}{_WORK}", ignore_errors=True)
            lock.release()


#: Descriptors of locks, which a forked child must not keep.
_held = set()


def _forget():
    for file in _held:
        with contextlib.suppress(OSError):
            os.close(file)
    _held.clear()


os.register_at_fork(after_in_child=_forget)


class _Lock:
    """A locked file, as a context manager. Its holder removes it, so a process that waited may have
    locked a file that no longer exists and has to try again."""

    #: A file system without locks raises one of these.
    _NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EBADF, errno.EINVAL)

    def __init__(self, path, wait=True):
        self.path = path
        #: Whether we hold the lock and the file still has its name.
        self.mine = False
        #: The message of its last holder to those that waited.
        self.said = ""
        self.file = _open(path)
        _held.add(self.file)
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            self.mine = self._is_found()
            if not self.mine:
                self.said = os.pread(self.file, 1 << 20, 0).decode(errors="replace")
        except OSError as error:
            without = error.errno in self._NO_LOCKS
            # The file is useless then.
            self.mine = without
            self.release()
            if not without:
                raise
        except BaseException:
            self.release()
            raise

    @classmethod
    def of(cls, path):
        """The lock of a file that is to be made, once earlier holders are done."""
        while True:
            lock = cls(f"{path}{_LOCK}")
            if lock.file is None or lock.mine or lock.said or path.exists():
                return lock
            lock.release()

    def _is_found(self):
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            return False
        return os.path.samestat(found, os.fstat(self.file))

    def tell(self, text):
        """Leaves a message for those that wait."""
        if self.file is not None:
            with contextlib.suppress(OSError), open(self.path, "w", encoding="utf-8") as file:
                file.write(text)

    def release(self):
        if self.file is None:
            return
        file, self.file = self.file, None
        with contextlib.suppress(OSError):
            if self.mine:
                os.unlink(self.path)
        self.mine = False
        # Closing the file alone would leave the lock to a process that has inherited it.
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)
        _held.discard(file)
        os.close(file)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.release()


def _open(path):
    """A descriptor of a file, which is created if there is none."""
    flags = os.O_CREAT | os.O_CLOEXEC
    try:
        return os.open(path, os.O_RDWR | flags, 0o666)
    except PermissionError:
        # The file of another user, in a shared folder.
        return os.open(path, os.O_RDONLY | flags, 0o666)
