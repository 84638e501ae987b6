//===- LibraryFile.cpp - Libraries that are found at run time -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryFile.h"

#include "dyn/cuda_driver.h"

#include <dlfcn.h>

using namespace dyn::rt;

LibraryFile::LibraryFile(const char *name)
    : name(name), handle(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
  if (!handle)
    error = ::dlerror();
}

void *LibraryFile::find(const char *symbol) {
  // Without a library, dlsym would ask those of the process.
  void *address = handle ? ::dlsym(handle, symbol) : nullptr;
  if (!address)
    missing = symbol;
  return address;
}

bool LibraryFile::isEmulator() const {
  return handle && ::dlsym(handle, DYN_CUDA_EMULATOR_SYMBOL);
}

dyn_status_t LibraryFile::check(const char *kind, const char *oldest) {
  if (!handle)
    return fail(DYN_STATUS_UNSUPPORTED, "no %s: %s", kind, error.c_str());
  if (!missing)
    return DYN_STATUS_OK;
  ::dlclose(handle);
  return fail(DYN_STATUS_UNSUPPORTED, "'%s' is no %s or newer: it has no '%s'",
              name, oldest, missing);
}
