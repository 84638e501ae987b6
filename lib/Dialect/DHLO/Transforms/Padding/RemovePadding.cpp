//===- RemovePadding.cpp - Computes on valid tokens only ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A cell is a token (b, s) of the grid of a mask [B, S]. Going up from the
// outputs, a value is needed at all cells, until this reaches
//
//   - a value that is a constant number where the mask is zero, whatever the
//     rows hold: a multiplication with the mask, a select by it;
//   - the rows of one position, as a first-token head reads them.
//
// From there on rows are needed at kept cells only. Operations that keep cells
// apart propagate this to their operands, and so does attention between the
// cells if the mask removes the keys of dropped cells. Any other user of a
// value needs it at all cells. If no contraction is needed both ways, the mask
// proves that dropped cells reach no result, and rows are packed (PackRows.h).

#include "MaskedCells.h"
#include "PackRows.h"

#include "Dialect/DHLO/Transforms/ConstantValues.h"

#include "dyn/Dialect/DHLO/IR/PortNames.h"
#include "dyn/Dialect/DHLO/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/RegionUtils.h"

#include <cmath>

namespace dyn::dhlo {
#define GEN_PASS_DEF_REMOVEPADDINGPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {

/// A mask's number at or below which a key has no weight, whatever the scores;
/// and the number used on request, which assumes reasonable scores.
const double kRemoves = -std::ldexp(1.0, 120);
constexpr double kRemovesOnRequest = -1e4;

/// Where rows that are needed at kept cells only are converted back.
struct Sink {
  enum Kind { Known, Position, Keys } kind;
  Operation *op;
  /// The axes of the cells: of the result if Known, else of the operand.
  CellAxes axes;
  /// The result at cells where the mask is zero.
  double number = 0;
  /// The position that is read.
  DimExpr position;
};

/// Attention in which removed keys still have weight if a row has no others.
struct SoftMask {
  AttentionOp op;
  double number;
};

/// An operation that needs rows that could be dropped.
struct Obstacle {
  Location loc;
  std::string text;
};

/// Determines which values are needed at which cells.
class Demand {
public:
  Demand(func::FuncOp entry, Value mask, bool isRequested,
         const SymbolicDims &dims)
      : entry(entry), known(mask, dims), isRequested(isRequested), dims(dims) {}

  /// Whether contractions can be computed on rows only. If not, getObstacle
  /// says why, unless no attention uses this mask.
  bool run();

  const std::optional<Obstacle> &getObstacle() const { return obstacle; }
  ArrayRef<Sink> getSinks() const { return sinks; }
  ArrayRef<SoftMask> getSoftMasks() const { return softMasks; }
  const llvm::SetVector<AttentionOp> &getAttentions() const {
    return attentions;
  }
  unsigned getNumDots() const { return numContractions; }
  MaskedCells &getKnown() { return known; }
  /// Floating-point operations saved for each dropped cell, and bytes moved for
  /// each cell.
  double getFlops() const { return flops; }
  double getBytes() const { return bytes; }

private:
  /// The number of an attention's mask at dropped keys, if it removes them.
  std::optional<double> getRemoval(AttentionOp op);
  void findAttention(AttentionOp op);
  std::optional<Sink> matchKnown(Operation *op);
  std::optional<Sink> matchPosition(Operation *op);
  bool isSink(Operation *op);
  void wantAll(Value value, const Obstacle &reason);
  void wantKept(Value value, ArrayRef<int64_t> axes, const Obstacle &reason);
  /// Whether contractions above a value could be computed on rows, except for
  /// operations that mix rows.
  bool reachesDot(Value value, ArrayRef<int64_t> axes);
  /// Whether attention that ignores dropped keys is among the producers.
  bool leadsToAttention(Operation *op);
  void addCost(Operation *op, ArrayRef<int64_t> axes);
  /// Elements of a type for each cell; dynamic sizes are estimated.
  double countRest(RankedTensorType type, ArrayRef<int64_t> axes) const;
  static bool isGemm(Operation *op) {
    return isa<DotGeneralOp, AttentionOp>(op);
  }
  void setObstacle(const Obstacle &reason) {
    if (!obstacle)
      obstacle = reason;
  }

