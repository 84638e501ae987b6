//===- FmaAttentionSchedule.cpp - Attention by FMA ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Flash attention: a block has some rows and iterates over keys, 64 at a time:
//
//   x = scale * q k^T + mask      a matmul, kSteps of a head at a time
//   m' = max(m, max x)            the running maximum
//   p = e^(x - m')                weights, in shared memory
//   out = e^(m - m') out + p v    a matmul, kSteps keys at a time
//
// and a row's result is out / sum p. No buffer holds the scores of all keys, so
// one launch handles any number of keys.
//
// Threads form a 16 x 16 grid. A thread has a few consecutive rows, every 16th
// key, so that adjacent threads read adjacent elements of a mask, and
// consecutive columns of values. The 16 threads of a row are half a warp; a
// butterfly reduces the row's maximum.
//
// A thread accumulates the weights of its own keys, a butterfly sums these, and
// the matmuls accumulate in the order of the keys: a row's bits depend on the
// keys alone. A key that a row does not see, because it is masked or past the
// last key, has weight zero and leaves the sums unchanged. So do all keys of a
// row that sees none: its result is zero.
//
// There are two versions, because few rows, as in decoding, do not fill a block
// of many. A row has the same bits in both. Wide heads have a single version,
// whose threads have registers for two rows.

#include "Codegen/GPU/GpuThread.h"
#include "Codegen/GPU/ShareWork.h"
#include "GpuAttentionSchedule.h"
#include "OnlineSoftmax.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

namespace {
/// Threads along rows, and along keys or columns.
constexpr int64_t kSide = 16;
static_assert(kSide * kSide == kBlockThreads, "each thread has its part");
/// Keys of a thread, and of a block.
constexpr int64_t kOwnKeys = 4, kKeys = kSide * kOwnKeys;
/// Steps along a head, or keys, that are in shared memory at once.
constexpr int64_t kSteps = 32;
/// Steps that are unrolled.
constexpr int64_t kUnrolled = 8;
/// Consecutive elements of a head in a sector of 32 bytes.
constexpr int64_t kSector = 8;

/// A group of columns of the result: `width` consecutive ones for each of 16
/// threads.
struct Columns {
  int64_t first, width;
};

/// Emits the code of a thread that has `height` rows.
class ThreadEmitter {
public:
  ThreadEmitter(KernelBuilder &b, AttentionProblem &problem, int64_t height);
  void emit();

private:
  /// Copies kSteps elements of the heads of `lines` queries or keys to shared
  /// memory, step by step; out-of-range elements are zeros.
  void fillSteps(Value shared, int64_t lines, int64_t pitch, OpFoldResult from,
                 llvm::function_ref<Value(OpFoldResult line)> isInside,
                 llvm::function_ref<Value(OpFoldResult line, OpFoldResult step)>
                     emitElements);
  void fillQueries(OpFoldResult from);
  void fillKeys(OpFoldResult firstKey, OpFoldResult from);
  void fillValues(OpFoldResult firstKey);
  /// The dot products of the thread's rows and keys: a vector for each row.
  SmallVector<Value> emitDots(OpFoldResult firstKey);
  /// The scores of a row, from its dot products.
  Value emitScores(int64_t number, OpFoldResult firstKey, Value dots);
  /// Stores the weights of the thread's keys to shared memory.
  void emitWeights(OpFoldResult firstKey, SoftmaxRows &rows);
  /// Accumulates the weighted values of keys before `end`.
  void emitValues(OpFoldResult firstKey, OpFoldResult end, SoftmaxRows &rows);
  void emitResult(int64_t number, SoftmaxRows &rows);

