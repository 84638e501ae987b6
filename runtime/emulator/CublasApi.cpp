//===- CublasApi.cpp - The emulator as cuBLASLt ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The functions of cuBLASLt that the runtime calls, on the device of
// CudaApi.cpp. They refuse the arguments that cuBLASLt refuses, and report,
// when the host waits, errors that a GPU would not: GEMMs that access memory
// out of bounds, read uninitialised memory, or have another alignment than
// their algorithm was chosen for.
//
// There are three algorithms: 0 and 1 accumulate along K; 2 accumulates the two
// halves of K separately, in a workspace, so that its bits differ.
//
// DYN_EMU_GEMMS in the environment selects a faulty library: "broken" does
// not start, "unable" has no algorithm, "failing" fails when it computes, and
// with "slow" algorithm 0 takes 5 ms longer than the others.

#include "DriverState.h"
#include "Gemm.h"

#include <cstring>
#include <time.h>

using namespace dyn::emu;

#define DYN_EMU_API extern "C" __attribute__((visibility("default")))
#define DYN_CUBLAS_FUNCTION(member, result, symbol, parameters)                \
  DYN_EMU_API result symbol parameters;
#include "dyn/cublas_lt.def"

struct cublasLtContext {
  bool isAlive = true;
};
struct dyn_cublas_desc {
  Gemm gemm;
};
struct dyn_cublas_layout {
  Layout layout;
};
struct dyn_cublas_preference {
  uint64_t workspaceBytes = 0;
  uint32_t alignment = 256;
  uint32_t reductions = 7;
};

namespace {
constexpr const char *kKernel = "cublasLtMatmul";
constexpr size_t kVersion = 1;
constexpr int kNumAlgorithms = 3;
constexpr int kSplit = 2; ///< the algorithm that needs a workspace

/// The words of an algorithm.
enum Word { kMagic, kNumber, kAlignment };
constexpr uint64_t kMagicWord = 0x64796e656d75;

bool isKind(const char *kind) {
  static const char *const wanted = std::getenv("DYN_EMU_GEMMS");
  return wanted && !std::strcmp(wanted, kind);
}

bool isType(int type) {
  return type == DYN_CUBLAS_F32 || type == DYN_CUBLAS_F16 ||
         type == DYN_CUBLAS_BF16;
}

/// Copies an attribute of exactly this size.
template <typename T> int set(T &to, const void *from, size_t bytes) {
  if (bytes != sizeof(T))
    return DYN_CUBLAS_INVALID_VALUE;
  std::memcpy(&to, from, sizeof(T));
  return DYN_CUBLAS_SUCCESS;
}

/// The problem of a call, without its pointers.
Gemm getGemm(dyn_cublas_desc_t desc, dyn_cublas_layout_t a,
             dyn_cublas_layout_t b, dyn_cublas_layout_t c,
             dyn_cublas_layout_t d) {
  Gemm gemm = desc->gemm;
  gemm.a = a->layout;
  gemm.b = b->layout;
  gemm.c = c->layout;
  gemm.d = d->layout;
  return gemm;
}

uint64_t getWorkspaceBytes(const Gemm &gemm, uint64_t algorithm) {
  return algorithm == kSplit ? 4 * gemm.d.rows : 0;
}

bool isAlgorithm(const dyn_cublas_algorithm_t &algorithm) {
  return algorithm.data[kMagic] == kMagicWord &&
         algorithm.data[kNumber] < kNumAlgorithms;
}

/// Reports a matrix without the alignment that its algorithm requires.
void checkAlignment(Device &device, const char *what, const void *address,
                    uint64_t alignment) {
  if (reinterpret_cast<uintptr_t>(address) % alignment)
    device.report(Fault::Misaligned, kKernel,
                  std::string(what) + " at no multiple of " +
                      std::to_string(alignment));
}

/// Whether all memory that the GEMM reads and writes belongs to the device.
bool access(Device &device, const Gemm &gemm,
            const dyn_cublas_algorithm_t &algorithm, void *workspace) {
  uint64_t alignment = algorithm.data[kAlignment];
  struct Range {
    const char *what;
    const void *address;
    size_t bytes;
    bool isWrite;
  };
  size_t biasBytes = gemm.epilogue & DYN_CUBLAS_EPILOGUE_BIAS
                         ? gemm.d.rows * gemm.d.getElementBytes()
                         : 0;
  const Range ranges[] = {
      {"A", gemm.left, gemm.a.getBytes(), false},
      {"B", gemm.right, gemm.b.getBytes(), false},
      {"C", gemm.addend, gemm.beta != 0 ? gemm.c.getBytes() : 0, false},
      {"the bias", gemm.bias, biasBytes, false},
      {"the workspace", workspace,
       getWorkspaceBytes(gemm, algorithm.data[kNumber]), true},
      {"D", gemm.result, gemm.d.getBytes(), true}};
  bool isInside = true;
  for (const Range &range : ranges) {
    if (!range.bytes)
      continue;
    isInside &= device.access(kKernel, range.what, range.address, range.bytes,
                              range.isWrite);
    checkAlignment(device, range.what, range.address, alignment);
    // A workspace or result must not overlap other ranges; D may be C.
    auto begin = reinterpret_cast<uintptr_t>(range.address);
    for (const Range &other : ranges) {
      auto otherBegin = reinterpret_cast<uintptr_t>(other.address);
      if (&other >= &range || !other.bytes || !range.isWrite ||
          begin == otherBegin || begin >= otherBegin + other.bytes ||
          otherBegin >= begin + range.bytes)
        continue;
      device.report(Fault::Race, kKernel,
                    std::string(range.what) + " lies over " + other.what);
    }
  }
  return isInside;
}
} // namespace

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

