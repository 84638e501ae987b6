//===- GemmPlan.cpp - A GEMM of cuBLASLt ----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GemmPlan.h"

#include <string>

using namespace dyn::rt;

static constexpr const char *kDescribe = "describe a GEMM";

static int getType(int64_t dtype) {
  switch (dtype) {
  case DYN_F16:
    return DYN_CUBLAS_F16;
  case DYN_BF16:
    return DYN_CUBLAS_BF16;
  }
  return DYN_CUBLAS_F32;
}

static uint32_t getEpilogue(const GemmKey &key) {
  uint32_t bits = key[GemmKey::HasBias] ? DYN_CUBLAS_EPILOGUE_BIAS : 0;
  if (key[GemmKey::Activation] == DYN_ACTIVATION_RELU)
    bits |= DYN_CUBLAS_EPILOGUE_RELU;
  if (key[GemmKey::Activation] == DYN_ACTIVATION_GELU_TANH)
    bits |= DYN_CUBLAS_EPILOGUE_GELU;
  return bits ? bits : uint32_t(DYN_CUBLAS_EPILOGUE_DEFAULT);
}

GemmPlan::~GemmPlan() {
  for (dyn_cublas_layout_t layout : {left, right, result})
    if (layout)
      library.layoutDestroy(layout);
  if (desc)
    library.descDestroy(desc);
}

dyn_status_t GemmPlan::makeLayout(const GemmKey &key, int64_t rows,
                                  int64_t columns, int64_t type,
                                  dyn_cublas_layout_t &out) {
  DYN_RETURN_IF_FAILED(
      library.check(library.layoutCreate(&out, getType(type), uint64_t(rows),
                                         uint64_t(columns), rows),
                    kDescribe));
  if (key[GemmKey::Batch] == 1)
    return DYN_STATUS_OK;
  auto count = int32_t(key[GemmKey::Batch]);
  DYN_RETURN_IF_FAILED(
      library.check(library.layoutSet(out, DYN_CUBLAS_LAYOUT_BATCH_COUNT,
                                      &count, sizeof(count)),
                    kDescribe));
  int64_t stride = rows * columns;
  return library.check(library.layoutSet(out, DYN_CUBLAS_LAYOUT_BATCH_STRIDE,
                                         &stride, sizeof(stride)),
                       kDescribe);
}

dyn_status_t GemmPlan::describe(const GemmKey &key) {
  alignment = uint32_t(key[GemmKey::Alignment]);
  DYN_RETURN_IF_FAILED(library.check(
      library.descCreate(&desc, DYN_CUBLAS_COMPUTE_F32, DYN_CUBLAS_F32),
      kDescribe));
  auto set = [&](int attribute, auto value) {
    return library.check(
        library.descSet(desc, attribute, &value, sizeof(value)), kDescribe);
  };
  // The library's A is our RHS.
  auto getOperation = [&](GemmKey::Field isTransposed) {
    return int32_t(key[isTransposed] ? DYN_CUBLAS_TRANSPOSED
                                     : DYN_CUBLAS_AS_IS);
  };
  DYN_RETURN_IF_FAILED(
      set(DYN_CUBLAS_DESC_TRANSPOSE_A, getOperation(GemmKey::RightTransposed)));
  DYN_RETURN_IF_FAILED(
      set(DYN_CUBLAS_DESC_TRANSPOSE_B, getOperation(GemmKey::LeftTransposed)));
  DYN_RETURN_IF_FAILED(set(DYN_CUBLAS_DESC_EPILOGUE, getEpilogue(key)));

  int64_t rows = key[GemmKey::Rows], columns = key[GemmKey::Columns];
  int64_t depth = key[GemmKey::Depth];
  int64_t type = key[GemmKey::FactorType];
  bool leftAcross = key[GemmKey::LeftTransposed];
  bool rightAcross = key[GemmKey::RightTransposed];
  DYN_RETURN_IF_FAILED(makeLayout(key, leftAcross ? rows : depth,
                                  leftAcross ? depth : rows, type, left));
  DYN_RETURN_IF_FAILED(makeLayout(key, rightAcross ? depth : columns,
                                  rightAcross ? columns : depth, type, right));
  return makeLayout(key, columns, rows, key[GemmKey::ResultType], result);
}

dyn_status_t GemmPlan::propose(uint32_t count,
                               std::vector<dyn_cublas_heuristic_t> &out) const {
  out.clear();
  dyn_cublas_preference_t preference = nullptr;
  const char *what = "ask for an algorithm of a GEMM";
  DYN_RETURN_IF_FAILED(
      library.check(library.preferenceCreate(&preference), what));
  auto set = [&](int attribute, auto value) {
    return library.preferenceSet(preference, attribute, &value, sizeof(value));
  };
  int refused = set(DYN_CUBLAS_PREFER_WORKSPACE_BYTES, kMaxWorkspace);
  // Otherwise partial sums might be rounded to 16 bits before they are added.
  if (!refused)
    refused = set(DYN_CUBLAS_PREFER_REDUCTIONS,
                  uint32_t(DYN_CUBLAS_REDUCE_IN_COMPUTE_TYPE));
  for (int attribute = DYN_CUBLAS_PREFER_ALIGNMENT_A;
       !refused && attribute <= DYN_CUBLAS_PREFER_ALIGNMENT_D; ++attribute)
    refused = set(attribute, alignment);
  int found = 0;
  out.resize(count);
  if (!refused)
    refused =
        library.findAlgorithms(handle, desc, right, left, result, result,
                               preference, int(count), out.data(), &found);
  library.preferenceDestroy(preference);
  // The library's answer if it has no algorithm.
  if (refused == DYN_CUBLAS_NOT_SUPPORTED)
    refused = found = 0;
  out.resize(size_t(found));
  DYN_RETURN_IF_FAILED(library.check(refused, what));
  std::vector<dyn_cublas_heuristic_t> valid;
  for (const dyn_cublas_heuristic_t &proposed : out)
    if (proposed.state == DYN_CUBLAS_SUCCESS)
      valid.push_back(proposed);
  out = std::move(valid);
  return DYN_STATUS_OK;
}

void GemmPlan::use(const dyn_cublas_heuristic_t &proposed) {
  isSet = true;
  algorithm = proposed.algorithm;
  workspaceBytes = proposed.workspace_bytes;
}

bool GemmPlan::use(const dyn_cublas_algorithm_t &known) {
  dyn_cublas_heuristic_t checked = {};
  if (library.checkAlgorithm(handle, desc, right, left, result, result, &known,
                             &checked) != DYN_CUBLAS_SUCCESS ||
      checked.state != DYN_CUBLAS_SUCCESS ||
      checked.workspace_bytes > kMaxWorkspace)
    return false;
  checked.algorithm = known;
  use(checked);
  return true;
}

dyn_status_t GemmPlan::run(const GemmBuffers &buffers, const char *kernel) {
  if (buffers.bias)
    DYN_RETURN_IF_FAILED(
        library.check(library.descSet(desc, DYN_CUBLAS_DESC_BIAS, &buffers.bias,
                                      sizeof(buffers.bias)),
                      kDescribe));
  const float one = 1, beta = buffers.addend ? 1 : 0;
  const void *addend = buffers.addend ? buffers.addend : buffers.result;
  int refused = library.multiply(
      handle, desc, &one, buffers.right, right, buffers.left, left, &beta,
      addend, result, buffers.result, result, &algorithm, buffers.workspace,
      workspaceBytes, buffers.stream);
  if (!refused)
    return DYN_STATUS_OK;
  return library.check(
      refused, ("compute the GEMM of '" + std::string(kernel) + "'").c_str());
}
