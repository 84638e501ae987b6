# ===- entry.py - A file that is made once, whoever asks ------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that any number of threads and processes may want at the same time.

Beside the file NAME of a folder, while it is made, are

    NAME.lock   locked by the maker; others wait for it
    NAME.work/  where the maker works; all is renamed out of it when it is whole

The kernel unlocks what a process held when it dies, so one of those who wait
takes over, whatever the maker died of. The compiler that a maker started holds
the lock too: it may outlive the maker, and its work is not done twice.
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
      build: a function of a path in a folder of its own and of descriptors that
        the processes it starts have to keep open. What it leaves in that folder
        under names that begin with `name` goes to `folder`.

    Raises:
      OSError: the folder cannot be written to.
      CompileError: `build` raised it, here or for another who asked meanwhile.
    """
    path = pathlib.Path(folder) / name
    if path.exists():
        return str(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with _Lock.of(path) as lock:
        # Another may have made it while we waited.
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
        # Of a maker that was killed, perhaps after its compiler had finished.
        if not (work / path.name).exists():
            shutil.rmtree(work, ignore_errors=True)
        work.mkdir(exist_ok=True)
    try:
        made = work / path.name
        if not made.exists():
            build(made, () if lock.file is None else (lock.file,))
        # What stands beside the file goes first: who finds the file finds all.
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
    """Removes what killed makers of other files have left."""
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
    """A locked file, in a ``with`` block. Its holder removes it, so that one who
    waited may hold a file that is no longer there and has to try again."""

    #: A file system without locks says one of these.
    _NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EBADF, errno.EINVAL)

    def __init__(self, path, wait=True):
        self.path = path
        #: Whether it is locked by us and still what others find.
        self.mine = False
        #: What its last holder said to those who waited.
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
            # The file is of no use then.
            self.mine = without
            self.release()
            if not without:
                raise
        except BaseException:
            self.release()
            raise

    @classmethod
    def of(cls, path):
        """The lock of a file that is to be made, when those before are done."""
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
        """Leaves a word for those who wait."""
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
        # Closing alone would leave it to a process that has inherited it.
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)
        _held.discard(file)
        os.close(file)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.release()


def _open(path):
    """A descriptor of a file, which is made if there is none."""
    flags = os.O_CREAT | os.O_CLOEXEC
    try:
        return os.open(path, os.O_RDWR | flags, 0o666)
    except PermissionError:
        # Another user's, in a folder that both may write to.
        return os.open(path, os.O_RDONLY | flags, 0o666)
