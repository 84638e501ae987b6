//===- StackSiblings.cpp - Sibling paths as operations on all rows --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The regions of a switch are walked in parallel. A value of a region is either
//
//   - rows: it depends on the rows of its path, which lie along axis 0. The
//     values of all regions become one value, on the rows of all paths;
//   - or a value of its path: one for each region, copied before the switch. If
//     all are the same operation on the same operands, they become one value;
//     otherwise an operation on rows that reads them has to select by the row's
//     path, and its kind determines how.
//
// Nothing is stacked before an operation needs it, and stacked values are a
// concatenation of the values themselves: weights stay references to files.

#include "dyn/Dialect/Cell/Transforms/Passes.h"
#include "dyn/Dialect/Cell/Transforms/RowWise.h"
#include "dyn/Dialect/DHLO/Transforms/TensorBuilder.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

namespace dyn::cell {
#define GEN_PASS_DEF_STACKSIBLINGSPASS
#include "dyn/Dialect/Cell/Transforms/Passes.h.inc"
} // namespace dyn::cell

using namespace mlir;
using namespace dyn;
using dyn::dhlo::DimExpr;
using dyn::dhlo::Sizes;

namespace {
/// Operations by structural equality.
struct ByMeaning : DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(
        const_cast<Operation *>(op), OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *lhs, const Operation *rhs) {
    auto isKey = [](const Operation *op) {
      return op == getTombstoneKey() || op == getEmptyKey();
    };
    if (lhs == rhs || isKey(lhs) || isKey(rhs))
      return lhs == rhs;
    return OperationEquivalence::isEquivalentTo(
        const_cast<Operation *>(lhs), const_cast<Operation *>(rhs),
        OperationEquivalence::IgnoreLocations);
  }
};

/// Why paths are not stacked, and at which operation.
struct Obstacle {
  Operation *op = nullptr;
  std::string reason;
};

/// One value for each path.
using PathValues = SmallVector<Value>;

class Stacker : public OpBuilder::Listener {
public:
  Stacker(cell::SwitchOp op, DimBuilder &symbols)
      : op(op), dims(symbols.getDims()), b(op, symbols),
        counts(op.getRegionDims()), copies(counts.size()) {
    b.setListener(this);
  }

  /// Builds the operations on all rows before the switch and replaces it. If
  /// paths differ, returns the first difference and leaves the program
  /// unchanged.
  std::optional<Obstacle> run();

private:
  using Failure = std::optional<Obstacle>;

  void notifyOperationInserted(Operation *created,
                               OpBuilder::InsertPoint) override {
    made.push_back(created);
  }

  unsigned getNumPaths() const { return counts.size(); }
  Value getRows(Value value) const { return rows.lookup(value); }
  /// Whether an operation of path `p` depends on its rows.
  bool dependsOnRows(Operation *inner, unsigned p);
  /// The operations on rows of path `p`; the others are copied.
  SmallVector<Operation *> splitPath(unsigned p);

  /// A size or an attribute of path `p`, with the number of all rows in place
  /// of the path's.
  DimExpr toAllRows(DimExpr expr, unsigned p);
  Attribute toAllRows(Attribute attr, unsigned p);
  bool haveEqualSizes(Type first, Type other, unsigned p);
  /// The number of all rows, as named in the types of tensors of rows.
  DimExpr getNumRows() {
    TypeRange types = op.getNumResults() ? TypeRange(op.getResultTypes())
                                         : TypeRange(op.getInputs().getTypes());
    return types.empty() ? op.getRoutes().getType().getRows()
                         : dhlo::getDim(cast<RankedTensorType>(types[0]), 0);
  }
  RankedTensorType getStackedType(Type type);

