//===- tensors.h - Arrays of Python as tensors --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PYTHON_RUNTIME_TENSORS_H
#define DYN_PYTHON_RUNTIME_TENSORS_H

#include "executions.h"

#include "dyn/runtime.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <sys/mman.h>
#include <vector>

namespace dyn::python {
namespace nb = nanobind;

using Input = nb::ndarray<nb::ro, nb::c_contig>;

/// DYN_BOOL and so on for DLPack's type; 0 for one that dyn has not.
inline uint32_t toDtype(nb::dlpack::dtype type) {
  if (type.lanes != 1)
    return 0;
  switch (nb::dlpack::dtype_code(type.code)) {
  case nb::dlpack::dtype_code::Bool:
    return type.bits == 8 ? DYN_BOOL : 0;
  case nb::dlpack::dtype_code::Int:
    switch (type.bits) {
    case 8:
      return DYN_I8;
    case 16:
      return DYN_I16;
    case 32:
      return DYN_I32;
    case 64:
      return DYN_I64;
    }
    return 0;
  case nb::dlpack::dtype_code::UInt:
    switch (type.bits) {
    case 8:
      return DYN_U8;
    case 16:
      return DYN_U16;
    case 32:
      return DYN_U32;
    case 64:
      return DYN_U64;
    }
    return 0;
  case nb::dlpack::dtype_code::Float:
    switch (type.bits) {
    case 16:
      return DYN_F16;
    case 32:
      return DYN_F32;
    case 64:
      return DYN_F64;
    }
    return 0;
  case nb::dlpack::dtype_code::Bfloat:
    return type.bits == 16 ? DYN_BF16 : 0;
  default:
    return 0;
  }
}

/// Whose memory an array is in (dyn_device_kind_t), nothing if it is neither
/// the host's nor CUDA's.
inline std::optional<uint32_t> toDevice(int type) {
  switch (type) {
  case nb::device::cpu::value:
  case nb::device::cuda_host::value:
    return DYN_DEVICE_CPU;
  case nb::device::cuda::value:
  case nb::device::cuda_managed::value:
    return DYN_DEVICE_CUDA;
  }
  return std::nullopt;
}

/// DLPack's type for an output.
inline nb::dlpack::dtype fromDtype(uint32_t dtype) {
  auto make = [](nb::dlpack::dtype_code code, size_t bytes) {
    return nb::dlpack::dtype{uint8_t(code), uint8_t(8 * bytes), 1};
  };
  size_t bytes = dyn_dtype_size(dyn_dtype_t(dtype));
  if (dtype == DYN_BOOL)
    return make(nb::dlpack::dtype_code::Bool, bytes);
  if (dtype == DYN_BF16)
    return make(nb::dlpack::dtype_code::Bfloat, bytes);
  if (dtype >= DYN_F16)
    return make(nb::dlpack::dtype_code::Float, bytes);
  if (dtype >= DYN_U8)
    return make(nb::dlpack::dtype_code::UInt, bytes);
  return make(nb::dlpack::dtype_code::Int, bytes);
}

inline void adviseHugePages(void *block, uint64_t bytes) {
  const uint64_t page = 4096;
  uint64_t begin = (reinterpret_cast<uint64_t>(block) + page - 1) / page * page;
  uint64_t end = (reinterpret_cast<uint64_t>(block) + bytes) / page * page;
  ::madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
}

/// Memory of the outputs of one call, until arrays own it.
class Outputs {
public:
  explicit Outputs(size_t count) : memory(count) {}

  static void *allocate(void *user, uint32_t output, dyn_dtype_t, uint32_t,
                        const int64_t *, uint64_t bytes) {
    const uint64_t alignment = 64;
    if (bytes > UINT64_MAX - alignment)
      return nullptr;
    uint64_t rounded = (bytes / alignment + 1) * alignment;
    void *block = std::aligned_alloc(alignment, rounded);
    // Fresh pages cost more than what is written to them, unless huge.
    const uint64_t hugeFrom = 4 << 20;
    if (block && rounded >= hugeFrom)
      adviseHugePages(block, rounded);
    static_cast<Outputs *>(user)->memory[output].reset(block);
    return block;
  }

  /// A numpy array that owns output `index`.
  nb::object take(size_t index, const dyn_tensor_t &tensor) {
    std::vector<size_t> shape(tensor.shape, tensor.shape + tensor.rank);
    void *block = memory[index].release();
    nb::capsule owner(block, [](void *block) noexcept { std::free(block); });
    // numpy has no bf16, so its bits go as u16.
    uint32_t dtype =
        tensor.dtype == DYN_BF16 ? uint32_t(DYN_U16) : tensor.dtype;
    nb::ndarray<nb::numpy> array(block, shape.size(), shape.data(), owner,
                                 nullptr, fromDtype(dtype));
    return nb::cast(array);
  }

private:
  struct Free {
    void operator()(void *block) const { std::free(block); }
  };
  std::vector<std::unique_ptr<void, Free>> memory;
};

/// An array with DLPack where an output lies on a device. It keeps the
/// execution from its next call.
inline nb::object keep(const Executions::Lent &execution,
                       const dyn_tensor_t &tensor) {
  std::vector<size_t> shape(tensor.shape, tensor.shape + tensor.rank);
  auto kept = std::make_unique<Executions::Lent>(execution);
  nb::capsule owner(kept.get(), [](void *kept) noexcept {
    delete static_cast<Executions::Lent *>(kept);
  });
  kept.release();
  nb::ndarray<nb::array_api> array(
      tensor.data, shape.size(), shape.data(), owner, nullptr,
      fromDtype(tensor.dtype), nb::device::cuda::value, tensor.device_ordinal);
  return nb::cast(array);
}

} // namespace dyn::python

#endif // DYN_PYTHON_RUNTIME_TENSORS_H
