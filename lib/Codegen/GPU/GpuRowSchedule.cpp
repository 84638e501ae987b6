//===- GpuRowSchedule.cpp - Kernels with reductions over adjacent axes ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// RowPlan describes the passes over a row. A row is computed by a part of a
// warp, a warp, some warps or the block, so that all threads have work, and
// enough of it to pay for combining sums. A thread loads an operand before the
// first pass that needs it; later passes find elements in registers, like those
// that an earlier pass keeps. Only rows that are longer than that are read
// again by each pass.
//
// A thread's partial sum is combined with those of its warp by a butterfly, in
// which each lane ends with the same bits, and those of the warps through
// shared memory, in the order of the warps. The width alone selects a version,
// and so the order.
//
// A column is a row whose elements are not next to each other. The elements
// with one index in columns side by side are, and so are the threads that
// access them: the threads of a column are as far apart as a block has columns.

#include "GpuSchedule.h"
#include "GpuThread.h"
#include "WidthVersions.h"

#include "Codegen/Common/Elements/ElementEmitter.h"

#include "Codegen/Common/Elements/OpEmitters.h"
#include "Codegen/Common/Problems/Row.h"
#include "Codegen/Common/Problems/RowPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

namespace {
/// A version of the code, for rows of some widths.
struct RowVersion {
  StringRef name;
  int64_t threads; ///< of a row
  /// The maximum number of elements of a thread, for rows that stay in
  /// registers; else those of an iteration of its loop.
  int64_t elements;
  bool isLong = false;
  /// The name for widths that turn out to be a multiple of wide accesses; null
  /// if these gain nothing.
  const char *wideName = nullptr;
  int64_t width = 1; ///< elements of an access
  int64_t apart = 1; ///< the distance between the threads of a row

  int64_t getRowsOfBlock() const { return kBlockThreads / threads; }
};

constexpr RowVersion kVersions[] = {
    {"$part", kWarp / 4, 8},
    {"$warp", kWarp, 16},
    {"$warps", kBlockThreads / 2, 16, false, "$wide_warps"},
    {"$block", kBlockThreads, 32, false, "$wide_block"},
    {"$long", kBlockThreads, 8, true, "$wide_long"}};

// A warp accesses at least eight adjacent elements, the least that devices
// transfer of 32 bits.
constexpr int64_t kColumns = 8;
constexpr RowVersion kColumnVersions[] = {
    {"$thread", 1, 16},
    {"$warps", kBlockThreads / kWarp, 16},
    {"$block", kBlockThreads / kColumns, 16},
    {"$long", kBlockThreads / kColumns, 8, true}};

/// Consecutive elements of a row that a thread accesses at once.
struct Access {
  OpFoldResult column;
  Value isInside; ///< null if always true
};

/// The dimensions that number the rows.
SmallVector<DimExpr> getRowExtents(const RowPlan &plan) {
  return llvm::to_vector(llvm::concat<const DimExpr>(plan.rows, plan.behind));
}

/// Emits the code of a thread for one row.
class RowEmitter {
public:
  /// For a version's row `number`, with as many threads, in which this one is
  /// `lane`. `isValid` is null if always true.
  RowEmitter(KernelBuilder &b, const RowPlan &plan, const RowVersion &version,
             OpFoldResult number, OpFoldResult lane, Value isValid)
      : b(b), plan(plan), version(version), width(version.width), lane(lane),
        isValid(isValid),
        row(b, getRowExtents(plan), delinearize(b, number, getRowExtents(plan)),
            /*number=*/0) {}

  void emit();

private:
  /// A thread's accesses from a column on.
  SmallVector<Access> getAccesses(OpFoldResult column);
  /// Loads the operands that this pass needs and no earlier one did.
  void loadOperands(const RowPass &pass, ArrayRef<Access> accesses);
  void emitPass(const RowPass &pass, ArrayRef<Access> accesses);
  /// Emits a pass at an access; returns the values to reduce.
  SmallVector<Value> emitAccess(const RowPass &pass, const Access &access);
  /// The results of `body`, of these types, where an access is inside; else
  /// `otherwise`.
  SmallVector<Value> ifInside(const Access &access, ValueRange otherwise,
                              llvm::function_ref<SmallVector<Value>()> body);
  /// From now on, the value at an access is the held one.
  void provideHeld(Value v);
  /// Combines the partial results of all threads of a row.
  Value combineParts(dhlo::ReduceOp op, Value part);

