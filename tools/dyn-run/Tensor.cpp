//===- Tensor.cpp - Tensors of the tools ----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensor.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>

using namespace dyn::run;

Tensor::Tensor(dyn_dtype_t dtype, llvm::ArrayRef<int64_t> shape)
    : elementType(dtype), sizes(shape.begin(), shape.end()) {
  size_t wanted = size_t(numElements()) * dyn_dtype_size(dtype);
  bytes.resize(std::max<size_t>(wanted, 1));
}

int64_t Tensor::numElements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

bool Tensor::isFloat() const { return elementType >= DYN_F16; }

template <typename T> static double load(const char *data, int64_t index) {
  T element;
  std::memcpy(&element, data + index * int64_t(sizeof(T)), sizeof(T));
  return double(element);
}
template <typename T>
static void store(char *data, int64_t index, double value) {
  T element = T(value);
  std::memcpy(data + index * int64_t(sizeof(T)), &element, sizeof(T));
}

static const llvm::fltSemantics &halfSemantics(dyn_dtype_t dtype) {
  return dtype == DYN_F16 ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat();
}

double Tensor::value(int64_t index) const {
  switch (elementType) {
  case DYN_BOOL:
  case DYN_U8:
    return load<uint8_t>(data(), index);
  case DYN_I8:
    return load<int8_t>(data(), index);
  case DYN_I16:
    return load<int16_t>(data(), index);
  case DYN_I32:
    return load<int32_t>(data(), index);
  case DYN_I64:
    return load<int64_t>(data(), index);
  case DYN_U16:
    return load<uint16_t>(data(), index);
  case DYN_U32:
    return load<uint32_t>(data(), index);
  case DYN_U64:
    return load<uint64_t>(data(), index);
  case DYN_F16:
  case DYN_BF16: {
    uint16_t bits;
    std::memcpy(&bits, data() + index * 2, 2);
    llvm::APFloat number(halfSemantics(elementType), llvm::APInt(16, bits));
    bool loses = false;
    number.convert(llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &loses);
    return number.convertToDouble();
  }
  case DYN_F32:
    return load<float>(data(), index);
  case DYN_F64:
    return load<double>(data(), index);
  }
  return NAN;
}

void Tensor::setValue(int64_t index, double value) {
  switch (elementType) {
  case DYN_BOOL:
    return store<uint8_t>(data(), index, value != 0);
  case DYN_U8:
    return store<uint8_t>(data(), index, value);
  case DYN_I8:
    return store<int8_t>(data(), index, value);
  case DYN_I16:
    return store<int16_t>(data(), index, value);
  case DYN_I32:
    return store<int32_t>(data(), index, value);
  case DYN_I64:
    return store<int64_t>(data(), index, value);
  case DYN_U16:
    return store<uint16_t>(data(), index, value);
  case DYN_U32:
    return store<uint32_t>(data(), index, value);
  case DYN_U64:
    return store<uint64_t>(data(), index, value);
  case DYN_F16:
  case DYN_BF16: {
    llvm::APFloat number(value);
    bool loses = false;
    number.convert(halfSemantics(elementType),
                   llvm::APFloat::rmNearestTiesToEven, &loses);
    uint16_t bits = uint16_t(number.bitcastToAPInt().getZExtValue());
    std::memcpy(data() + index * 2, &bits, 2);
    return;
  }
  case DYN_F32:
    return store<float>(data(), index, value);
  case DYN_F64:
    return store<double>(data(), index, value);
  }
}

static std::string list(llvm::ArrayRef<int64_t> values) {
  std::string text = "[";
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(values, stream);
  stream << ']';
  return text;
}

std::string Tensor::type() const {
  return dyn_dtype_name(elementType) + list(sizes);
}

std::string Tensor::position(int64_t index) const {
  llvm::SmallVector<int64_t> indices(sizes.size());
  for (size_t axis = sizes.size(); axis-- > 0;) {
    indices[axis] = index % sizes[axis];
    index /= sizes[axis];
  }
  return list(indices);
}
