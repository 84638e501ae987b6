//===- FourierSchedule.cpp - Fourier transforms ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A row is an item; if other axes follow the axis, 16 columns are. Columns of a
// matrix are transformed side by side (FourierKernels.h), which
//
// - columns are by themselves,
// - 16 rows are after a transpose,
// - and a row is whose length is a product of two numbers of at least 16: it is
//   a matrix whose columns are transformed, multiplied by powers of a root,
//   transposed, and transformed again.
//
// An even number of real numbers are complex ones of half the number. Which of
// these forms a row has depends on its length alone, and so do its bits.

#include "Codegen/CPU/Loop/ItemLoop.h"
#include "Codegen/CPU/Single/FourierKernels.h"
#include "Codegen/CPU/Single/SingleSchedules.h"
#include "Codegen/Common/Problems/SegmentProblem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;

static constexpr int64_t kColumns = FourierKernels::kColumns;
/// Bytes for the factors of a number.
static constexpr int64_t kFactorBytes = 64 * 8;

namespace {

/// How transforms of n complex numbers are computed.
struct Plan {
  Value size;           ///< n
  Value count;          ///< number of its factors
  Value rows;           ///< n as rows of a matrix,
  Value rowFactors;     ///< the number of their factors
  Value columns;        ///< and columns
  Value isMatrix;       ///< whether both are large enough
  Value pitch;          ///< elements of a row, up to full vectors
  Value widePitch;      ///< the same of a row of the matrix,
  Value widePitchAfter; ///< and of its transpose
};

class FourierSchedule : public Schedule {
public:
  explicit FourierSchedule(dhlo::FftOp op) : op(op) {}

  LogicalResult match(dlhlo::KernelOp kernel, const SymbolicDims &dims,
                      const CodegenOptions &options) override;
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  bool isOfReal() { return !op.getImaginary(); }
  bool isReal() { return !op.getResultImaginary(); }
  /// Whether each column is transformed as it is.
  bool isDirect() { return hasColumns && !isOfReal() && !isReal(); }

  /// The number of elements of the operand or the result along the axis.
  OpFoldResult sizeOf(KernelBuilder &b, Value tensor) {
    return b.size(tensor, op.getAxis());
  }
  Value isEven(KernelBuilder &b);
  /// Finds the factors and stores them at `factors`, if this is not null.
  Plan emitPlan(KernelBuilder &b, Value factors);
  void emitFactors(KernelBuilder &b, Plan &plan, Value factors);
  Value roundUp(CodeBuilder &c, Value n) {
    return c.mul(c.ceilDiv(n, kColumns), kColumns);
  }

  /// Numbers that an array of scratch holds.
  Value getCapacity(KernelBuilder &b, const Plan &plan);
  /// Two arrays: 0 and 1 are those of transforms, 2 is a third one.
  Parts getArrays(KernelBuilder &b, int64_t set);
  Parts getArrays(KernelBuilder &b, Value set);
  Parts offset(KernelBuilder &b, Parts p, Value elements);
  /// Null for a part that does not exist, or that the kernel does not yield.
  Parts getBuffers(KernelBuilder &b, bool ofResult);
  Parts getRoots(KernelBuilder &b);

  Value flip(CodeBuilder &c, Value set) { return c.sub(c.constant(1), set); }
  /// The set of arrays after as many passes.
  Value afterPasses(CodeBuilder &c, Value set, Value passes) {
    Value odd = c.rem(passes, 2);
    return c.rem(c.add(set, odd), 2);
  }
  void copyLines(KernelBuilder &b, Parts from, Parts to, Value lines,
                 Value size, Value fromPitch, Value toPitch);
  void emitPowers(KernelBuilder &b, const Plan &plan);
  /// Transforms the rows of set 0; returns the set of the result.
  Value emitMatrix(KernelBuilder &b, const Plan &plan);
  Value emitRows(KernelBuilder &b, const Plan &plan);

  /// Reads a row, `x`, as the complex numbers to transform, and the opposite.
  void readRow(KernelBuilder &b, Parts x, Parts to);
  void writeRow(KernelBuilder &b, Parts from, Parts y);
  void readHalf(KernelBuilder &b, Parts x, Parts to);
  void writeHalf(KernelBuilder &b, Parts from, Parts y);

