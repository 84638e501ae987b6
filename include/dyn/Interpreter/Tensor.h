//===- Tensor.h - A dense tensor in memory --------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_INTERPRETER_TENSOR_H
#define DYN_INTERPRETER_TENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace dyn {

/// Bytes of one element in memory: `i1` uses a full byte, 0 or 1.
int64_t getElementBytes(mlir::Type elementType);

/// The number of elements, or nothing if a size is negative or the number does
/// not fit 64 bits. If a size is zero, it is 0 whatever the others are.
std::optional<int64_t> getNumElements(llvm::ArrayRef<int64_t> sizes);

/// Dense elements in row-major order, little endian. A Tensor is a handle:
/// copies share the bytes, which are either owned or borrowed from a mapped
/// file or a caller. Bytes are only written while a tensor is being created.
class Tensor {
public:
  /// No tensor: `isNull`.
  Tensor() = default;

  /// Owned zeros. Returns a null tensor if the number of elements does not fit
  /// or memory cannot be allocated.
  static Tensor create(mlir::Type elementType, llvm::ArrayRef<int64_t> sizes);
  /// Borrowed bytes, whose owner must keep them while the tensor lives. `bytes`
  /// must have exactly the length of the sizes.
  static Tensor borrow(mlir::Type elementType, llvm::ArrayRef<int64_t> sizes,
                       llvm::ArrayRef<char> bytes);
  /// Owned copy of `bytes`; null as in `create`.
  static Tensor copy(mlir::Type elementType, llvm::ArrayRef<int64_t> sizes,
                     llvm::ArrayRef<char> bytes);
  /// The elements of an attribute, splats expanded; null as in `create`.
  static Tensor fromAttribute(mlir::DenseElementsAttr attribute);

  bool isNull() const { return !elementType; }
  mlir::Type getElementType() const { return elementType; }
  llvm::ArrayRef<int64_t> getSizes() const { return sizes; }
  int64_t getSize(int64_t axis) const { return sizes[axis]; }
  int64_t getRank() const { return sizes.size(); }
  int64_t getNumElements() const { return numElements; }
  int64_t getElementBytes() const { return elementBytes; }
  llvm::ArrayRef<char> getBytes() const {
    return {data, static_cast<size_t>(numElements * elementBytes)};
  }
  /// Bytes of an owned tensor, for its creator.
  llvm::MutableArrayRef<char> getMutableBytes() {
    assert(storage && "borrowed bytes are read only");
    return {data, static_cast<size_t>(numElements * elementBytes)};
  }

  /// Elements as T, whose size is that of the element type.
  template <typename T> llvm::ArrayRef<T> getData() const {
    assert(sizeof(T) == size_t(elementBytes) && "wrong element type");
    return {reinterpret_cast<const T *>(data),
            static_cast<size_t>(numElements)};
  }
  template <typename T> llvm::MutableArrayRef<T> getMutableData() {
    assert(storage && "borrowed bytes are read only");
    assert(sizeof(T) == size_t(elementBytes) && "wrong element type");
    return {reinterpret_cast<T *>(data), static_cast<size_t>(numElements)};
  }

  /// The same bytes with other sizes of the same number of elements.
  Tensor withSizes(llvm::ArrayRef<int64_t> sizes) const;
  /// Floats as f64, anything else unchanged; null as in `create`.
  Tensor toFloat64() const;

  /// The scalar at `index` in row-major order as an integer (truncated).
  int64_t getInt(int64_t index = 0) const;
  /// The same as a double (rounded if a 64-bit integer does not fit).
  double getDouble(int64_t index = 0) const;

  /// Prints `tensor<2x2xf32> [[1, 2], [3, nan]]`, floats with enough digits to
  /// make them unique.
  void print(llvm::raw_ostream &os) const;

private:
  mlir::Type elementType;
  llvm::SmallVector<int64_t, 4> sizes;
  int64_t numElements = 0;
  int64_t elementBytes = 0;
  char *data = nullptr;
  /// Holds owned bytes; null if they are borrowed.
  std::shared_ptr<char> storage;
};

} // namespace dyn

#endif // DYN_INTERPRETER_TENSOR_H
