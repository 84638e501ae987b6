//===- cublas_lt.h - The part of cuBLASLt's interface that dyn uses -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of cuBLASLt's interface that the runtime calls: types and values as
// in <cublasLt.h>, so that the toolkit is not needed to build. Where it is
// installed, a test compares the two.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_CUBLAS_LT_H
#define DYN_CUBLAS_LT_H

#include "dyn/cuda_driver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cublasLtContext *dyn_cublas_handle_t;
typedef struct dyn_cublas_desc *dyn_cublas_desc_t;
typedef struct dyn_cublas_layout *dyn_cublas_layout_t;
typedef struct dyn_cublas_preference *dyn_cublas_preference_t;

/// cublasLtMatmulAlgo_t: opaque, may be kept and used again with the same
/// version of the library.
typedef struct dyn_cublas_algorithm {
  uint64_t data[8];
} dyn_cublas_algorithm_t;

/// cublasLtMatmulHeuristicResult_t.
typedef struct dyn_cublas_heuristic {
  dyn_cublas_algorithm_t algorithm;
  size_t workspace_bytes;
  int state; ///< a cublasStatus_t; other members are valid on success
  float waves;
  int reserved[4];
} dyn_cublas_heuristic_t;

/// Values of cublasStatus_t.
enum {
  DYN_CUBLAS_SUCCESS = 0,
  DYN_CUBLAS_NOT_INITIALIZED = 1,
  DYN_CUBLAS_ALLOC_FAILED = 3,
  DYN_CUBLAS_INVALID_VALUE = 7,
  DYN_CUBLAS_EXECUTION_FAILED = 13,
  DYN_CUBLAS_NOT_SUPPORTED = 15
};

/// Values of cudaDataType_t.
enum { DYN_CUBLAS_F32 = 0, DYN_CUBLAS_F16 = 2, DYN_CUBLAS_BF16 = 14 };

/// Value of cublasComputeType_t: sums in f32, operands unconverted.
enum { DYN_CUBLAS_COMPUTE_F32 = 68 };

/// Values of cublasOperation_t.
enum { DYN_CUBLAS_AS_IS = 0, DYN_CUBLAS_TRANSPOSED = 1 };

/// Values of cublasLtMatmulDescAttributes_t.
enum {
  DYN_CUBLAS_DESC_TRANSPOSE_A = 3, ///< int32_t
  DYN_CUBLAS_DESC_TRANSPOSE_B = 4, ///< int32_t
  DYN_CUBLAS_DESC_EPILOGUE = 7,    ///< uint32_t
  DYN_CUBLAS_DESC_BIAS = 8         ///< a pointer to a number for each row of D
};

/// Values of cublasLtEpilogue_t: bits, but for the default.
enum {
  DYN_CUBLAS_EPILOGUE_DEFAULT = 1,
  DYN_CUBLAS_EPILOGUE_RELU = 2,
  DYN_CUBLAS_EPILOGUE_BIAS = 4,
  DYN_CUBLAS_EPILOGUE_GELU = 32 ///< by tanh
};

/// Values of cublasLtMatrixLayoutAttribute_t.
enum {
  DYN_CUBLAS_LAYOUT_BATCH_COUNT = 5, ///< int32_t
  DYN_CUBLAS_LAYOUT_BATCH_STRIDE = 6 ///< int64_t, in elements
};

/// Values of cublasLtMatmulPreferenceAttributes_t.
enum {
  DYN_CUBLAS_PREFER_WORKSPACE_BYTES = 1, ///< uint64_t, at most
  DYN_CUBLAS_PREFER_REDUCTIONS = 3,      ///< uint32_t, a mask
  DYN_CUBLAS_PREFER_ALIGNMENT_A = 5,     ///< uint32_t, bytes; B, C, D follow
  DYN_CUBLAS_PREFER_ALIGNMENT_D = 8
};

/// Value of cublasLtReductionScheme_t: partial sums are accumulated in f32.
enum { DYN_CUBLAS_REDUCE_IN_COMPUTE_TYPE = 2 };

#ifdef __cplusplus
} // extern "C"
#endif

#endif // DYN_CUBLAS_LT_H
