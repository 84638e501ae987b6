//===- ElementCount.h - The maximum number of elements of a tensor --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A hostile model may ask for any size. Tensors larger than any useful one are
// refused at once, so that numbers of elements and of bytes cannot overflow.

#ifndef DYN_LIB_IMPORT_ONNX_ELEMENTCOUNT_H
#define DYN_LIB_IMPORT_ONNX_ELEMENTCOUNT_H

#include <cstdint>

namespace dyn::onnx {

/// The maximum number of elements of a tensor, and so the maximum size of an
/// axis.
inline constexpr int64_t kMaxElements = int64_t(1) << 40;

/// Multiplies `count` by a size. Zeros do not count, as the size of another
/// axis must be within bounds even so. False if the size is negative or the
/// result more than kMaxElements.
inline bool countElements(int64_t size, int64_t &count) {
  if (size < 0 || size > kMaxElements)
    return false;
  if (size == 0)
    return true;
  if (count > kMaxElements / size)
    return false;
  count *= size;
  return true;
}

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_ELEMENTCOUNT_H
