//===- Tensor.cpp - A dense tensor in memory ------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Interpreter/Tensor.h"

#include "dyn/Interpreter/Element.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace mlir;
using namespace dyn;

int64_t dyn::getElementBytes(Type elementType) {
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

std::optional<int64_t> dyn::getNumElements(ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  bool isEmpty = false, overflows = false;
  for (int64_t size : sizes) {
    if (size < 0)
      return std::nullopt;
    isEmpty |= size == 0;
    overflows |= llvm::MulOverflow(count, size, count);
  }
  if (isEmpty)
    return 0;
  if (overflows)
    return std::nullopt;
  return count;
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

Tensor Tensor::create(Type elementType, ArrayRef<int64_t> sizes) {
  Tensor tensor;
  int64_t elementBytes = dyn::getElementBytes(elementType), bytes;
  std::optional<int64_t> count = dyn::getNumElements(sizes);
  if (!count || llvm::MulOverflow(*count, elementBytes, bytes))
    return tensor;
  // One byte more, so that a tensor without elements has an address, too.
  auto *data = static_cast<char *>(std::calloc(bytes + 1, 1));
  if (!data)
    return tensor;
  tensor.elementType = elementType;
  tensor.sizes.assign(sizes.begin(), sizes.end());
  tensor.numElements = *count;
  tensor.elementBytes = elementBytes;
  tensor.data = data;
  tensor.storage.reset(data, std::free);
  return tensor;
}

Tensor Tensor::borrow(Type elementType, ArrayRef<int64_t> sizes,
                      ArrayRef<char> bytes) {
  Tensor tensor;
  tensor.elementType = elementType;
  tensor.sizes.assign(sizes.begin(), sizes.end());
  tensor.elementBytes = dyn::getElementBytes(elementType);
  tensor.numElements = dyn::getNumElements(sizes).value_or(0);
  tensor.data = const_cast<char *>(bytes.data());
  assert(int64_t(bytes.size()) == tensor.numElements * tensor.elementBytes &&
         "as many bytes as the sizes say");
  return tensor;
}

Tensor Tensor::copy(Type elementType, ArrayRef<int64_t> sizes,
                    ArrayRef<char> bytes) {
  Tensor tensor = create(elementType, sizes);
  if (!tensor.isNull() && !bytes.empty()) {
    assert(bytes.size() == tensor.getBytes().size() &&
           "as many bytes as the sizes say");
    std::memcpy(tensor.data, bytes.data(), bytes.size());
  }
  return tensor;
}

Tensor Tensor::fromAttribute(DenseElementsAttr attribute) {
  ShapedType type = attribute.getType();
  Tensor tensor = create(type.getElementType(), type.getShape());
  if (tensor.isNull())
    return tensor;
  char *out = tensor.data;
  // Booleans are packed as bits in attributes.
  if (type.getElementType().isInteger(1)) {
    for (bool value : attribute.getValues<bool>())
      *out++ = value;
    return tensor;
  }
  ArrayRef<char> raw = attribute.getRawData();
  if (!attribute.isSplat()) {
    if (!raw.empty())
      std::memcpy(out, raw.data(), raw.size());
    return tensor;
  }
  for (int64_t i = 0; i != tensor.numElements; ++i)
    std::memcpy(out + i * raw.size(), raw.data(), raw.size());
  return tensor;
}

Tensor Tensor::withSizes(ArrayRef<int64_t> newSizes) const {
  assert(dyn::getNumElements(newSizes) == numElements &&
         "the number of elements stays");
  Tensor tensor = *this;
  tensor.sizes.assign(newSizes.begin(), newSizes.end());
  return tensor;
}

Tensor Tensor::toFloat64() const {
  if (!isa<FloatType>(elementType) || elementType.isF64())
    return *this;
  Tensor tensor = create(Float64Type::get(elementType.getContext()), sizes);
  if (tensor.isNull())
    return tensor;
  MutableArrayRef<double> out = tensor.getMutableData<double>();
  dispatchFloat(elementType, [&](auto tag) {
    using T = decltype(tag);
    ArrayRef<T> in = getData<T>();
    for (int64_t i = 0; i != numElements; ++i)
      out[i] = double(ComputeType<T>(in[i]));
  });
  return tensor;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

int64_t Tensor::getInt(int64_t index) const {
  int64_t value = 0;
  dispatchElement(elementType, [&](auto tag) {
    using T = decltype(tag);
    value = int64_t(ComputeType<T>(getData<T>()[index]));
  });
  return value;
}

double Tensor::getDouble(int64_t index) const {
  double value = 0;
  dispatchElement(elementType, [&](auto tag) {
    using T = decltype(tag);
    value = double(ComputeType<T>(getData<T>()[index]));
  });
  return value;
}

/// Prints a float with the fewest digits that read back as the same value.
static void printFloat(raw_ostream &os, double value, Type type) {
  if (std::isnan(value) || std::isinf(value)) {
    os << (std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    return;
  }
  if (std::fabs(value) < 1e15 && value == std::trunc(value) && value != 0) {
    os << int64_t(value);
    return;
  }
  auto isSame = [&](double other) {
    bool same = false;
    dispatchFloat(type, [&](auto tag) {
      using T = decltype(tag);
      same = double(ComputeType<T>(T(other))) == value;
    });
    return same;
  };
  char text[40];
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof(text), "%.*g", digits, value);
    if (isSame(std::strtod(text, nullptr)))
      break;
  }
  os << text;
}

void Tensor::print(raw_ostream &os) const {
  if (isNull()) {
    os << "null";
    return;
  }
  os << "tensor<";
  for (int64_t size : sizes)
    os << size << 'x';
  os << elementType << "> ";
  // Nested brackets, one pair for each axis.
  auto printFrom = [&](auto &&self, int64_t axis, int64_t index) -> void {
    if (axis == getRank()) {
      if (isa<FloatType>(elementType))
        printFloat(os, getDouble(index), elementType);
      else if (elementType.isUnsignedInteger())
        os << uint64_t(getInt(index));
      else if (elementType.isInteger(1))
        os << (getInt(index) ? "true" : "false");
      else
        os << getInt(index);
      return;
    }
    os << '[';
    for (int64_t i = 0; i != sizes[axis]; ++i) {
      if (i)
        os << ", ";
      self(self, axis + 1, index * sizes[axis] + i);
    }
    os << ']';
  };
  printFrom(printFrom, 0, 0);
}
