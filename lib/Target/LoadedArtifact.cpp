//===- LoadedArtifact.cpp - An artifact as the compiler reads it ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/LoadedArtifact.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>
#include <dlfcn.h>

using namespace dyn;
using llvm::StringRef;
using llvm::Twine;

/// Whether the image is unchanged: a damaged one is not loaded.
static bool isWhole(StringRef bytes) {
  dyn_trailer_t trailer;
  if (bytes.size() < sizeof(trailer))
    return false;
  std::memcpy(&trailer, bytes.take_back(sizeof(trailer)).data(),
              sizeof(trailer));
  return !std::memcmp(trailer.magic, DYN_TRAILER_MAGIC,
                      sizeof(trailer.magic)) &&
         trailer.image_bytes <= bytes.size() - sizeof(trailer) &&
         trailer.image_digest == dyn_image_digest(trailer.image_bytes,
                                                  bytes.bytes_begin(),
                                                  trailer.image_bytes);
}

std::unique_ptr<LoadedArtifact> LoadedArtifact::open(StringRef path,
                                                     std::string &error) {
  auto fail = [&](const Twine &message) {
    error = message.str();
    return nullptr;
  };
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return fail(path + ": " + file.getError().message());
  if (!isWhole((*file)->getBuffer()))
    return fail(path + ": expected an artifact of version " +
                Twine(DYN_ARTIFACT_VERSION) +
                ", found another file, or one that is truncated or damaged");
  // dlopen searches the library path for a name without a slash.
  llvm::SmallString<256> absolute(path);
  llvm::sys::fs::make_absolute(absolute);
  void *image = ::dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!image)
    return fail(::dlerror());
  std::unique_ptr<LoadedArtifact> loaded(new LoadedArtifact(image));
  auto query = reinterpret_cast<dyn_artifact_query_fn>(
      ::dlsym(image, DYN_ARTIFACT_SYMBOL));
  // No test: who writes a trailer writes the symbol.
  if (!query)
    return fail(path + ": expected an artifact, found a library without the "
                       "symbol '" DYN_ARTIFACT_SYMBOL "'");
  loaded->descriptor = query(DYN_ARTIFACT_VERSION);
  // No test: no version is newer.
  if (!loaded->descriptor)
    return fail(path + ": expected an artifact of version " +
                Twine(DYN_ARTIFACT_VERSION) + " or older, found a newer one");
  return loaded;
}

LoadedArtifact::~LoadedArtifact() { ::dlclose(image); }
