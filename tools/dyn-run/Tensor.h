//===- Tensor.h - Tensors of the tools ------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TOOLS_RUN_TENSOR_H
#define DYN_TOOLS_RUN_TENSOR_H

#include "dyn/runtime.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace dyn::run {

/// A dense tensor in row-major order that owns its memory.
class Tensor {
public:
  Tensor() = default;
  /// Elements are zero.
  Tensor(dyn_dtype_t dtype, llvm::ArrayRef<int64_t> shape);

  dyn_dtype_t dtype() const { return elementType; }
  llvm::ArrayRef<int64_t> shape() const { return sizes; }
  int64_t numElements() const;

  /// Aligned to 16 bytes; never null. Exactly as long as the elements, so that
  /// sanitizers detect accesses out of bounds.
  char *data() { return bytes.data(); }
  const char *data() const { return bytes.data(); }

  /// Element `index` as a double; integers beyond 2^53 are rounded.
  double value(int64_t index) const;
  /// Sets an element from a double, rounding as a conversion to its type does.
  void setValue(int64_t index, double value);

  bool isFloat() const;
  /// "f32[2, 3]".
  std::string type() const;
  /// Position of element `index`, "[0, 2]".
  std::string position(int64_t index) const;

private:
  dyn_dtype_t elementType = DYN_F32;
  llvm::SmallVector<int64_t> sizes;
  std::vector<char> bytes = std::vector<char>(1);
};

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

} // namespace dyn::run

#endif // DYN_TOOLS_RUN_TENSOR_H