int cublasLtCreate(dyn_cublas_handle_t *handle) {
  if (isKind("broken")) {
    // A library that fails half-way may set the handle as well.
    *handle = reinterpret_cast<dyn_cublas_handle_t>(1);
    return DYN_CUBLAS_NOT_INITIALIZED;
  }
  *handle = new cublasLtContext();
  return DYN_CUBLAS_SUCCESS;
}
int cublasLtDestroy(dyn_cublas_handle_t handle) {
  handle->isAlive = false;
  delete handle;
  return DYN_CUBLAS_SUCCESS;
}
size_t cublasLtGetVersion() { return kVersion; }

const char *cublasLtGetStatusString(int status) {
  switch (status) {
  case DYN_CUBLAS_SUCCESS:
    return "success";
  case DYN_CUBLAS_NOT_INITIALIZED:
    return "the library was not initialized";
  case DYN_CUBLAS_EXECUTION_FAILED:
    return "the device failed";
  case DYN_CUBLAS_NOT_SUPPORTED:
    return "not supported";
  }
  return "invalid value";
}

int cublasLtMatmulDescCreate(dyn_cublas_desc_t *desc, int compute, int scale) {
  if (compute != DYN_CUBLAS_COMPUTE_F32 || scale != DYN_CUBLAS_F32)
    return DYN_CUBLAS_NOT_SUPPORTED;
  *desc = new dyn_cublas_desc();
  return DYN_CUBLAS_SUCCESS;
}
int cublasLtMatmulDescDestroy(dyn_cublas_desc_t desc) {
  delete desc;
  return DYN_CUBLAS_SUCCESS;
}
int cublasLtMatmulDescSetAttribute(dyn_cublas_desc_t desc, int attribute,
                                   const void *value, size_t bytes) {
  Gemm &gemm = desc->gemm;
  auto setTransposed = [&](bool &isTransposed) {
    int32_t operation = -1;
    if (int refused = set(operation, value, bytes))
      return refused;
    isTransposed = operation == DYN_CUBLAS_TRANSPOSED;
    return operation == DYN_CUBLAS_AS_IS || isTransposed
               ? int(DYN_CUBLAS_SUCCESS)
               : int(DYN_CUBLAS_INVALID_VALUE);
  };
  switch (attribute) {
  case DYN_CUBLAS_DESC_TRANSPOSE_A:
    return setTransposed(gemm.isTransposedA);
  case DYN_CUBLAS_DESC_TRANSPOSE_B:
    return setTransposed(gemm.isTransposedB);
  case DYN_CUBLAS_DESC_EPILOGUE:
    return set(gemm.epilogue, value, bytes);
  case DYN_CUBLAS_DESC_BIAS:
    return set(gemm.bias, value, bytes);
  }
  return DYN_CUBLAS_INVALID_VALUE;
}

int cublasLtMatrixLayoutCreate(dyn_cublas_layout_t *layout, int type,
                               uint64_t rows, uint64_t columns, int64_t line) {
  if (!isType(type))
    return DYN_CUBLAS_INVALID_VALUE;
  *layout = new dyn_cublas_layout{{type, rows, columns, line}};
  return DYN_CUBLAS_SUCCESS;
}
int cublasLtMatrixLayoutDestroy(dyn_cublas_layout_t layout) {
  delete layout;
  return DYN_CUBLAS_SUCCESS;
}
int cublasLtMatrixLayoutSetAttribute(dyn_cublas_layout_t layout, int attribute,
                                     const void *value, size_t bytes) {
  switch (attribute) {
  case DYN_CUBLAS_LAYOUT_BATCH_COUNT:
    return set(layout->layout.batch, value, bytes);
  case DYN_CUBLAS_LAYOUT_BATCH_STRIDE:
    return set(layout->layout.stride, value, bytes);
  }
  return DYN_CUBLAS_INVALID_VALUE;
}