  /// Stacks corresponding operations of all paths.
  Failure stack(ArrayRef<Operation *> ops);
  Failure stackOn(Operation *first, ArrayRef<PathValues> operands);
  Value stackDot(dhlo::DotGeneralOp dot, const PathValues &factors);
  Value stackConvolution(dhlo::ConvolutionOp op, const PathValues &filters);
  Value stackBroadcast(dhlo::BroadcastOp op, const PathValues &values);
  template <typename Norm>
  Value stackNorm(Norm op, const PathValues &scales, const PathValues &biases);
  /// Clones an operation for all rows. Operands other than rows are the same in
  /// all paths, or replaced by `replaced`.
  Value cloneOnRows(Operation *op, IRMapping replaced = {});

  Value concat(const PathValues &values);
  /// For each row, the value of its path.
  Value gatherByRow(const PathValues &values) {
    return b.gatherRows(concat(values), getPaths());
  }
  Value broadcastTo(Value value, ArrayRef<int64_t> axes, Type like);
  Value getOffsets();
  Value getPaths();
  /// Sets the rows after the last one to zero.
  Value clearRest(Value value);
  /// Whether all users of the results are combines by these routes.
  bool areOnlyCombined();

  cell::SwitchOp op;
  const SymbolicDims &dims;
  TensorBuilder b;
  SmallVector<StringAttr> counts;
  SmallVector<IRMapping> copies;
  /// From rows of a path to the rows of all paths.
  llvm::DenseMap<Value, Value> rows;
  llvm::DenseSet<Operation *, ByMeaning> known;
  SmallVector<Operation *> made;
  Value offsets, paths;
};
} // namespace

//===----------------------------------------------------------------------===//
// Comparison of paths
//===----------------------------------------------------------------------===//

DimExpr Stacker::toAllRows(DimExpr expr, unsigned p) {
  return dhlo::substitute(dims.expand(expr), [&](StringAttr name) {
    return name == counts[p] ? op.getRoutes().getType().getRows() : DimExpr();
  });
}

Attribute Stacker::toAllRows(Attribute attr, unsigned p) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](dhlo::DimExprAttr expr) -> std::pair<Attribute, WalkResult> {
        return {toAllRows(expr, p), WalkResult::skip()};
      });
  return replacer.replace(attr);
}

RankedTensorType Stacker::getStackedType(Type type) {
  auto of = cast<RankedTensorType>(type);
  Sizes sizes;
  for (DimExpr size : dhlo::getDims(of)) {
    sizes.push_back(toAllRows(size, 0));
    if (dims.isEqual(sizes.back(), getNumRows()))
      sizes.back() = getNumRows();
  }
  return b.getTensorType(sizes, of.getElementType());
}

bool Stacker::haveEqualSizes(Type first, Type other, unsigned p) {
  auto a = cast<RankedTensorType>(first), c = cast<RankedTensorType>(other);
  return a.getRank() == c.getRank() &&
         a.getElementType() == c.getElementType() &&
         llvm::all_of(llvm::zip(dhlo::getDims(a), dhlo::getDims(c)),
                      [&](auto sizes) {
                        auto [x, y] = sizes;
                        return dims.isEqual(toAllRows(x, 0), toAllRows(y, p));
                      });
}

bool Stacker::dependsOnRows(Operation *inner, unsigned p) {
  auto hasCount = [&](DimExpr expr) {
    bool found = false;
    dhlo::walkSymbols(dims.expand(expr),
                      [&](StringAttr name) { found |= name == counts[p]; });
    return found;
  };
  bool found = llvm::any_of(inner->getResultTypes(), [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    // Routes belong to the path's cells; a switch that contains routers is left
    // alone.
    return !tensor || llvm::any_of(dhlo::getDims(tensor), hasCount);
  });
  for (NamedAttribute attr : inner->getAttrs())
    attr.getValue().walk(
        [&](dhlo::DimExprAttr expr) { found |= hasCount(expr); });
  inner->walk([&](Operation *nested) {
    found |= llvm::any_of(nested->getOperands(), [&](Value operand) {
      return rows.contains(operand);
    });
  });
  return found;
}

