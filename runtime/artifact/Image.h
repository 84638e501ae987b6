//===- Image.h - The code of an artifact, loaded --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_ARTIFACT_IMAGE_H
#define DYN_RUNTIME_ARTIFACT_IMAGE_H

#include "File.h"

#include <vector>

namespace dyn::rt {

/// An ELF image loaded by the dynamic loader, and the ranges of memory that
/// belong to it, against which every pointer of the descriptor is checked.
class Image {
public:
  Image() = default;
  ~Image();
  Image(const Image &) = delete;
  Image &operator=(const Image &) = delete;

  /// Checks that `file` is a complete shared object for this machine, loads it
  /// and calls its query function. The result may be read up to the bytes that
  /// contains() grants.
  dyn_status_t open(const File &file);

  const dyn_descriptor_t *descriptor() const { return root; }

  /// Maps all pages.
  void populate() const;

  /// Whether [pointer, pointer + bytes) is data of the image.
  bool contains(const void *pointer, uint64_t bytes) const;
  /// Whether `pointer` is code of the image.
  bool containsCode(const void *pointer) const;
  /// Whether `text` is a string of the image, final zero included.
  bool containsString(const char *text) const;

private:
  struct Segment {
    uint64_t address; ///< in the file, then in memory
    uint64_t bytes;
    uint64_t fileOffset;
    uint64_t fileBytes;
    bool code;
  };

  dyn_status_t readSegments(const File &file);
  /// Checks that the image is what the compiler wrote.
  dyn_status_t checkDigest(const File &file) const;
  dyn_status_t load(const File &file);
  /// Asks the loaded image for its descriptor.
  dyn_status_t findDescriptor(const char *path);
  /// Whether the loaded image equals the current contents of the file.
  dyn_status_t isCurrent(const File &file, bool &current) const;
  const Segment *find(const void *pointer) const;

  void *handle = nullptr;
  uint64_t base = 0;
  std::vector<Segment> segments;
  const dyn_descriptor_t *root = nullptr;
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_ARTIFACT_IMAGE_H
