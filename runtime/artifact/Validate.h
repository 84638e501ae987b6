//===- Validate.h - Checks of a descriptor before its first use -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_ARTIFACT_VALIDATE_H
#define DYN_RUNTIME_ARTIFACT_VALIDATE_H

#include "Image.h"

namespace dyn::rt {

/// Checks everything that the rest of the runtime assumes of the image's
/// descriptor: arrays and strings lie in the image, functions in its code,
/// counts, ranks, types and indices are in range, expressions are sound, and
/// every symbol can be bound from the inputs. A damaged or hostile table is
/// thus found at load. The behaviour of the code itself cannot be checked.
/// Fails with BAD_ARTIFACT or UNSUPPORTED; messages begin with `path`.
dyn_status_t validate(const Image &image, const char *path);

} // namespace dyn::rt

#endif // DYN_RUNTIME_ARTIFACT_VALIDATE_H
