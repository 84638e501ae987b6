//===- AppendConstants.cpp - Appends constants and a trailer to an image --===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// append-constants IMAGE OUT [SIDECAR]
//
// Appends the constants of zoo.c, the floats 0, 1, 2, ..., and their trailer
// to a copy of the image, or writes them to a sidecar. Constants that are in no
// sidecar are floats from 0 on as well. With --seal, only the trailer: for
// images that cannot be loaded.
//
//===----------------------------------------------------------------------===//

#include "dyn/artifact.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>

static bool readFile(const char *path, std::string &contents) {
  std::FILE *file = std::fopen(path, "rb");
  if (!file)
    return false;
  char buffer[4096];
  while (size_t got = std::fread(buffer, 1, sizeof(buffer), file))
    contents.append(buffer, got);
  return std::fclose(file) == 0;
}

static bool writeFile(const char *path, const std::string &contents) {
  std::FILE *file = std::fopen(path, "wb");
  if (!file)
    return false;
  bool good =
      std::fwrite(contents.data(), 1, contents.size(), file) == contents.size();
  return (std::fclose(file) == 0) && good;
}

/// The trailer of every file of the image.
static dyn_trailer_t describe(const std::string &image) {
  dyn_trailer_t trailer = {};
  std::memcpy(trailer.magic, DYN_TRAILER_MAGIC, sizeof(trailer.magic));
  trailer.image_bytes = image.size();
  trailer.image_digest = dyn_image_digest(
      image.size(), reinterpret_cast<const uint8_t *>(image.data()),
      image.size());
  return trailer;
}

static void append(std::string &out, dyn_trailer_t trailer, uint64_t bytes) {
  out.resize((out.size() + DYN_PAGE - 1) / DYN_PAGE * DYN_PAGE);
  trailer.offset = out.size();
  trailer.bytes = bytes;
  std::vector<float> values(bytes / sizeof(float));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i);
  out.append(reinterpret_cast<const char *>(values.data()), bytes);
  out.append(reinterpret_cast<const char *>(&trailer), sizeof(trailer));
}

/// Seals an image, overwriting the file.
static int seal(const char *path) {
  std::string image;
  if (!readFile(path, image))
    return 1;
  append(image, describe(image), 0);
  return writeFile(path, image) ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  if (!std::strcmp(argv[1], "--seal"))
    return seal(argv[2]);
  void *handle = ::dlopen(argv[1], RTLD_NOW);
  void *symbol = handle ? ::dlsym(handle, DYN_ARTIFACT_SYMBOL) : nullptr;
  if (!symbol) {
    std::fprintf(stderr, "append-constants: %s\n", ::dlerror());
    return 1;
  }
  const dyn_descriptor_t &root =
      *reinterpret_cast<dyn_artifact_query_fn>(symbol)(DYN_ARTIFACT_VERSION);
  std::string image, sidecar;
  if (!readFile(argv[1], image))
    return 1;
  dyn_trailer_t trailer = describe(image);
  // The first constants are in a sidecar, which begins on a page.
  uint64_t own = root.constants_bytes - root.weights_bytes;
  std::memcpy(trailer.id, own ? root.id : root.weights, sizeof(trailer.id));
  append(image, trailer, own);
  if (argc > 3)
    append(sidecar, trailer, root.weights_bytes);
  if (argc > 3 && !writeFile(argv[3], sidecar))
    return 1;
  return writeFile(argv[2], image) ? 0 : 1;
}
