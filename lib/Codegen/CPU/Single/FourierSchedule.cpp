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
#include "Codegen/CPU/Single/FourierRows.h"
#include "Codegen/CPU/Single/SingleSchedules.h"
#include "Codegen/Common/Elements/VectorMathBuilder.h"
#include "Codegen/Common/Problems/SegmentProblem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using vectormath::Floats;

static constexpr int64_t kColumns = FourierKernels::kColumns;

namespace {

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

  /// The number of elements of the operand or the result along the axis.
  OpFoldResult sizeOf(KernelBuilder &b, Value tensor) {
    return b.size(tensor, op.getAxis());
  }
  Value isEven(KernelBuilder &b);
  FourierRows makeRows(KernelBuilder &b);
  /// Null for a part that does not exist, or that the kernel does not yield.
  Parts getBuffers(KernelBuilder &b, bool ofResult);
  Parts getRoots(KernelBuilder &b);

  /// Reads a row, `x`, as the complex numbers to transform, and the opposite.
  void readRow(KernelBuilder &b, Parts x, Parts to);
  void writeRow(KernelBuilder &b, Parts from, Parts y);
  void readHalf(KernelBuilder &b, Parts x, Parts to);
  void writeHalf(KernelBuilder &b, Parts from, Parts y);

  void emitEachRow(KernelBuilder &b, FourierRows &rows);
  void emitEachColumn(KernelBuilder &b, FourierRows &rows);
  /// Transforms the columns of a block, or the rows of its transpose.
  void emitColumns(KernelBuilder &b, FourierRows &rows, OpFoldResult outer,
                   OpFoldResult block);
  void emitTurned(KernelBuilder &b, FourierRows &rows, OpFoldResult outer,
                  OpFoldResult block);
  /// Loads or stores the columns of a block, `count` elements of each.
  void moveColumns(KernelBuilder &b, Parts tensor, Parts array,
                   OpFoldResult count, OpFoldResult outer, OpFoldResult block,
                   bool isLoad);

  dhlo::FftOp op;
  Type element;
  dhlo::DimExpr outer, inner;
  bool hasColumns = false;
};

/// Lanes in the opposite order.
Value reverse(KernelBuilder &b, Value v, int64_t lanes) {
  if (lanes == 1)
    return v;
  return vector::ShuffleOp::create(
      b, v, v, llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, lanes))));
}

/// Elements k and `half` - k of complex numbers, and root k.
struct Mirrored {
  Parts x, y, root;

  Mirrored(KernelBuilder &b, Parts from, Parts roots, Value k,
           OpFoldResult half, Type element, int64_t lanes) {
    OpFoldResult other = b.sub(half, k);
    auto load = [&](Parts p) -> Parts {
      return {b.load(p.real, k, element, lanes),
              b.load(p.imaginary, k, element, lanes)};
    };
    auto loadOther = [&](Value buffer) {
      return lanes == 1 ? b.load(buffer, other, element, 1)
                        : b.loadReversed(buffer, other, element, lanes);
    };
    x = load(from);
    y = {loadOther(from.real), loadOther(from.imaginary)};
    root = load(roots);
  }
};

} // namespace