  func::FuncOp entry;
  MaskedCells known;
  bool isRequested;
  const SymbolicDims &dims;
  std::optional<Obstacle> obstacle;
  SmallVector<Sink> sinks;
  SmallVector<SoftMask> softMasks;
  /// Attention that ignores dropped keys, and attention computed for kept
  /// cells.
  llvm::DenseMap<Operation *, double> removing;
  llvm::SetVector<AttentionOp> attentions;
  llvm::DenseMap<Operation *, Obstacle> all;
  llvm::DenseMap<Operation *, CellAxes> kept;
  llvm::DenseMap<Operation *, bool> reaching;
  unsigned numContractions = 0;
  double flops = 0, bytes = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

std::optional<double> Demand::getRemoval(AttentionOp op) {
  Value mask = op.getMask();
  ArrayRef<DimExpr> sizes = known.getFlow().getSizes();
  if (!mask)
    return std::nullopt;
  // Keys, values and the mask have the cells of the grid.
  for (auto [value, axis] :
       {std::pair(op.getKey(), 2), std::pair(op.getValue(), 2),
        std::pair(cast<TypedValue<RankedTensorType>>(mask), 3)})
    if (!dims.isEqual(getDim(getTensor(value), 0), sizes[0]) ||
        !dims.isEqual(getDim(getTensor(value), axis), sizes[1]))
      return std::nullopt;
  return known.evaluate(mask, {0, 3});
}

void Demand::findAttention(AttentionOp op) {
  std::optional<double> number = getRemoval(op);
  if (!number)
    return;
  bool isBool = getTensor(op.getMask()).getElementType().isInteger(1);
  if (isBool ? *number != 0
             : !(*number <= (isRequested ? kRemovesOnRequest : kRemoves))) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "the mask of this attention leaves keys of masked rows in: ";
    if (isBool)
      os << "it is true there";
    else
      os << "it adds " << *number << ", beside which great scores are not lost";
    setObstacle({op.getLoc(), text});
    return;
  }
  bool isSoft = !isBool && !std::isinf(*number);
  if (isSoft && op.getCausal()) {
    setObstacle({op.getLoc(), "this attention is causal, and its mask is no "
                              "condition: a row without keys sees them all"});
    return;
  }
  removing[op] = *number;
  if (isSoft)
    softMasks.push_back({op, *number});
}

//===----------------------------------------------------------------------===//
// Sinks
//===----------------------------------------------------------------------===//

std::optional<Sink> Demand::matchKnown(Operation *op) {
  if (!op->hasTrait<dhlo::Elementwise>() || op->getNumResults() != 1)
    return std::nullopt;
  Value result = op->getResult(0);
  auto axes = known.find(getTensor(result));
  if (!axes)
    return std::nullopt;
  std::optional<double> number = known.evaluate(result, *axes);
  if (!number || !std::isfinite(*number))
    return std::nullopt;
  Sink sink{Sink::Known, op, *axes, *number, DimExpr()};
  return sink;
}

std::optional<Sink> Demand::matchPosition(Operation *op) {
  ArrayRef<DimExpr> sizes = known.getFlow().getSizes();
  Sink sink{Sink::Position, op, {0, 1}, 0, DimExpr()};
  if (!isa<SliceOp, GatherOp>(op))
    return std::nullopt;
  RankedTensorType from = getTensor(op->getOperand(0));
  if (from.getRank() < 2 || !dims.isEqual(getDim(from, 0), sizes[0]) ||
      !dims.isEqual(getDim(from, 1), sizes[1]))
    return std::nullopt;
  if (auto gather = dyn_cast<GatherOp>(op)) {
    auto index = gather.getIndices().getDefiningOp<ConstantOp>();
    auto attr = index ? dyn_cast<DenseElementsAttr>(index.getValue()) : nullptr;
    if (!attr || attr.getNumElements() != 1 || gather.getAxis() != 1 ||
        gather.getBatch() != 0)
      return std::nullopt;
    int64_t value = attr.getSplatValue<APInt>().getSExtValue();
    sink.position =
        value < 0 ? add(sizes[1], value) : getConstDim(op->getContext(), value);
    return sink;
  }
  auto slice = cast<SliceOp>(op);
  RankedTensorType to = slice.getType();
  if (!getDim(to, 1).isConst(1))
    return std::nullopt;
  for (int64_t axis = 0; axis < to.getRank(); ++axis)
    if (axis != 1 && (!cast<DimExprAttr>(slice.getStarts()[axis]).isConst(0) ||
                      slice.getStrides()[axis] != 1 ||
                      !dims.isEqual(getDim(from, axis), getDim(to, axis))))
      return std::nullopt;
  sink.position = cast<DimExprAttr>(slice.getStarts()[1]);
  return sink;
}

bool Demand::isSink(Operation *op) {
  // Something must be constant that is not constant in one of the operands.
  if (std::optional<Sink> sink = matchKnown(op)) {
    auto operands = getRowOperands(op, sink->axes, known.getFlow());
    if (operands && reachesDot(op->getResult(0), sink->axes)) {
      sinks.push_back(*sink);
      return true;
    }
  }
  if (std::optional<Sink> sink = matchPosition(op))
    if (reachesDot(op->getOperand(0), sink->axes)) {
      sinks.push_back(*sink);
      return true;
    }
  return false;
}

//===----------------------------------------------------------------------===//
// Demand
//===----------------------------------------------------------------------===//

bool Demand::reachesDot(Value value, ArrayRef<int64_t> axes) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &entry.front())
    return false;
  auto [found, isNew] = reaching.insert({op, false});
  if (!isNew)
    return found->second;
  bool result = removing.contains(op);
  if (!result) {
    if (auto operands = getRowOperands(op, axes, known.getFlow()))
      result = llvm::any_of(*operands, [&](const RowOperand &row) {
        return areWholeCells(row.axes) &&
               (isa<DotGeneralOp>(op) ||
                reachesDot(op->getOperand(row.index), row.axes));
      });
    else
      result = leadsToAttention(op);
  }
  reaching[op] = result;
  return result;
}

