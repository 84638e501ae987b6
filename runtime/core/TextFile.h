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
/// What a symbolic link means is its place. What is there and is no regular
/// file, such as a device, a pipe or a link to nothing, is written as it is.
class TextFile {
public:
  explicit TextFile(const char *path) : path(path), place(path) {}
  ~TextFile();
  TextFile(const TextFile &) = delete;
  TextFile &operator=(const TextFile &) = delete;

  dyn_status_t open();
  std::FILE *get() const { return file; }
  /// Closes the file and moves it to its place.
  dyn_status_t commit();

private:
  dyn_status_t failed(int reason) const;
  /// Removes what is beside the place.
  void discard() const;
  /// Follows links to the place. An errno, or 0.
  int findPlace();
  /// Opens the file for writing. Its descriptor, or -1.
  int openFile();

  std::string path;
  std::string place;
  std::string temporary; ///< empty if the place itself is written
  std::FILE *file = nullptr;
};

/// Writes a string of JSON. Bytes above ASCII are UTF-8 already.
void writeJsonString(std::FILE *file, const char *text);

} // namespace dyn::rt

#endif // DYN_RUNTIME_CORE_TEXTFILE_H