  /// A row of the thread, clamped to the last row.
  AttentionProblem::Row getRow(int64_t number) {
    OpFoldResult last = b.sub(problem.getRows(b), b.constant(1));
    return problem.getRow(b, matrix, b.min(getRowNumber(number), last));
  }
  OpFoldResult getRowNumber(int64_t number) {
    return b.add(b.add(first, row), b.constant(number));
  }
  // The pitch of steps of queries and keys, and of the weights of keys, in
  // elements of shared memory: the elements that a warp, half a warp or a
  // quarter of one accesses at once lie in different banks.
  static constexpr int64_t kKeyPitch = kKeys + 4;
  int64_t getQueryPitch() const { return kSide * height + 4; }
  int64_t getWeightPitch() const {
    return kSide * height + std::max<int64_t>(height, 2);
  }
  /// Columns of a key's values in shared memory.
  int64_t getValuePitch() const {
    return llvm::alignTo(problem.getWidth(), kSide);
  }

  KernelBuilder &b;
  AttentionProblem &problem;
  GpuThread self;
  int64_t height;
  SmallVector<Columns> columns;
  /// Consecutive elements that a thread loads at once, along heads of queries
  /// and keys, and of values.
  int64_t headWidth, valueWidth;
  Type f32;
  Value queries, keys, values, weights; ///< in shared memory
  AttentionProblem::Matrix matrix;
  /// First row of the block, and of the thread in it; the thread's index among
  /// those of a row.
  OpFoldResult first, row, side;
};

class FmaAttentionSchedule : public GpuSchedule {
public:
  /// Rows of a thread: as many as its registers have room for, or one.
  explicit FmaAttentionSchedule(AttentionProblem problem) : problem(problem) {
    if (problem.getWidth() > 128)
      heights = {2};
  }

  LogicalResult match(dlhlo::KernelOp, const SymbolicDims &) override {
    return success();
  }
  SmallVector<StringRef> getVersions() override {
    return heights.size() == 1 ? SmallVector<StringRef>{""}
                               : SmallVector<StringRef>{"$few", "$many"};
  }
  // Fused producers of operands need registers.
  int32_t getLeastBlocks() override {
    return !problem.movesOperands() ? 0 : problem.getWidth() > 128 ? 1 : 2;
  }
  OpFoldResult emitVersion(KernelBuilder &b) override;
  OpFoldResult emitBlocks(KernelBuilder &b, int64_t version) override;
  void emitBody(KernelBuilder &b, int64_t version) override {
    ThreadEmitter(b, problem, heights[version]).emit();
  }

private:
  AttentionProblem problem;
  SmallVector<int64_t, 2> heights = {1, 4};
};
} // namespace

/// Groups of columns, with up to four consecutive ones per thread.
static SmallVector<Columns> getColumns(int64_t width) {
  SmallVector<Columns> columns;
  for (int64_t first = 0; first < width;) {
    int64_t rest = llvm::alignTo(width - first, kSide), own = 4;
    while (own > 1 && (width % own != 0 || own * kSide > rest))
      own /= 2;
    columns.push_back({first, own});
    first += own * kSide;
  }
  return columns;
}

ThreadEmitter::ThreadEmitter(KernelBuilder &b, AttentionProblem &problem,
                             int64_t height)
    : b(b), problem(problem), self(b), height(height),
      columns(getColumns(problem.getWidth())), f32(b.getF32Type()) {
  dhlo::DimExpr depth = b.getDims().getDim(problem.getOp().getQuery(), 3);
  headWidth = b.getDims().isMultipleOf(depth, 4) ? 4 : 1;
  valueWidth = problem.getWidth() % 4 == 0 ? 4 : 1;
  // Values reuse the memory of queries and keys.
  int64_t keysAt = kSteps * getQueryPitch();
  queries = values = self.getShared(
      f32, std::max(keysAt + kSteps * kKeyPitch, kSteps * getValuePitch()));
  keys = b.address(queries, b.constant(keysAt), f32);
  weights = self.getShared(f32, kKeys * getWeightPitch());
  OpFoldResult block = self.getBlock(), thread = self.getThread();
  OpFoldResult blockRows = b.constant(kSide * height);
  OpFoldResult blocks = b.ceilDiv(problem.getRows(b), blockRows);
  matrix = problem.getMatrix(b, b.div(block, blocks));
  first = b.mul(b.rem(block, blocks), blockRows);
  row = b.mul(b.div(thread, b.constant(kSide)), b.constant(height));
  side = b.rem(thread, b.constant(kSide));
}

