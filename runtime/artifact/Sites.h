//===- Sites.h - Locations of data errors ---------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_ARTIFACT_SITES_H
#define DYN_RUNTIME_ARTIFACT_SITES_H

#include "Status.h"

#include "dyn/artifact.h"

namespace dyn::rt {

/// Locations in the model at which kernels report errors.
struct Sites {
  const dyn_site_t *table;
  uint32_t count;

  /// The error at site `index`: DATA_ERROR, with the offending value if it is
  /// known, and the values of the sizes of a call that the site mentions.
  dyn_status_t report(uint64_t index, const int64_t *value = nullptr,
                      const dyn_entry_t *entry = nullptr,
                      const int64_t *dims = nullptr) const;
  /// The error that a call's error word contains, or OK.
  dyn_status_t reportWord(uint64_t word) const {
    return word == UINT64_MAX ? DYN_STATUS_OK : report(word);
  }
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_ARTIFACT_SITES_H
