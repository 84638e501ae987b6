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
// Short lines with channels first would keep most lanes empty. There, an item
// is the maps of 16 channels, which are transposed to scratch: lanes are
// channels, and the two steps those of channels last.
//
// The order of the elements depends on the window alone.

#include "Codegen/CPU/Single/SingleSchedules.h"

#include "Codegen/CPU/Gemm/Packing.h"
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
/// Elements of a line, at most, whose maps are transposed: of less than a
/// vector, or of a few if what is saved are instructions of the second step,
/// which for extremes are the same.
static constexpr int64_t kShortLine = 15, kShortSum = 40;
/// Maps that are transposed together, the fewest for which it pays off, and the
/// elements of operand and result that one may have.
static constexpr int64_t kMaps = 16, kFewestMaps = 8, kMapElements = 1 << 12;

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
    /// Where the operand and the results are: null for the kernel's buffers,
    /// else copies of f32 in scratch.
    Value operand, result;
    OpFoldResult apart; ///< of adjacent positions on the axis
    OpFoldResult length, before, behind, low;
    OpFoldResult results; ///< elements of a line of the result
    OpFoldResult pitch;   ///< of lines in scratch
    OpFoldResult lines;   ///< in scratch
  };
  Line getLine(KernelBuilder &b, bool isTransposed = false);
  /// The maps are the positions on the axes before the first windowed one.
  struct Maps {
    int64_t axis; ///< the first one of a map
    OpFoldResult count;
    OpFoldResult size, results; ///< elements
    OpFoldResult lines;         ///< of results
    /// Whether they are transposed, if it is not always so.
    Value isTransposed;
    OpFoldResult items, operandOffset, resultOffset, scratchBytes;
  };
  /// None if maps are never transposed.
  std::optional<Maps> getMaps(KernelBuilder &b);
  void emitMaps(KernelBuilder &b, const Maps &maps);
  void emitLines(KernelBuilder &b);
  void fillEdges(KernelBuilder &b, const Line &line);
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
  /// The first operand of an extreme is compared with itself, for NaN: that of
  /// an element does not wait for those before it.
  Value combineTwo(KernelBuilder &b, Value before, Value next) {
    return combine(b, op.getKind(), getElement(), next, before);
  }
  Value getNeutral(KernelBuilder &b, int64_t lanes) {
    return neutral(b, op.getKind(), getElement(), lanes);
  }
  void fill(KernelBuilder &b, OpFoldResult from, OpFoldResult to);
  /// Both steps for a line, the number of which is that in scratch, and the
  /// item that of the result.
  void combineLines(KernelBuilder &b, const Line &line,
                    ArrayRef<OpFoldResult> coordinates, OpFoldResult number);
  void combineElements(KernelBuilder &b, const Line &line, OpFoldResult item,
                       OpFoldResult number);

  dhlo::ReduceWindowOp op;
  int64_t axis = 0; ///< that of the line
  std::optional<Packing> packing;
};
} // namespace

bool dyn::hasWindowSchedule(dhlo::ReduceWindowOp op) {
  return isa<BlockArgument>(op.getOperand()) && op.getType().getRank() > 0 &&
         isOnlyYielded(op);
}

LogicalResult WindowSchedule::match(dlhlo::KernelOp kernel,
                                    const SymbolicDims &,
                                    const CodegenOptions &options) {
  packing.emplace(kernel->getParentOp(), options.isa());
  axis = op.getType().getRank() - 1;
  while (axis > 0 && !isWindowed(axis))
    --axis;
  return success();
}