//===----------------------------------------------------------------------===//
// Loads to shared memory
//===----------------------------------------------------------------------===//

void ThreadEmitter::fillSteps(
    Value shared, int64_t lines, int64_t pitch, OpFoldResult from,
    llvm::function_ref<Value(OpFoldResult)> isInside,
    llvm::function_ref<Value(OpFoldResult, OpFoldResult)> emitElements) {
  // Consecutive threads read a sector of a query or key, then of the next one.
  OpFoldResult sharing = b.constant(kSector / headWidth);
  shareWork(b, kSteps * lines / headWidth, [&](OpFoldResult number) {
    OpFoldResult rest = b.div(number, sharing);
    OpFoldResult line = b.rem(rest, b.constant(lines));
    OpFoldResult at =
        b.add(b.mul(b.rem(number, sharing), b.constant(headWidth)),
              b.mul(b.div(rest, b.constant(lines)), b.constant(kSector)));
    OpFoldResult step = b.add(from, at);
    Value hasStep = b.cmp(CmpIPredicate::slt, step, problem.getDepth(b));
    Value elements = b.ifElse(
        arith::AndIOp::create(b, isInside(line), hasStep),
        KernelBuilder::laneType(f32, headWidth),
        [&] { return emitElements(line, step); },
        [&] { return b.number(0, f32, headWidth); });
    for (int64_t i = 0; i < headWidth; ++i)
      self.storeShared(
          headWidth > 1 ? vector::ExtractOp::create(b, elements, i) : elements,
          shared,
          b.add(b.mul(b.add(at, b.constant(i)), b.constant(pitch)), line));
  });
}

void ThreadEmitter::fillQueries(OpFoldResult from) {
  fillSteps(
      queries, kSide * height, getQueryPitch(), from,
      [&](OpFoldResult line) {
        return b.cmp(CmpIPredicate::slt, b.add(first, line),
                     problem.getRows(b));
      },
      [&](OpFoldResult line, OpFoldResult step) {
        return problem.emitQuery(
            b, problem.getRow(b, matrix, b.add(first, line)), step, headWidth);
      });
}

void ThreadEmitter::fillKeys(OpFoldResult firstKey, OpFoldResult from) {
  // The keys of a thread, every 16th one, are consecutive in shared memory, so
  // that it reads them at once.
  auto getKey = [&](OpFoldResult line) {
    OpFoldResult own = b.constant(kOwnKeys);
    return b.add(firstKey, b.add(b.div(line, own),
                                 b.mul(b.rem(line, own), b.constant(kSide))));
  };
  fillSteps(
      keys, kKeys, kKeyPitch, from,
      [&](OpFoldResult line) {
        return b.cmp(CmpIPredicate::slt, getKey(line), problem.getKeys(b));
      },
      [&](OpFoldResult line, OpFoldResult step) {
        return problem.emitKey(b, matrix, getKey(line), step, headWidth);
      });
}

void ThreadEmitter::fillValues(OpFoldResult firstKey) {
  OpFoldResult inRow = b.constant(getValuePitch() / valueWidth);
  shareWork(b, kSteps * getValuePitch() / valueWidth, [&](OpFoldResult number) {
    OpFoldResult key = b.add(firstKey, b.div(number, inRow));
    OpFoldResult column = b.mul(b.rem(number, inRow), b.constant(valueWidth));
    Value isInside = arith::AndIOp::create(
        b, b.cmp(CmpIPredicate::slt, key, problem.getKeys(b)),
        b.cmp(CmpIPredicate::slt, column, b.constant(problem.getWidth())));
    Value elements = b.ifElse(
        isInside, KernelBuilder::laneType(f32, valueWidth),
        [&] { return problem.emitValue(b, matrix, key, column, valueWidth); },
        [&] { return b.number(0, f32, valueWidth); });
    self.storeShared(elements, values, b.mul(number, b.constant(valueWidth)));
  });
}

