//===- AppendConstants.cpp - Ends a hand-written artifact as the compiler would
//===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// append-constants IMAGE OUT [SIDECAR]
//
// Appends the constants of zoo.c, the floats 0, 1, 2, ..., and their trailer
// to a copy of the image, or writes them to a sidecar.
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

static void append(std::string &out, const dyn_descriptor_t &root) {
  out.resize((out.size() + DYN_PAGE - 1) / DYN_PAGE * DYN_PAGE);
  dyn_trailer_t trailer;
  std::memcpy(trailer.magic, DYN_TRAILER_MAGIC, sizeof(trailer.magic));
  std::memcpy(trailer.id, root.id, sizeof(trailer.id));
  trailer.offset = out.size();
  trailer.bytes = root.constants_bytes;
  std::vector<float> values(root.constants_bytes / sizeof(float));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i);
  out.append(reinterpret_cast<const char *>(values.data()),
             root.constants_bytes);
  out.append(reinterpret_cast<const char *>(&trailer), sizeof(trailer));
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
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
  append(argc > 3 ? sidecar : image, root);
  if (argc > 3 && !writeFile(argv[3], sidecar))
    return 1;
  return writeFile(argv[2], image) ? 0 : 1;
}
