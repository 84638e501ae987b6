//===- WindowSchedule.cpp - Reductions over windows -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A line is the last axis that has a window, with all axes behind it. A line of
// the result takes two steps: the lines of the operand that its windows reach
// are combined into one, in scratch, and then the elements of that one. The
// first step leaves lines outside of the operand out, and elements outside are
// neutral ones before and behind the line in scratch. So both steps are loops
// over contiguous vectors, whether channels are first or last; only a stride
// along the line makes the second one shorter vectors, or strided ones. A long
// window may reach far beyond the line, as those of global averages do: its
// second step leaves elements out that are outside for all lanes.
//
// The second step reads vectors that overlap two of the first one, which have
// to be in the cache by then. So the first step runs for a few short lines
// before the second one. A line that is one of the operand's needs no first
// step.
//
// The order of the elements depends on the window alone.

#include "Codegen/CPU/Single/SingleSchedules.h"

#include "Codegen/CPU/Loop/ItemLoop.h"
#include "Codegen/Common/Builder/ElementNotes.h"
#include "Codegen/Common/Elements/OpEmitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace dyn;
using arith::CmpIPredicate;
using dhlo::DimExpr;

/// Windows of at most so many lines, or elements of a line, are unrolled.
static constexpr int64_t kUnrolled = 9;
/// The same if no element of a window is outside.
static constexpr int64_t kUnrolledInside = 32;
/// Lines that are combined before their elements are, and the bytes of scratch
/// that they may have.
static constexpr int64_t kLines = 4, kLinesBytes = 2048;

namespace {
class WindowSchedule : public Schedule {
public:
  explicit WindowSchedule(dhlo::ReduceWindowOp op) : op(op) {}

  LogicalResult match(dlhlo::KernelOp, const SymbolicDims &dims,
                      const CodegenOptions &) override;
  Geometry emitGeometry(KernelBuilder &b) override;
  LogicalResult emitBody(KernelBuilder &b) override;

private:
  /// A line of the operand, in elements, and the scratch that holds it: the
  /// elements before and behind it are neutral.
  struct Line {
    OpFoldResult apart; ///< of adjacent positions on the axis
    OpFoldResult length, before, behind, low;
    OpFoldResult results; ///< elements of a line of the result
    OpFoldResult pitch;   ///< of lines in scratch
    OpFoldResult lines;   ///< in scratch
  };
  Line getLine(KernelBuilder &b);
  /// Whether the second step leaves elements outside of the line out.
  bool isLong() {
    return op.getWindow()[axis] >
           (isPadded(axis) ? kUnrolled : kUnrolledInside);
  }
  bool isPadded(int64_t i) {
    return !getLow(i).isConst(0) || !getHigh(i).isConst(0);
  }
  bool isWindowed(int64_t i) {
    return op.getWindow()[i] != 1 || op.getStrides()[i] != 1 || isPadded(i);
  }
  /// Whether the second step reads lines of the operand. Vectors of a strided
  /// one may end behind the operand.
  bool readsOperand() {
    return !isPadded(axis) && op.getStrides()[axis] == 1 &&
           llvm::none_of(llvm::seq<int64_t>(0, axis),
                         [&](int64_t i) { return isWindowed(i); });
  }
  DimExpr getLow(int64_t i) { return cast<DimExpr>(op.getLow()[i]); }
  DimExpr getHigh(int64_t i) { return cast<DimExpr>(op.getHigh()[i]); }
  /// The elements that make a stored value, and a register's.
  Type getElement() {
    return cast<RankedTensorType>(op.getOperand().getType()).getElementType();
  }
  Type getKeptElement() {
    Type element = getElement();
    return isa<FloatType>(element) ? getComputeType(element) : element;
  }
  Value combineTwo(KernelBuilder &b, Value lhs, Value rhs) {
    return combine(b, op.getKind(), getElement(), lhs, rhs);
  }
  Value getNeutral(KernelBuilder &b, int64_t lanes) {
    return neutral(b, op.getKind(), getElement(), lanes);
  }
  void fill(KernelBuilder &b, OpFoldResult from, OpFoldResult to);
  /// Both steps for a line, the number of which is that in scratch.
  void combineLines(KernelBuilder &b, const Line &line,
                    ArrayRef<OpFoldResult> coordinates, OpFoldResult number);
  void combineElements(KernelBuilder &b, const Line &line,
                       ArrayRef<OpFoldResult> coordinates, OpFoldResult number);