//===----------------------------------------------------------------------===//
// Scores, weights, values
//===----------------------------------------------------------------------===//

SmallVector<Value> ThreadEmitter::emitDots(OpFoldResult firstKey) {
  SmallVector<Value> zeros(height, b.number(0, f32, kOwnKeys));
  auto addSteps = [&](Value from, ValueRange sums) {
    SmallVector<Value> next(sums);
    for (int64_t i = 0; i < kUnrolled; ++i) {
      OpFoldResult step = b.add(from, b.constant(i));
      Value x = self.loadShared(
          queries, b.add(b.mul(step, b.constant(getQueryPitch())), row), f32,
          height);
      Value y = self.loadShared(keys,
                                b.add(b.mul(step, b.constant(kKeyPitch)),
                                      b.mul(side, b.constant(kOwnKeys))),
                                f32, kOwnKeys);
      for (int64_t r = 0; r < height; ++r)
        next[r] =
            b.fma(b.splat(height > 1 ? vector::ExtractOp::create(b, x, r) : x,
                          kOwnKeys),
                  y, next[r]);
    }
    return next;
  };
  return b.loop(b.constant(0), problem.getDepth(b), kSteps, zeros,
                [&](Value from, ValueRange sums) {
                  fillQueries(from);
                  fillKeys(firstKey, from);
                  self.barrier();
                  SmallVector<Value> next =
                      b.loop(b.constant(0), b.constant(kSteps), kUnrolled, sums,
                             addSteps);
                  // The next steps overwrite the ones just read.
                  self.barrier();
                  return next;
                });
}

Value ThreadEmitter::emitScores(int64_t number, OpFoldResult firstKey,
                                Value dots) {
  AttentionProblem::Row at = getRow(number);
  OpFoldResult seen = problem.getSeen(b, at);
  OpFoldResult last = b.sub(problem.getKeys(b), b.constant(1));
  SmallVector<Value> scores;
  for (int64_t i = 0; i < kOwnKeys; ++i) {
    OpFoldResult key = b.add(firstKey, b.add(side, b.constant(kSide * i)));
    // A mask has no elements past the last key.
    Value score = problem.emitScore(b, at, b.min(key, last),
                                    vector::ExtractOp::create(b, dots, i));
    Value isSeen = b.cmp(CmpIPredicate::slt, key, seen);
    scores.push_back(
        arith::SelectOp::create(b, isSeen, score, b.number(-INFINITY, f32)));
  }
  return vector::FromElementsOp::create(b, VectorType::get({kOwnKeys}, f32),
                                        scores);
}

void ThreadEmitter::emitWeights(OpFoldResult firstKey, SoftmaxRows &rows) {
  SmallVector<Value> dots = emitDots(firstKey), own;
  for (int64_t r = 0; r < height; ++r) {
    auto [ofRow, factor] =
        rows.softmax[r].see(b, emitScores(r, firstKey, dots[r]));
    own.push_back(ofRow);
    for (auto [i, group] : llvm::enumerate(columns)) {
      Value &sum = rows.sums[r * columns.size() + i];
      sum = arith::MulFOp::create(b, sum, b.splat(factor, group.width));
    }
  }
  for (int64_t i = 0; i < kOwnKeys; ++i) {
    SmallVector<Value> ofKey;
    for (Value vector : own)
      ofKey.push_back(vector::ExtractOp::create(b, vector, i));
    Value stored = ofKey.front();
    if (height > 1)
      stored = vector::FromElementsOp::create(b, VectorType::get({height}, f32),
                                              ofKey);
    OpFoldResult key = b.add(side, b.constant(kSide * i));
    self.storeShared(stored, weights,
                     b.add(b.mul(key, b.constant(getWeightPitch())), row));
  }
}

