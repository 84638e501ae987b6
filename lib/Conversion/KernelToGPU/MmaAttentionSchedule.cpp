//===- MmaAttentionSchedule.cpp - Attention by tensor cores ---------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// As attention by multiply-adds, of f16 or bf16. A block has 128 rows, a warp
// 16 of them, and all keys of a step: its scores are results of mma.sync whose
// lanes have pairs of neighbours, which are, as weights, just what the
// instruction takes as its left factor to weigh values. So weights stay in
// registers, and the warps wait for each other only where they bring keys and
// values.
//
// Queries and keys lie row by row in shared memory, four words more than their
// elements apart: the eight rows and four words of an access lie in 32 banks.
// Values lie column by column, as pairs of two keys: so much for reading. What
// brings them has eight pairs of columns, whole sectors, and four pairs of keys
// at once. Columns that are eight apart would meet in a bank: every second
// eight of them have their pairs of keys in another order.
//
// Warps without rows, as all but one have in decoding, only bring.

#include "GpuAttentionSchedule.h"
#include "GpuThread.h"
#include "MmaInstruction.h"
#include "OnlineSoftmax.h"
#include "ShareWork.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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
constexpr int64_t kKeys = 32;
/// Elements that a thread brings at once, of queries and keys.
constexpr int64_t kWide = 8;
/// Rows of which a thread has scores.
constexpr int64_t kOwnRows = 2;

/// Emits the code of a thread.
class ThreadEmitter {
public:
  ThreadEmitter(KernelBuilder &b, AttentionForm &form);
  void emit();

private:
  /// Elements of a head, and columns of values: whole instructions.
  int64_t getDepth() { return form.getOp().getQuery().getType().getDimSize(3); }
  int64_t getWidth() { return form.getWidth(); }
  int64_t getHeadPitch() { return getDepth() + 8; }
  int64_t getValuePitch() { return kKeys + 8; }

  /// Brings `lines` queries or keys to shared memory.
  void fillHeads(Value shared, int64_t lines,
                 llvm::function_ref<Value(OpFoldResult line)> isInside,
                 llvm::function_ref<Value(OpFoldResult line, OpFoldResult step)>
                     emitElements);
  void fillQueries();
  void fillKeys(OpFoldResult firstKey);
  void fillValues(OpFoldResult firstKey);
  /// Where a pair of keys of a column of values lies, as the number of an
  /// element.
  OpFoldResult getValuePlace(OpFoldResult slot, OpFoldResult pair);

  /// The weights of the warp's rows as left factors, four pairs for each 16
  /// keys; what was summed is weighted anew.
  SmallVector<Value> emitWeights(OpFoldResult firstKey, SoftmaxRows &rows);
  /// The products of the warp's rows with all keys in shared memory.
  SmallVector<Value> emitProducts();
  void emitValues(ValueRange weights, SoftmaxRows &rows);
  void emitResult(int64_t number, SoftmaxRows &rows);
  /// What `body` makes of values, if the warp has rows.
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
  AttentionForm &form;
  GpuThread self;
  Type element, f32;
  MmaInstruction mma;
  Value queries, keysAndValues; ///< in shared memory
  AttentionForm::Matrix matrix;
  OpFoldResult first, warpRow; ///< rows of the block and the warp
};

class MmaAttentionSchedule : public GpuSchedule {
public:
  explicit MmaAttentionSchedule(AttentionForm form) : form(form) {}

  LogicalResult match(dlhlo::KernelOp, const SymbolicDims &) override {
    return success();
  }
  OpFoldResult emitBlocks(KernelBuilder &b, int64_t) override {
    return b.mul(form.getMatrices(b),
                 b.ceilDiv(form.getRows(b), b.constant(kRows)));
  }
  void emitBody(KernelBuilder &b, int64_t version) override {
    // Two blocks on a multiprocessor, with 128 registers a thread: while one
    // brings, the other multiplies. Sums of wider heads do not fit.
    if (form.getWidth() <= 64)
      b.getFunction()->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                               b.getI32IntegerAttr(2));
    ThreadEmitter(b, form).emit();
  }

private:
  AttentionForm form;
};
} // namespace