WindowSchedule::Line WindowSchedule::getLine(KernelBuilder &b,
                                             bool isTransposed) {
  Line line;
  OpFoldResult zero = b.constant(0);
  OpFoldResult apart = b.constant(isTransposed ? kMaps : 1);
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

std::optional<WindowSchedule::Maps> WindowSchedule::getMaps(KernelBuilder &b) {
  int64_t rank = op.getType().getRank(), first = 0;
  while (first < axis && !isWindowed(first))
    ++first;
  if (axis != rank - 1 || first == 0 || !getElement().isF32() || readsOperand())
    return std::nullopt;
  Maps maps = {first, b.constant(1), b.constant(1), b.constant(1), {}, {}};
  for (int64_t i = 0; i < rank; ++i) {
    OpFoldResult &size = i < first ? maps.count : maps.size;
    size = b.mul(size, b.size(op.getOperand(), i));
    if (i == axis)
      maps.lines = maps.results;
    if (i >= first)
      maps.results = b.mul(maps.results, b.size(op.getResult(), i));
  }
  bool isNever = false;
  auto require = [&](OpFoldResult least, OpFoldResult most) {
    auto low = getConstantIntValue(least), high = getConstantIntValue(most);
    if (low && high) {
      isNever |= *low > *high;
      return;
    }
    Value holds = b.cmp(CmpIPredicate::sle, least, most);
    maps.isTransposed =
        maps.isTransposed
            ? arith::AndIOp::create(b, maps.isTransposed, holds).getResult()
            : holds;
  };
  bool isExtreme = op.getKind() == dhlo::ReduceKind::Max ||
                   op.getKind() == dhlo::ReduceKind::Min;
  require(b.size(op.getOperand(), axis),
          b.constant(isExtreme ? kShortLine : kShortSum));
  require(b.constant(kFewestMaps), maps.count);
  require(b.add(maps.size, maps.results), b.constant(kMapElements));
  if (isNever)
    return std::nullopt;
  maps.items = b.ceilDiv(maps.count, b.constant(kMaps));
  Line line = getLine(b, /*isTransposed=*/true);
  OpFoldResult row = b.constant(kMaps * sizeof(float));
  maps.operandOffset = b.mul(line.lines, b.mul(line.pitch, b.constant(8)));
  maps.resultOffset = b.add(maps.operandOffset, b.mul(maps.size, row));
  maps.scratchBytes = b.add(maps.resultOffset, b.mul(maps.results, row));
  return maps;
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
  if (auto maps = getMaps(b)) {
    auto choose = [&](OpFoldResult ifTransposed, OpFoldResult otherwise) {
      return maps->isTransposed
                 ? b.select(maps->isTransposed, ifTransposed, otherwise)
                 : ifTransposed;
    };
    OpFoldResult lines = b.mul(maps->lines, b.constant(kMaps));
    g.items = choose(maps->items, g.items);
    g.grain = choose(b.ceilDiv(g.grain, b.max(lines, b.constant(1))), g.grain);
    g.scratchBytes = choose(maps->scratchBytes, g.scratchBytes);
  }
  return g;
}

void WindowSchedule::fill(KernelBuilder &b, OpFoldResult from,
                          OpFoldResult to) {
  b.laneLoop(from, to, [&](Value i, int64_t lanes) {
    b.store(getNeutral(b, lanes), b.scratch(b.constant(0)), i, getKeptElement(),
            lanes);
  });
}

void WindowSchedule::fillEdges(KernelBuilder &b, const Line &line) {
  b.loop(b.constant(0), line.lines, 1, [&](Value number) {
    OpFoldResult first = b.mul(number, line.pitch);
    OpFoldResult start = b.add(first, line.before);
    OpFoldResult end = b.add(start, line.length);
    fill(b, first, start);
    fill(b, end, b.add(end, line.behind));
  });
}

LogicalResult WindowSchedule::emitBody(KernelBuilder &b) {
  std::optional<Maps> maps = getMaps(b);
  if (!maps)
    emitLines(b);
  else if (!maps->isTransposed)
    emitMaps(b, *maps);
  else
    b.ifThen(
        maps->isTransposed, [&] { emitMaps(b, *maps); }, [&] { emitLines(b); });
  return success();
}

void WindowSchedule::emitMaps(KernelBuilder &b, const Maps &maps) {
  Line line = getLine(b, /*isTransposed=*/true);
  OpFoldResult zero = b.constant(0), width = b.constant(kMaps);
  line.operand = b.scratch(maps.operandOffset);
  line.result = b.scratch(maps.resultOffset);
  fillEdges(b, line);
  SmallVector<OpFoldResult> extents, position(maps.axis, zero);
  for (int64_t i = maps.axis; i < axis; ++i)
    extents.push_back(b.size(op.getResult(), i));
  Value operand = b.buffer(cast<BlockArgument>(op.getOperand()).getArgNumber());
  Type f32 = b.getF32Type();
  auto getBytes = [&](OpFoldResult size) {
    return b.value(b.mul(size, b.constant(sizeof(float))));
  };
  b.loop(b.begin(), b.end(), 1, [&](Value item) {
    CodeBuilder code(b, b.getLoc());
    OpFoldResult first = b.mul(item, width);
    Value count = b.value(b.min(width, b.sub(maps.count, first)));
    packing->panelFromColumns(
        code, b.address(operand, b.mul(first, maps.size), f32),
        getBytes(maps.size), b.value(maps.size), count, line.operand);
    forEachItem(b, extents, zero, maps.lines, ValueRange{b.value(zero)},
                [&](ArrayRef<OpFoldResult> coordinates,
                    ValueRange number) -> SmallVector<Value> {
                  SmallVector<OpFoldResult> all(position);
                  llvm::append_range(all, coordinates);
                  combineLines(b, line, all, zero);
                  combineElements(b, line, number[0], zero);
                  return {b.value(b.add(number[0], b.constant(1)))};
                });
    packing->columnsFromPanel(
        code, line.result, getBytes(maps.results), b.value(maps.results), count,
        b.address(b.resultBuffer(0), b.mul(first, maps.results), f32));
  });
}

void WindowSchedule::emitLines(KernelBuilder &b) {
  Line line = getLine(b);
  OpFoldResult zero = b.constant(0);
  if (readsOperand())
    return b.loop(b.begin(), b.end(), 1,
                  [&](Value item) { combineElements(b, line, item, zero); });
  fillEdges(b, line);
  // Lines that are combined, but their elements are not, are those up to the
  // current one; there are `pending` before it.
  SmallVector<OpFoldResult> extents;
  for (int64_t i = 0; i < axis; ++i)
    extents.push_back(b.size(op.getResult(), i));
  if (extents.empty())
    extents.push_back(b.constant(1));
  OpFoldResult one = b.constant(1);
  forEachItem(
      b, extents, b.begin(), b.end(), ValueRange{b.begin(), b.indexConstant(0)},
      [&](ArrayRef<OpFoldResult> coordinates,
          ValueRange carried) -> SmallVector<Value> {
        Value item = carried[0], pending = carried[1];
        combineLines(b, line, coordinates.take_front(axis), pending);
        OpFoldResult next = b.add(item, one), count = b.add(pending, one);
        Value isLast =
            arith::OrIOp::create(b, b.cmp(CmpIPredicate::eq, count, line.lines),
                                 b.cmp(CmpIPredicate::eq, next, b.end()));
        b.ifThen(isLast, [&] {
          OpFoldResult first = b.sub(item, pending);
          b.loop(b.constant(0), count, 1, [&](Value number) {
            combineElements(b, line, b.add(first, number), number);
          });
        });
        return {b.value(next), b.value(b.select(isLast, b.constant(0), count))};
      });
}

void WindowSchedule::combineLines(KernelBuilder &b, const Line &line,
                                  ArrayRef<OpFoldResult> coordinates,
                                  OpFoldResult number) {
  Value operand =
      line.operand
          ? line.operand
          : b.buffer(cast<BlockArgument>(op.getOperand()).getArgNumber());
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
                                     OpFoldResult item,
                                     OpFoldResult lineNumber) {
  int64_t stride = op.getStrides()[axis], window = op.getWindow()[axis];
  OpFoldResult zero = b.constant(0);
  OpFoldResult first = b.mul(item, line.results);
  OpFoldResult step = b.mul(line.apart, b.constant(op.getDilations()[axis]));
  // Where the line begins, in scratch or in the operand.
  Value source = b.scratch(zero);
  Type element = getKeptElement();
  OpFoldResult begin =
      b.sub(b.add(b.mul(lineNumber, line.pitch), line.before), line.low);
  if (readsOperand()) {
    source = b.buffer(cast<BlockArgument>(op.getOperand()).getArgNumber());
    element = getElement();
    begin = b.mul(item, line.length);
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
    b.store(sum, line.result ? line.result : b.resultBuffer(0),
            b.add(first, to), getElement(), lanes);
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