  dhlo::ReduceWindowOp op;
  int64_t axis = 0; ///< that of the line
};
} // namespace

bool dyn::hasWindowSchedule(dhlo::ReduceWindowOp op) {
  return isa<BlockArgument>(op.getOperand()) && op.getType().getRank() > 0 &&
         isOnlyYielded(op);
}

LogicalResult WindowSchedule::match(dlhlo::KernelOp, const SymbolicDims &,
                                    const CodegenOptions &) {
  axis = op.getType().getRank() - 1;
  while (axis > 0 && !isWindowed(axis))
    --axis;
  return success();
}

WindowSchedule::Line WindowSchedule::getLine(KernelBuilder &b) {
  Line line;
  OpFoldResult zero = b.constant(0), apart = b.constant(1);
  for (int64_t i = axis + 1; i < op.getType().getRank(); ++i)
    apart = b.mul(apart, b.size(op.getResult(), i));
  OpFoldResult count = b.size(op.getOperand(), axis);
  OpFoldResult results = b.size(op.getResult(), axis);
  OpFoldResult low = b.size(getLow(axis));
  OpFoldResult before = b.max(zero, low);
  // One behind the last element that a window reaches.
  OpFoldResult reach = b.sub(
      b.add(
          b.mul(b.sub(results, b.constant(1)),
                b.constant(op.getStrides()[axis])),
          b.constant((op.getWindow()[axis] - 1) * op.getDilations()[axis] + 1)),
      low);
  OpFoldResult behind = b.max(zero, b.sub(reach, count));
  if (isLong()) {
    // The lanes of a vector begin at so many positions. If a position has
    // several elements, all lanes begin at one.
    int64_t lanes = CodegenOptions::kLanes * op.getStrides()[axis];
    OpFoldResult most = b.constant(getConstantIntValue(apart) == 1 ? lanes : 0);
    before = b.min(before, most);
    behind = b.min(behind, most);
  }
  line.apart = apart;
  line.length = b.mul(count, apart);
  line.before = b.mul(before, apart);
  line.behind = b.mul(behind, apart);
  line.low = b.mul(low, apart);
  line.results = b.mul(results, apart);
  // Strided vectors may end behind the line.
  line.pitch = b.add(b.add(line.before, b.add(line.length, line.behind)),
                     b.constant(CodegenOptions::kLanes));
  OpFoldResult bytes = b.mul(line.pitch, b.constant(sizeof(double)));
  line.lines =
      b.max(b.constant(1),
            b.min(b.constant(kLines),
                  b.div(b.constant(kLinesBytes), b.max(bytes, b.constant(1)))));
  return line;
}

Geometry WindowSchedule::emitGeometry(KernelBuilder &b) {
  Line line = getLine(b);
  int64_t taps = op.getWindow()[axis], lines = 1;
  Geometry g;
  g.items = b.constant(1);
  for (int64_t i = 0; i < axis; ++i) {
    lines *= op.getWindow()[i];
    g.items = b.mul(g.items, b.size(op.getResult(), i));
  }
  OpFoldResult work = b.add(b.mul(line.length, b.constant(4 * lines)),
                            b.mul(line.results, b.constant(4 * (taps + 1))));
  g.grain =
      b.add(b.div(b.constant(b.getCpu().grainWork), b.max(work, b.constant(1))),
            b.constant(1));
  g.scratchBytes =
      readsOperand()
          ? b.constant(0)
          : b.mul(line.lines, b.mul(line.pitch, b.constant(sizeof(double))));
  return g;
}

void WindowSchedule::fill(KernelBuilder &b, OpFoldResult from,
                          OpFoldResult to) {
  b.laneLoop(from, to, [&](Value i, int64_t lanes) {
    b.store(getNeutral(b, lanes), b.scratch(b.constant(0)), i, getKeptElement(),
            lanes);
  });
}