bool Demand::leadsToAttention(Operation *op) {
  llvm::SetVector<Operation *> above;
  above.insert(op);
  for (unsigned i = 0; i < above.size(); ++i) {
    if (removing.contains(above[i]))
      return true;
    for (Value operand : above[i]->getOperands())
      if (Operation *source = operand.getDefiningOp())
        above.insert(source);
  }
  return false;
}

void Demand::wantAll(Value value, const Obstacle &reason) {
  Operation *op = value.getDefiningOp();
  if (!op || all.contains(op))
    return;
  all.insert({op, reason});
  if (isSink(op)) {
    const Sink &sink = sinks.back();
    // A constant stays constant on rows, with the cells of its operands.
    Value wanted = sink.kind == Sink::Known ? value : op->getOperand(0);
    CellAxes axes = sink.axes;
    wantKept(wanted, axes, reason);
    return;
  }
  llvm::SetVector<Value> captured;
  if (op->getNumRegions() != 0)
    getUsedValuesDefinedAbove(op->getRegions(), captured);
  bool hasKeys = removing.contains(op);
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (hasKeys && (i == 1 || i == 2) && reachesDot(operand, {0, 2}))
      wantKept(operand, {0, 2}, reason);
    else
      wantAll(operand, reason);
  if (hasKeys && (reachesDot(op->getOperand(1), {0, 2}) ||
                  reachesDot(op->getOperand(2), {0, 2})))
    sinks.push_back({Sink::Keys, op, {0, 2}, 0, DimExpr()});
  for (Value operand : captured)
    wantAll(operand, reason);
}

void Demand::wantKept(Value value, ArrayRef<int64_t> axes,
                      const Obstacle &reason) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  if (op->getBlock() != &entry.front())
    return wantAll(value, reason);
  auto found = kept.find(op);
  if (found != kept.end()) {
    if (ArrayRef(found->second) != axes)
      wantAll(value, reason);
    return;
  }
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    bool isBetween = dims.isEqual(getDim(attention.getType(), 2),
                                  known.getFlow().getSizes()[1]);
    if (!removing.contains(op) || !isBetween || axes != ArrayRef<int64_t>{0, 2})
      return wantAll(value, {op->getLoc(),
                             "it is not known that the mask removes the keys "
                             "of masked rows from this attention"});
    kept.insert({op, CellAxes(axes)});
    attentions.insert(attention);
    addCost(op, axes);
    for (Value operand : op->getOperands().take_front(3))
      wantKept(operand, axes, reason);
    wantAll(attention.getMask(), reason);
    return;
  }
  auto operands = getRowOperands(op, axes, known.getFlow());
  if (!operands) {
    std::string text =
        "rows are not kept apart by " + op->getName().getStringRef().str();
    return wantAll(value, {op->getLoc(), text});
  }
  kept.insert({op, CellAxes(axes)});
  addCost(op, axes);
  SmallVector<bool> areRows(op->getNumOperands(), false);
  for (const RowOperand &row : *operands) {
    areRows[row.index] = areWholeCells(row.axes);
    if (areRows[row.index])
      wantKept(op->getOperand(row.index), row.axes, reason);
  }
  for (auto [operand, isRow] : llvm::zip_equal(op->getOperands(), areRows))
    if (!isRow)
      wantAll(operand, {op->getLoc(), "all rows are read by " +
                                          op->getName().getStringRef().str()});
}

