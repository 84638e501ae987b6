//===- Choices.cpp - The choices of routers -------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Cell/Transforms/Choices.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;
using dyn::dhlo::DimExpr;

bool cell::areAlwaysPaths(Value ids, int64_t paths, bool orNone) {
  Operation *op = ids.getDefiningOp();
  if (isa_and_present<dhlo::ReshapeOp, dhlo::BroadcastOp>(op))
    return areAlwaysPaths(op->getOperand(0), paths, orNone);
  if (auto select = dyn_cast_if_present<dhlo::SelectOp>(op))
    return areAlwaysPaths(select.getOnTrue(), paths, orNone) &&
           areAlwaysPaths(select.getOnFalse(), paths, orNone);
  if (auto constant = dyn_cast_if_present<dhlo::ConstantOp>(op)) {
    auto elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
    return elements && !elements.getElementType().isInteger(1) &&
           llvm::all_of(elements.getValues<APInt>(), [&](const APInt &id) {
             return id.sge(orNone ? -1 : 0) && id.slt(paths);
           });
  }
  auto isWithin = [&](Value operand, int64_t axis) {
    return TensorBuilder::typeOf(operand).getDimSize(axis) == paths;
  };
  if (auto topK = ids.getDefiningOp<dhlo::TopKOp>())
    return isWithin(topK.getOperand(), topK.getAxis());
  if (auto arg = ids.getDefiningOp<dhlo::ArgReduceOp>())
    return isWithin(arg.getOperand(), arg.getAxis());
  return false;
}

Value cell::getAllChoices(ChooseOp choose) {
  Value choices = choose.getChoices();
  auto slice = choices.getDefiningOp<dhlo::SliceOp>();
  auto isFirst = [](DimExpr start) { return start.isConst(0); };
  return slice &&
                 llvm::all_of(slice.getStarts().getAsRange<DimExpr>(),
                              isFirst) &&
                 llvm::all_of(slice.getStrides(),
                              [](int64_t stride) { return stride == 1; })
             ? slice.getOperand()
             : choices;
}

std::optional<int64_t> cell::getOnlyPath(RouteOp route) {
  auto choose = cast<ChooseOp>(route.getRouter().front().getTerminator());
  auto repeat = getAllChoices(choose).getDefiningOp<dhlo::BroadcastOp>();
  auto constant =
      repeat ? repeat.getOperand().getDefiningOp<dhlo::ConstantOp>() : nullptr;
  auto elements =
      constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : nullptr;
  if (choose.isMask() || choose.getWeights() || choose.getPriorities() ||
      route.getCapacity() || !elements || !elements.isSplat() ||
      TensorBuilder::typeOf(choose.getChoices()).getDimSize(1) != 1)
    return std::nullopt;
  int64_t path = elements.getSplatValue<APInt>().getSExtValue();
  if (path < 0 || path >= route.getRoutes().getType().getPaths())
    return std::nullopt;
  return path;
}

Value cell::getIds(TensorBuilder &b, Value choices) {
  if (!TensorBuilder::typeOf(choices).getElementType().isInteger(1))
    return b.convert(choices, b.getI64Type());
  return b.select(choices, b.iota(1, choices), b.fillInteger(-1, choices));
}
