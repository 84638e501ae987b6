//===- Identity.h - The identity of artifacts -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_IDENTITY_H
#define DYN_TARGET_IDENTITY_H

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <cstdint>
#include <optional>

namespace dyn {

/// The id of an artifact; see dyn_descriptor_t.
using Identity = std::array<uint8_t, 16>;

/// A digest of the same size, which is neither a key nor a signature: it
/// distinguishes bytes that were not constructed to collide.
Identity getDigest(llvm::ArrayRef<char> bytes);

/// The symbol of the descriptor in images. Its ids are zero initially.
inline constexpr char kDescriptorSymbol[] = "dyn.descriptor";

/// Writes the id of the file that holds constants into an image from the
/// linker. False if the image has no descriptor.
bool nameWeights(llvm::MutableArrayRef<char> image, const Identity &weights);

/// Writes the id into an image from the linker: a digest of all bytes of the
/// image and of the digests of the constants. So artifacts with the same id are
/// the same program with the same constants, and recompiling a program gives
/// the same id. None if the image has no descriptor.
std::optional<Identity> identifyImage(llvm::MutableArrayRef<char> image,
                                      llvm::ArrayRef<Identity> constants);

} // namespace dyn

#endif // DYN_TARGET_IDENTITY_H
