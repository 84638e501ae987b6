//===- ConstantValues.cpp - Values that are computed from weights alone ---===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantValues.h"

#include "dyn/Dialect/DHLO/IR/SizeUses.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

bool ConstantValues::contains(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<DHLODialect>(op->getDialect()) || op->getNumRegions() ||
      !getTensor(value).hasStaticShape())
    return false;
  if (isa<WeightOp, ConstantOp>(op))
    return true;
  if (op->getNumOperands() == 0 || !isMemoryEffectFree(op))
    return false;
  auto found = known.find(op);
  if (found != known.end())
    return found->second;
  bool result = !usesSizes(op) &&
                llvm::all_of(op->getOperands(),
                             [&](Value operand) { return contains(operand); });
  known[op] = result;
  return result;
}

Value ConstantValues::matchChannels(Value value, int64_t axis,
                                    OpBuilder &builder) {
  RankedTensorType type = getTensor(value);
  RankedTensorType channels =
      getTensorType({getDim(type, axis)}, type.getElementType());
  SmallVector<int64_t> others;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != axis)
      others.push_back(i);
  Value source = matchSpread(value, others, dims);
  if (source && contains(source))
    return createReshape(builder, value.getLoc(), source, channels);
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  source = broadcast ? broadcast.getOperand() : Value();
  if (!source || !contains(source) || getTensor(source).getNumElements() != 1)
    return {};
  Value scalar =
      createReshape(builder, value.getLoc(), source,
                    RankedTensorType::get({}, type.getElementType()));
  return BroadcastOp::create(builder, value.getLoc(), channels, scalar,
                             builder.getDenseI64ArrayAttr({}));
}
