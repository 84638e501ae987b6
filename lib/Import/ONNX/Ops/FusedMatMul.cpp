//===- FusedMatMul.cpp - Matmuls of ONNX Runtime --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Matmuls with fused producers and consumers: com.microsoft, set 1.

#include "Activations.h"
#include "Contraction.h"

#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::onnx;

namespace {

/// An operand of the matmul. Transposing its batch moves axis 0 after the
/// others but the last.
Value arrange(OpContext &c, Value x, bool isTransposed, bool movesBatch) {
  Emitter &e = c.e;
  int64_t rank = x ? e.rank(x) : 0;
  if (rank < 2)
    return x;
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < rank; ++i)
    order.push_back(i);
  if (movesBatch)
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (isTransposed)
    std::swap(order[rank - 2], order[rank - 1]);
  return llvm::is_sorted(order) ? x : e.transpose(x, order);
}

Value multiply(OpContext &c) {
  Emitter &e = c.e;
  auto flag = [&](StringRef name) { return c.getInt(name, 0) != 0; };
  bool transA = flag("transA"), transB = flag("transB");
  bool batchA = flag("transBatchA"), batchB = flag("transBatchB");
  double alpha = c.getFloat("alpha", 1);
  Value a = c.in(0), b = c.in(1);
  if (!a || !b)
    return {};
  a = arrange(c, a, transA, batchA);
  // Transposed weights are multiplied in place.
  Value y = transB && !batchB && e.rank(b) == 2 && e.rank(a) >= 2
                ? e.dot(a, b, 0, {e.rank(a) - 1}, {1})
                : matmul(c, a, arrange(c, b, transB, batchB));
  return alpha == 1 ? y : e.mul(y, alpha);
}

LogicalResult importFusedMatMul(OpContext &c) { return c.result(multiply(c)); }

LogicalResult importFusedMatMulActivation(OpContext &c) {
  return c.result(applyFusedActivation(c, multiply(c)));
}

LogicalResult importFusedGemm(OpContext &c) {
  return c.result(applyFusedActivation(c, gemm(c)));
}

LogicalResult importGemmFastGelu(OpContext &c) {
  Value y = matmul(c, c.in(0), c.in(1));
  if (c.has(2))
    y = c.e.add(y, c.in(2));
  return c.result(gelu(c.e, y, dhlo::GeluKind::Tanh));
}

} // namespace

void onnx::registerFusedMatMul(OpRegistry &r) {
  r.add(kMicrosoft, "FusedMatMul", {1, importFusedMatMul});
  r.add(kMicrosoft, "TransposeMatMul", {1, importFusedMatMul});
  r.add(kMicrosoft, "FusedMatMulActivation", {1, importFusedMatMulActivation});
  r.add(kMicrosoft, "FusedGemm", {1, importFusedGemm});
  r.add(kMicrosoft, "GemmFastGelu", {1, importGemmFastGelu});
}