SmallVector<Operation *> Stacker::splitPath(unsigned p) {
  SmallVector<Operation *> onRows;
  for (Operation &inner : op.getPaths()[p].front().without_terminator()) {
    if (dependsOnRows(&inner, p)) {
      onRows.push_back(&inner);
      for (Value result : inner.getResults())
        rows.try_emplace(result, Value());
      continue;
    }
    Operation *copy = b.clone(inner, copies[p]);
    auto [equal, isNew] = known.insert(copy);
    if (!isNew)
      copies[p].map(inner.getResults(), (*equal)->getResults());
  }
  return onRows;
}

Stacker::Failure Stacker::run() {
  for (auto [p, region] : llvm::enumerate(op.getPaths()))
    for (auto [argument, input] :
         llvm::zip_equal(region.front().getArguments(), op.getInputs()))
      rows[argument] = input;

  SmallVector<SmallVector<Operation *>> programs;
  for (unsigned p = 0; p != getNumPaths(); ++p)
    programs.push_back(splitPath(p));
  Failure failure;
  for (size_t i = 0; i != programs[0].size() && !failure; ++i) {
    SmallVector<Operation *> ops;
    for (auto [p, program] : llvm::enumerate(programs)) {
      Operation *first = programs[0][i];
      Operation *other = i < program.size() ? program[i] : nullptr;
      if (!other || other->getName() != first->getName()) {
        failure = Obstacle{first, llvm::formatv("path {0} has no '{1}' there",
                                                p, first->getName())
                                      .str()};
        break;
      }
      ops.push_back(other);
    }
    if (!failure)
      failure = stack(ops);
  }
  for (auto [p, program] : llvm::enumerate(programs))
    if (!failure && program.size() > programs[0].size())
      failure = Obstacle{program[programs[0].size()],
                         "path 0 has no such operation there"};

  SmallVector<Value> results;
  for (unsigned i = 0; i != op.getNumResults() && !failure; ++i) {
    for (auto [p, region] : llvm::enumerate(op.getPaths())) {
      Operation *yield = region.front().getTerminator();
      Value result = getRows(yield->getOperand(i));
      if (p == 0)
        results.push_back(result);
      else if (result != results.back())
        failure = Obstacle{
            yield, llvm::formatv("path {0} yields another value", p).str()};
    }
  }
  if (failure) {
    for (Operation *created : llvm::reverse(made))
      created->erase();
    return failure;
  }
  bool isCombined = areOnlyCombined();
  for (auto [result, stacked] : llvm::zip_equal(op.getResults(), results))
    result.replaceAllUsesWith(isCombined ? stacked : clearRest(stacked));
  op.erase();
  return std::nullopt;
}

