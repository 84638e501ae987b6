# ===- small_signal_stack.py - Loads an artifact where AMX is refused ------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Gives this thread a signal stack that no frame with tile registers fits, then
# loads the artifact as it likes and with x86-64-v4-amx forced.

import ctypes
import sys

import dyn


class Stack(ctypes.Structure):
    _fields_ = [("start", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t)]


memory = ctypes.create_string_buffer(4096)
stack = Stack(ctypes.addressof(memory), 0, len(memory))
assert ctypes.CDLL(None).sigaltstack(ctypes.byref(stack), None) == 0

print("chosen:", dyn.load(sys.argv[1]).isa)
try:
    dyn.load(sys.argv[1], isa="v4-amx")
except dyn.Error as error:
    print("forced:", error)
