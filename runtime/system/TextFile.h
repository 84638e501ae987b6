//===- TextFile.h - Text files that are replaced atomically ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_SYSTEM_TEXTFILE_H
#define DYN_RUNTIME_SYSTEM_TEXTFILE_H

#include "Status.h"

#include <cstdio>
#include <string>

namespace dyn::rt {

/// A file that is written to a temporary beside its destination and moved there
/// when it is complete. The destination of a symbolic link is its target. An
/// existing path that is not a regular file, such as a device, a pipe or a
/// dangling link, is written directly.
class TextFile {
public:
  explicit TextFile(const char *path) : path(path), destination(path) {}
  ~TextFile();
  TextFile(const TextFile &) = delete;
  TextFile &operator=(const TextFile &) = delete;

  dyn_status_t open();
  std::FILE *get() const { return file; }
  /// Closes the file and moves it to its destination.
  dyn_status_t commit();

private:
  dyn_status_t failed(int reason) const;
  /// Removes the temporary.
  void discard() const;
  /// Resolves links to the destination. An errno, or 0.
  int resolve();
  /// Opens the file for writing. Its descriptor, or -1.
  int openFile();

  std::string path;
  std::string destination;
  std::string temporary; ///< empty if the destination itself is written
  std::FILE *file = nullptr;
};

/// Writes a string of JSON. Bytes above ASCII are UTF-8 already.
void writeJsonString(std::FILE *file, const char *text);

} // namespace dyn::rt

#endif // DYN_RUNTIME_SYSTEM_TEXTFILE_H
