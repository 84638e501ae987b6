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
//     path, and its kind determines how (SelectByPath.h).
//
// Nothing is stacked before an operation needs it, and stacked values are a
// concatenation of the values themselves: weights stay references to files.

#include "SelectByPath.h"

#include "dyn/Dialect/Cell/Transforms/Passes.h"
#include "dyn/Dialect/Cell/Transforms/RowWise.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/Support/FormatVariadic.h"

namespace dyn::cell {
#define GEN_PASS_DEF_STACKSIBLINGSPASS
#include "dyn/Dialect/Cell/Transforms/Passes.h.inc"
} // namespace dyn::cell

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;
using dyn::dhlo::DimExpr;

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

class Stacker : public OpBuilder::Listener {
public:
  Stacker(cell::SwitchOp op, DimBuilder &symbols)
      : op(op), dims(symbols.getDims()), symbols(symbols), b(op, symbols),
        all(op, b), copies(all.getNumPaths()) {
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

  Value getRows(Value value) const { return rows.lookup(value); }
  /// Whether an operation of path `p` depends on its rows.
  bool dependsOnRows(Operation *inner, unsigned p);
  /// The operations on rows of path `p`; the others are copied.
  SmallVector<Operation *> splitPath(unsigned p);

  bool haveEqualSizes(Type first, Type other, unsigned p);

  /// Stacks corresponding operations of all paths.
  Failure stack(ArrayRef<Operation *> ops);
  Failure stackOn(Operation *first, ArrayRef<PathValues> operands);
  /// Clones an operation for all rows. Operands other than rows are the same in
  /// all paths, or replaced by `replaced`.
  Value cloneOnRows(Operation *op, IRMapping replaced = {});

  /// Whether all users of the results find rows by these routes, so that none
  /// reads rows past the last one.
  bool areRestsUnread();

  cell::SwitchOp op;
  const SymbolicDims &dims;
  DimBuilder &symbols;
  TensorBuilder b;
  AllRows all;
  SmallVector<IRMapping> copies;
  /// From rows of a path to the rows of all paths.
  llvm::DenseMap<Value, Value> rows;
  llvm::DenseSet<Operation *, ByMeaning> known;
  SmallVector<Operation *> made;
};
} // namespace

//===----------------------------------------------------------------------===//
// Comparison of paths
//===----------------------------------------------------------------------===//

bool Stacker::haveEqualSizes(Type first, Type other, unsigned p) {
  auto a = cast<RankedTensorType>(first), c = cast<RankedTensorType>(other);
  return a.getRank() == c.getRank() &&
         a.getElementType() == c.getElementType() &&
         llvm::all_of(
             llvm::zip(dhlo::getDims(a), dhlo::getDims(c)), [&](auto sizes) {
               auto [x, y] = sizes;
               return dims.isEqual(all.toAllRows(x, 0), all.toAllRows(y, p));
             });
}

bool Stacker::dependsOnRows(Operation *inner, unsigned p) {
  auto hasCount = [&](DimExpr expr) {
    bool found = false;
    dhlo::walkSymbols(dims.expand(expr), [&](StringAttr name) {
      found |= name == all.getCount(p);
    });
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
  // Operations on all rows would compute one for each cell, and a path without
  // siblings is there for cells that do not take it.
  if (all.getNumPaths() == 1)
    return Obstacle{op, "there is one path, and cells may have none"};
  all.bindRest(symbols);
  SmallVector<Value> inputs = llvm::map_to_vector(
      op.getInputs(), [&](Value input) { return all.fromRoutes(input); });
  for (Region &region : op.getPaths())
    for (auto [argument, input] :
         llvm::zip_equal(region.front().getArguments(), inputs))
      rows[argument] = input;

  SmallVector<SmallVector<Operation *>> programs;
  for (unsigned p = 0; p != all.getNumPaths(); ++p)
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
    all.forgetRest(symbols);
    return failure;
  }
  bool isExact = !all.isRest() && areRestsUnread();
  for (auto [result, stacked] : llvm::zip_equal(op.getResults(), results))
    result.replaceAllUsesWith(isExact ? stacked : all.toRoutes(stacked));
  op.erase();
  return std::nullopt;
}

bool Stacker::areRestsUnread() {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    if (auto select = dyn_cast<cell::SelectOp>(user))
      return llvm::all_of(
          llvm::zip_equal(select.getFrom(), select.getRows()), [&](auto pair) {
            auto [routes, rows] = pair;
            return rows.getDefiningOp() != op || routes == op.getRoutes();
          });
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
    if (sizes.empty() ||
        !dims.isEqual(sizes[0], dhlo::getSymbolDim(all.getCount(0))))
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
    if (all.toAllRows(other->getAttrDictionary(), p) !=
        all.toAllRows(first->getAttrDictionary(), 0))
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
  Value stacked = selectByPath(first, operands, all);
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
      cast<DictionaryAttr>(all.toAllRows(source->getAttrDictionary(), 0)));
  for (auto [from, to] : llvm::zip(source->getResults(), copy->getResults())) {
    to.setType(all.getStackedType(from.getType()));
    rows[from] = to;
  }
  return copy->getResult(0);
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