LogicalResult FourierSchedule::match(dlhlo::KernelOp kernel,
                                     const SymbolicDims &dims,
                                     const CodegenOptions &) {
  if (!op.getRoots())
    return op.emitError("expected roots, which dhlo-expand-fourier adds");
  SegmentProblem problem(op, dims);
  element = problem.element;
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

FourierRows FourierSchedule::makeRows(KernelBuilder &b) {
  CodeBuilder c(b, b.getLoc());
  Value n = b.sizeValue(op.getLength()), even = isEven(b), least;
  auto known = c.getConstant(even);
  Value size =
      known ? (*known ? c.div(n, 2) : n) : c.select(even, c.div(n, 2), n);
  if (hasColumns)
    least = c.mul(
        FourierRows::roundUp(c, b.value(b.max(sizeOf(b, op.getReal()),
                                              sizeOf(b, op.getResult())))),
        kColumns);
  return FourierRows(b, element, size, c.constant(0), least,
                     /*mayConvolve=*/true);
}

Geometry FourierSchedule::emitGeometry(KernelBuilder &b) {
  CodeBuilder c(b, b.getLoc());
  FourierRows rows = makeRows(b);
  rows.emitPlan(/*isGeometry=*/true);
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
    g.grain = b.max(g.grain, rows.getTogether());
  g.scratchBytes = rows.getBytes();
  return g;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

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
  return {cosines,
          c.offset(cosines, c.mul(n, element.getIntOrFloatBitWidth() / 8))};
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
  Value first = b.load(x.real, zero, element, 1);
  Value last = b.load(x.real, half, element, 1);
  Floats single(b, first);
  b.store(single.add(first, last), to.imaginary, zero, element, 1);
  b.store(single.sub(first, last), to.real, zero, element, 1);
  b.coverLanes(b.constant(1), half, [&](Value k, int64_t lanes) {
    auto [own, other, root] =
        Mirrored(b, x, getRoots(b), k, half, element, lanes);
    Floats f(b, own.real);
    Parts even = {f.add(own.real, other.real),
                  f.sub(own.imaginary, other.imaginary)};
    Parts odd = {f.sub(own.real, other.real),
                 f.add(own.imaginary, other.imaginary)};
    if (!op.getInverse()) {
      even.imaginary = f.neg(even.imaginary);
      odd.imaginary = f.neg(odd.imaginary);
    }
    Value real = f.sub(even.real, f.fma(root.real, odd.imaginary,
                                        f.mul(root.imaginary, odd.real)));
    Value imaginary =
        f.add(even.imaginary, f.sub(f.mul(root.real, odd.real),
                                    f.mul(root.imaginary, odd.imaginary)));
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
  Floats single(b, first);
  store(single.add(first, other), none, zero, 1);
  store(single.sub(first, other), none, half, 1);
  b.coverLanes(b.constant(1), half, [&](Value k, int64_t lanes) {
    auto [x, mirror, root] =
        Mirrored(b, from, getRoots(b), k, half, element, lanes);
    Floats f(b, x.real);
    Value scale = f.c(0.5);
    Parts even = {f.mul(f.add(x.real, mirror.real), scale),
                  f.mul(f.sub(x.imaginary, mirror.imaginary), scale)};
    Parts odd = {f.mul(f.sub(x.real, mirror.real), scale),
                 f.mul(f.add(x.imaginary, mirror.imaginary), scale)};
    Value real = f.add(even.real, f.sub(f.mul(root.real, odd.imaginary),
                                        f.mul(root.imaginary, odd.real)));
    Value imaginary =
        f.sub(even.imaginary,
              f.fma(root.real, odd.real, f.mul(root.imaginary, odd.imaginary)));
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

void FourierSchedule::emitEachRow(KernelBuilder &b, FourierRows &rows) {
  CodeBuilder c(b, b.getLoc());
  Value together = rows.getTogether();
  Value last = c.sub(b.end(), c.constant(1));
  c.forLoop(b.begin(), b.end(), together, [&](Value base) {
    // Behind the last row, it is computed again.
    auto forRows = [&](Value set, llvm::function_ref<void(Value, Parts)> body) {
      c.forLoop(together, [&](Value i) {
        body(c.min(c.add(base, i), last),
             rows.offset(rows.getArrays(set), c.mul(i, rows.getPitch())));
      });
    };
    forRows(c.constant(0), [&](Value row, Parts array) {
      Value first = c.mul(row, b.value(sizeOf(b, op.getReal())));
      readRow(b, rows.offset(getBuffers(b, false), first), array);
    });
    forRows(rows.emit(together), [&](Value row, Parts array) {
      Value first = c.mul(row, b.value(sizeOf(b, op.getResult())));
      writeRow(b, array, rows.offset(getBuffers(b, true), first));
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

void FourierSchedule::emitColumns(KernelBuilder &b, FourierRows &rows,
                                  OpFoldResult outer, OpFoldResult block) {
  OpFoldResult from = sizeOf(b, op.getReal()), to = sizeOf(b, op.getResult());
  auto exchange = [&](Parts p) {
    return op.getInverse() ? Parts{p.imaginary, p.real} : p;
  };
  moveColumns(b, exchange(getBuffers(b, false)), rows.getArrays(0), from, outer,
              block, true);
  Value set = rows.emitColumns();
  moveColumns(b, exchange(getBuffers(b, true)), rows.getArrays(set), to, outer,
              block, false);
}

void FourierSchedule::emitTurned(KernelBuilder &b, FourierRows &rows,
                                 OpFoldResult outer, OpFoldResult block) {
  CodeBuilder c(b, b.getLoc());
  OpFoldResult from = sizeOf(b, op.getReal()), to = sizeOf(b, op.getResult());
  Value width = c.constant(kColumns), first = c.constant(0);
  auto forRows = [&](OpFoldResult size, Value set,
                     llvm::function_ref<void(Parts, Parts)> body) {
    Value pitch = FourierRows::roundUp(c, b.value(size));
    c.forLoop(width, [&](Value i) {
      body(rows.offset(rows.getArrays(2), c.mul(i, pitch)),
           rows.offset(rows.getArrays(set), c.mul(i, rows.getPitch())));
    });
  };
  moveColumns(b, getBuffers(b, false), rows.getArrays(0), from, outer, block,
              true);
  rows.getKernels().transpose(c, rows.getArrays(0), rows.getArrays(2),
                              FourierRows::roundUp(c, b.value(from)), width);
  forRows(from, first, [&](Parts row, Parts array) { readRow(b, row, array); });
  Value set = rows.emit(width);
  forRows(to, set, [&](Parts row, Parts array) { writeRow(b, array, row); });
  rows.getKernels().transpose(c, rows.getArrays(2), rows.getArrays(0), width,
                              FourierRows::roundUp(c, b.value(to)));
  moveColumns(b, getBuffers(b, true), rows.getArrays(0), to, outer, block,
              false);
}

LogicalResult FourierSchedule::emitBody(KernelBuilder &b) {
  CodeBuilder c(b, b.getLoc());
  auto emit = [&] {
    FourierRows rows = makeRows(b);
    rows.emitPlan(/*isGeometry=*/false);
    rows.emitTables(getRoots(b),
                    c.select(isEven(b), c.constant(2), c.constant(1)));
    hasColumns ? emitEachColumn(b, rows) : emitEachRow(b, rows);
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

void FourierSchedule::emitEachColumn(KernelBuilder &b, FourierRows &rows) {
  CodeBuilder c(b, b.getLoc());
  SmallVector<OpFoldResult> extents = {
      b.size(outer), b.ceilDiv(b.size(inner), b.constant(kColumns))};
  forEachItem(
      b, extents, b.begin(), b.end(), [&](ArrayRef<OpFoldResult> coordinates) {
        auto emit = [&](bool isTurned) {
          isTurned ? emitTurned(b, rows, coordinates[0], coordinates[1])
                   : emitColumns(b, rows, coordinates[0], coordinates[1]);
        };
        if (isOfReal() || isReal())
          return emit(true);
        c.ifThen(rows.isConvolved(), [&] { emit(true); }, [&] { emit(false); });
      });
}

std::unique_ptr<Schedule> dyn::createFourierSchedule(dhlo::FftOp op) {
  return std::make_unique<FourierSchedule>(op);
}
