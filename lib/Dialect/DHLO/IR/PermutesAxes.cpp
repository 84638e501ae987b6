//===- PermutesAxes.cpp - The interface PermutesAxes of each operation ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/DHLO.h"

using namespace mlir;
using namespace dyn::dhlo;

/// The number of an axis after the permutation.
static int64_t getNumber(int64_t axis, ArrayRef<int64_t> permutation) {
  return llvm::find(permutation, axis) - permutation.begin();
}

/// One value for each axis, after the permutation.
template <typename T>
static SmallVector<T> permute(ArrayRef<T> values,
                              ArrayRef<int64_t> permutation) {
  return llvm::map_to_vector(permutation,
                             [&](int64_t axis) { return values[axis]; });
}

static ArrayAttr permute(ArrayAttr values, ArrayRef<int64_t> permutation) {
  return ArrayAttr::get(values.getContext(),
                        permute(values.getValue(), permutation));
}

void ConcatOp::permuteAxes(ArrayRef<int64_t> permutation) {
  setAxis(getNumber(getAxis(), permutation));
}

void SoftmaxOp::permuteAxes(ArrayRef<int64_t> permutation) {
  setAxis(getNumber(getAxis(), permutation));
}

void PadOp::permuteAxes(ArrayRef<int64_t> permutation) {
  setLowAttr(permute(getLow(), permutation));
  setHighAttr(permute(getHigh(), permutation));
}

void SliceOp::permuteAxes(ArrayRef<int64_t> permutation) {
  setStartsAttr(permute(getStarts(), permutation));
  setStrides(permute(getStrides(), permutation));
}

void ResizeOp::permuteAxes(ArrayRef<int64_t> permutation) {
  setScales(permute(getScales(), permutation));
}

void ReduceWindowOp::permuteAxes(ArrayRef<int64_t> permutation) {
  setWindow(permute(getWindow(), permutation));
  setStrides(permute(getStrides(), permutation));
  setDilations(permute(getDilations(), permutation));
  setLowAttr(permute(getLow(), permutation));
  setHighAttr(permute(getHigh(), permutation));
}
