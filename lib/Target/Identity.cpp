//===- Identity.cpp - Identities of artifacts -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/Identity.h"

#include "dyn/artifact.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/xxhash.h"

#include <cstddef>
#include <cstring>

using namespace dyn;
using llvm::ArrayRef;
using llvm::MutableArrayRef;
using llvm::StringRef;

static_assert(sizeof(Identity) == sizeof(dyn_descriptor_t::id));

Identity dyn::getDigest(ArrayRef<char> bytes) {
  llvm::XXH128_hash_t hash = llvm::xxh3_128bits(
      ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  Identity digest;
  static_assert(sizeof(digest) == sizeof(hash));
  std::memcpy(digest.data(), &hash, sizeof(digest));
  return digest;
}

/// The offset of the descriptor in an image.
static std::optional<size_t> findDescriptor(StringRef image) {
  using namespace llvm::object;
  auto file = llvm::expectedToOptional(
      ObjectFile::createELFObjectFile({image, "image"}));
  if (!file)
    return std::nullopt;
  for (SymbolRef symbol : (*file)->symbols()) {
    if (llvm::expectedToOptional(symbol.getName()) !=
        StringRef(kDescriptorSymbol))
      continue;
    auto address = llvm::expectedToOptional(symbol.getAddress());
    auto section = llvm::expectedToOptional(symbol.getSection());
    if (!address || !section || *section == (*file)->section_end())
      return std::nullopt;
    auto bytes = llvm::expectedToOptional((*section)->getContents());
    uint64_t at = *address - (*section)->getAddress();
    if (!bytes || at > bytes->size() ||
        bytes->size() - at < sizeof(dyn_descriptor_t))
      return std::nullopt;
    return bytes->data() + at - image.data();
  }
  return std::nullopt;
}

bool dyn::nameWeights(MutableArrayRef<char> image, const Identity &weights) {
  std::optional<size_t> offset = findDescriptor({image.data(), image.size()});
  if (!offset)
    return false;
  std::memcpy(&image[*offset + offsetof(dyn_descriptor_t, weights)],
              weights.data(), sizeof(weights));
  return true;
}

std::optional<Identity> dyn::identifyImage(MutableArrayRef<char> image,
                                           ArrayRef<Identity> constants) {
  std::optional<size_t> offset = findDescriptor({image.data(), image.size()});
  if (!offset)
    return std::nullopt;
  llvm::SmallVector<Identity> parts = {getDigest(image)};
  llvm::append_range(parts, constants);
  Identity id = getDigest({reinterpret_cast<const char *>(parts.data()),
                           parts.size() * sizeof(Identity)});
  std::memcpy(&image[*offset + offsetof(dyn_descriptor_t, id)], id.data(),
              sizeof(id));
  return id;
}
