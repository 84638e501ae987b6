//===- dlpack.h - The structs by which array libraries share memory -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structs of DLPack, https://dmlc.github.io/dlpack, and of numpy's array
// interface.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PYTHON_RUNTIME_DLPACK_H
#define DYN_PYTHON_RUNTIME_DLPACK_H

#include "dyn/runtime.h"

#include <cstdint>
#include <optional>

namespace dyn::python {

struct DLDevice {
  int32_t type, ordinal;
};
struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DLTensor {
  void *data;
  DLDevice device;
  int32_t rank;
  DLDataType dtype;
  int64_t *shape, *strides; ///< in elements; null if contiguous
  uint64_t offset;          ///< in bytes
};
struct DLManagedTensor {
  DLTensor tensor;
  void *context;
  void (*deleter)(DLManagedTensor *);
};
struct DLManagedTensorVersioned {
  uint32_t major, minor;
  void *context;
  void (*deleter)(DLManagedTensorVersioned *);
  uint64_t flags;
  DLTensor tensor;
};

/// DLPack's functions of C by which libraries exchange arrays without a call in
/// Python; a capsule of a class's attribute `__dlpack_c_exchange_api__` has it.
struct DLPackExchangeAPI {
  uint32_t major, minor;
  DLPackExchangeAPI *previous;
  int (*allocate)(DLTensor *, DLManagedTensorVersioned **, void *,
                  void (*)(void *, const char *, const char *));
  /// Waits for no stream. 0, or -1 with an exception.
  int (*fromObject)(void *object, DLManagedTensorVersioned **managed);
  int (*toObject)(DLManagedTensorVersioned *managed, void **object);
  int (*borrow)(void *object, DLTensor *tensor);
  int (*currentStream)(int32_t device, int32_t ordinal, void **stream);
};

enum DLDeviceType { kCpu = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13 };
/// Of DLManagedTensorVersioned::flags.
enum DLFlags : uint64_t { kReadOnly = 1 };
enum DLTypeCode { kInt = 0, kUInt = 1, kFloat = 2, kBfloat = 4, kBool = 6 };

/// The description of an array in numpy's `__array_struct__`.
struct ArrayInterface {
  int two;
  int rank;
  char kind;
  int itemSize;
  int flags;
  intptr_t *shape, *strides; ///< in bytes
  void *data;
  void *descr;
};

enum ArrayFlags {
  kContiguous = 0x1,
  kAligned = 0x100,
  kNative = 0x200,
  kWriteable = 0x400
};

/// The dyn_dtype_t of a DLPack type; 0 if dyn has none.
inline uint32_t toDtype(DLDataType type) {
  if (type.lanes != 1)
    return 0;
  const uint32_t none[] = {0, 0, 0, 0};
  const uint32_t ints[] = {DYN_I8, DYN_I16, DYN_I32, DYN_I64};
  const uint32_t unsignedInts[] = {DYN_U8, DYN_U16, DYN_U32, DYN_U64};
  const uint32_t floats[] = {0, DYN_F16, DYN_F32, DYN_F64};
  const uint32_t bfloats[] = {0, DYN_BF16, 0, 0};
  const uint32_t bools[] = {DYN_BOOL, 0, 0, 0};
  const uint32_t *types = none;
  switch (type.code) {
  case kInt:
    types = ints;
    break;
  case kUInt:
    types = unsignedInts;
    break;
  case kFloat:
    types = floats;
    break;
  case kBfloat:
    types = bfloats;
    break;
  case kBool:
    types = bools;
    break;
  }
  switch (type.bits) {
  case 8:
    return types[0];
  case 16:
    return types[1];
  case 32:
    return types[2];
  case 64:
    return types[3];
  }
  return 0;
}

/// DLPack's type code for a kind of numpy; nothing if dyn has none.
inline std::optional<uint8_t> toTypeCode(char kind) {
  switch (kind) {
  case 'i':
    return kInt;
  case 'u':
    return kUInt;
  case 'f':
    return kFloat;
  case 'b':
    return kBool;
  }
  return std::nullopt;
}

/// DLPack's type of an output.
inline DLDataType fromDtype(uint32_t dtype) {
  auto bits = uint8_t(8 * dyn_dtype_size(dyn_dtype_t(dtype)));
  if (dtype == DYN_BOOL)
    return {kBool, bits, 1};
  if (dtype == DYN_BF16)
    return {kBfloat, bits, 1};
  if (dtype >= DYN_F16)
    return {kFloat, bits, 1};
  return {uint8_t(dtype >= DYN_U8 ? kUInt : kInt), bits, 1};
}

/// numpy's kind of an output. numpy has no bf16: its bits are passed as u16.
inline char toKind(uint32_t dtype) {
  switch (fromDtype(dtype).code) {
  case kBool:
    return 'b';
  case kFloat:
    return 'f';
  case kInt:
    return 'i';
  default:
    return 'u';
  }
}

/// The device whose memory an array is in (dyn_device_kind_t), nothing if it is
/// neither the host's nor CUDA's.
inline std::optional<uint32_t> toDevice(int type) {
  switch (type) {
  case kCpu:
  case kCudaHost:
    return DYN_DEVICE_CPU;
  case kCuda:
  case kCudaManaged:
    return DYN_DEVICE_CUDA;
  }
  return std::nullopt;
}

/// Whether elements are consecutive in row-major order.
inline bool isContiguous(const DLTensor &tensor) {
  if (!tensor.strides)
    return true;
  int64_t step = 1;
  bool contiguous = true;
  for (int32_t i = tensor.rank; i-- > 0;) {
    if (tensor.shape[i] == 0)
      return true;
    contiguous &= tensor.shape[i] == 1 || tensor.strides[i] == step;
    step *= tensor.shape[i];
  }
  return contiguous;
}

} // namespace dyn::python

#endif // DYN_PYTHON_RUNTIME_DLPACK_H
