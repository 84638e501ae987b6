//===- MmaAttentionSchedule.cpp - Attention by tensor cores ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Flash attention as in FmaAttentionSchedule.cpp, of f16 or bf16. A block has
// 128 rows, a warp 16 of them and all keys of a step: its scores are
// accumulators of mma.sync, whose lanes hold pairs of consecutive elements. As
// weights, these have the layout of the instruction's A operand in the matmul
// with V. So weights stay in registers, as queries do, and the warps
// synchronise only to load keys and values.
//
// A dot product of a query and a key may take their elements in any order: a
// lane has eight consecutive ones of each, where two steps of the instruction
// would have four pairs. So it reads keys in full-width accesses. Two
// consecutive keys, of which eight lanes read a part, begin in different halves
// of the banks.
//
// Values are stored key by key, too, and ldmatrix transposes them. Their pitch
// is four words more than their elements: those of eight keys lie in 32 banks.
//
// Warps without rows, as all but one in decoding, only load.

#include "Codegen/GPU/Gemm/MmaInstruction.h"
#include "Codegen/GPU/GpuThread.h"
#include "Codegen/GPU/ShareWork.h"
#include "GpuAttentionSchedule.h"
#include "OnlineSoftmax.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

namespace {
/// Rows of a warp and of a block.
constexpr int64_t kWarpRows = MmaInstruction::kRows;
constexpr int64_t kRows = kBlockThreads / kWarp * kWarpRows;
/// Keys that are in shared memory at once.
constexpr int64_t kKeys = 64;
/// Keys of a step of the online softmax: their scores fit in registers.
constexpr int64_t kStepKeys = 32;
/// Elements that a thread loads at once.
constexpr int64_t kWide = 8;
/// Rows of which a thread has scores.
constexpr int64_t kOwnRows = 2;

/// Emits the code of a thread.
class ThreadEmitter {
public:
  ThreadEmitter(KernelBuilder &b, AttentionProblem &problem);
  void emit();

private:
  /// The head size of Q and K, and of V: multiples of an instruction's.
  int64_t getDepth() {
    return problem.getOp().getQuery().getType().getDimSize(3);
  }
  int64_t getWidth() { return problem.getWidth(); }
  /// The pitch of keys in shared memory.
  int64_t getKeyPitch() {
    // Elements of 16 bits in all banks.
    constexpr int64_t kAll = 64, kHalf = kAll / 2;
    int64_t depth = getDepth();
    return depth < kHalf ? depth : llvm::alignTo(depth - kHalf, kAll) + kHalf;
  }
  int64_t getValuePitch() { return getWidth() + kWide; }

  /// Copies keys or values to shared memory.
  void fill(Value shared, OpFoldResult firstKey, int64_t length, int64_t pitch,
            llvm::function_ref<Value(OpFoldResult key, OpFoldResult step)>
                emitElements);
  /// The lane's rows as A operands, for each instruction along the head size.
  SmallVector<Value> emitQueries();
  /// Calls `body` with the start of a lane's elements, their number and the
  /// index of the first instruction that takes them.
  void forElements(
      llvm::function_ref<void(OpFoldResult at, int64_t count, int64_t step)>
          body);
  /// Consecutive stored elements, as pairs.
  SmallVector<Value> getPairs(Value stored);

  /// Accumulates the weighted values of all keys in shared memory into
  /// `carried`.
  SmallVector<Value> accumulate(Value firstKey, ValueRange queries,
                                ValueRange carried);
  // Of kStepKeys keys from `firstKey` on, at `line` in shared memory:
  /// The dot products of the warp's rows with them.
  SmallVector<Value> emitDots(OpFoldResult line, ValueRange queries);
  /// The weights of the warp's rows as A operands, four pairs for each 16 keys;
  /// rescales the partial results.
  SmallVector<Value> emitWeights(OpFoldResult firstKey, ValueRange dots,
                                 SoftmaxRows &rows);
  void emitValues(OpFoldResult line, ValueRange weights, SoftmaxRows &rows);
  void emitResult(int64_t number, SoftmaxRows &rows);
  /// The results of `body`, if the warp has rows; else `values`.
  SmallVector<Value> ifHasRows(ValueRange values,
                               llvm::function_ref<SmallVector<Value>()> body);