ThreadEmitter::ThreadEmitter(KernelBuilder &b, AttentionForm &form)
    : b(b), form(form), self(b),
      element(form.getOp().getType().getElementType()), f32(b.getF32Type()),
      mma(b, element) {
  Type storage = getStorageType(element);
  queries = self.getShared(storage, kRows * getHeadPitch());
  keysAndValues = self.getShared(
      storage, std::max(kKeys * getHeadPitch(), getWidth() * getValuePitch()));
  OpFoldResult block = self.getBlock();
  OpFoldResult blocks = b.ceilDiv(form.getRows(b), b.constant(kRows));
  matrix = form.getMatrix(b, b.div(block, blocks));
  first = b.mul(b.rem(block, blocks), b.constant(kRows));
  warpRow =
      b.mul(b.div(self.getThread(), b.constant(kWarp)), b.constant(kWarpRows));
}

SmallVector<Value>
ThreadEmitter::ifHasRows(ValueRange values,
                         llvm::function_ref<SmallVector<Value>()> body) {
  Value hasRows =
      b.cmp(CmpIPredicate::slt, b.add(first, warpRow), form.getRows(b));
  auto op = scf::IfOp::create(b, values.getTypes(), hasRows,
                              /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(op.thenBlock());
  SmallVector<Value> results = body();
  scf::YieldOp::create(b, results);
  b.setInsertionPointToEnd(op.elseBlock());
  scf::YieldOp::create(b, values);
  return SmallVector<Value>(op.getResults());
}

//===----------------------------------------------------------------------===//
// To shared memory
//===----------------------------------------------------------------------===//

void ThreadEmitter::fillHeads(
    Value shared, int64_t lines,
    llvm::function_ref<Value(OpFoldResult)> isInside,
    llvm::function_ref<Value(OpFoldResult, OpFoldResult)> emitElements) {
  // A quarter of a warp writes 64 elements at once. Where these are more than a
  // line, lines are chosen that lie in different banks.
  constexpr int64_t kLines = 8;
  int64_t depth = getDepth();
  int64_t together = std::max<int64_t>(1, kLines * kWide / depth);
  OpFoldResult inLine = b.constant(depth / kWide);
  shareWork(b, lines * depth / kWide, [&](OpFoldResult number) {
    OpFoldResult step = b.mul(b.rem(number, inLine), b.constant(kWide));
    OpFoldResult line = b.div(number, inLine), all = b.constant(kLines);
    OpFoldResult count = b.constant(together);
    OpFoldResult ofEight = b.rem(line, all);
    line =
        b.add(b.sub(line, ofEight),
              b.add(b.mul(b.rem(ofEight, count), b.constant(kLines / together)),
                    b.div(ofEight, count)));
    Value stored = self.emitStored(isInside(line), element, kWide,
                                   [&] { return emitElements(line, step); });
    self.storeShared(stored, shared,
                     b.add(b.mul(line, b.constant(getHeadPitch())), step));
  });
}

void ThreadEmitter::fillQueries() {
  fillHeads(
      queries, kRows,
      [&](OpFoldResult line) {
        return b.cmp(CmpIPredicate::slt, b.add(first, line), form.getRows(b));
      },
      [&](OpFoldResult line, OpFoldResult step) {
        return form.emitQuery(b, form.getRow(b, matrix, b.add(first, line)),
                              step, kWide);
      });
}

void ThreadEmitter::fillKeys(OpFoldResult firstKey) {
  fillHeads(
      keysAndValues, kKeys,
      [&](OpFoldResult line) {
        return b.cmp(CmpIPredicate::slt, b.add(firstKey, line),
                     form.getKeys(b));
      },
      [&](OpFoldResult line, OpFoldResult step) {
        return form.emitKey(b, matrix, b.add(firstKey, line), step, kWide);
      });
}

OpFoldResult ThreadEmitter::getValuePlace(OpFoldResult slot,
                                          OpFoldResult pair) {
  return b.add(b.mul(slot, b.constant(getValuePitch())),
               b.mul(pair, b.constant(2)));
}

void ThreadEmitter::fillValues(OpFoldResult firstKey) {
  // Eight pairs of columns of four pairs of keys, and so on.
  OpFoldResult eight = b.constant(8), four = b.constant(4), two = b.constant(2);
  OpFoldResult columnBlocks = b.constant(getWidth() / 16);
  shareWork(b, getWidth() / 2 * kKeys / 2, [&](OpFoldResult number) {
    OpFoldResult of16 = b.rem(number, eight), rest = b.div(number, eight);
    OpFoldResult block = b.div(rest, four);
    OpFoldResult firstSlot = b.mul(b.rem(block, columnBlocks), b.constant(16));
    OpFoldResult column = b.add(firstSlot, b.mul(of16, two));
    OpFoldResult half = b.rem(of16, two);
    OpFoldResult slot = b.add(
        firstSlot, b.add(b.mul(half, eight), b.mul(b.div(of16, two), two)));
    OpFoldResult fours = b.div(block, columnBlocks);
    SmallVector<Value> keys;
    for (int64_t i = 0; i < 2; ++i) {
      OpFoldResult key =
          b.add(b.add(firstKey, b.constant(i)),
                b.mul(b.add(b.mul(fours, four), b.rem(rest, four)), two));
      Value isInside = b.cmp(CmpIPredicate::slt, key, form.getKeys(b));
      keys.push_back(self.emitStored(isInside, element, 2, [&] {
        return form.emitValue(b, matrix, key, column, 2);
      }));
    }
    Value swapped = arith::XOrIOp::create(b, b.value(fours), b.value(half));
    OpFoldResult pair = b.add(b.mul(swapped, four), b.rem(rest, four));
    for (int64_t i = 0; i < 2; ++i) {
      Value both = vector::FromElementsOp::create(
          b, VectorType::get({2}, b.getIntegerType(16)),
          ValueRange{vector::ExtractOp::create(b, keys[0], i),
                     vector::ExtractOp::create(b, keys[1], i)});
      self.storeShared(both, keysAndValues,
                       getValuePlace(b.add(slot, b.constant(i)), pair));
    }
  });
}

//===----------------------------------------------------------------------===//
// Scores, weights, values
//===----------------------------------------------------------------------===//

SmallVector<Value> ThreadEmitter::emitProducts() {
  using Mma = MmaInstruction;
  OpFoldResult pitch = b.constant(getHeadPitch());
  SmallVector<Value> zeros(kKeys / Mma::kColumns * 4, b.number(0, f32));
  return b.loop(
      b.constant(0), b.constant(getDepth()), Mma::kDepth, zeros,
      [&](Value step, ValueRange sums) {
        auto load = [&](Value shared, OpFoldResult line, int64_t later) {
          OpFoldResult at = b.add(b.add(step, b.mul(mma.t, b.constant(2))),
                                  b.constant(later));
          return mma.loadPair(shared, b.add(b.mul(line, pitch), at));
        };
        SmallVector<Value> left, next;
        for (int64_t later : {0, 8})
          for (int64_t r = 0; r < kOwnRows; ++r)
            left.push_back(load(queries, getRowNumber(r), later));
        for (size_t i = 0; i < sums.size(); i += 4) {
          OpFoldResult key = b.add(mma.g, b.constant(i / 4 * Mma::kColumns));
          next.append(mma.multiply(
              left, {load(keysAndValues, key, 0), load(keysAndValues, key, 8)},
              sums.slice(i, 4)));
        }
        return next;
      });
}

SmallVector<Value> ThreadEmitter::emitWeights(OpFoldResult firstKey,
                                              SoftmaxRows &rows) {
  SmallVector<Value> products = emitProducts();
  OpFoldResult last = b.sub(form.getRows(b), b.constant(1));
  OpFoldResult lastKey = b.sub(form.getKeys(b), b.constant(1));
  SmallVector<Value> weights[kOwnRows];
  for (int64_t r = 0; r < kOwnRows; ++r) {
    // Rows and keys behind the last ones are seen as these.
    AttentionForm::Row at =
        form.getRow(b, matrix, b.min(b.add(first, getRowNumber(r)), last));
    OpFoldResult seen = form.getSeen(b, at);
    SmallVector<Value> scores;
    for (size_t i = 0; i < products.size(); i += 4)
      for (int64_t j = 0; j < 2; ++j) {
        OpFoldResult key =
            b.add(b.add(firstKey, b.mul(mma.t, b.constant(2))),
                  b.constant(i / 4 * MmaInstruction::kColumns + j));
        Value score =
            form.emitScore(b, at, b.min(key, lastKey), products[i + 2 * r + j]);
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
  for (int64_t i = 0; i < kKeys / 4; i += 2)
    for (const SmallVector<Value> &ofRow : weights)
      pairs.push_back(mma.makePair(ofRow[i], ofRow[i + 1]));
  return pairs;
}

void ThreadEmitter::emitValues(ValueRange weights, SoftmaxRows &rows) {
  for (size_t i = 0; i < rows.sums.size(); i += 4) {
    int64_t eights = i / 4;
    OpFoldResult slot =
        b.add(mma.g, b.constant(eights * MmaInstruction::kColumns));
    SmallVector<Value> sums(ArrayRef(rows.sums).slice(i, 4));
    for (size_t j = 0; j < weights.size(); j += 4) {
      auto load = [&](int64_t fours) {
        return mma.loadPair(
            keysAndValues,
            getValuePlace(slot, b.add(mma.t, b.constant(4 * fours))));
      };
      int64_t fours = j / 2;
      sums = mma.multiply(
          weights.slice(j, 4),
          {load(fours ^ (eights % 2)), load((fours + 1) ^ (eights % 2))}, sums);
    }
    llvm::copy(sums, rows.sums.begin() + i);
  }
}

void ThreadEmitter::emitResult(int64_t number, SoftmaxRows &rows) {
  Value factor = rows.softmax[number].getFactor(b);
  OpFoldResult place = b.add(first, getRowNumber(number));
  b.ifThen(b.cmp(CmpIPredicate::slt, place, form.getRows(b)), [&] {
    AttentionForm::Row at = form.getRow(b, matrix, place);
    // Of 16 columns a lane has four neighbours.
    for (size_t i = 0; i < rows.sums.size(); i += 8) {
      SmallVector<Value> own;
      for (size_t j : {i, i + 4})
        own.append({rows.sums[j + 2 * number], rows.sums[j + 2 * number + 1]});
      Value sums =
          vector::FromElementsOp::create(b, VectorType::get({4}, f32), own);
      OpFoldResult column =
          b.add(b.mul(mma.t, b.constant(4)), b.constant(i / 8 * 16));
      form.store(b, at, column,
                 arith::MulFOp::create(b, sums, b.splat(factor, 4)), 4);
    }
  });
}

void ThreadEmitter::emit() {
  SoftmaxRows rows;
  rows.softmax.assign(kOwnRows, OnlineSoftmax(b, MmaInstruction::kRowLanes));
  rows.sums.assign(getWidth() / MmaInstruction::kColumns * 4, b.number(0, f32));
  fillQueries();
  Value nothing = mma.makePair(b.number(0, f32), b.number(0, f32));
  SmallVector<Value> none(kKeys / 4, nothing);
  OpFoldResult end = form.getSeenByAny(b, first, b.constant(kRows));
  SmallVector<Value> all = b.loop(
      b.constant(0), end, kKeys, rows.join(),
      [&](Value firstKey, ValueRange carried) {
        fillKeys(firstKey);
        // Queries, too, are there.
        self.barrier();
        SmallVector<Value> before(carried);
        before.append(none);
        SmallVector<Value> weighted = ifHasRows(before, [&] {
          SoftmaxRows next = split(carried);
          SmallVector<Value> weights = emitWeights(firstKey, next);
          SmallVector<Value> all = next.join();
          all.append(weights);
          return all;
        });
        self.barrier();
        fillValues(firstKey);
        self.barrier();
        ValueRange state = ValueRange(weighted).take_front(carried.size());
        SmallVector<Value> next = ifHasRows(state, [&] {
          SoftmaxRows rows = split(state);
          emitValues(ValueRange(weighted).drop_front(carried.size()), rows);
          return rows.join();
        });
        // Nobody reads what the next keys overwrite.
        self.barrier();
        return next;
      });
  rows = split(all);
  for (int64_t r = 0; r < kOwnRows; ++r)
    emitResult(r, rows);
}

std::unique_ptr<GpuSchedule>
dyn::createMmaAttentionSchedule(AttentionForm form) {
  return std::make_unique<MmaAttentionSchedule>(form);
}
