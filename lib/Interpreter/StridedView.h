//===- StridedView.h - Strided views of bytes -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_INTERPRETER_STRIDEDVIEW_H
#define DYN_LIB_INTERPRETER_STRIDEDVIEW_H

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"
#include "dyn/Interpreter/Tensor.h"

#include <optional>

namespace dyn {

/// Sizes and strides over bytes that it does not own: the element at an index
/// is at `offset + sum(index * strides)`, all in elements. Strides of 0 repeat
/// elements, negative ones reverse them. The functions below return another
/// view of the same bytes, or nullopt if there is none.
struct StridedView {
  static StridedView contiguous(llvm::ArrayRef<char> bytes,
                                llvm::ArrayRef<int64_t> sizes,
                                int64_t elementBytes);

  std::optional<StridedView> reshape(llvm::ArrayRef<int64_t> newSizes) const;
  StridedView transpose(llvm::ArrayRef<int64_t> permutation) const;
  StridedView slice(llvm::ArrayRef<int64_t> starts,
                    llvm::ArrayRef<int64_t> steps,
                    llvm::ArrayRef<int64_t> newSizes) const;
  StridedView reverse(llvm::ArrayRef<int64_t> axes) const;
  StridedView broadcast(llvm::ArrayRef<int64_t> axes,
                        llvm::ArrayRef<int64_t> newSizes) const;

  bool isContiguous() const;

  /// Writes the elements in row-major order.
  void copyTo(llvm::MutableArrayRef<char> out) const;
  /// Writes the elements in panels of 16 columns, with the first `batch` axes
  /// as matrices, the next `rows` axes as rows and the rest as columns.
  void packTo(int64_t batch, int64_t rows,
              llvm::MutableArrayRef<char> out) const;
  /// The same with rows in groups of `group` (`panels16x4`).
  void packGroupsTo(int64_t batch, int64_t rows, int64_t group,
                    llvm::MutableArrayRef<char> out) const;

  llvm::ArrayRef<char> bytes;
  int64_t elementBytes = 0;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> sizes, strides;

private:
  struct Offsets;
  Offsets getGroupOffsets(int64_t batch, int64_t rows) const;
};

} // namespace dyn

#endif // DYN_LIB_INTERPRETER_STRIDEDVIEW_H