double Demand::countRest(RankedTensorType type, ArrayRef<int64_t> axes) const {
  double count = 1;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (!llvm::is_contained(axes, axis))
      count *= dims.getEstimate(getDim(type, axis));
  return count;
}

void Demand::addCost(Operation *op, ArrayRef<int64_t> axes) {
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  double width = result.getElementTypeBitWidth() / 8.0;
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    double terms = 1;
    for (int64_t axis : dot.getRhsContract())
      terms *= dims.getEstimate(getDim(getTensor(dot.getRhs()), axis));
    flops += 2 * countRest(result, axes) * terms;
    ++numContractions;
  } else if (isa<AttentionOp>(op)) {
    // Each is read and written.
    bytes += 2 * width * countRest(result, axes);
    for (Value operand : op->getOperands().take_front(3))
      bytes += 2 * width * countRest(getTensor(operand), axes);
  }
}

bool Demand::run() {
  entry.walk([&](AttentionOp op) {
    if (op->getBlock() == &entry.front())
      findAttention(op);
  });
  if (removing.empty())
    return false;
  Operation *terminator = entry.front().getTerminator();
  for (auto [i, output] : llvm::enumerate(terminator->getOperands()))
    wantAll(output,
            {terminator->getLoc(), "masked rows are part of the output '" +
                                       getOutputName(entry, i) + "'"});
  // A contraction that is needed at all cells is computed there.
  entry.walk([&](Operation *op) {
    if (!isGemm(op) || op->getBlock() != &entry.front())
      return;
    auto found = all.find(op);
    bool isKeysOnly = llvm::any_of(sinks, [&](const Sink &sink) {
      return sink.kind == Sink::Keys && sink.op == op;
    });
    if (found != all.end() && !isKeysOnly &&
        (kept.contains(op) || removing.contains(op)))
      setObstacle(found->second);
  });
  return !obstacle && numContractions != 0;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {

class Rewriter {
public:
  Rewriter(func::FuncOp entry, Demand &demand, DimBuilder &symbols)
      : entry(entry), demand(demand), symbols(symbols), dims(symbols.getDims()),
        flow(demand.getKnown().getFlow()) {}

  void run();

private:
  /// The operation before which the cells to keep can be computed.
  Operation *getAnchor();
  /// Which cells to keep.
  Value buildKeep(TensorBuilder &b);
  /// Whether each row of the grid, or all rows of a sentence, see a valid key.
  Value buildSees(TensorBuilder &b, const SoftMask &mask, Value isValid);
  Value spread(TensorBuilder &b, Value value, ArrayRef<int64_t> axes,
               RankedTensorType type) {
    return BroadcastOp::create(b, type, value, b.getDenseI64ArrayAttr(axes));
  }

  func::FuncOp entry;
  Demand &demand;
  DimBuilder &symbols;
  const SymbolicDims &dims;
  const CellFlow &flow;
};

} // namespace

Operation *Rewriter::getAnchor() {
  Block &block = entry.front();
  Operation *last = nullptr;
  auto add = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && (!last || last->isBeforeInBlock(op)))
      last = op;
  };
  add(demand.getKnown().getMask());
  for (const SoftMask &mask : demand.getSoftMasks()) {
    AttentionOp op = mask.op;
    add(op.getMask());
  }
  // Data-dependent sizes are available after the operations that bind them.
  for (auto binds : block.getOps<BindsDims>())
    for (StringAttr name : binds.getBoundDims())
      for (DimExpr size : flow.getSizes())
        walkSymbols(dims.expand(size), [&](StringAttr symbol) {
          if (symbol == name && (!last || last->isBeforeInBlock(binds)))
            last = binds;
        });
  return last ? last->getNextNode() : &block.front();
}