  static SoftmaxRows split(ValueRange all) {
    return SoftmaxRows::split(all, kOwnRows, MmaInstruction::kRowLanes);
  }
  /// The lane's rows: g and g + 8 of the warp's.
  OpFoldResult getRowNumber(int64_t number) {
    return b.add(b.add(warpRow, mma.g),
                 b.constant(number * MmaInstruction::kRowStep));
  }

  KernelBuilder &b;
  AttentionProblem &problem;
  GpuThread self;
  Type element, f32;
  MmaInstruction mma;
  Value keyLines, valueLines; ///< in shared memory
  AttentionProblem::Matrix matrix;
  OpFoldResult first, warpRow; ///< first rows of the block and the warp
};

class MmaAttentionSchedule : public GpuSchedule {
public:
  explicit MmaAttentionSchedule(AttentionProblem problem) : problem(problem) {}

  LogicalResult match(dlhlo::KernelOp, const SymbolicDims &) override {
    return success();
  }
  OpFoldResult emitBlocks(KernelBuilder &b, int64_t) override {
    return b.mul(problem.getMatrices(b),
                 b.ceilDiv(problem.getRows(b), b.constant(kRows)));
  }
  void emitBody(KernelBuilder &b, int64_t version) override {
    // Two blocks per multiprocessor, with 128 registers per thread: while one
    // loads, the other multiplies. Wider heads do not fit.
    int64_t depth = problem.getOp().getQuery().getType().getDimSize(3);
    if (std::max(depth, problem.getWidth()) <= 64)
      b.getFunction()->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                               b.getI32IntegerAttr(2));
    ThreadEmitter(b, problem).emit();
  }

private:
  AttentionProblem problem;
};
} // namespace

ThreadEmitter::ThreadEmitter(KernelBuilder &b, AttentionProblem &problem)
    : b(b), problem(problem), self(b),
      element(problem.getOp().getType().getElementType()), f32(b.getF32Type()),
      mma(b, element) {
  Type storage = getStorageType(element);
  keyLines = self.getShared(storage, kKeys * getKeyPitch());
  valueLines = self.getShared(storage, kKeys * getValuePitch());
  OpFoldResult block = self.getBlock();
  OpFoldResult blocks = b.ceilDiv(problem.getRows(b), b.constant(kRows));
  matrix = problem.getMatrix(b, b.div(block, blocks));
  first = b.mul(b.rem(block, blocks), b.constant(kRows));
  warpRow =
      b.mul(b.div(self.getThread(), b.constant(kWarp)), b.constant(kWarpRows));
}

SmallVector<Value>
ThreadEmitter::ifHasRows(ValueRange values,
                         llvm::function_ref<SmallVector<Value>()> body) {
  Value hasRows =
      b.cmp(CmpIPredicate::slt, b.add(first, warpRow), problem.getRows(b));
  return b.valuesIf(hasRows, values, body);
}

//===----------------------------------------------------------------------===//
// Loads to shared memory
//===----------------------------------------------------------------------===//

