//===- PrintCellFlow.cpp - Prints which operations keep cells apart -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Cell/Transforms/Passes.h"

#include "dyn/Dialect/DHLO/Analysis/CellFlow.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"

namespace dyn::cell {
#define GEN_PASS_DEF_PRINTCELLFLOWPASS
#include "dyn/Dialect/Cell/Transforms/Passes.h.inc"
} // namespace dyn::cell

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;

namespace {

/// The maximum number of leading axes of an input that number its cells.
constexpr int64_t kMaxCoordinates = 2;
/// The attribute of an input with the axes that number its cells.
constexpr StringLiteral kAxes = "cell.axes";

/// How a value holds the cells of one input.
struct State {
  CellEffect effect;
  CellAxes axes;
  /// The routes whose rows the cells are; null if cells lie as in the input.
  Value routes;
};

class Printer {
public:
  Printer(func::FuncOp function, const SymbolicDims &dims, raw_ostream &os)
      : asmState(function, OpPrintingFlags().useLocalScope()), dims(dims),
        os(os) {
    os << "func @" << function.getSymName() << '\n';
    for (BlockArgument argument : function.getArguments())
      print(function, argument);
  }

  bool failed() const { return hasFailed; }

private:
  void print(func::FuncOp function, Value input);
  void visitBlock(Block &block);
  void visit(Operation *op);
  /// The state of the results if operands hold cells.
  State getState(Operation *op);
  State getRouteState(Operation *op, const State &first);
  State getSwitchState(SwitchOp op);

  AsmState asmState;
  const SymbolicDims &dims;
  raw_ostream &os;
  Value origin;
  std::optional<CellFlow> flow;
  llvm::DenseMap<Value, State> states;
  bool hasFailed = false;
};

} // namespace

static void printAxes(raw_ostream &os, ArrayRef<int64_t> axes) {
  os << '[';
  llvm::interleaveComma(axes, os, [&](int64_t axis) {
    if (axis < 0)
      os << "all";
    else
      os << axis;
  });
  os << ']';
}

void Printer::print(func::FuncOp function, Value input) {
  auto type = dyn_cast<RankedTensorType>(input.getType());
  if (!type)
    return;
  CellAxes axes;
  auto given = function.getArgAttrOfType<DenseI64ArrayAttr>(
      cast<BlockArgument>(input).getArgNumber(), kAxes);
  if (given)
    llvm::append_range(axes, given.asArrayRef());
  else
    for (int64_t axis = 0; axis < std::min(type.getRank(), kMaxCoordinates) &&
                           type.isDynamicDim(axis);
         ++axis)
      axes.push_back(axis);
  SmallVector<dhlo::DimExpr> sizes;
  for (int64_t axis : axes) {
    if (axis < 0 || axis >= type.getRank()) {
      function.emitError("expected axes of cells in [0, ")
          << type.getRank() << "), found " << axis;
      hasFailed = true;
      return;
    }
    sizes.push_back(dhlo::getDim(type, axis));
    if (!sizes.back()) {
      function.emitError("expected a name for the size of axis ")
          << axis << " of cells, found " << type;
      hasFailed = true;
      return;
    }
  }
  if (axes.empty())
    return;
  origin = input;
  flow.emplace(dims, sizes);
  states.clear();
  states[input] = {CellEffect::Keeps, axes, {}};
  os << "  cells of ";
  input.printAsOperand(os, asmState);
  os << ": [";
  llvm::interleaveComma(sizes, os,
                        [&](dhlo::DimExpr size) { printDimExpr(os, size); });
  os << "] at ";
  printAxes(os, axes);
  os << '\n';
  visitBlock(function.front());
}

void Printer::visitBlock(Block &block) {
  for (Operation &op : block)
    visit(&op);
}

State Printer::getRouteState(Operation *op, const State &first) {
  State mixed{CellEffect::Mixes, {}, {}};
  bool isFirst = first.axes == CellAxes{0};
  if (auto split = dyn_cast<SplitOp>(op)) {
    // With blocks of size 1, axis 0 of the result numbers the cells in order.
    bool isWhole = llvm::all_of(split.getBlock(),
                                [](int64_t block) { return block == 1; });
    return isWhole && ArrayRef(first.axes) == split.getAxes()
               ? State{first.effect, {0}, first.routes}
               : mixed;
  }
  if (auto join = dyn_cast<JoinOp>(op)) {
    bool isWhole =
        llvm::all_of(join.getBlock(), [](int64_t block) { return block == 1; });
    return isWhole && isFirst &&
                   join.getAxes().size() == flow->getSizes().size()
               ? State{first.effect, CellAxes(join.getAxes()), first.routes}
               : mixed;
  }
  if (auto dispatch = dyn_cast<DispatchOp>(op))
    return isFirst && !first.routes
               ? State{first.effect, {0}, dispatch.getRoutes()}
               : mixed;
  auto combine = cast<CombineOp>(op);
  if (!isFirst || first.routes != combine.getRoutes())
    return mixed;
  State result{first.effect, {0}, {}};
  if (Value otherwise = combine.getOtherwise()) {
    auto found = states.find(otherwise);
    if (found != states.end()) {
      if (found->second.axes != result.axes || found->second.routes)
        return mixed;
      result.effect = compose(result.effect, found->second.effect);
    }
  }
  return result;
}

