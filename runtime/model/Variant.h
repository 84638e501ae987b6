//===- Variant.h - An artifact among those of a model ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_MODEL_VARIANT_H
#define DYN_RUNTIME_MODEL_VARIANT_H

#include "Execution.h"

namespace dyn::rt {

/// A condition on one size of an input, where a variant permits fewer values
/// than the model.
struct SizeGuard {
  uint32_t input, axis;
  int64_t min, max, multipleOf;
};

/// An artifact of a model, ready to run, and its idle executions. The model's
/// mutex guards it.
struct Variant {
  /// Whether it runs inputs of these shapes. Other errors of inputs are left to
  /// the call.
  bool fits(uint32_t entry, const dyn_tensor_t *inputs, uint32_t count) const;
  bool isForAllSizes() const;
  /// Idle ones, those of calls, and others that hold the context.
  uint32_t countExecutions() const { return context->countReferences() - 1; }

  uint32_t number = 0;
  std::string reason; ///< why it was added
  Ref<dyn_context> context;
  std::vector<std::vector<SizeGuard>> guards; ///< of each entry
  std::vector<Ref<dyn_execution>> idle;
  uint64_t calls = 0;
};

/// The id of the file that holds the constants that artifacts share.
const uint8_t *weightsOf(const dyn_descriptor_t &root);

/// Compares the signature and the weights of an artifact with those of the
/// model's first one, and finds its guards. The reason why it is no variant of
/// it, or "".
std::string findGuards(const dyn_artifact &base, const dyn_artifact &other,
                       std::vector<std::vector<SizeGuard>> &guards);

} // namespace dyn::rt

#endif // DYN_RUNTIME_MODEL_VARIANT_H
