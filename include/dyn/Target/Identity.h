//===- Identity.h - What tells artifacts apart
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

/// A digest of the same size, which neither a key nor a signature is: it tells
/// apart what was not made to be alike.
Identity getDigest(llvm::ArrayRef<char> bytes);

/// The symbol of the descriptor in images. Its id is zero as it is emitted.
inline constexpr char kDescriptorSymbol[] = "dyn.descriptor";

/// Writes the id into an image as the linker left it: a digest of all bytes of
/// the image and of the digests of the constants. So artifacts with the same id
/// are the same program with the same constants, and a program that is compiled
/// anew has the id that it had. None if the image has no descriptor.
std::optional<Identity> identifyImage(llvm::MutableArrayRef<char> image,
                                      llvm::ArrayRef<Identity> constants);

} // namespace dyn

#endif // DYN_TARGET_IDENTITY_H