bool Stacker::areOnlyCombined() {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    auto combine = dyn_cast<cell::CombineOp>(user);
    return combine && combine.getRoutes() == op.getRoutes() &&
           !llvm::is_contained(op.getResults(), combine.getOtherwise());
  });
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Stacker::Failure Stacker::stack(ArrayRef<Operation *> ops) {
  Operation *first = ops[0];
  if (first->getNumResults() == 0 || isa<dhlo::BindsDims>(first) ||
      !isa<dhlo::DHLODialect>(first->getDialect()))
    return Obstacle{first, "it is not known to keep rows apart"};
  for (Value result : first->getResults()) {
    auto sizes = dhlo::getDims(cast<RankedTensorType>(result.getType()));
    if (sizes.empty() || !dims.isEqual(sizes[0], dhlo::getSymbolDim(counts[0])))
      return Obstacle{first, "its result does not have the rows on axis 0"};
  }
  if (const char *reason = cell::whyNotRowWise(
          first, dims, [&](Value value) { return rows.contains(value); }))
    return Obstacle{first, reason};

  for (auto [p, other] : llvm::enumerate(ops)) {
    auto differs = [p = p, other = other](StringRef what) {
      return Obstacle{
          other,
          llvm::formatv("path {0} has other {1} than path 0", p, what).str()};
    };
    if (toAllRows(other->getAttrDictionary(), p) !=
        toAllRows(first->getAttrDictionary(), 0))
      return differs("attributes");
    if (other->getNumOperands() != first->getNumOperands())
      return differs("operands");
    for (auto [x, y] :
         llvm::zip(first->getOperandTypes(), other->getOperandTypes()))
      if (!haveEqualSizes(x, y, p))
        return differs("sizes");
    for (auto [x, y] :
         llvm::zip(first->getResultTypes(), other->getResultTypes()))
      if (!haveEqualSizes(x, y, p))
        return differs("sizes");
  }

  // For each operand, one value of all rows, or the values of the paths.
  SmallVector<PathValues> operands;
  for (unsigned i = 0; i != first->getNumOperands(); ++i) {
    PathValues values;
    for (auto [p, other] : llvm::enumerate(ops)) {
      Value value = other->getOperand(i);
      values.push_back(rows.contains(value) ? getRows(value)
                                            : copies[p].lookupOrDefault(value));
      if (rows.contains(value) != rows.contains(first->getOperand(i)) ||
          (rows.contains(value) && values.back() != values[0]))
        return Obstacle{other,
                        llvm::formatv("path {0} reads other rows", p).str()};
    }
    if (llvm::all_equal(values))
      values.resize(1);
    operands.push_back(values);
  }
  if (Failure failure = stackOn(first, operands))
    return failure;
  for (Operation *other : ArrayRef(ops).drop_front())
    for (auto [from, to] : llvm::zip(first->getResults(), other->getResults()))
      rows[to] = getRows(from);
  return std::nullopt;
}

Stacker::Failure Stacker::stackOn(Operation *first,
                                  ArrayRef<PathValues> operands) {
  auto differs = [&](unsigned i) { return operands[i].size() > 1; };
  SmallVector<unsigned> differing;
  for (unsigned i = 0; i != operands.size(); ++i)
    if (differs(i))
      differing.push_back(i);
  if (differing.empty()) {
    cloneOnRows(first);
    return std::nullopt;
  }
  Value stacked =
      llvm::TypeSwitch<Operation *, Value>(first)
          .Case([&](dhlo::DotGeneralOp op) {
            // Grouped GEMMs are compiled for f32, f16 and bf16.
            Type element = getElementTypeOrSelf(op.getRhs());
            return isa<FloatType>(element) && !element.isF64()
                       ? stackDot(op, operands[1])
                       : Value();
          })
          .Case([&](dhlo::ConvolutionOp op) {
            return stackConvolution(op, operands[1]);
          })
          .Case([&](dhlo::BroadcastOp op) {
            return stackBroadcast(op, operands[0]);
          })
          .Case([&](dhlo::LayerNormOp op) {
            return stackNorm(op, operands[1],
                             op.getBias() ? operands[2] : PathValues());
          })
          .Case([&](dhlo::RmsNormOp op) {
            return stackNorm(op, operands[1], {});
          })
          .Default([](Operation *) { return Value(); });
  if (!stacked)
    return Obstacle{first, llvm::formatv("operand {0} differs between paths, "
                                         "and it cannot choose by row",
                                         differing.front())
                               .str()};
  rows[first->getResult(0)] = stacked;
  return std::nullopt;
}

Value Stacker::cloneOnRows(Operation *source, IRMapping replaced) {
  // Rows are replaced by those of all paths; other operands are those of path
  // 0.
  for (Value operand : source->getOperands())
    if (!replaced.contains(operand))
      replaced.map(operand, rows.contains(operand)
                                ? getRows(operand)
                                : copies[0].lookupOrDefault(operand));
  Operation *copy = b.clone(*source, replaced);
  copy->setAttrs(
      cast<DictionaryAttr>(toAllRows(source->getAttrDictionary(), 0)));
  for (auto [from, to] : llvm::zip(source->getResults(), copy->getResults())) {
    to.setType(getStackedType(from.getType()));
    rows[from] = to;
  }
  return copy->getResult(0);
}

