//===- FourierRows.cpp - Fourier transforms of rows in scratch ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/CPU/Single/FourierRows.h"

#include "Codegen/Common/Elements/VectorMath.h"
#include "Codegen/Common/Elements/VectorMathBuilder.h"
#include "dyn/Dialect/DHLO/Analysis/FourierChoice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

static constexpr int64_t kColumns = FourierKernels::kColumns;
/// Bytes for the factors of a number and those of a power of two.
static constexpr int64_t kFactorBytes = 128 * 8;

FourierRows::FourierRows(KernelBuilder &b, Type element, Value size,
                         Value start, Value leastCapacity, bool mayConvolve)
    : b(b), c(b, b.getLoc()), element(element),
      bytes(element.getIntOrFloatBitWidth() / 8),
      kernels(b.getKernel()->getParentOp(), element, b.getCpu().registers),
      size(size), start(start), factorStart(start),
      leastCapacity(leastCapacity), mayConvolve(mayConvolve) {}

FourierRows::~FourierRows() = default;

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// Finds factors of `n` in ascending order, but for 4, which stands after 3: of
/// powers of two, a 2 is taken only if the exponent is odd. `take` is called
/// with each.
static void forEachFactor(int64_t n, llvm::function_ref<void(int64_t)> take) {
  for (int64_t factor = 2; n > 1; ++factor) {
    if (factor > 4 && factor * factor > n)
      factor = n;
    while (n % factor == 0 &&
           (factor != 2 || llvm::countr_zero(uint64_t(n)) % 2 == 1)) {
      take(factor);
      n /= factor;
    }
  }
}

Value FourierRows::roundUp(CodeBuilder &c, Value n) {
  return c.mul(c.ceilDiv(n, kColumns), kColumns);
}

void FourierRows::emitPlan(bool isGeometry) {
  Value factors = isGeometry ? Value() : b.scratch(factorStart);
  Value never = b.number(0, b.getI1Type());
  isMatrix = convolves = never;
  // A factor belongs to the rows while these stay fewer than the columns.
  if (auto known = c.getConstant(size)) {
    int64_t number = 0, lines = 1, ofLines = 0;
    forEachFactor(*known, [&](int64_t factor) {
      if (factors)
        c.store(c.constant(factor), c.offset(factors, 8 * number));
      ++number;
      if (lines * lines * factor > *known)
        return;
      lines *= factor;
      ++ofLines;
    });
    count = c.constant(number);
    rows = c.constant(lines);
    rowFactors = c.constant(ofLines);
    columns = c.constant(*known / lines);
    isMatrix = b.number(!leastCapacity && lines >= kColumns &&
                            *known / lines >= kColumns,
                        b.getI1Type());
  } else {
    emitFactors(factors);
    columns = c.div(size, rows);
    Value least = c.constant(kColumns);
    if (!leastCapacity)
      isMatrix = c.both(c.le(least, rows), c.le(least, columns));
    if (mayConvolve)
      isMatrix = c.both(isMatrix, c.eq(convolves, never));
  }
  pitch = roundUp(c, size);
  widePitch = roundUp(c, columns);
  widePitchAfter = roundUp(c, rows);
  Value together = c.mul(pitch, kColumns);
  capacity =
      leastCapacity
          ? c.max(leastCapacity, together)
          : c.select(isMatrix, c.mul(widePitch, widePitchAfter), together);
  if (c.getConstant(convolves))
    return;
  // The power of two that holds twice as many elements less one.
  Value twice = c.sub(c.mul(size, 2), c.constant(2));
  Value zeros = math::CountLeadingZerosOp::create(b, twice);
  Value most =
      arith::ShLIOp::create(b, c.constant(1), c.sub(c.constant(64), zeros));
  Value before = c.add(c.mul(capacity, 6 * bytes), kFactorBytes);
  wide = std::make_unique<FourierRows>(b, element, most, c.add(start, before),
                                       Value(), false);
  // Whether or not it is used, its factors are stored, behind the own ones.
  wide->factorStart = c.add(start, kFactorBytes / 2);
  wide->emitPlan(isGeometry);
}

