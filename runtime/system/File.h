//===- File.h - A file open for reading -----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_SYSTEM_FILE_H
#define DYN_RUNTIME_SYSTEM_FILE_H

#include "Status.h"

#include "dyn/artifact.h"

#include <cstdint>
#include <string>

namespace dyn::rt {

/// An open regular file. All reads check their range first, so a file that is
/// shorter than its tables claim is reported and does not cause a fault.
class File {
public:
  File() = default;
  ~File();
  File(const File &) = delete;
  File &operator=(const File &) = delete;

  /// NOT_FOUND if there is no such regular file or it cannot be read.
  dyn_status_t open(const std::string &path);

  /// Whether [offset, offset + bytes) lies in the file.
  bool contains(uint64_t offset, uint64_t bytes) const {
    return offset <= length && bytes <= length - offset;
  }
  /// Reads a range of the file. BAD_ARTIFACT if the file does not contain it,
  /// or the device fails.
  dyn_status_t read(uint64_t offset, void *buffer, uint64_t bytes) const;

  /// Reads the trailer of an artifact or a sidecar. BAD_ARTIFACT if there is
  /// none, UNSUPPORTED if it has an older version.
  dyn_status_t readTrailer(dyn_trailer_t &trailer) const;

  int descriptor() const { return handle; }
  uint64_t size() const { return length; }
  const std::string &path() const { return name; }

private:
  int handle = -1;
  uint64_t length = 0;
  std::string name;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_SYSTEM_FILE_H