Value Stacker::stackDot(dhlo::DotGeneralOp dot, const PathValues &factors) {
  // Rows times [paths, contracted, free].
  Value lhs = getRows(dot.getLhs());
  ArrayRef<int64_t> lhsSummed = dot.getLhsContract(),
                    rhsSummed = dot.getRhsContract();
  auto getFree = [](ArrayRef<int64_t> summed, int64_t rank) {
    SmallVector<int64_t> axes;
    for (int64_t axis = 0; axis != rank; ++axis)
      if (!llvm::is_contained(summed, axis))
        axes.push_back(axis);
    return axes;
  };
  Sizes lhsSizes = b.sizesOf(lhs), rhsSizes = b.sizesOf(factors[0]);
  SmallVector<int64_t> lhsOrder = getFree(lhsSummed, lhsSizes.size());
  SmallVector<int64_t> rhsFree = getFree(rhsSummed, rhsSizes.size());
  DimExpr one = dhlo::getConstDim(b.getContext(), 1), depth = one, width = one;
  Sizes sizes;
  for (int64_t axis : lhsOrder)
    sizes.push_back(lhsSizes[axis]);
  for (int64_t axis : lhsSummed)
    depth = dhlo::mul(depth, lhsSizes[axis]);
  for (int64_t axis : rhsFree)
    width = dhlo::mul(width, rhsSizes[axis]);
  llvm::append_range(lhsOrder, lhsSummed);
  Sizes lhsMatrix = sizes;
  lhsMatrix.push_back(depth);
  lhs = b.reshape(b.transpose(lhs, lhsOrder), lhsMatrix);

  SmallVector<int64_t> rhsOrder(rhsSummed);
  llvm::append_range(rhsOrder, rhsFree);
  PathValues matrices;
  for (Value factor : factors)
    matrices.push_back(
        b.reshape(b.transpose(factor, rhsOrder), {depth, width}));
  sizes.push_back(width);
  Value result = dhlo::GroupedDotOp::create(
      b, b.getTensorType(sizes, dot.getType().getElementType()), lhs,
      concat(matrices), getOffsets());
  return b.reshape(result, dhlo::getDims(getStackedType(dot.getType())));
}

Value Stacker::stackConvolution(dhlo::ConvolutionOp convolution,
                                const PathValues &filters) {
  // With groups of channels or input dilation, a grouped convolution would be
  // computed element by element.
  bool isPlain = convolution.getGroups() == 1 &&
                 llvm::all_of(convolution.getInputDilation(),
                              [](int64_t step) { return step == 1; });
  if (!isPlain)
    return Value();
  auto all = [&](ArrayAttr attr) {
    return cast<ArrayAttr>(toAllRows(attr, 0));
  };
  return dhlo::GroupedConvolutionOp::create(
      b, getStackedType(convolution.getType()), getRows(convolution.getInput()),
      concat(filters), getOffsets(), convolution.getLayoutAttr(),
      convolution.getStridesAttr(), all(convolution.getLow()),
      all(convolution.getHigh()), convolution.getInputDilationAttr(),
      convolution.getFilterDilationAttr(), convolution.getGroupsAttr());
}

Value Stacker::stackBroadcast(dhlo::BroadcastOp broadcast,
                              const PathValues &values) {
  SmallVector<int64_t> axes = {0};
  llvm::append_range(axes, broadcast.getAxes());
  return broadcastTo(gatherByRow(values), axes,
                     getStackedType(broadcast.getType()));
}

