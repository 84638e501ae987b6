# ===- tensors.py - Files of tensors for the tests of dyn-run --------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes tensors, good and bad, to a folder; or prints an archive."""

import pathlib
import struct
import sys

import numpy as np


def show(path):
    """Prints what numpy finds in an archive."""
    with np.load(path) as archive:
        for name in archive.files:
            value = archive[name]
            print(name, value.dtype, value.shape, value.ravel().tolist())


def write(folder):
    """Writes the files that the tests name."""
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y = x + 10
    good = 2 * x + 10
    np.save(folder / "x.npy", x)
    np.save(folder / "x64.npy", x.astype(np.float64))
    np.save(folder / "y.npy", y)
    np.savez(folder / "xy.npz", x=x, y=y)
    np.savez_compressed(folder / "packed.npz", x=x, y=y)

    wrong = good.copy()
    wrong[0, 1] += 0.5
    wrong[1, 2] += 1
    np.savez(folder / "wrong.npz", sum=wrong)
    np.savez(folder / "shape.npz", sum=good.ravel())
    wrong = good.copy()
    wrong[0, 0] = np.nan
    np.savez(folder / "nan.npz", sum=wrong)
    wrong = good.astype(np.float64)
    wrong[0, 0] = 1.7e308
    np.savez(folder / "huge.npz", sum=wrong)
    long = np.full((1, 1), 2**60)
    np.save(folder / "long.npy", long)
    np.savez(folder / "longer.npz", same=long + 1)

    contents = (folder / "x.npy").read_bytes()
    (folder / "short.npy").write_bytes(contents[:-4])
    np.save(folder / "fortran.npy", np.asfortranarray(x))
    np.save(folder / "complex.npy", x.astype(np.complex64))
    contents = bytearray((folder / "xy.npz").read_bytes())
    contents[contents.index(x.tobytes()) + 8] ^= 1
    (folder / "damaged.npz").write_bytes(contents)
    # A directory that names the one file many times.
    np.savez_compressed(folder / "one.npz", x=np.zeros(1000, np.float32))
    contents = (folder / "one.npz").read_bytes()
    at, end = contents.index(b"PK\1\2"), contents.index(b"PK\5\6")
    directory = contents[at:end] * 100
    record = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 100, 100, len(directory), at, 0)
    (folder / "overlap.npz").write_bytes(contents[:at] + directory + record)


if __name__ == "__main__":
    if sys.argv[1] == "--print":
        show(sys.argv[2])
    else:
        write(pathlib.Path(sys.argv[1]))