State Printer::getSwitchState(SwitchOp op) {
  State mixed{CellEffect::Mixes, {}, {}};
  State result{CellEffect::Keeps, {0}, op.getRoutes()};
  bool hasCells = false;
  for (Region &region : op.getPaths()) {
    Block &block = region.front();
    for (auto [argument, input] :
         llvm::zip_equal(block.getArguments(), op.getInputs())) {
      auto found = states.find(input);
      if (found == states.end())
        continue;
      State state = found->second;
      if (state.routes != op.getRoutes() || state.axes != CellAxes{0})
        state = mixed;
      states[argument] = state;
      hasCells = true;
    }
    visitBlock(block);
    for (Value value : block.getTerminator()->getOperands()) {
      auto found = states.find(value);
      if (found == states.end() || found->second.axes != CellAxes{0} ||
          found->second.routes != op.getRoutes())
        return mixed;
      result.effect = compose(result.effect, found->second.effect);
    }
  }
  return hasCells ? result : mixed;
}

State Printer::getState(Operation *op) {
  State mixed{CellEffect::Mixes, {}, {}};
  std::optional<State> joint;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    auto found = states.find(operand);
    if (found == states.end())
      continue;
    const State &state = found->second;
    if (state.effect == CellEffect::Mixes)
      return mixed;
    State next;
    if (op->hasTrait<MovesCells>()) {
      if (i != 0)
        continue;
      next = getRouteState(op, state);
    } else {
      CellFlow::Step step = flow->getStep(op, i, state.axes);
      next = {compose(state.effect, step.effect), step.axes, state.routes};
    }
    if (next.effect == CellEffect::Mixes)
      return mixed;
    // Operands must hold the same cells, or cells are mixed.
    if (joint) {
      bool canJoin = joint->routes == next.routes &&
                     joint->axes.size() == next.axes.size();
      for (size_t axis = 0; canJoin && axis < next.axes.size(); ++axis) {
        int64_t &x = joint->axes[axis], y = next.axes[axis];
        canJoin = x == y || x < 0 || y < 0;
        x = std::max(x, y);
      }
      if (!canJoin || (joint->effect != next.effect))
        return mixed;
    } else {
      joint = next;
    }
  }
  return joint.value_or(mixed);
}

void Printer::visit(Operation *op) {
  bool reads = llvm::any_of(op->getOperands(), [&](Value operand) {
    return states.contains(operand);
  });
  if (!reads || op->hasTrait<OpTrait::IsTerminator>())
    return;
  auto print = [&](const State &state) {
    os << stringifyCellEffect(state.effect) << ' ';
    origin.printAsOperand(os, asmState);
  };
  os << "  ";
  if (op->getNumResults()) {
    op->getResult(0).printAsOperand(os, asmState);
    os << " = ";
  }
  os << op->getName() << ' ';
  if (isa<RouteOp>(op)) {
    // A router reads the cells in their present order.
    State seen{CellEffect::Keeps, {}, {}};
    for (Value operand : op->getOperands())
      if (auto found = states.find(operand); found != states.end())
        seen.effect = compose(seen.effect, found->second.effect);
    os << "routes cells: ";
    print(seen);
    os << '\n';
    return;
  }
  if (auto switchOp = dyn_cast<SwitchOp>(op)) {
    os << "runs paths\n";
    State state = getSwitchState(switchOp);
    for (Value result : op->getResults())
      states[result] = state;
    return;
  }
  State state = getState(op);
  for (Value result : op->getResults())
    states[result] = state;
  print(state);
  if (state.effect != CellEffect::Mixes) {
    os << ' ';
    for (Value operand : op->getOperands())
      if (auto found = states.find(operand); found != states.end()) {
        printAxes(os, found->second.axes);
        break;
      }
    os << " -> ";
    printAxes(os, state.axes);
    if (state.routes) {
      os << " in rows of ";
      state.routes.printAsOperand(os, asmState);
    }
  }
  os << '\n';
}

namespace {
struct PrintCellFlowPass
    : cell::impl::PrintCellFlowPassBase<PrintCellFlowPass> {
  void runOnOperation() override {
    const auto &dims = getAnalysis<SymbolicDims>();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() &&
          Printer(function, dims, llvm::outs()).failed())
        return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
