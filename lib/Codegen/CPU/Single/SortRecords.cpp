//===- SortRecords.cpp - Elements that are sorted in scratch --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/Single/SortRecords.h"

#include "Codegen/Common/Builder/ElementNotes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

static constexpr int64_t kLanes = CodegenOptions::kLanes;
static constexpr llvm::StringLiteral kReason =
    "each element moves to its own position";
/// Bits of an index beside a key.
static constexpr int64_t kIndexBits = 32;
/// Bits and values of a digit.
static constexpr int64_t kDigitBits = 8, kDigits = 1 << kDigitBits;

SortRecords::SortRecords(const SegmentProblem &problem, OpFoldResult capacity,
                         bool longSegments)
    : problem(problem), capacity(capacity) {
  keyBits = getComputeType(problem.element).getIntOrFloatBitWidth();
  isWide = longSegments || keyBits > 32;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Words of an array.
static OpFoldResult getLength(KernelBuilder &b, OpFoldResult capacity) {
  return b.add(capacity, b.constant(kLanes));
}

OpFoldResult SortRecords::getArrayBytes(KernelBuilder &b) const {
  return b.mul(getLength(b, capacity), b.constant(isWide ? 16 : 8));
}

OpFoldResult SortRecords::getBytes(KernelBuilder &b) const {
  int64_t digits = llvm::divideCeil(keyBits, kDigitBits);
  return b.add(b.mul(getArrayBytes(b), b.constant(2)),
               b.constant(8 * digits * kDigits));
}

Value SortRecords::getArray(KernelBuilder &b, int64_t which) const {
  return b.scratch(b.mul(getArrayBytes(b), b.constant(which)));
}

Value SortRecords::getCounters(KernelBuilder &b) const {
  return b.scratch(b.mul(getArrayBytes(b), b.constant(2)));
}

SmallVector<Value> SortRecords::getArrays(KernelBuilder &b, Value array) const {
  SmallVector<Value> arrays{array};
  if (isWide)
    arrays.push_back(b.address(array, getLength(b, capacity), b.getI64Type()));
  return arrays;
}

SmallVector<Value> SortRecords::getWords(KernelBuilder &b, Value elements,
                                         Value indices, int64_t lanes) const {
  Value keys = getKeys(b, elements, lanes);
  if (isWide)
    return {keys, indices};
  Value high = arith::ShLIOp::create(
      b, keys, b.number(kIndexBits, b.getI64Type(), lanes));
  return {arith::OrIOp::create(b, high, indices)};
}

void SortRecords::store(KernelBuilder &b, Value array, OpFoldResult at,
                        Value elements, Value indices, int64_t lanes) const {
  for (auto [words, target] : llvm::zip_equal(
           getWords(b, elements, indices, lanes), getArrays(b, array)))
    b.store(words, target, at, b.getI64Type(), lanes);
}

Value SortRecords::storeFound(KernelBuilder &b, Value array, OpFoldResult at,
                              Value elements, Value indices,
                              Value found) const {
  // Words of a register; what is stored after those found is overwritten.
  constexpr int64_t kPart = 8;
  SmallVector<Value> words = getWords(b, elements, indices, kLanes);
  SmallVector<Value> arrays = getArrays(b, array);
  Type i64 = b.getI64Type(), bits = b.getIntegerType(kPart);
  for (int64_t i = 0; i < kLanes; i += kPart) {
    auto part = [&](Value vector) -> Value {
      return vector::ShuffleOp::create(
          b, vector, vector, llvm::to_vector(llvm::seq(i, i + kPart)));
    };
    Value mask = part(found);
    for (auto [vector, target] : llvm::zip_equal(words, arrays)) {
      Value own = part(vector);
      Value packed =
          LLVM::CallIntrinsicOp::create(
              b, own.getType(),
              b.getStringAttr("llvm.experimental.vector.compress"),
              ValueRange{own, mask, LLVM::PoisonOp::create(b, own.getType())})
              .getResult(0);
      b.store(packed, target, at, i64, kPart);
    }
    Value number = arith::ExtUIOp::create(
        b, i64,
        LLVM::CtPopOp::create(b, bits, LLVM::BitcastOp::create(b, bits, mask)));
    at = b.add(at, number);
  }
  return b.value(at);
}

Value SortRecords::getIndex(KernelBuilder &b, Value array,
                            OpFoldResult at) const {
  Type i64 = b.getI64Type();
  Value word = b.load(getArrays(b, array).back(), at, i64, 1);
  if (isWide)
    return word;
  return arith::AndIOp::create(b, word,
                               b.number((int64_t(1) << kIndexBits) - 1, i64));
}

void SortRecords::copy(KernelBuilder &b, Value from, OpFoldResult i, Value to,
                       OpFoldResult j) const {
  Type i64 = b.getI64Type();
  for (auto [source, target] :
       llvm::zip_equal(getArrays(b, from), getArrays(b, to)))
    b.store(b.load(source, i, i64, 1), target, j, i64, 1);
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

Value SortRecords::getKeys(KernelBuilder &b, Value elements,
                           int64_t lanes) const {
  Type type = getComputeType(problem.element);
  Type bits = b.getIntegerType(keyBits);
  Value sign = b.integer(APInt::getSignMask(keyBits), bits, lanes);
  Value ones = b.integer(APInt::getAllOnes(keyBits), bits, lanes);
  Value keys = elements;
  if (isa<FloatType>(type)) {
    // Zeros are equal: -0 + 0 is 0.
    Value sum = arith::AddFOp::create(b, elements, b.number(0, type, lanes));
    keys =
        arith::BitcastOp::create(b, KernelBuilder::laneType(bits, lanes), sum);
    Value negative =
        arith::ShRSIOp::create(b, keys, b.number(keyBits - 1, bits, lanes));
    keys =
        arith::XOrIOp::create(b, keys, arith::OrIOp::create(b, negative, sign));
    Value isNan =
        arith::CmpFOp::create(b, CmpFPredicate::UNO, elements, elements);
    keys = arith::SelectOp::create(b, isNan, ones, keys);
  } else if (!problem.isUnsigned()) {
    keys = arith::XOrIOp::create(b, keys, sign);
  }
  if (problem.descending)
    keys = arith::XOrIOp::create(b, keys, ones);
  if (keyBits == 64)
    return keys;
  return arith::ExtUIOp::create(
      b, KernelBuilder::laneType(b.getI64Type(), lanes), keys);
}

Value SortRecords::getDigit(KernelBuilder &b, Value word,
                            OpFoldResult number) const {
  OpFoldResult shift = b.add(b.mul(number, b.constant(kDigitBits)),
                             b.constant(isWide ? 0 : kIndexBits));
  Value low = arith::ShRUIOp::create(b, word, b.value(shift));
  return arith::AndIOp::create(b, low, b.number(kDigits - 1, b.getI64Type()));
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

SmallVector<Value> SortRecords::sort(KernelBuilder &b, Value from, Value to,
                                     OpFoldResult count) const {
  auto byRank = [&] {
    sortByRank(b, from, to, count);
    return SmallVector<Value>{to, from};
  };
  if (auto most = getConstantIntValue(capacity);
      most && *most <= kMaxRanked - kLanes)
    return byRank();
  Value isSmall = b.cmp(CmpIPredicate::sle, count, b.constant(kMaxRanked));
  Value flag = arith::XOrIOp::create(b, isSmall, b.number(1, b.getI1Type()));
  SmallVector<Value> sorted = b.valuesIf(flag, ValueRange{to, from}, [&] {
    return sortByDigits(b, from, to, count);
  });
  b.ifThen(isSmall, [&] { byRank(); });
  return sorted;
}

void SortRecords::sortByRank(KernelBuilder &b, Value from, Value to,
                             OpFoldResult count) const {
  Type i64 = b.getI64Type();
  Type bits = b.getIntegerType(isWide ? 64 : 32);
  Value ranks = getCounters(b);
  auto numbers = llvm::to_vector(llvm::seq<int64_t>(0, kLanes));
  Value lane = arith::ConstantOp::create(b, b.getI64VectorAttr(numbers));
  b.loop(b.constant(0), count, kLanes, [&](Value i) {
    Value own = b.load(from, i, i64, kLanes);
    if (!isWide) {
      Value high =
          arith::ShRUIOp::create(b, own, b.number(kIndexBits, i64, kLanes));
      own = arith::TruncIOp::create(b, KernelBuilder::laneType(bits, kLanes),
                                    high);
    }
    auto compare = [&](CmpIPredicate predicate, Value x, Value y) -> Value {
      return arith::CmpIOp::create(b, predicate, x, y);
    };
    auto getKey = [&](OpFoldResult j) {
      OpFoldResult at =
          isWide ? j : b.add(b.mul(j, b.constant(2)), b.constant(1));
      return b.splat(b.load(from, at, bits, 1), kLanes);
    };
    auto countFirst = [&](OpFoldResult begin, OpFoldResult end, Value rank,
                          llvm::function_ref<Value(Value, Value)> isFirst) {
      return b.loop(begin, end, 1, rank,
                    [&](Value j, ValueRange sum) -> SmallVector<Value> {
                      Value one = arith::ExtUIOp::create(b, own.getType(),
                                                         isFirst(getKey(j), j));
                      return {arith::AddIOp::create(b, sum[0], one)};
                    })[0];
    };
    // Equal keys keep their order: those of earlier records come first.
    OpFoldResult end = b.min(b.add(OpFoldResult(i), b.constant(kLanes)), count);
    Value rank = countFirst(b.constant(0), i, b.number(0, bits, kLanes),
                            [&](Value other, Value) {
                              return compare(CmpIPredicate::ule, other, own);
                            });
    Value index = arith::AddIOp::create(b, b.splat(i, kLanes), lane);
    rank = countFirst(i, end, rank, [&](Value other, Value j) -> Value {
      Value ties = arith::AndIOp::create(
          b, compare(CmpIPredicate::eq, other, own),
          compare(CmpIPredicate::slt, b.splat(j, kLanes), index));
      return arith::OrIOp::create(b, compare(CmpIPredicate::ult, other, own),
                                  ties);
    });
    rank = countFirst(end, count, rank, [&](Value other, Value) {
      return compare(CmpIPredicate::ult, other, own);
    });
    b.store(rank, ranks, b.constant(0), bits, kLanes);
    b.loop(i, end, 1, [&](Value j) {
      OpFoldResult at = b.sub(OpFoldResult(j), OpFoldResult(i));
      Value rank = b.load(ranks, at, bits, 1);
      if (!isWide)
        rank = arith::ExtUIOp::create(b, i64, rank);
      copy(b, from, j, to, rank);
    });
    noteElementsOfLoop(b, problem.op, kReason);
  });
}

SmallVector<Value> SortRecords::sortByDigits(KernelBuilder &b, Value from,
                                             Value to,
                                             OpFoldResult count) const {
  Type i64 = b.getI64Type();
  OpFoldResult zero = b.constant(0), one = b.constant(1);
  int64_t digits = llvm::divideCeil(keyBits, kDigitBits);
  Value counters = getCounters(b);
  b.loop(zero, b.constant(digits * kDigits), kLanes, [&](Value i) {
    b.store(b.number(0, i64, kLanes), counters, i, i64, kLanes);
  });
  auto increment = [&](Value table, OpFoldResult digit) {
    Value old = b.load(table, digit, i64, 1);
    b.store(b.value(b.add(OpFoldResult(old), one)), table, digit, i64, 1);
    return old;
  };
  b.loop(zero, count, 1, [&](Value i) {
    Value word = b.load(from, i, i64, 1);
    for (int64_t d = 0; d < digits; ++d)
      increment(b.address(counters, b.constant(d * kDigits), i64),
                getDigit(b, word, b.constant(d)));
  });
  noteElementsOfLoop(b, problem.op, kReason);
  SmallVector<Value> sorted =
      b.loop(zero, b.constant(digits), 1, ValueRange{from, to},
             [&](Value d, ValueRange carried) -> SmallVector<Value> {
               Value source = carried[0], target = carried[1];
               Value table = b.address(
                   counters, b.mul(OpFoldResult(d), b.constant(kDigits)), i64);
               Value first = getDigit(b, b.load(source, zero, i64, 1), d);
               Value differs = b.cmp(CmpIPredicate::ne,
                                     b.load(table, first, i64, 1), count);
               return b.valuesIf(differs, carried, [&]() -> SmallVector<Value> {
                 b.loop(zero, b.constant(kDigits), 1, b.value(zero),
                        [&](Value digit, ValueRange sum) -> SmallVector<Value> {
                          Value own = b.load(table, digit, i64, 1);
                          b.store(sum[0], table, digit, i64, 1);
                          return {b.value(b.add(OpFoldResult(sum[0]), own))};
                        });
                 b.loop(zero, count, 1, [&](Value i) {
                   Value digit = getDigit(b, b.load(source, i, i64, 1), d);
                   copy(b, source, i, target, increment(table, digit));
                 });
                 noteElementsOfLoop(b, problem.op, kReason);
                 return {target, source};
               });
             });
  return sorted;
}