void ThreadEmitter::fill(
    Value shared, OpFoldResult firstKey, int64_t length, int64_t pitch,
    llvm::function_ref<Value(OpFoldResult, OpFoldResult)> emitElements) {
  // A quarter of a warp writes 64 elements at once. Where these span several
  // keys, keys in different banks are chosen.
  constexpr int64_t kLines = 8;
  int64_t together =
      pitch == length ? 1 : std::max<int64_t>(1, kLines * kWide / length);
  OpFoldResult inLine = b.constant(length / kWide);
  shareWork(b, kKeys * length / kWide, [&](OpFoldResult number) {
    OpFoldResult step = b.mul(b.rem(number, inLine), b.constant(kWide));
    OpFoldResult line = b.div(number, inLine), all = b.constant(kLines);
    OpFoldResult count = b.constant(together);
    OpFoldResult ofEight = b.rem(line, all);
    line =
        b.add(b.sub(line, ofEight),
              b.add(b.mul(b.rem(ofEight, count), b.constant(kLines / together)),
                    b.div(ofEight, count)));
    OpFoldResult key = b.add(firstKey, line);
    Value isInside = b.cmp(CmpIPredicate::slt, key, problem.getKeys(b));
    Value stored = self.emitStored(isInside, element, kWide,
                                   [&] { return emitElements(key, step); });
    self.storeShared(stored, shared,
                     b.add(b.mul(line, b.constant(pitch)), step));
  });
}

//===----------------------------------------------------------------------===//
// Scores, weights, values
//===----------------------------------------------------------------------===//

void ThreadEmitter::forElements(
    llvm::function_ref<void(OpFoldResult, int64_t, int64_t)> body) {
  constexpr int64_t kDepth = MmaInstruction::kDepth;
  for (int64_t done = 0; done < getDepth();) {
    int64_t steps = getDepth() - done >= 2 * kDepth ? 2 : 1;
    int64_t count = steps * kDepth / MmaInstruction::kRowLanes;
    body(b.add(b.mul(mma.t, b.constant(count)), b.constant(done)), count,
         done / kDepth);
    done += steps * kDepth;
  }
}

SmallVector<Value> ThreadEmitter::getPairs(Value stored) {
  SmallVector<Value> pairs;
  int64_t count = cast<VectorType>(stored.getType()).getNumElements() / 2;
  Value words = vector::BitCastOp::create(
      b, VectorType::get({count}, b.getI32Type()), stored);
  for (int64_t i = 0; i < count; ++i)
    pairs.push_back(mma.toPair(vector::ExtractOp::create(b, words, i)));
  return pairs;
}

SmallVector<Value> ThreadEmitter::emitQueries() {
  SmallVector<Value> queries(getDepth() / MmaInstruction::kDepth * 4);
  for (int64_t r = 0; r < kOwnRows; ++r) {
    OpFoldResult number = b.add(first, getRowNumber(r));
    Value isInside = b.cmp(CmpIPredicate::slt, number, problem.getRows(b));
    AttentionProblem::Row row = problem.getRow(b, matrix, number);
    forElements([&](OpFoldResult at, int64_t count, int64_t step) {
      Value stored = self.emitStored(isInside, element, count, [&] {
        return problem.emitQuery(b, row, at, count);
      });
      SmallVector<Value> pairs = getPairs(stored);
      for (auto [i, pair] : llvm::enumerate(pairs))
        queries[(step + i / 2) * 4 + i % 2 * kOwnRows + r] = pair;
    });
  }
  return queries;
}

SmallVector<Value> ThreadEmitter::emitDots(OpFoldResult line,
                                           ValueRange queries) {
  using Mma = MmaInstruction;
  SmallVector<Value> sums;
  for (int64_t i = 0; i < kStepKeys; i += Mma::kColumns) {
    OpFoldResult key = b.add(b.add(line, mma.g), b.constant(i));
    SmallVector<Value> next(4, b.number(0, f32));
    forElements([&](OpFoldResult at, int64_t count, int64_t step) {
      OpFoldResult offset = b.add(b.mul(key, b.constant(getKeyPitch())), at);
      SmallVector<Value> rhs =
          getPairs(self.loadShared(keyLines, offset, b.getI16Type(), count));
      for (size_t j = 0; j < rhs.size(); j += 2)
        next = mma.multiply(queries.slice((step + j / 2) * 4, 4),
                            ValueRange(rhs).slice(j, 2), next);
    });
    sums.append(next);
  }
  return sums;
}