int cublasLtMatmulPreferenceCreate(dyn_cublas_preference_t *preference) {
  *preference = new dyn_cublas_preference();
  return DYN_CUBLAS_SUCCESS;
}
int cublasLtMatmulPreferenceDestroy(dyn_cublas_preference_t preference) {
  delete preference;
  return DYN_CUBLAS_SUCCESS;
}
int cublasLtMatmulPreferenceSetAttribute(dyn_cublas_preference_t preference,
                                         int attribute, const void *value,
                                         size_t bytes) {
  if (attribute == DYN_CUBLAS_PREFER_WORKSPACE_BYTES)
    return set(preference->workspaceBytes, value, bytes);
  if (attribute == DYN_CUBLAS_PREFER_REDUCTIONS)
    return set(preference->reductions, value, bytes);
  if (attribute < DYN_CUBLAS_PREFER_ALIGNMENT_A ||
      attribute > DYN_CUBLAS_PREFER_ALIGNMENT_D)
    return DYN_CUBLAS_INVALID_VALUE;
  uint32_t alignment = 0;
  if (int refused = set(alignment, value, bytes))
    return refused;
  preference->alignment = std::min(preference->alignment, alignment);
  return alignment ? DYN_CUBLAS_SUCCESS : DYN_CUBLAS_INVALID_VALUE;
}

//===----------------------------------------------------------------------===//
// Algorithms
//===----------------------------------------------------------------------===//

int cublasLtMatmulAlgoGetHeuristic(dyn_cublas_handle_t handle,
                                   dyn_cublas_desc_t desc,
                                   dyn_cublas_layout_t a, dyn_cublas_layout_t b,
                                   dyn_cublas_layout_t c, dyn_cublas_layout_t d,
                                   dyn_cublas_preference_t preference,
                                   int wanted, dyn_cublas_heuristic_t *results,
                                   int *found) {
  Gemm gemm = getGemm(desc, a, b, c, d);
  *found = 0;
  if (!handle->isAlive || wanted < 1 || !gemm.isSound())
    return DYN_CUBLAS_INVALID_VALUE;
  if (isKind("unable"))
    return DYN_CUBLAS_NOT_SUPPORTED;
  for (int number = 0; number < std::min(wanted, kNumAlgorithms); ++number) {
    dyn_cublas_heuristic_t &result = results[(*found)++];
    result = {};
    result.algorithm.data[kMagic] = kMagicWord;
    result.algorithm.data[kNumber] = uint64_t(number);
    result.algorithm.data[kAlignment] = preference->alignment;
    result.workspace_bytes = getWorkspaceBytes(gemm, uint64_t(number));
    bool fits = result.workspace_bytes <= preference->workspaceBytes;
    result.state = fits ? DYN_CUBLAS_SUCCESS : DYN_CUBLAS_NOT_SUPPORTED;
  }
  return DYN_CUBLAS_SUCCESS;
}

int cublasLtMatmulAlgoCheck(dyn_cublas_handle_t handle, dyn_cublas_desc_t desc,
                            dyn_cublas_layout_t a, dyn_cublas_layout_t b,
                            dyn_cublas_layout_t c, dyn_cublas_layout_t d,
                            const dyn_cublas_algorithm_t *algorithm,
                            dyn_cublas_heuristic_t *result) {
  Gemm gemm = getGemm(desc, a, b, c, d);
  if (!handle->isAlive || !gemm.isSound() || !isAlgorithm(*algorithm))
    return DYN_CUBLAS_INVALID_VALUE;
  // As cuBLASLt does, it leaves result->algorithm unchanged.
  result->workspace_bytes = getWorkspaceBytes(gemm, algorithm->data[kNumber]);
  result->state = DYN_CUBLAS_SUCCESS;
  return DYN_CUBLAS_SUCCESS;
}

int cublasLtMatmul(dyn_cublas_handle_t handle, dyn_cublas_desc_t desc,
                   const void *alpha, const void *left, dyn_cublas_layout_t a,
                   const void *right, dyn_cublas_layout_t b, const void *beta,
                   const void *addend, dyn_cublas_layout_t c, void *result,
                   dyn_cublas_layout_t d,
                   const dyn_cublas_algorithm_t *algorithm, void *workspace,
                   size_t workspaceBytes, dyn_cuda_stream_t stream) {
  Gemm gemm = getGemm(desc, a, b, c, d);
  gemm.left = left;
  gemm.right = right;
  gemm.addend = addend;
  gemm.result = result;
  gemm.alpha = *static_cast<const float *>(alpha);
  gemm.beta = *static_cast<const float *>(beta);
  if (!handle->isAlive || !gemm.isSound() || !isAlgorithm(*algorithm))
    return DYN_CUBLAS_INVALID_VALUE;
  uint64_t number = algorithm->data[kNumber];
  if (workspaceBytes < getWorkspaceBytes(gemm, number))
    return DYN_CUBLAS_INVALID_VALUE;
  if (isKind("failing"))
    return DYN_CUBLAS_EXECUTION_FAILED;
  auto multiply = [=, chosen = *algorithm](Emulated &state,
                                           EmulatedDevice &device) -> int {
    if (!state.isStream(stream))
      return DYN_CUBLAS_INVALID_VALUE;
    if (!state.countLaunch(device) ||
        !access(device.device, gemm, chosen, workspace))
      return DYN_CUBLAS_SUCCESS;
    if (number == 0 && isKind("slow")) {
      timespec pause = {0, 5000000};
      nanosleep(&pause, nullptr);
    }
    gemm.compute(number == kSplit ? static_cast<float *>(workspace) : nullptr);
    return DYN_CUBLAS_SUCCESS;
  };
  return onStream(DYN_CUBLAS_EXECUTION_FAILED, stream, multiply);
}
