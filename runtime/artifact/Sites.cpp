//===- Sites.cpp - Locations of data errors -------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sites.h"

#include <cctype>
#include <cstdio>
#include <cstring>
#include <string>

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

/// Whether a text contains a name as a word.
static bool mentions(const char *text, const char *name) {
  auto isPart = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
           c == '.' || c == '$';
  };
  size_t length = std::strlen(name);
  for (const char *at = text; length && (at = std::strstr(at, name)); ++at)
    if ((at == text || !isPart(at[-1])) && !isPart(at[length]))
      return true;
  return false;
}

/// The sizes of a call that a site mentions.
static std::string describeSizes(const dyn_site_t &site,
                                 const dyn_entry_t &entry,
                                 const int64_t *dims) {
  std::string text;
  for (uint32_t i = 0; i < entry.dim_count; ++i)
    if (mentions(site.op, entry.dims[i].name))
      text += (text.empty() ? ", where " : ", ") +
              std::string(entry.dims[i].name) + " = " + std::to_string(dims[i]);
  return text;
}

dyn_status_t Sites::report(uint64_t index, const int64_t *value,
                           const dyn_entry_t *entry,
                           const int64_t *dims) const {
  if (index >= count)
    return fail(DYN_STATUS_INTERNAL,
                "compiled code reports an error at site %llu of %u",
                (unsigned long long)index, count);
  const dyn_site_t &site = table[index];
  char suffix[32] = "";
  if (value)
    std::snprintf(suffix, sizeof(suffix), ": got %lld", (long long)*value);
  std::string sizes;
  if (entry && site.kind == DYN_SITE_SIZE_MISMATCH)
    sizes = describeSizes(site, *entry, dims);
  return fail(DYN_STATUS_DATA_ERROR, "%s at '%s': %s%s%s", site.op,
              site.location, describe(site.kind), suffix, sizes.c_str());
}