  Value getZero(Value v) {
    Type type =
        KernelBuilder::laneType(getComputeType(getElementTypeOrSelf(v)), width);
    return arith::ConstantOp::create(b, b.getZeroAttr(type));
  }
  Position getPosition(const Access &access) {
    Position position = row.position;
    position.insert(position.begin() + plan.rows.size(),
                    {plan.width, width > 1
                                     ? row.emitter.lanes(access.column)
                                     : row.emitter.uniform(access.column)});
    return position;
  }

  KernelBuilder &b;
  const RowPlan &plan;
  const RowVersion &version;
  int64_t width; ///< elements of an access
  OpFoldResult lane;
  Value isValid;
  Row row;
  /// Elements in registers, one per access.
  llvm::DenseMap<Value, SmallVector<Value>> held;
  const Access *current = nullptr;
  size_t currentNumber = 0;
};

class GpuRowSchedule : public GpuSchedule {
public:
  GpuRowSchedule(RowPlan plan, const GpuInfo &gpu)
      : plan(std::move(plan)), gpu(gpu) {}

  LogicalResult match(dlhlo::KernelOp kernel,
                      const SymbolicDims &dims) override;
  SmallVector<StringRef> getVersions() override {
    if (isDeviceChoosing())
      return {"$found"};
    return llvm::map_to_vector(versions, [](RowVersion v) { return v.name; });
  }
  // A data-dependent size stays in a register.
  int32_t getLeastBlocks() override { return findsSizes ? 5 : 0; }
  OpFoldResult emitVersion(KernelBuilder &b) override {
    return isDeviceChoosing() ? b.constant(0) : chooseVersion(b);
  }
  OpFoldResult emitBlocks(KernelBuilder &b, int64_t version) override;
  void emitBody(KernelBuilder &b, int64_t version) override;

private:
  bool isOfColumns() const { return !plan.behind.empty(); }
  /// Whether the device selects the version of a row, after a width is found. A
  /// block has as many rows in every version then: one.
  bool isDeviceChoosing() const { return isFound && !isOfColumns(); }
  ArrayRef<RowVersion> getAllVersions() const {
    if (!isOfColumns())
      return kVersions;
    ArrayRef<RowVersion> all = kColumnVersions;
    return isFound ? all.take_back() : all;
  }
  OpFoldResult getRows(KernelBuilder &b) {
    OpFoldResult rows = b.constant(1);
    for (DimExpr extent : getRowExtents(plan))
      rows = b.mul(rows, b.size(extent));
    return rows;
  }
  void addVersions(dlhlo::KernelOp kernel, int64_t width);
  void addWideVersions(int64_t width);
  /// The index of the version for the width.
  OpFoldResult chooseVersion(KernelBuilder &b);

