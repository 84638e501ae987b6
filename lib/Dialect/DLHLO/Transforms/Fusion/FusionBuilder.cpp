//===- FusionBuilder.cpp - Puts operations into a fusion ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusionBuilder.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

bool dlhlo::isSplatConstant(Value value) {
  auto constant = value.getDefiningOp<dhlo::ConstantOp>();
  return constant && llvm::isa<SplatElementsAttr>(constant.getValue());
}

FusionOp dlhlo::createFusion(FusionKind kind, ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 8> members(ops.begin(), ops.end());
  llvm::SetVector<Value> inputs, splats;
  SmallVector<Value> outputs;
  SmallVector<Location> locations;
  for (Operation *op : ops) {
    locations.push_back(op->getLoc());
    for (Value operand : op->getOperands()) {
      if (members.contains(operand.getDefiningOp()))
        continue;
      (isSplatConstant(operand) ? splats : inputs).insert(operand);
    }
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !members.contains(user);
          }))
        outputs.push_back(result);
  }

  Operation *last = ops.back();
  OpBuilder builder(last);
  Location loc =
      ops.size() == 1 ? last->getLoc() : builder.getFusedLoc(locations);
  auto fusion = FusionOp::create(builder, loc, TypeRange(ValueRange(outputs)),
                                 kind, inputs.getArrayRef());
  Block *body = builder.createBlock(&fusion.getBody());
  auto replaceInside = [&](Value value, Value inside) {
    value.replaceUsesWithIf(inside, [&](OpOperand &use) {
      return members.contains(use.getOwner());
    });
  };
  for (Value splat : splats)
    replaceInside(splat, builder.clone(*splat.getDefiningOp())->getResult(0));
  for (Value input : inputs)
    replaceInside(input, body->addArgument(input.getType(), input.getLoc()));
  for (auto [output, result] : llvm::zip(outputs, fusion.getResults()))
    output.replaceUsesWithIf(result, [&](OpOperand &use) {
      return !members.contains(use.getOwner());
    });
  for (Operation *op : ops)
    op->moveBefore(body, body->end());
  builder.setInsertionPointToEnd(body);
  dlhlo::YieldOp::create(builder, loc, outputs);
  return fusion;
}

FusionOp dlhlo::createCopy(OpBuilder &builder, Location loc, Value value) {
  auto fusion =
      FusionOp::create(builder, loc, value.getType(), FusionKind::Loop, value);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&fusion.getBody(), {}, value.getType(),
                                    value.getLoc());
  dlhlo::YieldOp::create(builder, loc, body->getArguments());
  return fusion;
}