SmallVector<Value> ThreadEmitter::emitWeights(OpFoldResult firstKey,
                                              ValueRange dots,
                                              SoftmaxRows &rows) {
  OpFoldResult last = b.sub(problem.getRows(b), b.constant(1));
  OpFoldResult lastKey = b.sub(problem.getKeys(b), b.constant(1));
  SmallVector<Value> weights[kOwnRows];
  for (int64_t r = 0; r < kOwnRows; ++r) {
    // Rows and keys past the end are clamped to the last ones.
    AttentionProblem::Row at =
        problem.getRow(b, matrix, b.min(b.add(first, getRowNumber(r)), last));
    OpFoldResult seen = problem.getSeen(b, at);
    SmallVector<Value> scores;
    for (size_t i = 0; i < dots.size(); i += 4)
      for (int64_t j = 0; j < 2; ++j) {
        OpFoldResult key =
            b.add(b.add(firstKey, b.mul(mma.t, b.constant(2))),
                  b.constant(i / 4 * MmaInstruction::kColumns + j));
        Value score =
            problem.emitScore(b, at, b.min(key, lastKey), dots[i + 2 * r + j]);
        scores.push_back(
            arith::SelectOp::create(b, b.cmp(CmpIPredicate::slt, key, seen),
                                    score, b.number(-INFINITY, f32)));
      }
    int64_t count = scores.size();
    auto [ofRow, factor] =
        rows.softmax[r].see(b, vector::FromElementsOp::create(
                                   b, VectorType::get({count}, f32), scores));
    for (int64_t i = 0; i < count; ++i)
      weights[r].push_back(vector::ExtractOp::create(b, ofRow, i));
    for (size_t i = 0; i < rows.sums.size(); i += 4)
      for (int64_t j = 0; j < 2; ++j) {
        Value &sum = rows.sums[i + 2 * r + j];
        sum = arith::MulFOp::create(b, sum, factor);
      }
  }
  SmallVector<Value> pairs;
  for (int64_t i = 0; i < kStepKeys / 4; i += 2)
    for (const SmallVector<Value> &ofRow : weights)
      pairs.push_back(mma.makePair(ofRow[i], ofRow[i + 1]));
  return pairs;
}

void ThreadEmitter::emitValues(OpFoldResult line, ValueRange weights,
                               SoftmaxRows &rows) {
  constexpr int64_t kMatrix = 8;
  // Each lane passes the address of a row of one of four matrices, which are
  // numbered along the keys first.
  OpFoldResult lane = b.rem(self.getThread(), b.constant(kWarp));
  OpFoldResult matrix = b.constant(kMatrix), two = b.constant(2);
  OpFoldResult number = b.div(lane, matrix);
  OpFoldResult ownLine = b.add(
      line, b.add(b.rem(lane, matrix), b.mul(b.rem(number, two), matrix)));
  OpFoldResult offset = b.add(b.mul(ownLine, b.constant(getValuePitch())),
                              b.mul(b.div(number, two), matrix));
  for (size_t i = 0; i < rows.sums.size(); i += 8)
    for (size_t j = 0; j < weights.size(); j += 4) {
      int64_t key = j / 4 * MmaInstruction::kDepth;
      int64_t column = i / 4 * MmaInstruction::kColumns;
      OpFoldResult at =
          b.add(offset, b.constant(key * getValuePitch() + column));
      SmallVector<Value> words = self.loadMatrices(
          b.address(valueLines, at, getStorageType(element)), 4,
          /*transposes=*/true);
      for (size_t half : {0, 1}) {
        Value rhs[] = {mma.toPair(words[2 * half]),
                       mma.toPair(words[2 * half + 1])};
        MutableArrayRef<Value> sums =
            MutableArrayRef(rows.sums).slice(i + 4 * half, 4);
        llvm::copy(mma.multiply(weights.slice(j, 4), rhs, ValueRange(sums)),
                   sums.begin());
      }
    }
}