void ThreadEmitter::emitValues(OpFoldResult firstKey, OpFoldResult end,
                               SoftmaxRows &rows) {
  auto addKeys = [&](OpFoldResult chunk, OpFoldResult from, ValueRange sums) {
    SmallVector<Value> next(sums);
    for (int64_t i = 0; i < kUnrolled; ++i) {
      OpFoldResult key = b.add(from, b.constant(i));
      Value x = self.loadShared(
          weights,
          b.add(b.mul(b.add(chunk, key), b.constant(getWeightPitch())), row),
          f32, height);
      for (auto [j, group] : llvm::enumerate(columns)) {
        OpFoldResult column = b.add(b.constant(group.first),
                                    b.mul(side, b.constant(group.width)));
        Value y = self.loadShared(
            values, b.add(b.mul(key, b.constant(getValuePitch())), column), f32,
            group.width);
        for (int64_t r = 0; r < height; ++r) {
          Value &sum = next[r * columns.size() + j];
          sum =
              b.fma(b.splat(height > 1 ? vector::ExtractOp::create(b, x, r) : x,
                            group.width),
                    y, sum);
        }
      }
    }
    return next;
  };
  OpFoldResult count = b.min(b.constant(kKeys), b.sub(end, firstKey));
  rows.sums = b.loop(b.constant(0), count, kSteps, rows.sums,
                     [&](Value chunk, ValueRange sums) {
                       fillValues(b.add(firstKey, chunk));
                       // This also waits for the weights.
                       self.barrier();
                       SmallVector<Value> next =
                           b.loop(b.constant(0), b.constant(kSteps), kUnrolled,
                                  sums, [&](Value from, ValueRange sums) {
                                    return addKeys(chunk, from, sums);
                                  });
                       self.barrier();
                       return next;
                     });
}

void ThreadEmitter::emitResult(int64_t number, SoftmaxRows &rows) {
  Value factor = rows.softmax[number].getFactor(b, problem.emitEmptySum(b));
  OpFoldResult index = getRowNumber(number);
  b.ifThen(b.cmp(CmpIPredicate::slt, index, problem.getRows(b)), [&] {
    AttentionProblem::Row at = problem.getRow(b, matrix, index);
    for (auto [i, group] : llvm::enumerate(columns)) {
      OpFoldResult column =
          b.add(b.constant(group.first), b.mul(side, b.constant(group.width)));
      Value sum = rows.sums[number * columns.size() + i];
      b.ifThen(
          b.cmp(CmpIPredicate::slt, column, b.constant(problem.getWidth())),
          [&] {
            problem.store(
                b, at, column,
                arith::MulFOp::create(b, sum, b.splat(factor, group.width)),
                group.width);
          });
    }
  });
}

void ThreadEmitter::emit() {
  SoftmaxRows rows;
  for (int64_t r = 0; r < height; ++r) {
    rows.softmax.emplace_back(b, kSide);
    for (const Columns &group : columns)
      rows.sums.push_back(b.number(0, f32, group.width));
  }
  auto split = [&](ValueRange all) {
    return SoftmaxRows::split(all, height, kSide);
  };
  OpFoldResult end = problem.getSeenByAny(b, first, b.constant(kSide * height));
  rows = split(b.loop(b.constant(0), end, kKeys, rows.join(),
                      [&](Value firstKey, ValueRange carried) {
                        SoftmaxRows next = split(carried);
                        emitWeights(firstKey, next);
                        emitValues(firstKey, end, next);
                        return next.join();
                      }));
  for (int64_t r = 0; r < height; ++r)
    emitResult(r, rows);
}

OpFoldResult FmaAttentionSchedule::emitVersion(KernelBuilder &b) {
  if (heights.size() == 1)
    return b.constant(0);
  Value areFew =
      b.cmp(CmpIPredicate::sle, problem.getRows(b), b.constant(kSide));
  return b.select(areFew, b.constant(0), b.constant(1));
}

OpFoldResult FmaAttentionSchedule::emitBlocks(KernelBuilder &b,
                                              int64_t version) {
  return b.mul(
      problem.getMatrices(b),
      b.ceilDiv(problem.getRows(b), b.constant(kSide * heights[version])));
}

std::unique_ptr<GpuSchedule>
dyn::createFmaAttentionSchedule(AttentionProblem problem) {
  return std::make_unique<FmaAttentionSchedule>(problem);
}
