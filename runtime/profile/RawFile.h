//===- RawFile.h - A file of single decisions -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_PROFILE_RAWFILE_H
#define DYN_RUNTIME_PROFILE_RAWFILE_H

#include "RouteTables.h"
#include "Status.h"

#include <cstdio>
#include <string>
#include <vector>

namespace dyn::rt {

/// A file of JSON: a line for the format, one for each router before its first
/// decision, and one for each of the router's calls. docs/Profiles.md describes
/// it.
class RawFile {
public:
  ~RawFile() { close(); }

  /// Opens the file, if the pattern, as of expandProcess, is not empty.
  dyn_status_t open(const std::string &pattern);
  explicit operator bool() const { return file; }
  void add(uint32_t number, const RouterIdentity &router, int64_t timeMs,
           uint64_t call, const CellPaths &routes);
  void flush();
  /// Reports the first failure to write since the file was opened.
  dyn_status_t check() const;
  /// In a forked child, which shares the parent's file: opens one of its own,
  /// or none if the name is the same in all processes.
  void reopenInChild();

private:
  void close();
  /// Keeps the reason of the first failure; called after a write that may have
  /// failed.
  void noteFailure();

  std::string pattern, path;
  std::FILE *file = nullptr;
  int reason = 0; ///< an errno
  std::vector<bool> known;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_PROFILE_RAWFILE_H
