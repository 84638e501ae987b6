//===- Gemm.cpp - The GEMM that cuBLASLt computes -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemm.h"

#include "Elements.h"

#include <vector>

using namespace dyn::emu;

static float load(const void *base, int64_t index, int type) {
  if (type == DYN_CUBLAS_F32)
    return static_cast<const float *>(base)[index];
  uint16_t bits = static_cast<const uint16_t *>(base)[index];
  return type == DYN_CUBLAS_F16 ? fromHalf(bits) : fromBfloat(bits);
}

static void store(void *base, int64_t index, int type, float value) {
  if (type == DYN_CUBLAS_F32)
    static_cast<float *>(base)[index] = value;
  else
    static_cast<uint16_t *>(base)[index] =
        type == DYN_CUBLAS_F16 ? toHalf(value) : toBfloat(value);
}

/// One of the matrices in column-major order; transposed if requested.
static std::vector<float> read(const void *base, const Layout &layout,
                               int32_t number, bool isTransposed) {
  uint64_t rows = layout.rows, columns = layout.columns;
  std::vector<float> values(rows * columns);
  for (uint64_t j = 0; j < columns; ++j)
    for (uint64_t i = 0; i < rows; ++i)
      values[isTransposed ? i * columns + j : j * rows + i] = load(
          base, number * layout.stride + int64_t(j) * layout.line + int64_t(i),
          layout.type);
  return values;
}

bool Gemm::isSound() const {
  uint64_t rows = isTransposedA ? a.columns : a.rows;
  uint64_t columns = isTransposedB ? b.rows : b.columns;
  uint64_t depth = isTransposedB ? b.columns : b.rows;
  bool isSound = depth == getDepth() && a.type == b.type && c.type == d.type;
  for (const Layout *layout : {&a, &b, &c, &d})
    isSound &= layout->batch == d.batch && layout->rows && layout->columns &&
               layout->line >= int64_t(layout->rows);
  for (const Layout *layout : {&c, &d})
    isSound &= layout->rows == rows && layout->columns == columns;
  return isSound;
}

static float activate(float x, uint32_t epilogue) {
  if (epilogue & DYN_CUBLAS_EPILOGUE_RELU)
    return x > 0 || x != x ? x : 0;
  if (epilogue & DYN_CUBLAS_EPILOGUE_GELU)
    return 0.5f * x *
           (1 + std::tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
  return x;
}

/// sums[i] += the sum over k in [begin, end) for a column.
static void accumulate(float *sums, const std::vector<float> &left,
                       const float *column, uint64_t rows, uint64_t begin,
                       uint64_t end) {
  for (uint64_t step = begin; step < end; ++step) {
    const float *from = left.data() + step * rows;
    for (uint64_t i = 0; i < rows; ++i)
      sums[i] += from[i] * column[step];
  }
}

void Gemm::compute(float *parts) const {
  uint64_t depth = getDepth(), rows = d.rows;
  for (int32_t number = 0; number < d.batch; ++number) {
    std::vector<float> factors = read(left, a, number, isTransposedA);
    std::vector<float> others = read(right, b, number, isTransposedB);
    std::vector<float> sums(rows);
    for (uint64_t j = 0; j < d.columns; ++j) {
      const float *column = others.data() + j * depth;
      std::fill(sums.begin(), sums.end(), 0.0f);
      accumulate(sums.data(), factors, column, rows, 0,
                 parts ? depth / 2 : depth);
      if (parts) {
        std::fill(parts, parts + rows, 0.0f);
        accumulate(parts, factors, column, rows, depth / 2, depth);
      }
      for (uint64_t i = 0; i < rows; ++i) {
        float x = alpha * (parts ? sums[i] + parts[i] : sums[i]);
        int64_t at = int64_t(j) * c.line + int64_t(i) + number * c.stride;
        if (beta != 0)
          x += beta * load(addend, at, c.type);
        if (epilogue & DYN_CUBLAS_EPILOGUE_BIAS)
          x += load(bias, int64_t(i), d.type);
        store(result, int64_t(j) * d.line + int64_t(i) + number * d.stride,
              d.type, activate(x, epilogue));
      }
    }
  }
}
