//===- SharedWeights.h - The constants of another artifact ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Artifacts of one model, such as one for a size that is frequent, share a file
// of constants: one of them has it, the others are compiled against it. A
// constant is known by its recipe. Its bytes are evaluated again and compared,
// so that a file of other weights is refused.

#ifndef DYN_TARGET_SHAREDWEIGHTS_H
#define DYN_TARGET_SHAREDWEIGHTS_H

#include "dyn/Target/Identity.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>
#include <string>

namespace dyn {

class SharedWeights {
public:
  /// The constants of the artifact at `path`, in it or in its sidecar. Null
  /// with a message if they cannot be read.
  static std::unique_ptr<SharedWeights> open(llvm::StringRef path,
                                             std::string &error);

  /// The path of the file.
  const std::string &getPath() const { return path; }
  /// The id in its trailer.
  const Identity &getId() const { return id; }
  /// The number of bytes of its constants.
  uint64_t getSize() const { return size; }
  /// Where the constant with a recipe and a number of bytes begins.
  std::optional<uint64_t> find(llvm::StringRef recipe, uint64_t bytes) const;
  /// The bytes of a constant that was found.
  llvm::ArrayRef<char> get(uint64_t offset, uint64_t bytes) const;

private:
  SharedWeights() = default;

  std::string path;
  Identity id;
  uint64_t size = 0;
  /// Offset and bytes by recipe.
  llvm::StringMap<std::pair<uint64_t, uint64_t>> constants;
  std::unique_ptr<llvm::MemoryBuffer> file;
};

} // namespace dyn

#endif // DYN_TARGET_SHAREDWEIGHTS_H
