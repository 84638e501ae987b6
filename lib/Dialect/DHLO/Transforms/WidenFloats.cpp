//===- WidenFloats.cpp - Computes a model of f32 in f64 -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"

namespace dyn::dhlo {
#define GEN_PASS_DEF_WIDENFLOATSPASS
#include "dyn/Dialect/DHLO/Transforms/Passes.h.inc"
} // namespace dyn::dhlo

using namespace mlir;
using namespace dyn;
using namespace dyn::dhlo;

namespace {

struct WidenFloatsPass : dhlo::impl::WidenFloatsPassBase<WidenFloatsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> kept, accumulating;
    getOperation().walk([&](Operation *op) {
      // Values that are read from elsewhere, or random bits of the type's
      // width.
      if (llvm::isa<WeightOp, RngOp, FromDimsOp>(op) &&
          isNarrow(op->getResult(0).getType()))
        kept.push_back(op);
      // Elements of 16 bits whose products are accumulated in f32: there is no
      // such operation that accumulates in f64.
      if (llvm::isa<DotGeneralOp, GroupedDotOp>(op) &&
          isNarrow(op->getResult(0).getType()) &&
          !isNarrow(op->getOperand(0).getType()))
        accumulating.push_back(op);
    });

    AttrTypeReplacer replacer;
    replacer.addReplacement([](Type type) -> std::optional<Type> {
      if (auto tensor = llvm::dyn_cast<RankedTensorType>(type);
          tensor && isNarrow(tensor))
        return widen(tensor);
      return std::nullopt;
    });
    replacer.addReplacement(
        [](DenseFPElementsAttr attr) -> std::optional<Attribute> {
          if (!attr.getElementType().isF32())
            return std::nullopt;
          return attr.mapValues(
              Float64Type::get(attr.getContext()), [](const APFloat &value) {
                return APFloat(double(value.convertToFloat())).bitcastToAPInt();
              });
        });
    getOperation().walk([&](Operation *op) {
      for (Value result : op->getResults())
        numValues += isNarrow(result.getType());
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);

    for (Operation *op : accumulating) {
      OpBuilder builder(op);
      for (OpOperand &side : op->getOpOperands().take_front(2))
        side.set(ConvertOp::create(builder, op->getLoc(), widen(side.get()),
                                   side.get()));
    }
    for (Operation *op : kept) {
      Value result = op->getResult(0);
      auto wide = llvm::cast<RankedTensorType>(result.getType());
      result.setType(RankedTensorType::get(wide.getShape(),
                                           Float32Type::get(op->getContext()),
                                           wide.getEncoding()));
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      auto converted =
          ConvertOp::create(builder, op->getLoc(), wide, op->getResult(0));
      result.replaceAllUsesExcept(converted, converted);
    }
  }

private:
  static bool isNarrow(Type type) {
    auto tensor = llvm::dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getElementType().isF32();
  }
  static RankedTensorType widen(Value value) {
    return widen(llvm::cast<RankedTensorType>(value.getType()));
  }
  static RankedTensorType widen(RankedTensorType type) {
    return RankedTensorType::get(type.getShape(),
                                 Float64Type::get(type.getContext()),
                                 type.getEncoding());
  }
};

} // namespace