/// Whether the elements are not zero.
static Value isNonzero(TensorBuilder &b, Value value) {
  if (b.typeOf(value).getElementType().isInteger(1))
    return value;
  return b.compare(CompareDirection::NE, value, b.fillZero(value));
}

Value Rewriter::buildSees(TensorBuilder &b, const SoftMask &mask,
                          Value isValid) {
  AttentionOp op = mask.op;
  Value added = op.getMask();
  RankedTensorType type = getTensor(added);
  Value limit = b.fill(b.getFloatAttr(type.getElementType(), mask.number / 2),
                       b.sizesOf(added));
  Value isSeen = b.compare(CompareDirection::GT, added, limit);
  Value keys = spread(b, isValid, {0, 3}, getTensor(isSeen));
  isSeen = AndOp::create(b, isSeen, keys);
  auto reduce = [&](Value value, ReduceKind kind, int64_t axis) -> Value {
    SmallVector<DimExpr> sizes = b.sizesOf(value);
    sizes.erase(sizes.begin() + axis);
    return ReduceOp::create(b, b.getTensorType(sizes, b.getI1Type()), kind,
                            value, ArrayRef<int64_t>{axis});
  };
  // Some key, in each head; for all queries, if these are not the grid's.
  Value sees = reduce(reduce(isSeen, ReduceKind::Or, 3), ReduceKind::And, 1);
  if (!dims.isEqual(getDim(getTensor(sees), 1), flow.getSizes()[1]) &&
      !getDim(getTensor(sees), 1).isConst(1)) {
    sees = reduce(sees, ReduceKind::And, 1);
    sees =
        b.reshape(sees, {flow.getSizes()[0], getConstDim(b.getContext(), 1)});
  }
  return sees;
}

Value Rewriter::buildKeep(TensorBuilder &b) {
  Value isValid = isNonzero(b, demand.getKnown().getMask());
  Value keep = isValid;
  RankedTensorType type = getTensor(isValid);
  Value first = b.iota(0, isValid), second = b.iota(1, isValid);
  auto equals = [&](Value index, DimExpr size) {
    return b.compare(CompareDirection::EQ, index, b.fillSize(size, index));
  };
  llvm::SetVector<Attribute> positions;
  bool hasKeys = false;
  for (const Sink &sink : demand.getSinks()) {
    if (sink.kind == Sink::Position)
      positions.insert(sink.position);
    hasKeys |= sink.kind == Sink::Keys;
  }
  for (Attribute position : positions)
    keep = OrOp::create(b, keep, equals(second, cast<DimExprAttr>(position)));
  // A row that is kept, or read by attention from elsewhere, and sees no valid
  // key, sees the removed ones: these are kept, too.
  llvm::SetVector<Value> seen;
  Value asked = keep;
  for (const SoftMask &mask : demand.getSoftMasks()) {
    AttentionOp op = mask.op;
    if (!seen.insert(op.getMask()))
      continue;
    Value sees = spread(b, buildSees(b, mask, isValid), {0, 1}, type);
    Value blind = NotOp::create(b, sees);
    if (!hasKeys)
      blind = AndOp::create(b, asked, blind);
    Value any = ReduceOp::create(
        b, b.getTensorType({flow.getSizes()[0]}, b.getI1Type()), ReduceKind::Or,
        blind, ArrayRef<int64_t>{1});
    keep = OrOp::create(b, keep, spread(b, any, {0}, type));
  }
  // The first cell is kept: there is a row whenever there is a cell.
  DimExpr zero = getConstDim(b.getContext(), 0);
  Value corner = AndOp::create(b, equals(first, zero), equals(second, zero));
  return OrOp::create(b, keep, corner);
}

