//===- GpuLoopSchedule.cpp - Kernels computed element by element ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// As on the host, results with the same number of elements are computed
// together over their iteration space (ElementEmitter.h). A thread computes a
// few consecutive elements along the innermost dimension, as many as 16 bytes
// hold, and accesses them at once. Where an innermost size is not always a
// multiple of that, there are two versions: one for calls in which it is, and
// one in which a thread computes one element, so that a warp accesses full
// cache lines in both.

#include "GpuSchedule.h"
#include "GpuThread.h"
#include "WidthVersions.h"

#include "Codegen/Common/Elements/ElementEmitter.h"

#include "Codegen/Common/Elements/OpEmitters.h"
#include "Codegen/Common/Problems/IterationSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

namespace {
class GpuLoopSchedule : public GpuSchedule {
public:
  LogicalResult match(dlhlo::KernelOp kernel,
                      const SymbolicDims &dims) override;
  SmallVector<StringRef> getVersions() override { return versions->getNames(); }
  OpFoldResult emitVersion(KernelBuilder &b) override {
    return versions->emitVersion(b);
  }
  OpFoldResult emitBlocks(KernelBuilder &b, int64_t version) override;
  void emitBody(KernelBuilder &b, int64_t version) override;

private:
  /// Threads along the innermost dimension, and of the group.
  OpFoldResult getLineThreads(KernelBuilder &b, const ResultGroup &group) {
    return b.ceilDiv(b.size(group.space.back()), b.constant(width));
  }
  OpFoldResult getThreads(KernelBuilder &b, const ResultGroup &group) {
    OpFoldResult threads = getLineThreads(b, group);
    for (DimExpr extent : ArrayRef(group.space).drop_back())
      threads = b.mul(threads, b.size(extent));
    return threads;
  }
  void emitGroup(KernelBuilder &b, const ResultGroup &group,
                 OpFoldResult thread);
  void emitElements(KernelBuilder &b, const ResultGroup &group,
                    ArrayRef<OpFoldResult> coordinates, int64_t lanes);

  SmallVector<ResultGroup> groups;
  std::optional<WidthVersions> versions;
  int64_t width = 4; ///< elements of a thread, in the version being emitted
};
} // namespace

LogicalResult GpuLoopSchedule::match(dlhlo::KernelOp kernel,
                                     const SymbolicDims &dims) {
  Block &block = kernel.getBody().front();
  if (failed(checkOperations(kernel)))
    return failure();
  int64_t bytes = 1;
  for (Value argument : block.getArguments())
    bytes = std::max(bytes, getElementBytes(argument));
  for (Value result : block.getTerminator()->getOperands())
    bytes = std::max(bytes, getElementBytes(result));
  groups = getResultGroups(kernel, dims);
  // A one-dimensional space begins aligned, and its end is checked.
  SmallVector<DimExpr> lengths;
  for (const ResultGroup &group : groups)
    if (group.space.size() > 1)
      lengths.push_back(group.space.back());
  versions.emplace(
      lengths,
      std::clamp<int64_t>(CodegenOptions::kDeviceAlignment / bytes, 1, 4),
      dims);
  return success();
}

OpFoldResult GpuLoopSchedule::emitBlocks(KernelBuilder &b, int64_t version) {
  width = versions->getWidths()[version];
  OpFoldResult threads = b.constant(0);
  for (const ResultGroup &group : groups)
    threads = b.add(threads, getThreads(b, group));
  return b.ceilDiv(threads, b.constant(kBlockThreads));
}

void GpuLoopSchedule::emitElements(KernelBuilder &b, const ResultGroup &group,
                                   ArrayRef<OpFoldResult> coordinates,
                                   int64_t lanes) {
  ElementEmitter e(b);
  Position position;
  for (auto [extent, coordinate] : llvm::zip_equal(group.space, coordinates))
    position.push_back({extent, e.uniform(coordinate)});
  if (lanes > 1)
    position.back().index = e.lanes(coordinates.back());
  // Compute all before storing any: a result may reuse an operand's buffer.
  SmallVector<Value> values;
  for (int64_t result : group.results)
    values.push_back(e.emit(b.getResults()[result], position, lanes));
  for (auto [result, value] : llvm::zip_equal(group.results, values))
    e.store(value, result, position, lanes);
}

void GpuLoopSchedule::emitGroup(KernelBuilder &b, const ResultGroup &group,
                                OpFoldResult thread) {
  OpFoldResult extent = b.size(group.space.back());
  OpFoldResult inLine = getLineThreads(b, group);
  SmallVector<OpFoldResult> coordinates = {thread};
  if (group.space.size() > 1) {
    coordinates = delinearize(b, b.div(thread, inLine),
                              ArrayRef(group.space).drop_back());
    coordinates.push_back(b.rem(thread, inLine));
  }
  OpFoldResult first = b.mul(coordinates.back(), b.constant(width));
  coordinates.back() = first;
  bool isFull = group.space.size() > 1 || width == 1 ||
                b.getDims().isMultipleOf(group.space.back(), width);
  if (isFull)
    return emitElements(b, group, coordinates, width);
  OpFoldResult end = b.add(first, b.constant(width));
  b.ifThen(
      b.cmp(CmpIPredicate::sle, end, extent),
      [&] { emitElements(b, group, coordinates, width); },
      [&] {
        b.loop(first, extent, 1, [&](Value i) {
          SmallVector<OpFoldResult> single = coordinates;
          single.back() = i;
          emitElements(b, group, single, 1);
        });
      });
}

void GpuLoopSchedule::emitBody(KernelBuilder &b, int64_t version) {
  width = versions->getWidths()[version];
  versions->assume(b, version);
  OpFoldResult thread = GpuThread(b).getNumber();
  // Each group has its own range of threads.
  OpFoldResult start = b.constant(0);
  for (const ResultGroup &group : groups) {
    OpFoldResult end = b.add(start, getThreads(b, group));
    Value isMine = b.cmp(CmpIPredicate::slt, thread, end);
    if (getConstantIntValue(start) != 0)
      isMine = arith::AndIOp::create(b, isMine,
                                     b.cmp(CmpIPredicate::sge, thread, start));
    b.ifThen(isMine, [&] { emitGroup(b, group, b.sub(thread, start)); });
    start = end;
  }
}

std::unique_ptr<GpuSchedule> dyn::createGpuLoopSchedule() {
  return std::make_unique<GpuLoopSchedule>();
}