/// The same as forEachFactor for a dynamic size.
void FourierRows::emitFactors(Value factors) {
  Type i64 = b.getI64Type();
  Value zero = c.constant(0), one = c.constant(1);
  auto loop = scf::WhileOp::create(
      b, TypeRange{i64, i64, i64, i64, i64},
      ValueRange{c.constant(2), size, zero, one, zero},
      [&](OpBuilder &, Location, ValueRange old) {
        scf::ConditionOp::create(b, c.lt(one, old[1]), old);
      },
      [&](OpBuilder &, Location, ValueRange old) {
        Value factor = old[0], rest = old[1], count = old[2], rows = old[3];
        Value lowest = arith::AndIOp::create(b, rest, c.sub(zero, rest));
        Value oddPowers = arith::AndIOp::create(
            b, lowest, c.constant(static_cast<int64_t>(0xaaaaaaaaaaaaaaaa)));
        Value mayBeTaken = arith::OrIOp::create(
            b, b.cmp(CmpIPredicate::ne, factor, b.constant(2)),
            b.cmp(CmpIPredicate::ne, oddPowers, b.constant(0)));
        Value isTaken = c.both(c.eq(c.rem(rest, factor), zero), mayBeTaken);
        // Even numbers above 4 divide nothing that is left.
        Value next = c.add(
            factor, c.select(c.lt(factor, c.constant(5)), one, c.constant(2)));
        Value isPrime =
            c.both(c.lt(c.constant(4), next), c.lt(rest, c.mul(next, next)));
        next = c.select(isPrime, c.max(rest, next), next);
        SmallVector<Value> skipped = {next, rest, count, rows, old[4]};
        SmallVector<Value> result = b.valuesIf(isTaken, skipped, [&] {
          if (factors)
            c.store(factor, c.offset(factors, c.mul(count, 8)));
          Value isRow = c.le(c.mul(c.mul(rows, rows), factor), size);
          return SmallVector<Value>{factor, c.div(rest, factor),
                                    c.add(count, 1),
                                    c.select(isRow, c.mul(rows, factor), rows),
                                    c.add(old[4], c.select(isRow, one, zero))};
        });
        scf::YieldOp::create(b, result);
      });
  count = loop.getResult(2);
  rows = loop.getResult(3);
  rowFactors = loop.getResult(4);
  // The last factor is the largest one.
  if (mayConvolve)
    convolves = c.lt(c.constant(kMostSummedPrime), loop.getResult(0));
}

