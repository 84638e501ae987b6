//===- Weights.h - Mapped files of weights --------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SUPPORT_WEIGHTS_H
#define DYN_SUPPORT_WEIGHTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <mutex>
#include <string>

namespace dyn {

/// The files that hold a model's weights, mapped into memory and never copied.
///
/// Models may be untrusted, so file names in them must stay in the model's
/// folder: names with `..`, absolute names of files elsewhere and links that
/// lead out of the folder are rejected.
///
/// Safe to use by several threads. Bytes live as long as this object.
class WeightFiles {
public:
  /// The folder of the files; an empty name is the current folder.
  explicit WeightFiles(llvm::StringRef folder);

  /// `length` bytes at `offset` of a file. Errors: the name is rejected, the
  /// file cannot be read, or it has fewer bytes.
  llvm::Expected<llvm::ArrayRef<char>>
  getBytes(llvm::StringRef file, uint64_t offset, uint64_t length);

  llvm::StringRef getFolder() const { return folder; }

private:
  /// The path to open, or an error if the name is rejected.
  llvm::Expected<std::string> resolve(llvm::StringRef file) const;

  std::string folder;
  std::mutex mutex; ///< protects the members below
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> buffers;
};

} // namespace dyn

#endif // DYN_SUPPORT_WEIGHTS_H
