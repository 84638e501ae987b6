//===- Sites.cpp - Places that errors in the data are reported at ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sites.h"

#include <cstdio>

using namespace dyn::rt;

static const char *describe(uint32_t kind) {
  switch (kind) {
  case DYN_SITE_INDEX:
    return "index out of range";
  case DYN_SITE_DIVISION:
    return "integer division by zero";
  case DYN_SITE_SIZE:
    return "size negative or outside its declared range";
  case DYN_SITE_CONVERSION:
    return "float outside the range of the integer type";
  case DYN_SITE_SHIFT:
    return "shift amount not less than the width of the type";
  case DYN_SITE_SIZE_MISMATCH:
    return "sizes that must agree differ";
  }
  return "error in the data";
}

dyn_status_t Sites::report(uint64_t index, const int64_t *value) const {
  if (index >= count)
    return fail(DYN_STATUS_INTERNAL,
                "compiled code reports an error at site %llu of %u",
                (unsigned long long)index, count);
  const dyn_site_t &site = table[index];
  char suffix[32] = "";
  if (value)
    std::snprintf(suffix, sizeof(suffix), ": got %lld", (long long)*value);
  return fail(DYN_STATUS_DATA_ERROR, "%s at '%s': %s%s", site.op, site.location,
              describe(site.kind), suffix);
}
