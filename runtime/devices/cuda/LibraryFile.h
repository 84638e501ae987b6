//===- LibraryFile.h - Libraries that are found at run time ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_DEVICES_CUDA_LIBRARYFILE_H
#define DYN_RUNTIME_DEVICES_CUDA_LIBRARYFILE_H

#include "Status.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace dyn::rt {

/// A shared library whose functions are looked up by name.
class LibraryFile {
public:
  explicit LibraryFile(const char *name);

  /// The address of a function; null if there is none, of which `check` tells.
  void *find(const char *symbol);
  /// Whether it is the emulator.
  bool isEmulator() const;
  /// UNSUPPORTED if there is no such library, or a function is missing; the
  /// library is closed then. `kind` and `oldest` are for messages: "driver of
  /// CUDA", and with the version that has all functions.
  dyn_status_t check(const char *kind, const char *oldest);

private:
  const char *name;
  void *handle;
  std::string error;
  const char *missing = nullptr;
};

/// Gives the `Library` of a name, which `open` fills once per process.
template <typename Library>
dyn_status_t loadOnce(const char *name,
                      dyn_status_t (*open)(const char *name, Library &out),
                      const Library *&out) {
  static std::mutex mutex;
  // Never destroyed: hosts may release objects while the process ends.
  static auto &loaded = *new std::map<std::string, Library>();
  std::lock_guard<std::mutex> lock(mutex);
  auto known = loaded.find(name);
  if (known == loaded.end()) {
    Library fresh = {};
    DYN_RETURN_IF_FAILED(open(name, fresh));
    known = loaded.emplace(name, std::move(fresh)).first;
  }
  out = &known->second;
  return DYN_STATUS_OK;
}

} // namespace dyn::rt

#endif // DYN_RUNTIME_DEVICES_CUDA_LIBRARYFILE_H