void Rewriter::run() {
  Operation *anchor = getAnchor();
  TensorBuilder b(anchor, symbols);
  b.setLoc(demand.getKnown().getMask().getLoc());
  PackRows rows(buildKeep(b), anchor, flow, symbols);
  for (AttentionOp op : demand.getAttentions())
    rows.addAttention(op);

  // All rows are packed before the first replacement, which changes the
  // operands.
  SmallVector<SmallVector<Value>> packed;
  for (const Sink &sink : demand.getSinks()) {
    SmallVector<Value> values;
    if (sink.kind == Sink::Known)
      values.push_back(rows.pack(sink.op->getResult(0), sink.axes));
    else if (sink.kind == Sink::Position)
      values.push_back(rows.pack(sink.op->getOperand(0), sink.axes));
    else
      for (unsigned i : {1, 2})
        values.push_back(rows.pack(sink.op->getOperand(i), sink.axes));
    packed.push_back(std::move(values));
  }
  for (auto [sink, values] : llvm::zip_equal(demand.getSinks(), packed)) {
    TensorBuilder b = rows.getBuilder(sink.op);
    auto grid = [&](unsigned i, Value value, std::optional<double> dropped) {
      return rows.unpack(b, values[i], getTensor(value), sink.axes, dropped);
    };
    if (sink.kind == Sink::Keys) {
      for (unsigned i : {1, 2}) {
        Value operand = sink.op->getOperand(i);
        sink.op->setOperand(i, grid(i - 1, operand, std::nullopt));
      }
      continue;
    }
    Value result = sink.op->getResult(0), replacement;
    if (sink.kind == Sink::Known) {
      replacement = grid(0, result, sink.number);
    } else {
      // The seats of the position, by the operation that read the rows.
      Value seats;
      SmallVector<DimExpr> sizes = {getDim(getTensor(result), 0)};
      DimExpr one = getConstDim(b.getContext(), 1);
      DimExpr zero = getConstDim(b.getContext(), 0);
      if (auto gather = dyn_cast<GatherOp>(sink.op)) {
        Value index = b.reshape(gather.getIndices(), {one});
        seats = GatherOp::create(
            b, b.getTensorType({sizes[0], one}, b.getI64Type()),
            rows.getSeats(), index, 1, 0);
      } else {
        seats = SliceOp::create(
            b, b.getTensorType({sizes[0], one}, b.getI64Type()),
            rows.getSeats(), b.getArrayAttr({zero, sink.position}),
            ArrayRef<int64_t>{1, 1});
      }
      replacement = b.reshape(b.gatherRows(values[0], b.reshape(seats, sizes)),
                              b.sizesOf(result));
    }
    result.replaceAllUsesWith(replacement);
  }
  // Erases the grid's operations without users.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(entry.front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct RemovePaddingPass
    : dhlo::impl::RemovePaddingPassBase<RemovePaddingPass> {
  using RemovePaddingPassBase::RemovePaddingPassBase;

  void runOnOperation() override {
    DimBuilder symbols(getAnalysis<SymbolicDims>());
    markAnalysesPreserved<SymbolicDims>();
    for (auto entry : getOperation().getOps<func::FuncOp>()) {
      if (!entry->hasAttr(DHLODialect::kEntryAttr) || entry.isExternal())
        continue;
      if (!mask.empty() ? failed(runOnRequest(entry, symbols))
                        : (runByProof(entry, symbols), false))
        return signalPassFailure();
    }
    if (numEntries == 0)
      markAllAnalysesPreserved();
  }

private:
  LogicalResult runOnRequest(func::FuncOp entry, DimBuilder &symbols);
  void runByProof(func::FuncOp entry, DimBuilder &symbols);
  /// Sets rows of outputs to zero where the mask is zero.
  void clearOutputs(func::FuncOp entry, Value input, DimBuilder &symbols);
  void apply(func::FuncOp entry, Demand &demand, DimBuilder &symbols);
};
} // namespace

/// The name of a mask in remarks.
static std::string describeMask(func::FuncOp entry, Value mask) {
  if (auto argument = dyn_cast<BlockArgument>(mask))
    return "'" + getInputName(entry, argument.getArgNumber()) + "'";
  return "this mask";
}

void RemovePaddingPass::apply(func::FuncOp entry, Demand &demand,
                              DimBuilder &symbols) {
  Value value = demand.getKnown().getMask();
  emitRemark(value.getLoc())
      << "padding is removed: no row where " << describeMask(entry, value)
      << " is zero reaches an output; " << demand.getNumDots()
      << (demand.getNumDots() == 1 ? " contraction is" : " contractions are")
      << " computed on the other rows";
  numContractions += demand.getNumDots();
  numAttentions += demand.getAttentions().size();
  ++numEntries;
  Rewriter(entry, demand, symbols).run();
}

