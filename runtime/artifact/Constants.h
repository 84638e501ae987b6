//===- Constants.h - The constants of an artifact, mapped -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_ARTIFACT_CONSTANTS_H
#define DYN_RUNTIME_ARTIFACT_CONSTANTS_H

#include "File.h"
#include "Store.h"

#include <vector>

namespace dyn::rt {

/// The constants area: a read-only mapping of the artifact's own file, of its
/// sidecar, or of both, one after the other. Pages come in when kernels touch
/// them and are shared between processes, so mapping costs the same for a byte
/// as for a gigabyte.
class Constants {
public:
  Constants() = default;
  ~Constants();
  Constants(const Constants &) = delete;
  Constants &operator=(const Constants &) = delete;

  /// Maps the constants of a validated descriptor. A sidecar is looked for in
  /// `folder`.
  dyn_status_t open(const dyn_descriptor_t &root, const File &artifact,
                    const std::string &folder);

  /// The data of each constant.
  const void *const *pointers() const { return data.data(); }
  /// Opens the files that hold the constants, to read them apart from this
  /// mapping, at `rate` bytes a second; 0 for no limit.
  dyn_status_t openStore(Store &store, uint64_t rate) const;
  /// Maps the pages of shared files that another mapping of them has, and all
  /// of other files.
  void populateLike(const Constants &other) const;
  /// The area from `offset` on.
  const void *at(uint64_t offset) const {
    return static_cast<const char *>(area) + offset;
  }

private:
  dyn_status_t reserve(uint64_t bytes, const std::string &path);
  /// Maps the constants of a file with an id to byte `at` of the area.
  dyn_status_t map(const File &file, const uint8_t *id, uint64_t at,
                   uint64_t bytes);

  /// A file that is mapped to a part of the area.
  struct Source {
    std::string path;
    dyn_trailer_t trailer;
    uint64_t at; ///< in the area
  };

  std::vector<Source> sources;
  void *area = nullptr;
  uint64_t length = 0;
  std::vector<const void *> data;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_ARTIFACT_CONSTANTS_H
