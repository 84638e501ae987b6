//===- TextFile.h - Text files that appear whole or not at all -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_TEXTFILE_H
#define DYN_RUNTIME_CORE_TEXTFILE_H

#include "Status.h"

#include <cstdio>
#include <string>

namespace dyn::rt {

/// A file that is written beside its place and moved there when it is complete.
class TextFile {
public:
  explicit TextFile(const char *path) : path(path) {}
  ~TextFile();
  TextFile(const TextFile &) = delete;
  TextFile &operator=(const TextFile &) = delete;

  dyn_status_t open();
  std::FILE *get() const { return file; }
  /// Closes the file and moves it to its place.
  dyn_status_t commit();

private:
  dyn_status_t failed(int reason) const;

  std::string path;
  std::string temporary;
  std::FILE *file = nullptr;
};

/// Writes a string of JSON. Bytes above ASCII are UTF-8 already.
void writeJsonString(std::FILE *file, const char *text);

} // namespace dyn::rt

#endif // DYN_RUNTIME_CORE_TEXTFILE_H