LogicalResult WindowSchedule::emitBody(KernelBuilder &b) {
  Line line = getLine(b);
  OpFoldResult zero = b.constant(0);
  if (readsOperand()) {
    forEachLine(b, op.getResult(), axis,
                [&](ArrayRef<OpFoldResult> coordinates) {
                  combineElements(b, line, coordinates, zero);
                });
    return success();
  }
  b.loop(zero, line.lines, 1, [&](Value number) {
    OpFoldResult first = b.mul(number, line.pitch);
    OpFoldResult start = b.add(first, line.before);
    OpFoldResult end = b.add(start, line.length);
    fill(b, first, start);
    fill(b, end, b.add(end, line.behind));
  });
  OpFoldResult groups = b.ceilDiv(b.sub(b.end(), b.begin()), line.lines);
  b.loop(zero, groups, 1, [&](Value group) {
    OpFoldResult begin = b.add(b.begin(), b.mul(group, line.lines));
    OpFoldResult end = b.min(b.end(), b.add(begin, line.lines));
    auto forEach = [&](auto step) {
      forEachLine(b, op.getResult(), axis, begin, end,
                  [&](ArrayRef<OpFoldResult> coordinates, OpFoldResult number) {
                    (this->*step)(b, line, coordinates, number);
                  });
    };
    forEach(&WindowSchedule::combineLines);
    forEach(&WindowSchedule::combineElements);
  });
  return success();
}

void WindowSchedule::combineLines(KernelBuilder &b, const Line &line,
                                  ArrayRef<OpFoldResult> coordinates,
                                  OpFoldResult number) {
  Value operand = b.buffer(cast<BlockArgument>(op.getOperand()).getArgNumber());
  OpFoldResult zero = b.constant(0);
  OpFoldResult target = b.add(b.mul(number, line.pitch), line.before);
  // The lines in reach along each axis: the number of the first tap inside, and
  // that of the first one behind.
  SmallVector<OpFoldResult> starts, lower, upper;
  for (auto [i, coordinate] : llvm::enumerate(coordinates)) {
    OpFoldResult window = b.constant(op.getWindow()[i]);
    OpFoldResult start = b.sub(
        b.mul(coordinate, b.constant(op.getStrides()[i])), b.size(getLow(i)));
    auto getFirst = [&](OpFoldResult bound) {
      return getFirstTap(b, bound, start, op.getWindow()[i],
                         op.getDilations()[i]);
    };
    starts.push_back(start);
    lower.push_back(isPadded(i) ? getFirst(zero) : zero);
    upper.push_back(isPadded(i) ? getFirst(b.size(op.getOperand(), i))
                                : window);
  }
  int64_t taps = 1;
  Value isInside;
  for (size_t i = 0; i < starts.size(); ++i) {
    taps *= op.getWindow()[i];
    if (getConstantIntValue(lower[i]) == 0 &&
        getConstantIntValue(upper[i]) == op.getWindow()[i])
      continue;
    Value all = b.cmp(CmpIPredicate::eq, b.sub(upper[i], lower[i]),
                      b.constant(op.getWindow()[i]));
    isInside =
        isInside ? arith::AndIOp::create(b, isInside, all).getResult() : all;
  }
  // `sum` and the elements at `at` of the lines that the taps from axis `i` on
  // reach in line `number` of those before.
  std::function<Value(size_t, OpFoldResult, Value, Value, int64_t, bool)> add =
      [&](size_t i, OpFoldResult number, Value sum, Value at, int64_t lanes,
          bool unrolls) -> Value {
    if (i == starts.size()) {
      OpFoldResult index = b.add(b.mul(number, line.length), at);
      return combineTwo(b, sum, b.load(operand, index, getElement(), lanes));
    }
    auto step = [&](OpFoldResult tap, Value before) {
      OpFoldResult position =
          b.add(starts[i], b.mul(tap, b.constant(op.getDilations()[i])));
      OpFoldResult next =
          b.add(b.mul(number, b.size(op.getOperand(), i)), position);
      return add(i + 1, next, before, at, lanes, unrolls);
    };
    if (unrolls) {
      for (int64_t tap = 0; tap < op.getWindow()[i]; ++tap)
        sum = step(b.constant(tap), sum);
      return sum;
    }
    return b
        .loop(lower[i], upper[i], 1, sum,
              [&](Value tap, ValueRange carried) -> SmallVector<Value> {
                return {step(tap, carried[0])};
              })
        .front();
  };
  auto combineAll = [&](bool unrolls) {
    b.coverLanes(zero, line.length, [&](Value at, int64_t lanes) {
      Value sum = add(0, zero, getNeutral(b, lanes), at, lanes, unrolls);
      b.store(sum, b.scratch(zero), b.add(target, at), getKeptElement(), lanes);
    });
  };
  if (taps > kUnrolled)
    return combineAll(/*unrolls=*/false);
  if (!isInside)
    return combineAll(/*unrolls=*/true);
  b.ifThen(isInside, [&] { combineAll(true); }, [&] { combineAll(false); });
}