  RowPlan plan;
  const GpuInfo &gpu;
  /// Wide versions are last.
  SmallVector<RowVersion> versions;
  size_t numWide = 0;
  bool findsSizes = false;
  /// Whether the width is data-dependent.
  bool isFound = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

LogicalResult GpuRowSchedule::match(dlhlo::KernelOp kernel,
                                    const SymbolicDims &dims) {
  Block &block = kernel.getBody().front();
  if (failed(checkOperations(kernel)))
    return failure();
  int64_t bytes = 1;
  for (Value v : llvm::concat<Value>(
           SmallVector<Value>(block.getArguments()),
           SmallVector<Value>(block.getTerminator()->getOperands())))
    if (plan.isFull(v))
      bytes = std::max(bytes, getElementBytes(v));
  findsSizes = !block.getOps<dhlo::BindOp>().empty();
  isFound = isFoundInData(plan.width, dims);
  if (isOfColumns()) {
    addVersions(kernel, /*width=*/1);
    return success();
  }
  int64_t widest =
      std::clamp<int64_t>(CodegenOptions::kDeviceAlignment / bytes, 1, 8);
  int64_t width = widest;
  while (!dims.isMultipleOf(plan.width, width))
    width /= 2;
  addVersions(kernel, width);
  if (width < widest && !dhlo::getConstantValue(plan.width))
    addWideVersions(widest);
  return success();
}

void GpuRowSchedule::addVersions(dlhlo::KernelOp kernel, int64_t width) {
  std::optional<int64_t> known = dhlo::getConstantValue(plan.width);
  int64_t values = plan.slots.size() +
                   llvm::count_if(kernel.getBody().getArguments(),
                                  [&](Value v) { return plan.isFull(v); });
  for (RowVersion version : getAllVersions()) {
    version.width = width;
    if (isOfColumns())
      version.apart = version.getRowsOfBlock();
    if (version.isLong) {
      versions.push_back(version);
      return;
    }
    int64_t most = std::min(version.elements,
                            gpu.rowHeldElements / std::max<int64_t>(values, 1));
    version.elements = std::max(most / width, int64_t(1)) * width;
    bool isEnough = known && *known <= version.threads * version.elements;
    if (!known || isEnough)
      versions.push_back(version);
    if (isEnough)
      break;
  }
  // Of the ways to distribute a static width, the one with the smallest
  // remainder, with the most threads.
  RowVersion &only = versions.back();
  int64_t most = only.elements, minimum = INT64_MAX, threads = only.threads;
  for (int64_t count = threads; count >= std::min(threads, kWarp); count /= 2) {
    int64_t elements = llvm::divideCeil(*known, count * width) * width;
    if (elements > most || count * elements >= minimum)
      continue;
    minimum = count * elements;
    only.threads = count;
    only.elements = elements;
  }
}

void GpuRowSchedule::addWideVersions(int64_t width) {
  for (RowVersion version : SmallVector<RowVersion>(versions)) {
    if (!version.wideName)
      continue;
    version.name = version.wideName;
    version.width = width;
    version.elements = std::max(version.elements / width, int64_t(1)) * width;
    versions.push_back(version);
    ++numWide;
  }
}

OpFoldResult GpuRowSchedule::chooseVersion(KernelBuilder &b) {
  OpFoldResult columns = b.size(plan.width), version = b.constant(0);
  auto narrow = ArrayRef(versions).drop_back(numWide);
  for (auto [i, v] : llvm::enumerate(narrow.drop_back())) {
    Value isWider =
        b.cmp(CmpIPredicate::sgt, columns, b.constant(v.threads * v.elements));
    version = b.select(isWider, b.constant(i + 1), version);
  }
  if (numWide == 0)
    return version;
  // The versions for the longest rows have wide ones.
  Value isWide =
      b.cmp(CmpIPredicate::eq,
            b.rem(columns, b.constant(versions.back().width)), b.constant(0));
  Value hasWide =
      b.cmp(CmpIPredicate::sge, version, b.constant(narrow.size() - numWide));
  return b.select(arith::AndIOp::create(b, isWide, hasWide),
                  b.add(version, b.constant(numWide)), version);
}

OpFoldResult GpuRowSchedule::emitBlocks(KernelBuilder &b, int64_t version) {
  OpFoldResult rows = getRows(b);
  if (isDeviceChoosing())
    return rows;
  return b.ceilDiv(rows, b.constant(versions[version].getRowsOfBlock()));
}

void GpuRowSchedule::emitBody(KernelBuilder &b, int64_t number) {
  GpuThread self(b);
  OpFoldResult thread = self.getThread(), block = self.getBlock();
  auto emitRow = [&](const RowVersion &version, OpFoldResult row,
                     Value isValid) {
    b.assumeMultipleOf(plan.width, version.width);
    OpFoldResult lane = b.rem(b.div(thread, b.constant(version.apart)),
                              b.constant(version.threads));
    RowEmitter(b, plan, version, row, lane, isValid).emit();
  };
  if (!isDeviceChoosing()) {
    const RowVersion &version = versions[number];
    if (version.threads == kBlockThreads)
      return emitRow(version, block, /*isValid=*/{});
    OpFoldResult first = b.mul(block, b.constant(version.getRowsOfBlock()));
    OpFoldResult row = b.add(
        first, isOfColumns() ? b.rem(thread, b.constant(version.apart))
                             : b.div(thread, b.constant(version.threads)));
    return emitRow(version, row, b.cmp(CmpIPredicate::slt, row, getRows(b)));
  }
  // A block has one row, and selects the version that the host would have
  // selected.
  OpFoldResult chosen = chooseVersion(b);
  for (auto [i, version] : llvm::enumerate(versions))
    b.ifThen(b.cmp(CmpIPredicate::eq, chosen, b.constant(i)), [&] {
      // Wide versions are last, so that only they are emitted under what is
      // assumed of them.
      Value isValid;
      if (version.threads < kBlockThreads)
        isValid =
            b.cmp(CmpIPredicate::slt, thread, b.constant(version.threads));
      emitRow(version, block, isValid);
    });
}

//===----------------------------------------------------------------------===//
// A row
//===----------------------------------------------------------------------===//

SmallVector<Access> RowEmitter::getAccesses(OpFoldResult column) {
  OpFoldResult columns = b.size(plan.width);
  std::optional<int64_t> known = getConstantIntValue(columns);
  SmallVector<Access> accesses;
  for (int64_t done = 0; done < version.elements; done += width) {
    Access &access = accesses.emplace_back();
    access.column = b.add(column, b.constant(done * version.threads));
    access.isInside = isValid;
    if (!version.isLong && known && *known >= (done + width) * version.threads)
      continue;
    access.isInside = b.cmp(CmpIPredicate::slt, access.column, columns);
    if (isValid)
      access.isInside = arith::AndIOp::create(b, access.isInside, isValid);
  }
  return accesses;
}

SmallVector<Value>
RowEmitter::ifInside(const Access &access, ValueRange otherwise,
                     llvm::function_ref<SmallVector<Value>()> body) {
  return access.isInside ? b.valuesIf(access.isInside, otherwise, body)
                         : body();
}

void RowEmitter::provideHeld(Value v) {
  row.emitter.provide(
      v, [this, v](const Position &position, int64_t lanes) -> Value {
        bool isHeld = current && lanes == width &&
                      isSamePosition(b, position, getPosition(*current));
        return isHeld ? held[v][currentNumber] : Value();
      });
}

void RowEmitter::loadOperands(const RowPass &pass, ArrayRef<Access> accesses) {
  // The operands that are read at the row's own positions, up to values that
  // are held.
  llvm::SetVector<Value> operands;
  llvm::DenseSet<Value> seen;
  SmallVector<Value> left(pass.kept);
  for (dhlo::ReduceOp reduce : pass.reductions)
    left.push_back(reduce.getOperand());
  for (int64_t i : pass.results)
    left.push_back(b.getResults()[i]);
  while (!left.empty()) {
    Value v = left.pop_back_val();
    if (!seen.insert(v).second || held.contains(v) || !plan.isFull(v))
      continue;
    Operation *op = v.getDefiningOp();
    if (!op)
      operands.insert(v);
    else if (op->hasTrait<dhlo::Elementwise>() || isa<dhlo::ReshapeOp>(op))
      llvm::append_range(left, op->getOperands());
  }
  for (const Access &access : accesses) {
    SmallVector<Value> zeros =
        llvm::map_to_vector(operands, [&](Value v) { return getZero(v); });
    SmallVector<Value> loaded = ifInside(access, zeros, [&] {
      return llvm::map_to_vector(operands, [&](Value v) {
        return row.emitter.emit(v, getPosition(access), width);
      });
    });
    for (auto [operand, value] : llvm::zip_equal(operands, loaded))
      held[operand].push_back(value);
  }
  for (Value operand : operands)
    provideHeld(operand);
}

SmallVector<Value> RowEmitter::emitAccess(const RowPass &pass,
                                          const Access &access) {
  ElementEmitter &e = row.emitter;
  Position position = getPosition(access);
  SmallVector<Value> values, results;
  for (dhlo::ReduceOp reduce : pass.reductions)
    values.push_back(e.emit(reduce.getOperand(), position, width));
  if (!version.isLong)
    for (Value kept : pass.kept)
      values.push_back(e.emit(kept, position, width));
  for (int64_t i : pass.results)
    results.push_back(e.emit(b.getResults()[i], position, width));
  for (auto [i, value] : llvm::zip_equal(pass.results, results))
    e.store(value, i, position, width);
  return values;
}

/// Combines `lhs` and `rhs` of a reduction.
static Value combineIn(KernelBuilder &b, dhlo::ReduceOp op, Value lhs,
                       Value rhs) {
  return combine(b, op.getKind(), getElementTypeOrSelf(op.getOperand()), lhs,
                 rhs);
}

Value RowEmitter::combineParts(dhlo::ReduceOp op, Value part) {
  if (version.threads == 1)
    return part;
  GpuThread self(b);
  // The threads of these rows are next to each other, so many warps or a part.
  int64_t threads = version.threads * version.apart;
  for (int64_t distance = std::min(threads, kWarp) / 2;
       distance >= version.apart; distance /= 2)
    part = combineIn(b, op, part, self.exchange(part, distance));
  if (threads <= kWarp)
    return part;
  // A warp has a part of each of its rows.
  int64_t rows = std::min(version.apart, kWarp), warps = threads / kWarp;
  constexpr int64_t kWarps = kBlockThreads / kWarp;
  Type type = getComputeType(getElementTypeOrSelf(op.getOperand()));
  Value parts = self.getShared(getStorageType(type), kWarps * rows);
  OpFoldResult thread = self.getThread();
  OpFoldResult warp = b.div(thread, b.constant(kWarp));
  OpFoldResult inWarp = b.rem(thread, b.constant(kWarp));
  OpFoldResult row = b.rem(thread, b.constant(rows));
  auto storePart = [&] {
    b.store(part, parts, b.add(b.mul(warp, b.constant(rows)), row), type, 1);
  };
  if (rows == kWarp)
    storePart();
  else
    b.ifThen(b.cmp(CmpIPredicate::slt, inWarp, b.constant(rows)), storePart);
  self.barrier();
  OpFoldResult first = b.add(
      b.mul(b.div(thread, b.constant(threads)), b.constant(warps * rows)), row);
  Value result = b.load(parts, first, type, 1);
  for (int64_t i = 1; i < warps; ++i)
    result =
        combineIn(b, op, result,
                  b.load(parts, b.add(first, b.constant(i * rows)), type, 1));
  return result;
}

void RowEmitter::emitPass(const RowPass &pass, ArrayRef<Access> accesses) {
  if (pass.reductions.empty() && pass.results.empty())
    return;
  SmallVector<Value> neutrals;
  for (dhlo::ReduceOp reduce : pass.reductions)
    neutrals.push_back(neutral(
        b, reduce.getKind(), getElementTypeOrSelf(reduce.getOperand()), width));
  auto addAccesses = [&](ArrayRef<Access> accesses, MutableArrayRef<Value> to) {
    loadOperands(pass, accesses);
    SmallVector<Value> otherwise = neutrals;
    if (!version.isLong)
      for (Value kept : pass.kept)
        otherwise.push_back(getZero(kept));
    for (auto [number, access] : llvm::enumerate(accesses)) {
      current = &access;
      currentNumber = number;
      SmallVector<Value> values =
          ifInside(access, otherwise, [&] { return emitAccess(pass, access); });
      for (auto [reduce, sum, value] :
           llvm::zip_first(pass.reductions, to, values))
        sum = combineIn(b, reduce, sum, value);
      for (auto [kept, value] :
           llvm::zip(pass.kept, ArrayRef(values).drop_front(to.size())))
        held[kept].push_back(value);
    }
    current = nullptr;
  };
  SmallVector<Value> parts = neutrals;
  if (version.isLong) {
    parts = b.loop(b.mul(lane, b.constant(width)), b.size(plan.width),
                   version.threads * version.elements, parts,
                   [&](Value column, ValueRange carried) {
                     SmallVector<Value> next(carried);
                     addAccesses(getAccesses(column), next);
                     return next;
                   });
    held.clear();
  } else {
    addAccesses(accesses, parts);
    for (Value kept : pass.kept)
      provideHeld(kept);
  }
  for (auto [reduce, part] : llvm::zip_equal(pass.reductions, parts)) {
    auto join = [&, op = reduce](Value lhs, Value rhs) {
      return combineIn(b, op, lhs, rhs);
    };
    Location loc = b.getLoc();
    b.setLoc(reduce->getLoc());
    Value own = width > 1 ? combineLanes(b, part, join).front() : part;
    Value result = combineParts(reduce, own);
    b.setLoc(loc);
    row.emitter.provide(
        reduce->getResult(0),
        [this, result](const Position &position, int64_t lanes) -> Value {
          return isSamePosition(b, position, row.position)
                     ? b.splat(result, lanes)
                     : Value();
        });
  }
}

void RowEmitter::emit() {
  SmallVector<Access> accesses;
  if (!version.isLong)
    accesses = getAccesses(b.mul(lane, b.constant(width)));
  for (const RowPass &pass : plan.passes)
    emitPass(pass, accesses);
  if (plan.rowResults.empty())
    return;
  Value isFirst = b.cmp(CmpIPredicate::eq, lane, b.constant(0));
  if (isValid)
    isFirst = arith::AndIOp::create(b, isFirst, isValid);
  b.ifThen(isFirst, [&] {
    for (int64_t i : plan.rowResults)
      row.emitter.store(row.emitter.emit(b.getResults()[i], row.position, 1), i,
                        row.position, 1);
  });
}

std::unique_ptr<GpuSchedule> dyn::createGpuRowSchedule(RowPlan plan,
                                                       const GpuInfo &gpu) {
  return std::make_unique<GpuRowSchedule>(std::move(plan), gpu);
}
