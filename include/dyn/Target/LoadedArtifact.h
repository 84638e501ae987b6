//===- LoadedArtifact.h - An artifact as the compiler reads it ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_LOADEDARTIFACT_H
#define DYN_TARGET_LOADEDARTIFACT_H

#include "dyn/artifact.h"

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace dyn {

/// An artifact whose image is loaded, as long as this object lives. It is code:
/// loading it is as safe as running it.
class LoadedArtifact {
public:
  /// Null, with a message, if the file is no artifact of this version, or is
  /// damaged.
  static std::unique_ptr<LoadedArtifact> open(llvm::StringRef path,
                                              std::string &error);
  ~LoadedArtifact();
  LoadedArtifact(const LoadedArtifact &) = delete;
  LoadedArtifact &operator=(const LoadedArtifact &) = delete;

  const dyn_descriptor_t &operator*() const { return *descriptor; }
  const dyn_descriptor_t *operator->() const { return descriptor; }

private:
  explicit LoadedArtifact(void *image) : image(image) {}

  void *image;
  const dyn_descriptor_t *descriptor = nullptr;
};

} // namespace dyn

#endif // DYN_TARGET_LOADEDARTIFACT_H