template <typename Norm>
Value Stacker::stackNorm(Norm norm, const PathValues &scales,
                         const PathValues &biases) {
  // Norms with scale 1, times the scale of each row's path.
  auto element = cast<FloatType>(norm.getType().getElementType());
  Value ones = b.fill(b.getFloatAttr(element, 1.0), b.sizesOf(scales[0]));
  Value normal;
  Value operand = getRows(norm.getOperand());
  if constexpr (std::is_same_v<Norm, dhlo::LayerNormOp>)
    normal = dhlo::LayerNormOp::create(b, operand.getType(), operand, ones,
                                       Value(), norm.getAxis(), norm.getEps());
  else
    normal = dhlo::RmsNormOp::create(b, operand.getType(), operand, ones,
                                     norm.getAxis(), norm.getEps());
  SmallVector<int64_t> axes = {0};
  for (int64_t axis = norm.getAxis(); axis < norm.getType().getRank(); ++axis)
    axes.push_back(axis);
  auto spread = [&](const PathValues &values) {
    if (values.size() == 1)
      return broadcastTo(values[0], ArrayRef(axes).drop_front(),
                         normal.getType());
    return broadcastTo(gatherByRow(values), axes, normal.getType());
  };
  normal = dhlo::MulOp::create(b, normal, spread(scales));
  if (!biases.empty())
    normal = dhlo::AddOp::create(b, normal, spread(biases));
  return normal;
}

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

Value Stacker::concat(const PathValues &values) {
  Sizes sizes = b.sizesOf(values[0]);
  sizes.insert(sizes.begin(), dhlo::getConstDim(b.getContext(), 1));
  PathValues parts;
  for (Value value : values)
    parts.push_back(b.reshape(value, sizes));
  sizes.front() = dhlo::getConstDim(b.getContext(), values.size());
  return dhlo::ConcatOp::create(
      b, b.getTensorType(sizes, b.typeOf(values[0]).getElementType()), parts,
      0);
}

Value Stacker::broadcastTo(Value value, ArrayRef<int64_t> axes, Type like) {
  auto type = cast<RankedTensorType>(like);
  if (type == value.getType())
    return value;
  return dhlo::BroadcastOp::create(b, type, value, axes);
}

Value Stacker::getOffsets() {
  if (!offsets)
    offsets = cell::OffsetsOp::create(
        b, RankedTensorType::get({getNumPaths() + 1}, b.getI64Type()),
        op.getRoutes());
  return offsets;
}

Value Stacker::getPaths() {
  if (!paths)
    paths = cell::PathsOp::create(
        b, b.getTensorType({getNumRows()}, b.getI64Type()), op.getRoutes());
  return paths;
}

Value Stacker::clearRest(Value value) {
  Value end = dhlo::SliceOp::create(
      b, RankedTensorType::get({1}, b.getI64Type()), getOffsets(),
      b.getArrayAttr({dhlo::getConstDim(b.getContext(), getNumPaths())}),
      ArrayRef<int64_t>{1});
  Value row = b.iota(0, getPaths());
  end = broadcastTo(b.reshape(end, {}), {}, row.getType());
  Value isRow = b.compare(dhlo::CompareDirection::LT, row, end);
  return b.select(isRow, value, b.fillZero(value));
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct StackSiblingsPass
    : cell::impl::StackSiblingsPassBase<StackSiblingsPass> {
  void runOnOperation() override {
    DimBuilder symbols(getAnalysis<SymbolicDims>());
    markAnalysesPreserved<SymbolicDims>();
    // Inner switches first: outer switches may stack their results.
    SmallVector<cell::SwitchOp> switches;
    getOperation().walk([&](cell::SwitchOp op) { switches.push_back(op); });
    for (cell::SwitchOp op : switches) {
      Location loc = op.getLoc();
      std::optional<Obstacle> obstacle = Stacker(op, symbols).run();
      if (!obstacle) {
        ++numStacked;
        continue;
      }
      ++numLeft;
      emitRemark(loc, "paths are not stacked")
              .attachNote(obstacle->op->getLoc())
          << "because of '" << obstacle->op->getName()
          << "': " << obstacle->reason;
    }
  }
};
} // namespace