void ThreadEmitter::emitResult(int64_t number, SoftmaxRows &rows) {
  // A lane has four of 16 columns, in two halves. Adjacent lanes exchange
  // pairs, and have four consecutive columns.
  constexpr int64_t kEights = 2, kAdjacent = 4;
  Value factor = rows.softmax[number].getFactor(b, problem.emitEmptySum(b));
  OpFoldResult two = b.constant(2);
  Value isOdd = b.cmp(CmpIPredicate::eq, b.rem(mma.t, two), b.constant(1));
  auto choose = [&](Value odd, Value even) -> Value {
    return arith::SelectOp::create(b, isOdd, odd, even);
  };
  SmallVector<Value> results;
  for (size_t i = 0; i < rows.sums.size(); i += 4 * kEights) {
    SmallVector<Value> pairs[2];
    for (int64_t j = 0; j < 2; ++j) {
      Value low = rows.sums[i + 2 * number + j];
      Value high = rows.sums[i + 4 + 2 * number + j];
      Value other = self.exchange(choose(low, high), 1);
      pairs[0].push_back(choose(other, low));
      pairs[1].push_back(choose(high, other));
    }
    pairs[0].append(pairs[1]);
    Value sums = vector::FromElementsOp::create(
        b, VectorType::get({kAdjacent}, f32), pairs[0]);
    results.push_back(
        arith::MulFOp::create(b, sums, b.splat(factor, kAdjacent)));
  }
  OpFoldResult index = b.add(first, getRowNumber(number));
  OpFoldResult firstColumn =
      b.add(b.mul(b.rem(mma.t, two), b.constant(MmaInstruction::kColumns)),
            b.mul(b.div(mma.t, two), b.constant(kAdjacent)));
  b.ifThen(b.cmp(CmpIPredicate::slt, index, problem.getRows(b)), [&] {
    AttentionProblem::Row at = problem.getRow(b, matrix, index);
    for (auto [i, result] : llvm::enumerate(results))
      problem.store(b, at,
                    b.add(firstColumn,
                          b.constant(i * kEights * MmaInstruction::kColumns)),
                    result, kAdjacent);
  });
}

SmallVector<Value> ThreadEmitter::accumulate(Value firstKey, ValueRange queries,
                                             ValueRange carried) {
  return b.loop(b.constant(0), b.constant(kKeys), kStepKeys, carried,
                [&](Value line, ValueRange state) {
                  SoftmaxRows rows = split(state);
                  SmallVector<Value> weights = emitWeights(
                      b.add(firstKey, line), emitDots(line, queries), rows);
                  emitValues(line, weights, rows);
                  return rows.join();
                });
}

void ThreadEmitter::emit() {
  SoftmaxRows rows;
  rows.softmax.assign(kOwnRows, OnlineSoftmax(b, MmaInstruction::kRowLanes));
  rows.sums.assign(getWidth() / MmaInstruction::kColumns * 4, b.number(0, f32));
  SmallVector<Value> queries = emitQueries();
  OpFoldResult end = problem.getSeenByAny(b, first, b.constant(kRows));
  SmallVector<Value> all =
      b.loop(b.constant(0), end, kKeys, rows.join(),
             [&](Value firstKey, ValueRange carried) {
               fill(keyLines, firstKey, getDepth(), getKeyPitch(),
                    [&](OpFoldResult key, OpFoldResult step) {
                      return problem.emitKey(b, matrix, key, step, kWide);
                    });
               fill(valueLines, firstKey, getWidth(), getValuePitch(),
                    [&](OpFoldResult key, OpFoldResult column) {
                      return problem.emitValue(b, matrix, key, column, kWide);
                    });
               self.barrier();
               SmallVector<Value> next = ifHasRows(carried, [&] {
                 return accumulate(firstKey, queries, carried);
               });
               // The next keys overwrite the ones just read.
               self.barrier();
               return next;
             });
  rows = split(all);
  for (int64_t r = 0; r < kOwnRows; ++r)
    emitResult(r, rows);
}

std::unique_ptr<GpuSchedule>
dyn::createMmaAttentionSchedule(AttentionProblem problem) {
  return std::make_unique<MmaAttentionSchedule>(problem);
}