void RemovePaddingPass::clearOutputs(func::FuncOp entry, Value input,
                                     DimBuilder &symbols) {
  MaskedCells cells(input, symbols.getDims());
  Operation *terminator = entry.front().getTerminator();
  TensorBuilder b(terminator, symbols);
  for (OpOperand &output : terminator->getOpOperands()) {
    RankedTensorType type = getTensor(output.get());
    auto axes = cells.find(type);
    if (!axes)
      continue;
    Value isValid = isNonzero(b, input);
    isValid = BroadcastOp::create(b, withElementType(type, b.getI1Type()),
                                  isValid, b.getDenseI64ArrayAttr(*axes));
    output.set(SelectOp::create(b, type, isValid, output.get(),
                                b.fillZero(output.get())));
  }
}

LogicalResult RemovePaddingPass::runOnRequest(func::FuncOp entry,
                                              DimBuilder &symbols) {
  std::string names;
  Value input;
  for (BlockArgument argument : entry.getArguments()) {
    std::string name = getInputName(entry, argument.getArgNumber());
    names += (names.empty() ? "'" : ", '") + name + "'";
    if (name == mask)
      input = argument;
  }
  if (!input)
    return entry.emitError("the model has no input called '")
           << mask << "' to remove padding by; it has " << names;
  if (getTensor(input).getRank() != 2)
    return entry.emitError("expected a mask of rank 2 to remove padding by, "
                           "found '")
           << mask << "' of type " << input.getType();
  clearOutputs(entry, input, symbols);
  Demand demand(entry, input, /*isRequested=*/true, symbols.getDims());
  if (demand.run()) {
    apply(entry, demand, symbols);
    return success();
  }
  std::optional<Obstacle> obstacle = demand.getObstacle();
  if (!obstacle)
    return entry.emitError("padding cannot be removed: no attention has a mask "
                           "that follows from '")
           << mask << "'";
  return emitError(obstacle->loc)
         << "padding cannot be removed: " << obstacle->text;
}

void RemovePaddingPass::runByProof(func::FuncOp entry, DimBuilder &symbols) {
  // Values of rank 2 that masks are computed from, inputs first.
  llvm::SetVector<Value> candidates;
  llvm::SetVector<Value> visited;
  entry.walk([&](AttentionOp op) {
    if (op.getMask())
      visited.insert(op.getMask());
  });
  for (unsigned i = 0; i < visited.size(); ++i)
    if (Operation *op = visited[i].getDefiningOp())
      if (op->getBlock() == &entry.front())
        visited.insert(op->operand_begin(), op->operand_end());
  auto isGrid = [&](Value value) {
    RankedTensorType type = getTensor(value);
    return type.getRank() == 2 && type.getDimSize(0) != 1 &&
           type.isDynamicDim(1);
  };
  for (Value value : entry.getArguments())
    if (visited.contains(value) && isGrid(value))
      candidates.insert(value);
  for (Operation &op : entry.front())
    for (Value value : op.getResults())
      if (visited.contains(value) && isGrid(value))
        candidates.insert(value);

  std::optional<Obstacle> obstacle;
  Value blocked;
  for (Value value : candidates) {
    Demand demand(entry, value, /*isRequested=*/false, symbols.getDims());
    if (demand.run()) {
      if (demand.getFlops() < minIntensity * demand.getBytes()) {
        emitRemark(value.getLoc())
            << "padding stays: moving rows takes longer than the contractions "
               "of "
               "masked rows, "
            << static_cast<int64_t>(demand.getFlops()) << " operations to "
            << static_cast<int64_t>(demand.getBytes()) << " bytes";
        return;
      }
      return apply(entry, demand, symbols);
    }
    if (demand.getObstacle() && !obstacle) {
      obstacle = demand.getObstacle();
      blocked = value;
    }
  }
  if (!obstacle)
    return;
  InFlightDiagnostic remark = emitRemark(obstacle->loc)
                              << "padding stays: " << obstacle->text;
  if (isa<BlockArgument>(blocked) &&
      StringRef(obstacle->text).starts_with("masked rows are part"))
    remark << "; --unpad="
           << getInputName(entry, cast<BlockArgument>(blocked).getArgNumber())
           << " makes them zeros";
}
