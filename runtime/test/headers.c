/*===- headers.c - The public headers are C -------------------------------===*/
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===---------------------------------------------------------------------===*/

#include "dyn/comm.h"

int main(void) { return dyn_runtime_version()[0] ? 0 : 1; }