Value FourierRows::getTogether() {
  Value isAlone = isMatrix;
  if (!c.getConstant(convolves))
    isAlone = arith::OrIOp::create(b, isMatrix, convolves);
  return c.select(isAlone, c.constant(1), c.constant(kColumns));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

// The factors, three pairs of arrays, and, for a convolution, the memory of its
// transforms, and three pairs of tables: the roots of their order, the filter,
// and the powers of j^2.

Value FourierRows::getBytes() {
  Value own = c.add(c.mul(capacity, 6 * bytes), kFactorBytes);
  if (!wide)
    return own;
  Value tables = c.mul(c.mul(wide->size, 6), bytes);
  return c.add(
      own, c.select(convolves, c.add(wide->getBytes(), tables), c.constant(0)));
}

Parts FourierRows::getArrays(Value set) {
  Value first =
      c.add(start, c.add(c.mul(c.mul(set, capacity), 2 * bytes), kFactorBytes));
  return {b.scratch(first), b.scratch(c.add(first, c.mul(capacity, bytes)))};
}

Parts FourierRows::getTable(int64_t number) {
  Value length = c.mul(wide->size, bytes);
  Value first =
      c.add(c.add(wide->start, wide->getBytes()), c.mul(length, 2 * number));
  return {b.scratch(first), b.scratch(c.add(first, length))};
}

Parts FourierRows::offset(Parts pointers, Value elements) {
  Value distance = c.mul(elements, bytes);
  auto move = [&](Value v) { return v ? c.offset(v, distance) : Value(); };
  return {move(pointers.real), move(pointers.imaginary)};
}

Parts FourierRows::load(Parts from, OpFoldResult i, int64_t lanes) {
  return {b.load(from.real, i, element, lanes),
          b.load(from.imaginary, i, element, lanes)};
}

void FourierRows::store(Parts x, Parts to, OpFoldResult i, int64_t lanes) {
  b.store(x.real, to.real, i, element, lanes);
  b.store(x.imaginary, to.imaginary, i, element, lanes);
}

//===----------------------------------------------------------------------===//
// Transforms
//===----------------------------------------------------------------------===//

Value FourierRows::afterPasses(Value set, Value passes) {
  return c.rem(c.add(set, c.rem(passes, 2)), 2);
}

FourierKernels::Transform FourierRows::getTransform() {
  return {size,    c.constant(kColumns), b.scratch(factorStart), count, roots,
          rootStep};
}

void FourierRows::copyLines(Parts from, Parts to, Value lines, Value count,
                            Value fromPitch, Value toPitch) {
  b.loop(b.constant(0), lines, 1, [&](Value line) {
    Parts source = offset(from, c.mul(line, fromPitch));
    Parts target = offset(to, c.mul(line, toPitch));
    b.coverLanes(b.constant(0), count, [&](Value i, int64_t lanes) {
      store(load(source, i, lanes), target, i, lanes);
    });
  });
}

void FourierRows::emitPowers() {
  Parts to = getArrays(2);
  Value last = c.sub(c.mul(size, rootStep), c.constant(1));
  b.loop(b.constant(0), rows, 1, [&](Value row) {
    Value power = c.mul(row, rootStep), line = c.mul(row, widePitch);
    b.loop(b.constant(0), widePitch, kColumns, [&](Value column) {
      OpFoldResult index = b.mul(b.add(b.laneNumbers(kColumns), column), power);
      // Columns behind the last one are not read after all.
      Value inside = b.value(b.min(index, last));
      store({b.gather(roots.real, inside, element),
             b.gather(roots.imaginary, inside, element)},
            to, b.add(line, column), kColumns);
    });
  });
}

void FourierRows::emitTables(Parts given, Value step) {
  roots = given;
  rootStep = step;
  c.ifThen(isMatrix, [&] { emitPowers(); });
  if (!wide)
    return;
  wide->roots = getTable(0);
  wide->rootStep = c.constant(1);
  c.ifThen(convolves, [&] { emitConvolutionTables(); });
}

Value FourierRows::emit(Value number) {
  auto emitWhole = [&] {
    return c.choose(
        isMatrix, [&] { return emitMatrix(); }, [&] { return emitTogether(); });
  };
  if (!wide)
    return emitWhole();
  return c.choose(
      convolves,
      [&] {
        c.forLoop(number, [&](Value row) {
          emitConvolution(offset(getArrays(0), c.mul(row, pitch)));
        });
        return c.constant(0);
      },
      emitWhole);
}

Value FourierRows::emitColumns() {
  kernels.transform(c, getArrays(0), getArrays(1), getTransform());
  return afterPasses(c.constant(0), count);
}

Value FourierRows::emitMatrix() {
  FourierKernels::Transform t = getTransform();
  Value set = c.constant(1), step = t.rootStep;
  copyLines(getArrays(0), getArrays(1), rows, columns, columns, widePitch);

  t.size = rows;
  t.columns = widePitch;
  t.count = rowFactors;
  t.rootStep = c.mul(step, columns);
  kernels.transform(c, getArrays(1), getArrays(0), t);
  set = afterPasses(set, t.count);
  kernels.transpose(c, getArrays(set), getArrays(flip(set)), widePitchAfter,
                    widePitch, getArrays(2));
  set = flip(set);

  t.factors = c.offset(t.factors, c.mul(t.count, 8));
  t.size = columns;
  t.columns = widePitchAfter;
  t.count = c.sub(count, rowFactors);
  t.rootStep = c.mul(step, rows);
  kernels.transform(c, getArrays(set), getArrays(flip(set)), t);
  set = afterPasses(set, t.count);
  copyLines(getArrays(set), getArrays(flip(set)), columns, rows, widePitchAfter,
            rows);
  return flip(set);
}

Value FourierRows::emitTogether() {
  Value width = c.constant(kColumns), set = c.constant(1);
  kernels.transpose(c, getArrays(0), getArrays(1), width, pitch);
  kernels.transform(c, getArrays(1), getArrays(0), getTransform());
  set = afterPasses(set, count);
  kernels.transpose(c, getArrays(set), getArrays(flip(set)), pitch, width);
  return flip(set);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

// As j k = (j^2 + k^2 - (k - j)^2) / 2, a transform is a convolution with the
// powers of -j^2 / 2, between multiplications by those of j^2 / 2
// (dhlo-expand-fourier has the same for a known number).

Parts FourierRows::multiply(Parts x, Parts y, bool isConjugate) {
  vectormath::Floats f(b, x.real);
  Value cross = f.mul(x.imaginary, y.imaginary);
  Value turned = f.mul(x.real, y.imaginary);
  if (isConjugate)
    return {f.fma(x.real, y.real, cross),
            f.sub(f.mul(x.imaginary, y.real), turned)};
  return {f.sub(f.mul(x.real, y.real), cross),
          f.fma(x.imaginary, y.real, turned)};
}

void FourierRows::emitAngles(Parts to, Value count, Value half, bool isSquare) {
  Type f64 = b.getF64Type();
  b.coverLanes(b.constant(0), count, [&](Value i, int64_t lanes) {
    Value at = lanes == 1 ? i : b.value(b.add(b.laneNumbers(lanes), i));
    Value number =
        arith::SIToFPOp::create(b, KernelBuilder::laneType(f64, lanes), at);
    Value n = b.splat(arith::SIToFPOp::create(b, f64, half), lanes);
    if (isSquare) {
      // The same angle but for full turns of 2 n.
      Value period = arith::AddFOp::create(b, n, n);
      number = arith::MulFOp::create(b, number, number);
      Value turns =
          math::FloorOp::create(b, arith::DivFOp::create(b, number, period));
      number = arith::SubFOp::create(b, number,
                                     arith::MulFOp::create(b, turns, period));
    }
    Value angle = arith::DivFOp::create(
        b, arith::MulFOp::create(b, number, b.number(M_PI, f64, lanes)), n);
    auto narrow = [&](Value v) -> Value {
      if (element.isF64())
        return v;
      return arith::TruncFOp::create(b, KernelBuilder::laneType(element, lanes),
                                     v);
    };
    store(
        {narrow(vectormath::cos(b, angle)), narrow(vectormath::sin(b, angle))},
        to, i, lanes);
  });
}

void FourierRows::emitConvolutionTables() {
  Parts filter = getTable(1), chirp = getTable(2), array = wide->getArrays(0);
  emitAngles(getTable(0), wide->size, c.div(wide->size, 2), false);
  emitAngles(chirp, size, size, true);
  wide->emitPowers();
  // Element k and the one as far from the end are those of k.
  b.loop(b.constant(0), wide->size, kColumns, [&](Value i) {
    Value zero = b.number(0, element, kColumns);
    store({zero, zero}, array, i, kColumns);
  });
  // The transform back is divided by the number of elements.
  Value total = arith::SIToFPOp::create(b, element, wide->size);
  Value factor = arith::DivFOp::create(b, b.number(1, element), total);
  b.loop(b.constant(0), size, 1, [&](Value k) {
    Parts x = load(chirp, k, 1);
    x = {arith::MulFOp::create(b, x.real, factor),
         arith::MulFOp::create(b, x.imaginary, factor)};
    store(x, array, k, 1);
    store(x, array, c.rem(c.sub(wide->size, k), wide->size), 1);
  });
  Value set = wide->emitMatrix();
  copyLines(wide->getArrays(set), filter, c.constant(1), wide->size,
            c.constant(0), c.constant(0));
}

void FourierRows::emitConvolution(Parts row) {
  Parts filter = getTable(1), chirp = getTable(2), array = wide->getArrays(0);
  OpFoldResult zero = b.constant(0);
  b.coverLanes(zero, size, [&](Value i, int64_t lanes) {
    store(multiply(load(row, i, lanes), load(chirp, i, lanes), true), array, i,
          lanes);
  });
  b.coverLanes(size, wide->size, [&](Value i, int64_t lanes) {
    Value none = b.number(0, element, lanes);
    store({none, none}, array, i, lanes);
  });
  // The inverse is the transform of exchanged parts, exchanged.
  Parts spectrum = wide->getArrays(wide->emitMatrix());
  b.loop(zero, wide->size, kColumns, [&](Value i) {
    Parts x =
        multiply(load(spectrum, i, kColumns), load(filter, i, kColumns), false);
    store({x.imaginary, x.real}, array, i, kColumns);
  });
  Parts result = wide->getArrays(wide->emitMatrix());
  b.coverLanes(zero, size, [&](Value i, int64_t lanes) {
    Parts x = load(result, i, lanes);
    store(multiply({x.imaginary, x.real}, load(chirp, i, lanes), true), row, i,
          lanes);
  });
}
