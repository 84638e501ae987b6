//===- CublasLtTest.cpp - cublas_lt.h compared with the toolkit's header --===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built where the header is found. The test is that it compiles.
//
//===----------------------------------------------------------------------===//

#include "dyn/cublas_lt.h"

#include <cublasLt.h>
#include <type_traits>

#define SAME(ours, theirs)                                                     \
  static_assert(int(ours) == int(theirs), #theirs " is another number")

SAME(DYN_CUBLAS_SUCCESS, CUBLAS_STATUS_SUCCESS);
SAME(DYN_CUBLAS_NOT_INITIALIZED, CUBLAS_STATUS_NOT_INITIALIZED);
SAME(DYN_CUBLAS_ALLOC_FAILED, CUBLAS_STATUS_ALLOC_FAILED);
SAME(DYN_CUBLAS_INVALID_VALUE, CUBLAS_STATUS_INVALID_VALUE);
SAME(DYN_CUBLAS_EXECUTION_FAILED, CUBLAS_STATUS_EXECUTION_FAILED);
SAME(DYN_CUBLAS_NOT_SUPPORTED, CUBLAS_STATUS_NOT_SUPPORTED);

SAME(DYN_CUBLAS_F32, CUDA_R_32F);
SAME(DYN_CUBLAS_F16, CUDA_R_16F);
SAME(DYN_CUBLAS_BF16, CUDA_R_16BF);
SAME(DYN_CUBLAS_COMPUTE_F32, CUBLAS_COMPUTE_32F);
SAME(DYN_CUBLAS_AS_IS, CUBLAS_OP_N);
SAME(DYN_CUBLAS_TRANSPOSED, CUBLAS_OP_T);

SAME(DYN_CUBLAS_DESC_TRANSPOSE_A, CUBLASLT_MATMUL_DESC_TRANSA);
SAME(DYN_CUBLAS_DESC_TRANSPOSE_B, CUBLASLT_MATMUL_DESC_TRANSB);
SAME(DYN_CUBLAS_DESC_EPILOGUE, CUBLASLT_MATMUL_DESC_EPILOGUE);
SAME(DYN_CUBLAS_DESC_BIAS, CUBLASLT_MATMUL_DESC_BIAS_POINTER);

SAME(DYN_CUBLAS_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_DEFAULT);
SAME(DYN_CUBLAS_EPILOGUE_RELU, CUBLASLT_EPILOGUE_RELU);
SAME(DYN_CUBLAS_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_BIAS);
SAME(DYN_CUBLAS_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU);
SAME(DYN_CUBLAS_EPILOGUE_RELU | DYN_CUBLAS_EPILOGUE_BIAS,
     CUBLASLT_EPILOGUE_RELU_BIAS);
SAME(DYN_CUBLAS_EPILOGUE_GELU | DYN_CUBLAS_EPILOGUE_BIAS,
     CUBLASLT_EPILOGUE_GELU_BIAS);

SAME(DYN_CUBLAS_LAYOUT_BATCH_COUNT, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
SAME(DYN_CUBLAS_LAYOUT_BATCH_STRIDE,
     CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);

SAME(DYN_CUBLAS_PREFER_WORKSPACE_BYTES,
     CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
SAME(DYN_CUBLAS_PREFER_REDUCTIONS, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
SAME(DYN_CUBLAS_PREFER_ALIGNMENT_A, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
SAME(DYN_CUBLAS_PREFER_ALIGNMENT_A + 1,
     CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
SAME(DYN_CUBLAS_PREFER_ALIGNMENT_A + 2,
     CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
SAME(DYN_CUBLAS_PREFER_ALIGNMENT_D, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
SAME(DYN_CUBLAS_REDUCE_IN_COMPUTE_TYPE, CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);

SAME(sizeof(dyn_cublas_algorithm_t), sizeof(cublasLtMatmulAlgo_t));
SAME(sizeof(dyn_cublas_heuristic_t), sizeof(cublasLtMatmulHeuristicResult_t));
SAME(offsetof(dyn_cublas_heuristic_t, workspace_bytes),
     offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
SAME(offsetof(dyn_cublas_heuristic_t, state),
     offsetof(cublasLtMatmulHeuristicResult_t, state));

/// Whether a value can be passed or returned instead of another: pointers for
/// pointers, and numbers of one size for numbers.
template <typename Ours, typename Theirs> constexpr bool isLike() {
  if (std::is_void_v<Theirs>)
    return std::is_void_v<Ours>;
  else
    return std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
           sizeof(Ours) == sizeof(Theirs);
}
template <typename Ours, typename Theirs> struct IsLike;
template <typename R, typename... Ps, typename S, typename... Qs>
struct IsLike<R(Ps...), S(Qs...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(Ps) == sizeof...(Qs))
      return isLike<R, S>() && (isLike<Ps, Qs>() && ...);
    return false;
  }();
};
#define DYN_CUBLAS_FUNCTION(member, result, symbol, parameters)                \
  static_assert(IsLike<result parameters, decltype(symbol)>::value,            \
                #symbol " takes other parameters");
#include "dyn/cublas_lt.def"
