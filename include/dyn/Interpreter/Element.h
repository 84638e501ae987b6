//===- Element.h - Element types and their arithmetic ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The element types of dhlo in C++. An operation is written once as a generic
// lambda over a *computing type*: f16 and bf16 compute in float, f32 in float,
// f64 in double, integers in themselves, i1 in bool; the result is rounded once
// to the element type. `dispatch` selects the instance:
//
//   dispatchNumber(type, [&](auto tag) {
//     using T = decltype(tag);               // int8_t, Half, float, ...
//     using C = ComputeType<T>;              // int8_t, float, float, ...
//     out[i] = T(C(lhs[i]) + C(rhs[i]));
//   });

#ifndef DYN_INTERPRETER_ELEMENT_H
#define DYN_INTERPRETER_ELEMENT_H

#include "mlir/IR/BuiltinTypes.h"

#include <cstring>
#include <limits>
#include <type_traits>

namespace dyn {

/// Bits of an IEEE binary16, rounded to nearest even.
uint16_t roundToHalf(float value);
uint16_t roundToHalf(double value);
float expandHalf(uint16_t bits);
/// Bits of a bfloat16, rounded to nearest even.
uint16_t roundToBFloat16(float value);
uint16_t roundToBFloat16(double value);

/// An f16 in memory.
struct Half {
  Half() = default;
  explicit Half(float value) : bits(roundToHalf(value)) {}
  explicit Half(double value) : bits(roundToHalf(value)) {}
  operator float() const { return expandHalf(bits); }
  uint16_t bits = 0;
};

/// A bf16 in memory.
struct BFloat16 {
  BFloat16() = default;
  explicit BFloat16(float value) : bits(roundToBFloat16(value)) {}
  explicit BFloat16(double value) : bits(roundToBFloat16(value)) {}
  operator float() const {
    uint32_t wide = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof(value));
    return value;
  }
  uint16_t bits = 0;
};

/// An i1 in memory: a byte; all values but zero are true.
struct Bool {
  Bool() = default;
  explicit Bool(bool value) : bits(value) {}
  operator bool() const { return bits != 0; }
  uint8_t bits = 0;
};

namespace detail {
template <typename T> struct Compute {
  using Type = T;
};
template <> struct Compute<Half> {
  using Type = float;
};
template <> struct Compute<BFloat16> {
  using Type = float;
};
template <> struct Compute<Bool> {
  using Type = bool;
};
} // namespace detail

/// The type in which operations on T compute.
template <typename T> using ComputeType = typename detail::Compute<T>::Type;

template <typename T>
constexpr bool isFloatElement = std::is_floating_point_v<ComputeType<T>>;
template <typename T>
constexpr bool isIntElement =
    std::is_integral_v<ComputeType<T>> && !std::is_same_v<T, Bool>;

//===----------------------------------------------------------------------===//
// Dispatch on the element type
//===----------------------------------------------------------------------===//

/// Calls `fn` with a value of the C++ type of a float element type.
template <typename Fn> void dispatchFloat(mlir::Type type, Fn fn) {
  if (type.isF32())
    fn(float());
  else if (type.isF64())
    fn(double());
  else if (type.isF16())
    fn(Half());
  else if (type.isBF16())
    fn(BFloat16());
  else
    llvm_unreachable("verified to be a float");
}

/// The same for integers other than `i1`.
template <typename Fn> void dispatchInt(mlir::Type type, Fn fn) {
  bool isUnsigned = type.isUnsignedInteger();
  switch (type.getIntOrFloatBitWidth()) {
  case 8:
    return isUnsigned ? fn(uint8_t()) : fn(int8_t());
  case 16:
    return isUnsigned ? fn(uint16_t()) : fn(int16_t());
  case 32:
    return isUnsigned ? fn(uint32_t()) : fn(int32_t());
  case 64:
    return isUnsigned ? fn(uint64_t()) : fn(int64_t());
  }
  llvm_unreachable("verified to be an integer of 8, 16, 32 or 64 bits");
}

/// The same for floats and integers.
template <typename Fn> void dispatchNumber(mlir::Type type, Fn fn) {
  if (llvm::isa<mlir::FloatType>(type))
    dispatchFloat(type, fn);
  else
    dispatchInt(type, fn);
}

/// The same for integers and `i1`.
template <typename Fn> void dispatchIntOrBool(mlir::Type type, Fn fn) {
  if (type.isInteger(1))
    fn(Bool());
  else
    dispatchInt(type, fn);
}

/// The same for every element type.
template <typename Fn> void dispatchElement(mlir::Type type, Fn fn) {
  if (type.isInteger(1))
    fn(Bool());
  else
    dispatchNumber(type, fn);
}

//===----------------------------------------------------------------------===//
// Arithmetic that C++ leaves undefined
//===----------------------------------------------------------------------===//

/// Addition, subtraction and multiplication that wrap; floats are not affected.
template <typename T> T wrapAdd(T lhs, T rhs) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(lhs) + uint64_t(rhs));
  else
    return lhs + rhs;
}
template <typename T> T wrapSub(T lhs, T rhs) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(lhs) - uint64_t(rhs));
  else
    return lhs - rhs;
}
template <typename T> T wrapMul(T lhs, T rhs) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(lhs) * uint64_t(rhs));
  else
    return lhs * rhs;
}

/// Maximum and minimum; NaN if an operand is NaN. Of two zeros +0 is larger,
/// which the descriptions of operations leave open: kernels take either one.
template <typename T> T maximum(T lhs, T rhs) {
  if constexpr (std::is_floating_point_v<T>) {
    if (lhs != lhs || rhs != rhs)
      return std::numeric_limits<T>::quiet_NaN();
    if (lhs == rhs)
      return __builtin_signbit(lhs) ? rhs : lhs;
  }
  return lhs < rhs ? rhs : lhs;
}
template <typename T> T minimum(T lhs, T rhs) {
  if constexpr (std::is_floating_point_v<T>) {
    if (lhs != lhs || rhs != rhs)
      return std::numeric_limits<T>::quiet_NaN();
    if (lhs == rhs)
      return __builtin_signbit(lhs) ? lhs : rhs;
  }
  return rhs < lhs ? rhs : lhs;
}

} // namespace dyn

#endif // DYN_INTERPRETER_ELEMENT_H