  void emitEachRow(KernelBuilder &b, const Plan &plan);
  void emitEachColumn(KernelBuilder &b, const Plan &plan);
  void emitColumns(KernelBuilder &b, const Plan &plan, OpFoldResult outer,
                   OpFoldResult block);
  /// Loads or stores the columns of a block, `count` elements of each.
  void moveColumns(KernelBuilder &b, Parts tensor, Parts array,
                   OpFoldResult count, OpFoldResult outer, OpFoldResult block,
                   bool isLoad);

  FourierKernels getKernels(KernelBuilder &b) {
    return {b.getKernel()->getParentOp(), element, b.getCpu().registers};
  }
  FourierKernels::Transform getTransform(KernelBuilder &b, const Plan &plan);

  dhlo::FftOp op;
  Type element;
  int64_t bytes = 0;
  dhlo::DimExpr outer, inner;
  bool hasColumns = false;
  Value capacity;
};

/// Lanes in the opposite order.
Value reverse(KernelBuilder &b, Value v, int64_t lanes) {
  if (lanes == 1)
    return v;
  return vector::ShuffleOp::create(
      b, v, v, llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, lanes))));
}

/// Elements `index`, `index` - 1, ...
Value loadReversed(KernelBuilder &b, Value buffer, OpFoldResult index,
                   Type element, int64_t lanes) {
  return lanes == 1 ? b.load(buffer, index, element, 1)
                    : b.loadReversed(buffer, index, element, lanes);
}

} // namespace

LogicalResult FourierSchedule::match(dlhlo::KernelOp kernel,
                                     const SymbolicDims &dims,
                                     const CodegenOptions &) {
  if (!op.getRoots())
    return op.emitError("expected roots, which dhlo-expand-fourier adds");
  SegmentProblem problem(op, dims);
  element = problem.element;
  bytes = element.getIntOrFloatBitWidth() / 8;
  outer = problem.outer;
  inner = problem.inner;
  hasColumns = !inner.isConst(1);
  return checkYieldsOnly(kernel, op);
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

Value FourierSchedule::isEven(KernelBuilder &b) {
  if (!isOfReal() && !isReal())
    return b.number(0, b.getI1Type());
  OpFoldResult rest = b.rem(b.size(op.getLength()), b.constant(2));
  if (auto known = getConstantIntValue(rest))
    return b.number(*known == 0, b.getI1Type());
  return b.cmp(CmpIPredicate::eq, rest, b.constant(0));
}

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

Plan FourierSchedule::emitPlan(KernelBuilder &b, Value factors) {
  CodeBuilder c(b, b.getLoc());
  Plan plan;
  Value n = b.sizeValue(op.getLength());
  plan.size = c.getConstant(isEven(b)).value_or(0) ? c.div(n, 2) : n;
  if (!op.getLength().isConst() && (isOfReal() || isReal()))
    plan.size = c.select(isEven(b), c.div(n, 2), n);
  // A factor belongs to the rows while these stay fewer than the columns.
  if (auto known = c.getConstant(plan.size)) {
    int64_t count = 0, rows = 1, rowFactors = 0;
    forEachFactor(*known, [&](int64_t factor) {
      if (factors)
        c.store(c.constant(factor), c.offset(factors, 8 * count));
      ++count;
      if (rows * rows * factor > *known)
        return;
      rows *= factor;
      ++rowFactors;
    });
    plan.count = c.constant(count);
    plan.rows = c.constant(rows);
    plan.rowFactors = c.constant(rowFactors);
    plan.columns = c.constant(*known / rows);
    plan.isMatrix =
        b.number(!hasColumns && rows >= kColumns && *known / rows >= kColumns,
                 b.getI1Type());
  } else {
    emitFactors(b, plan, factors);
    plan.columns = c.div(plan.size, plan.rows);
    Value least = c.constant(kColumns);
    plan.isMatrix =
        hasColumns ? b.number(0, b.getI1Type())
                   : c.both(c.le(least, plan.rows), c.le(least, plan.columns));
  }
  plan.pitch = roundUp(c, plan.size);
  plan.widePitch = roundUp(c, plan.columns);
  plan.widePitchAfter = roundUp(c, plan.rows);
  return plan;
}

/// The same as forEachFactor for a dynamic size.
void FourierSchedule::emitFactors(KernelBuilder &b, Plan &plan, Value factors) {
  CodeBuilder c(b, b.getLoc());
  Type i64 = b.getI64Type();
  Value zero = c.constant(0), one = c.constant(1);
  auto loop = scf::WhileOp::create(
      b, TypeRange{i64, i64, i64, i64, i64},
      ValueRange{c.constant(2), plan.size, zero, one, zero},
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
          Value isRow = c.le(c.mul(c.mul(rows, rows), factor), plan.size);
          return SmallVector<Value>{factor, c.div(rest, factor),
                                    c.add(count, 1),
                                    c.select(isRow, c.mul(rows, factor), rows),
                                    c.add(old[4], c.select(isRow, one, zero))};
        });
        scf::YieldOp::create(b, result);
      });
  plan.count = loop.getResult(2);
  plan.rows = loop.getResult(3);
  plan.rowFactors = loop.getResult(4);
}