void WindowSchedule::combineElements(KernelBuilder &b, const Line &line,
                                     ArrayRef<OpFoldResult> coordinates,
                                     OpFoldResult lineNumber) {
  int64_t stride = op.getStrides()[axis], window = op.getWindow()[axis];
  OpFoldResult zero = b.constant(0), number = zero;
  for (auto [i, coordinate] : llvm::enumerate(coordinates))
    number = b.add(b.mul(number, b.size(op.getResult(), i)), coordinate);
  OpFoldResult first = b.mul(number, line.results);
  OpFoldResult step = b.mul(line.apart, b.constant(op.getDilations()[axis]));
  // Where the line begins, in scratch or in the operand.
  Value source = b.scratch(zero);
  Type element = getKeptElement();
  OpFoldResult begin =
      b.sub(b.add(b.mul(lineNumber, line.pitch), line.before), line.low);
  if (readsOperand()) {
    source = b.buffer(cast<BlockArgument>(op.getOperand()).getArgNumber());
    element = getElement();
    begin = b.mul(number, line.length);
  }
  // The results at `to` of the line, whose windows begin at `from` of the
  // source; elements of a vector are `apart` there. The windows begin at the
  // position `start` of the operand, and `further` behind it.
  auto emit = [&](OpFoldResult from, OpFoldResult to, OpFoldResult apart,
                  OpFoldResult start, OpFoldResult further, int64_t lanes) {
    from = b.add(from, begin);
    auto read = [&](OpFoldResult tap) {
      OpFoldResult at = b.add(from, b.mul(tap, step));
      if (lanes == 1 || getConstantIntValue(apart) == 1)
        return b.load(source, at, element, lanes);
      return b.loadStrided(source, at, apart, element, lanes);
    };
    auto getFirst = [&](OpFoldResult bound, OpFoldResult start) {
      return getFirstTap(b, bound, start, window, op.getDilations()[axis]);
    };
    Value sum = isLong() ? getNeutral(b, lanes) : read(zero);
    if (!isLong())
      for (int64_t tap = 1; tap < window; ++tap)
        sum = combineTwo(b, sum, read(b.constant(tap)));
    else
      sum = b.loop(getFirst(zero, b.add(start, further)),
                   getFirst(b.size(op.getOperand(), axis), start), 1, sum,
                   [&](Value tap, ValueRange carried) -> SmallVector<Value> {
                     return {combineTwo(b, carried[0], read(tap))};
                   })
                .front();
    b.store(sum, b.resultBuffer(0), b.add(first, to), getElement(), lanes);
  };
  OpFoldResult one = b.constant(1), low = b.size(getLow(axis));
  bool hasOne = getConstantIntValue(line.apart) == 1;
  if (stride == 1 && (hasOne || !isLong()))
    return b.coverLanes(zero, line.results, [&](Value i, int64_t lanes) {
      emit(i, i, one, b.sub(i, low), b.constant(lanes - 1), lanes);
    });
  auto emitStrided = [&] {
    b.coverLanes(zero, line.results, [&](Value i, int64_t lanes) {
      OpFoldResult apart = b.constant(stride), from = b.mul(i, apart);
      emit(from, i, apart, b.sub(from, low), b.constant((lanes - 1) * stride),
           lanes);
    });
  };
  auto emitPoints = [&] {
    b.loop(zero, b.size(op.getResult(), axis), 1, [&](Value point) {
      OpFoldResult to = b.mul(point, line.apart);
      OpFoldResult start = b.sub(b.mul(point, b.constant(stride)), low);
      b.coverLanes(zero, line.apart, [&](Value i, int64_t lanes) {
        emit(b.add(b.mul(to, b.constant(stride)), i), b.add(to, i), one, start,
             zero, lanes);
      });
    });
  };
  if (hasOne)
    return emitStrided();
  emitPoints();
}

std::unique_ptr<Schedule> dyn::createWindowSchedule(dhlo::ReduceWindowOp op) {
  return std::make_unique<WindowSchedule>(op);
}
