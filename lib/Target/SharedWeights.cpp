//===- SharedWeights.cpp - The constants of another artifact --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/SharedWeights.h"

#include "dyn/Target/LoadedArtifact.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Path.h"

#include <cstring>

using namespace dyn;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

/// The part of a file that holds constants. Null if its trailer is not the one
/// that the descriptor names.
static std::unique_ptr<llvm::MemoryBuffer>
mapConstants(StringRef path, const Identity &id, uint64_t size) {
  auto whole = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!whole || (*whole)->getBufferSize() < sizeof(dyn_trailer_t))
    return nullptr;
  StringRef bytes = (*whole)->getBuffer();
  dyn_trailer_t trailer;
  std::memcpy(&trailer, bytes.take_back(sizeof(trailer)).data(),
              sizeof(trailer));
  if (std::memcmp(trailer.magic, DYN_TRAILER_MAGIC, sizeof(trailer.magic)) ||
      std::memcmp(trailer.id, id.data(), id.size()) || trailer.bytes != size ||
      trailer.offset > bytes.size() || size > bytes.size() - trailer.offset)
    return nullptr;
  auto part = llvm::MemoryBuffer::getFileSlice(path, size, trailer.offset);
  return part ? std::move(*part) : nullptr;
}

std::unique_ptr<SharedWeights> SharedWeights::open(StringRef path,
                                                   std::string &error) {
  std::unique_ptr<LoadedArtifact> artifact = LoadedArtifact::open(path, error);
  if (!artifact)
    return nullptr;
  const dyn_descriptor_t &root = **artifact;
  if (root.version != DYN_ARTIFACT_VERSION) {
    error =
        (path + ": expected an artifact of version " +
         Twine(DYN_ARTIFACT_VERSION) + ", found version " + Twine(root.version))
            .str();
    return nullptr;
  }
  std::unique_ptr<SharedWeights> weights(new SharedWeights());
  llvm::SmallString<256> file(path);
  if (root.sidecar) {
    llvm::sys::path::remove_filename(file);
    llvm::sys::path::append(file, root.sidecar);
  }
  weights->path = file.str().str();
  std::memcpy(weights->id.data(), root.sidecar ? root.weights : root.id,
              weights->id.size());
  weights->size = root.sidecar ? root.weights_bytes : root.constants_bytes;
  auto add = [&](ArrayRef<dyn_constant_t> constants) {
    for (const dyn_constant_t &constant : constants)
      if (constant.offset <= weights->size &&
          constant.bytes <= weights->size - constant.offset)
        weights->constants.try_emplace(constant.recipe, constant.offset,
                                       constant.bytes);
  };
  add(ArrayRef(root.constants, root.constant_count));
  for (const dyn_program_t &program :
       ArrayRef(root.programs, root.program_count))
    add(ArrayRef(program.constants, program.constant_count));
  weights->file = mapConstants(weights->path, weights->id, weights->size);
  if (!weights->file) {
    error = (path + ": expected its constants in '" + weights->path +
             "', which is missing, damaged or of another compilation")
                .str();
    return nullptr;
  }
  return weights;
}

std::optional<uint64_t> SharedWeights::find(StringRef recipe,
                                            uint64_t bytes) const {
  auto it = constants.find(recipe);
  if (it == constants.end() || it->second.second != bytes)
    return std::nullopt;
  return it->second.first;
}

ArrayRef<char> SharedWeights::get(uint64_t offset, uint64_t bytes) const {
  StringRef part = file->getBuffer().substr(offset, bytes);
  return {part.data(), part.size()};
}