Value FourierSchedule::getCapacity(KernelBuilder &b, const Plan &plan) {
  CodeBuilder c(b, b.getLoc());
  if (hasColumns) {
    Value most =
        b.value(b.max(sizeOf(b, op.getReal()), sizeOf(b, op.getResult())));
    return c.mul(c.max(roundUp(c, most), plan.pitch), kColumns);
  }
  return c.select(plan.isMatrix, c.mul(plan.widePitch, plan.widePitchAfter),
                  c.mul(plan.pitch, kColumns));
}

Geometry FourierSchedule::emitGeometry(KernelBuilder &b) {
  CodeBuilder c(b, b.getLoc());
  Plan plan = emitPlan(b, Value());
  Geometry g;
  g.items = b.size(outer);
  OpFoldResult work = b.mul(b.size(op.getLength()), b.constant(8));
  if (hasColumns) {
    g.items = b.mul(g.items, b.ceilDiv(b.size(inner), b.constant(kColumns)));
    work = b.mul(work, b.constant(kColumns));
  }
  g.grain =
      b.add(b.div(b.constant(b.getCpu().grainWork), b.max(work, b.constant(1))),
            b.constant(1));
  // As many rows are transformed together.
  if (!hasColumns)
    g.grain = b.max(
        g.grain, c.select(plan.isMatrix, c.constant(1), c.constant(kColumns)));
  g.scratchBytes = c.add(c.mul(getCapacity(b, plan), 6 * bytes), kFactorBytes);
  return g;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Parts FourierSchedule::getArrays(KernelBuilder &b, int64_t set) {
  CodeBuilder c(b, b.getLoc());
  return getArrays(b, c.constant(set));
}

Parts FourierSchedule::getArrays(KernelBuilder &b, Value set) {
  CodeBuilder c(b, b.getLoc());
  Value start = c.add(c.mul(c.mul(set, capacity), 2 * bytes), kFactorBytes);
  return {b.scratch(start), b.scratch(c.add(start, c.mul(capacity, bytes)))};
}

Parts FourierSchedule::offset(KernelBuilder &b, Parts p, Value elements) {
  CodeBuilder c(b, b.getLoc());
  Value distance = c.mul(elements, bytes);
  auto move = [&](Value v) { return v ? c.offset(v, distance) : Value(); };
  return {move(p.real), move(p.imaginary)};
}

Parts FourierSchedule::getBuffers(KernelBuilder &b, bool ofResult) {
  auto find = [&](Value tensor) {
    return b.buffer(cast<BlockArgument>(tensor).getArgNumber());
  };
  if (!ofResult)
    return {find(op.getReal()), isOfReal() ? Value() : find(op.getImaginary())};
  Parts result;
  for (auto [i, tensor] : llvm::enumerate(b.getResults()))
    (tensor == op.getResult() ? result.real : result.imaginary) =
        b.resultBuffer(i);
  return result;
}

Parts FourierSchedule::getRoots(KernelBuilder &b) {
  CodeBuilder c(b, b.getLoc());
  Value cosines = b.buffer(cast<BlockArgument>(op.getRoots()).getArgNumber());
  Value n = b.sizeValue(op.getLength());
  return {cosines, c.offset(cosines, c.mul(n, bytes))};
}

//===----------------------------------------------------------------------===//
// Transforms
//===----------------------------------------------------------------------===//

FourierKernels::Transform FourierSchedule::getTransform(KernelBuilder &b,
                                                        const Plan &plan) {
  CodeBuilder c(b, b.getLoc());
  Value step = c.select(isEven(b), c.constant(2), c.constant(1));
  return {plan.size,  c.constant(kColumns), b.scratch(b.constant(0)),
          plan.count, getRoots(b),          step};
}

void FourierSchedule::copyLines(KernelBuilder &b, Parts from, Parts to,
                                Value lines, Value size, Value fromPitch,
                                Value toPitch) {
  CodeBuilder c(b, b.getLoc());
  b.loop(b.constant(0), lines, 1, [&](Value line) {
    Parts source = offset(b, from, c.mul(line, fromPitch));
    Parts target = offset(b, to, c.mul(line, toPitch));
    b.coverLanes(b.constant(0), size, [&](Value i, int64_t lanes) {
      b.store(b.load(source.real, i, element, lanes), target.real, i, element,
              lanes);
      b.store(b.load(source.imaginary, i, element, lanes), target.imaginary, i,
              element, lanes);
    });
  });
}

void FourierSchedule::emitPowers(KernelBuilder &b, const Plan &plan) {
  CodeBuilder c(b, b.getLoc());
  Parts roots = getRoots(b), to = getArrays(b, 2);
  Value step = getTransform(b, plan).rootStep;
  Value last = c.sub(b.sizeValue(op.getLength()), c.constant(1));
  b.loop(b.constant(0), plan.rows, 1, [&](Value row) {
    Value power = c.mul(row, step), line = c.mul(row, plan.widePitch);
    b.loop(b.constant(0), plan.widePitch, kColumns, [&](Value column) {
      OpFoldResult index = b.mul(b.add(b.laneNumbers(kColumns), column), power);
      // Columns behind the last one are not read after all.
      Value inside = b.value(b.min(index, last));
      OpFoldResult at = b.add(line, column);
      for (auto [from, array] : {std::pair(roots.real, to.real),
                                 std::pair(roots.imaginary, to.imaginary)})
        b.store(b.gather(from, inside, element), array, at, element, kColumns);
    });
  });
}

Value FourierSchedule::emitMatrix(KernelBuilder &b, const Plan &plan) {
  CodeBuilder c(b, b.getLoc());
  FourierKernels kernels = getKernels(b);
  FourierKernels::Transform t = getTransform(b, plan);
  Value set = c.constant(1), step = t.rootStep;
  copyLines(b, getArrays(b, 0), getArrays(b, 1), plan.rows, plan.columns,
            plan.columns, plan.widePitch);

  t.size = plan.rows;
  t.columns = plan.widePitch;
  t.count = plan.rowFactors;
  t.rootStep = c.mul(step, plan.columns);
  kernels.transform(c, getArrays(b, 1), getArrays(b, 0), t);
  set = afterPasses(c, set, t.count);
  kernels.transpose(c, getArrays(b, set), getArrays(b, flip(c, set)),
                    plan.widePitchAfter, plan.widePitch, getArrays(b, 2));
  set = flip(c, set);

  t.factors = c.offset(t.factors, c.mul(t.count, 8));
  t.size = plan.columns;
  t.columns = plan.widePitchAfter;
  t.count = c.sub(plan.count, plan.rowFactors);
  t.rootStep = c.mul(step, plan.rows);
  kernels.transform(c, getArrays(b, set), getArrays(b, flip(c, set)), t);
  set = afterPasses(c, set, t.count);
  copyLines(b, getArrays(b, set), getArrays(b, flip(c, set)), plan.columns,
            plan.rows, plan.widePitchAfter, plan.rows);
  return flip(c, set);
}

Value FourierSchedule::emitRows(KernelBuilder &b, const Plan &plan) {
  CodeBuilder c(b, b.getLoc());
  FourierKernels kernels = getKernels(b);
  FourierKernels::Transform t = getTransform(b, plan);
  Value width = c.constant(kColumns), set = c.constant(1);
  kernels.transpose(c, getArrays(b, 0), getArrays(b, 1), width, plan.pitch);
  kernels.transform(c, getArrays(b, 1), getArrays(b, 0), t);
  set = afterPasses(c, set, t.count);
  kernels.transpose(c, getArrays(b, set), getArrays(b, flip(c, set)),
                    plan.pitch, width);
  return flip(c, set);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void FourierSchedule::readRow(KernelBuilder &b, Parts x, Parts to) {
  CodeBuilder c(b, b.getLoc());
  OpFoldResult n = b.size(op.getLength()), zero = b.constant(0);
  auto copy = [&](Value from, Value array, OpFoldResult count) {
    b.coverLanes(zero, count, [&](Value i, int64_t lanes) {
      b.store(b.load(from, i, element, lanes), array, i, element, lanes);
    });
  };
  // The inverse is the transform of exchanged parts, exchanged.
  if (!isOfReal() && !isReal()) {
    copy(x.real, op.getInverse() ? to.imaginary : to.real, n);
    copy(x.imaginary, op.getInverse() ? to.real : to.imaginary, n);
    return;
  }
  c.ifThen(
      isEven(b), [&] { readHalf(b, x, to); },
      [&] {
        if (isOfReal()) {
          copy(x.real, to.real, n);
          b.coverLanes(zero, n, [&](Value i, int64_t lanes) {
            b.store(b.number(0, element, lanes), to.imaginary, i, element,
                    lanes);
          });
          return;
        }
        // Elements behind the first half are the conjugates of those in it.
        b.store(b.load(x.real, zero, element, 1), to.imaginary, zero, element,
                1);
        b.store(b.number(0, element), to.real, zero, element, 1);
        OpFoldResult end = b.add(b.div(n, b.constant(2)), b.constant(1));
        b.coverLanes(b.constant(1), end, [&](Value k, int64_t lanes) {
          Value real = b.load(x.real, k, element, lanes);
          Value imaginary = b.load(x.imaginary, k, element, lanes);
          if (!op.getInverse())
            imaginary = arith::NegFOp::create(b, imaginary);
          OpFoldResult other = b.sub(b.sub(n, k), b.constant(lanes - 1));
          b.store(real, to.imaginary, k, element, lanes);
          b.store(imaginary, to.real, k, element, lanes);
          b.store(reverse(b, real, lanes), to.imaginary, other, element, lanes);
          b.store(reverse(b, arith::NegFOp::create(b, imaginary), lanes),
                  to.real, other, element, lanes);
        });
      });
}

void FourierSchedule::readHalf(KernelBuilder &b, Parts x, Parts to) {
  OpFoldResult half = b.div(b.size(op.getLength()), b.constant(2));
  OpFoldResult zero = b.constant(0);
  if (isOfReal()) {
    b.coverLanes(zero, half, [&](Value k, int64_t lanes) {
      OpFoldResult first = b.mul(k, b.constant(2));
      Value low = b.load(x.real, first, element, lanes);
      Value high =
          b.load(x.real, b.add(first, b.constant(lanes)), element, lanes);
      Value parts[] = {low, high};
      if (lanes > 1)
        for (int64_t part : {0, 1}) {
          SmallVector<int64_t> numbers;
          for (int64_t i = 0; i < lanes; ++i)
            numbers.push_back(2 * i + part);
          parts[part] = vector::ShuffleOp::create(b, low, high, numbers);
        }
      b.store(parts[0], to.real, k, element, lanes);
      b.store(parts[1], to.imaginary, k, element, lanes);
    });
    return;
  }
  // Numbers of which the real ones, at even and odd positions, are the parts
  // of the inverse transform; exchanged.
  Parts roots = getRoots(b);
  auto add = [&](Value v, Value w) -> Value {
    return arith::AddFOp::create(b, v, w);
  };
  auto sub = [&](Value v, Value w) -> Value {
    return arith::SubFOp::create(b, v, w);
  };
  auto mul = [&](Value v, Value w) -> Value {
    return arith::MulFOp::create(b, v, w);
  };
  Value first = b.load(x.real, zero, element, 1);
  Value last = b.load(x.real, half, element, 1);
  b.store(add(first, last), to.imaginary, zero, element, 1);
  b.store(sub(first, last), to.real, zero, element, 1);
  b.coverLanes(b.constant(1), half, [&](Value k, int64_t lanes) {
    OpFoldResult other = b.sub(half, k);
    Value xr = b.load(x.real, k, element, lanes);
    Value xi = b.load(x.imaginary, k, element, lanes);
    Value yr = loadReversed(b, x.real, other, element, lanes);
    Value yi = loadReversed(b, x.imaginary, other, element, lanes);
    Value cosine = b.load(roots.real, k, element, lanes);
    Value sine = b.load(roots.imaginary, k, element, lanes);
    Value evenReal = add(xr, yr), evenImaginary = sub(xi, yi);
    Value oddReal = sub(xr, yr), oddImaginary = add(xi, yi);
    if (!op.getInverse()) {
      evenImaginary = arith::NegFOp::create(b, evenImaginary);
      oddImaginary = arith::NegFOp::create(b, oddImaginary);
    }
    Value real = sub(evenReal, b.fma(cosine, oddImaginary, mul(sine, oddReal)));
    Value imaginary =
        add(evenImaginary, sub(mul(cosine, oddReal), mul(sine, oddImaginary)));
    b.store(real, to.imaginary, k, element, lanes);
    b.store(imaginary, to.real, k, element, lanes);
  });
}

void FourierSchedule::writeRow(KernelBuilder &b, Parts from, Parts y) {
  CodeBuilder c(b, b.getLoc());
  OpFoldResult n = b.size(op.getLength()), zero = b.constant(0);
  auto copy = [&](Value array, Value to, OpFoldResult count, bool isNegated) {
    if (!to)
      return;
    b.coverLanes(zero, count, [&](Value i, int64_t lanes) {
      Value v = b.load(array, i, element, lanes);
      if (isNegated)
        v = arith::NegFOp::create(b, v);
      b.store(v, to, i, element, lanes);
    });
  };
  if (!isOfReal() && !isReal()) {
    copy(op.getInverse() ? from.imaginary : from.real, y.real, n, false);
    copy(op.getInverse() ? from.real : from.imaginary, y.imaginary, n, false);
    return;
  }
  c.ifThen(
      isEven(b), [&] { writeHalf(b, from, y); },
      [&] {
        if (isReal())
          return copy(from.imaginary, y.real, n, false);
        OpFoldResult count = sizeOf(b, op.getResult());
        copy(from.real, y.real, count, false);
        copy(from.imaginary, y.imaginary, count, op.getInverse());
      });
}

void FourierSchedule::writeHalf(KernelBuilder &b, Parts from, Parts y) {
  OpFoldResult n = b.size(op.getLength()), zero = b.constant(0);
  OpFoldResult half = b.div(n, b.constant(2));
  if (isReal()) {
    b.coverLanes(zero, half, [&](Value k, int64_t lanes) {
      OpFoldResult first = b.mul(k, b.constant(2));
      Value even = b.load(from.imaginary, k, element, lanes);
      Value odd = b.load(from.real, k, element, lanes);
      Value parts[] = {even, odd};
      if (lanes > 1)
        for (int64_t part : {0, 1}) {
          SmallVector<int64_t> numbers;
          for (int64_t i = 0; i < lanes / 2; ++i)
            numbers.append(
                {part * lanes / 2 + i, lanes + part * lanes / 2 + i});
          parts[part] = vector::ShuffleOp::create(b, even, odd, numbers);
        }
      b.store(parts[0], y.real, first, element, lanes);
      b.store(parts[1], y.real, b.add(first, b.constant(lanes)), element,
              lanes);
    });
    return;
  }
  Parts roots = getRoots(b);
  auto add = [&](Value v, Value w) -> Value {
    return arith::AddFOp::create(b, v, w);
  };
  auto sub = [&](Value v, Value w) -> Value {
    return arith::SubFOp::create(b, v, w);
  };
  auto mul = [&](Value v, Value w) -> Value {
    return arith::MulFOp::create(b, v, w);
  };
  auto storePart = [&](Value v, Value to, OpFoldResult k, int64_t lanes) {
    if (to)
      b.store(v, to, k, element, lanes);
  };
  auto store = [&](Value real, Value imaginary, OpFoldResult k, int64_t lanes) {
    Value conjugate = arith::NegFOp::create(b, imaginary);
    if (op.getInverse())
      std::swap(imaginary, conjugate);
    storePart(real, y.real, k, lanes);
    storePart(imaginary, y.imaginary, k, lanes);
    return conjugate;
  };
  Value first = b.load(from.real, zero, element, 1);
  Value other = b.load(from.imaginary, zero, element, 1);
  Value none = b.number(0, element);
  store(add(first, other), none, zero, 1);
  store(sub(first, other), none, half, 1);
  b.coverLanes(b.constant(1), half, [&](Value k, int64_t lanes) {
    OpFoldResult opposite = b.sub(half, k);
    Value xr = b.load(from.real, k, element, lanes);
    Value xi = b.load(from.imaginary, k, element, lanes);
    Value yr = loadReversed(b, from.real, opposite, element, lanes);
    Value yi = loadReversed(b, from.imaginary, opposite, element, lanes);
    Value cosine = b.load(roots.real, k, element, lanes);
    Value sine = b.load(roots.imaginary, k, element, lanes);
    Value scale = b.number(0.5, element, lanes);
    Value evenReal = mul(add(xr, yr), scale), oddReal = mul(sub(xr, yr), scale);
    Value evenImaginary = mul(sub(xi, yi), scale);
    Value oddImaginary = mul(add(xi, yi), scale);
    Value real =
        add(evenReal, sub(mul(cosine, oddImaginary), mul(sine, oddReal)));
    Value imaginary =
        sub(evenImaginary, b.fma(cosine, oddReal, mul(sine, oddImaginary)));
    Value conjugate = store(real, imaginary, k, lanes);
    if (op.getHalf())
      return;
    OpFoldResult mirrored = b.sub(b.sub(n, k), b.constant(lanes - 1));
    storePart(reverse(b, real, lanes), y.real, mirrored, lanes);
    storePart(reverse(b, conjugate, lanes), y.imaginary, mirrored, lanes);
  });
}

//===----------------------------------------------------------------------===//
// Items
//===----------------------------------------------------------------------===//

void FourierSchedule::emitEachRow(KernelBuilder &b, const Plan &plan) {
  CodeBuilder c(b, b.getLoc());
  Value together = c.select(plan.isMatrix, c.constant(1), c.constant(kColumns));
  Value last = c.sub(b.end(), c.constant(1));
  c.ifThen(plan.isMatrix, [&] { emitPowers(b, plan); });
  c.forLoop(b.begin(), b.end(), together, [&](Value base) {
    // Behind the last row, it is computed again.
    auto forRows = [&](llvm::function_ref<void(Value, Value)> body) {
      c.forLoop(together, [&](Value i) {
        body(c.min(c.add(base, i), last), c.mul(i, plan.pitch));
      });
    };
    forRows([&](Value row, Value start) {
      Value first = c.mul(row, b.value(sizeOf(b, op.getReal())));
      readRow(b, offset(b, getBuffers(b, false), first),
              offset(b, getArrays(b, 0), start));
    });
    Value set = c.choose(
        plan.isMatrix, [&] { return emitMatrix(b, plan); },
        [&] { return emitRows(b, plan); });
    forRows([&](Value row, Value start) {
      Value first = c.mul(row, b.value(sizeOf(b, op.getResult())));
      writeRow(b, offset(b, getArrays(b, set), start),
               offset(b, getBuffers(b, true), first));
    });
  });
}

void FourierSchedule::moveColumns(KernelBuilder &b, Parts tensor, Parts array,
                                  OpFoldResult count, OpFoldResult outer,
                                  OpFoldResult block, bool isLoad) {
  CodeBuilder c(b, b.getLoc());
  OpFoldResult inner = b.size(this->inner), width = b.constant(kColumns);
  // The last columns are computed again if they are less than a vector.
  OpFoldResult least =
      b.min(b.mul(block, width), b.max(b.sub(inner, width), b.constant(0)));
  auto move = [&](OpFoldResult k, OpFoldResult column, int64_t lanes) {
    OpFoldResult in = b.add(b.mul(k, width), column);
    OpFoldResult at = b.add(
        b.add(b.mul(b.add(b.mul(outer, count), k), inner), least), column);
    for (auto [far, near] : {std::pair(tensor.real, array.real),
                             std::pair(tensor.imaginary, array.imaginary)}) {
      if (!far)
        continue;
      if (isLoad)
        b.store(b.load(far, at, element, lanes), near, in, element, lanes);
      else
        b.store(b.load(near, in, element, lanes), far, at, element, lanes);
    }
  };
  Value isWide = c.le(b.value(width), b.value(inner));
  b.loop(b.constant(0), count, 1, [&](Value k) {
    c.ifThen(
        isWide, [&] { move(k, b.constant(0), kColumns); },
        [&] {
          b.loop(b.constant(0), inner, 1,
                 [&](Value column) { move(k, column, 1); });
        });
  });
}

void FourierSchedule::emitColumns(KernelBuilder &b, const Plan &plan,
                                  OpFoldResult outer, OpFoldResult block) {
  CodeBuilder c(b, b.getLoc());
  FourierKernels kernels = getKernels(b);
  OpFoldResult from = sizeOf(b, op.getReal()), to = sizeOf(b, op.getResult());
  Parts x = getBuffers(b, false), y = getBuffers(b, true);
  if (isDirect()) {
    auto exchange = [&](Parts p) {
      return op.getInverse() ? Parts{p.imaginary, p.real} : p;
    };
    moveColumns(b, exchange(x), getArrays(b, 0), from, outer, block, true);
    FourierKernels::Transform t = getTransform(b, plan);
    kernels.transform(c, getArrays(b, 0), getArrays(b, 1), t);
    Value set = afterPasses(c, c.constant(0), t.count);
    moveColumns(b, exchange(y), getArrays(b, set), to, outer, block, false);
    return;
  }
  // Columns become rows, and the results columns.
  Value width = c.constant(kColumns);
  auto forRows = [&](OpFoldResult size, Value set,
                     llvm::function_ref<void(Parts, Parts)> body) {
    Value pitch = roundUp(c, b.value(size));
    c.forLoop(width, [&](Value i) {
      body(offset(b, getArrays(b, 2), c.mul(i, pitch)),
           offset(b, getArrays(b, set), c.mul(i, plan.pitch)));
    });
  };
  moveColumns(b, x, getArrays(b, 0), from, outer, block, true);
  kernels.transpose(c, getArrays(b, 0), getArrays(b, 2),
                    roundUp(c, b.value(from)), width);
  forRows(from, c.constant(0),
          [&](Parts row, Parts array) { readRow(b, row, array); });
  Value set = emitRows(b, plan);
  forRows(to, set, [&](Parts row, Parts array) { writeRow(b, array, row); });
  kernels.transpose(c, getArrays(b, 2), getArrays(b, 0), width,
                    roundUp(c, b.value(to)));
  moveColumns(b, y, getArrays(b, 0), to, outer, block, false);
}

LogicalResult FourierSchedule::emitBody(KernelBuilder &b) {
  CodeBuilder c(b, b.getLoc());
  auto emit = [&] {
    Plan plan = emitPlan(b, b.scratch(b.constant(0)));
    capacity = getCapacity(b, plan);
    hasColumns ? emitEachColumn(b, plan) : emitEachRow(b, plan);
  };
  OpFoldResult n = b.size(op.getLength());
  if (getConstantIntValue(n).value_or(0) > 0) {
    emit();
    return success();
  }
  // Half of no elements is one, the sum of none.
  Value isFirst = b.cmp(CmpIPredicate::eq, b.begin(), b.constant(0));
  c.ifThen(b.cmp(CmpIPredicate::sgt, n, b.constant(0)), emit, [&] {
    b.ifThen(isFirst, [&] {
      for (int64_t i = 0, end = b.getResults().size(); i < end; ++i)
        b.laneLoop(b.constant(0), b.numElements(b.getResults()[i]),
                   [&](Value at, int64_t lanes) {
                     b.store(b.number(0, element, lanes), b.resultBuffer(i), at,
                             element, lanes);
                   });
    });
  });
  return success();
}

void FourierSchedule::emitEachColumn(KernelBuilder &b, const Plan &plan) {
  SmallVector<OpFoldResult> extents = {
      b.size(outer), b.ceilDiv(b.size(inner), b.constant(kColumns))};
  forEachItem(b, extents, b.begin(), b.end(),
              [&](ArrayRef<OpFoldResult> coordinates) {
                emitColumns(b, plan, coordinates[0], coordinates[1]);
              });
}

std::unique_ptr<Schedule> dyn::createFourierSchedule(dhlo::FftOp op) {
  return std::make_unique<FourierSchedule>(op);
}
