//===- DLHLODialect.cpp - The dlhlo dialect -------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;
using dyn::dhlo::parseDimExprs;
using dyn::dhlo::printDimExprs;

#include "dyn/Dialect/DLHLO/IR/DLHLODialect.cpp.inc"
#include "dyn/Dialect/DLHLO/IR/DLHLOEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dyn/Dialect/DLHLO/IR/DLHLOAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dyn/Dialect/DLHLO/IR/DLHLOTypes.cpp.inc"

void DLHLODialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dyn/Dialect/DLHLO/IR/DLHLOTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dyn/Dialect/DLHLO/IR/DLHLOAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dyn/Dialect/DLHLO/IR/DLHLOOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

SmallVector<dhlo::DimOp> KernelOp::getDims() {
  SmallVector<dhlo::DimOp> dims;
  for (auto dim : getBody().getOps<dhlo::DimOp>())
    if (!dim.getDefinitionAttr())
      dims.push_back(dim);
  return dims;
}

LogicalResult KernelOp::verify() {
  // kernel_c1
  for (auto bind : getBody().getOps<dhlo::BindOp>()) {
    if (!llvm::isa<BlockArgument>(bind.getValue()))
      return bind.emitOpError(
          "expected an argument of the kernel, found a value that it computes");
    if (llvm::none_of(getDims(), [&](dhlo::DimOp dim) {
          return dim.getSymNameAttr() == bind.getSymbolAttr().getAttr();
        }))
      return bind.emitOpError("expected a dim of the kernel, found @")
             << bind.getSymbol();
  }
  // kernel_c2
  for (Type type : getBody().getArgumentTypes()) {
    auto tensor = llvm::dyn_cast<RankedTensorType>(type);
    if (!tensor || llvm::is_contained(dhlo::getDims(tensor), dhlo::DimExpr()))
      return emitOpError("expected tensors with named sizes as arguments, "
                         "found ")
             << type;
  }
  return success();
}

LogicalResult FusionOp::verify() {
  // fusion_c1
  Block &block = getBody().front();
  if (block.getArgumentTypes() != getInputs().getTypes())
    return emitOpError("expected block arguments with the operands' types");
  if (block.getTerminator()->getOperandTypes() != getResultTypes())
    return emitOpError("expected yielded values with the results' types");
  return success();
}

LogicalResult FindNonzeroOp::verify() {
  // find_nonzero_c1
  auto operand = llvm::cast<RankedTensorType>(getOperand().getType());
  auto indices = llvm::cast<RankedTensorType>(getIndices().getType());
  if (indices.getDimSize(1) != operand.getRank())
    return emitOpError("expected ")
           << operand.getRank() << " columns of indices, found "
           << indices.getDimSize(1);
  if (operand.hasStaticShape() && indices.hasStaticShape() &&
      indices.getDimSize(0) != operand.getNumElements())
    return emitOpError("expected ")
           << operand.getNumElements() << " rows of indices, found "
           << indices.getDimSize(0);
  return success();
}

LogicalResult PackOp::verify() {
  // pack_c1
  auto from = llvm::cast<RankedTensorType>(getOperand().getType());
  auto to = llvm::cast<RankedTensorType>(getType());
  if (!from.hasStaticShape() || from.getEncoding() ||
      from.getShape() != to.getShape() ||
      from.getElementType() != to.getElementType())
    return emitOpError("expected equal static types but for the encoding, "
                       "found ")
           << from << " and " << to;
  if (!llvm::isa_and_nonnull<PackedAttr>(to.getEncoding()))
    return emitOpError("expected a result with a packed order, found ") << to;
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // launch_c1
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("expected the symbol of a kernel, found ")
           << getKernelAttr();
  Block &block = kernel.getBody().front();
  auto check = [&](StringRef what, size_t expected,
                   size_t found) -> LogicalResult {
    if (expected == found)
      return success();
    return emitOpError("expected ")
           << expected << ' ' << what << ", found " << found;
  };
  if (failed(check("dims", kernel.getDims().size(), getDims().size())) ||
      failed(check("operands", block.getNumArguments(), getInputs().size())) ||
      failed(check("results", block.getTerminator()->getNumOperands(),
                   getNumResults())))
    return failure();
  return success();
}

LogicalResult GetConstantOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // get_constant_c1
  auto constant =
      symbols.lookupNearestSymbolFrom<ConstantOp>(*this, getConstantAttr());
  if (!constant)
    return emitOpError("expected the symbol of a constant, found ")
           << getConstantAttr();
  if (constant.getType() != getType())
    return emitOpError("expected the constant's type ")
           << constant.getType() << ", found " << getType();
  return success();
}

LogicalResult
ConstantBufferOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // constant_buffer_c1
  if (!symbols.lookupNearestSymbolFrom<ConstantOp>(*this, getConstantAttr()))
    return emitOpError("expected the symbol of a constant, found ")
           << getConstantAttr();
  return success();
}

LogicalResult DispatchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // dispatch_c1
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("expected the symbol of a kernel, found ")
           << getKernelAttr();
  size_t dims = kernel.getDims().size();
  if (dims != getDims().size())
    return emitOpError("expected ")
           << dims << " dims, found " << getDims().size();
  Block &block = kernel.getBody().front();
  size_t buffers =
      block.getNumArguments() + block.getTerminator()->getNumOperands();
  if (buffers != getBuffers().size())
    return emitOpError("expected ")
           << buffers << " buffers, found " << getBuffers().size();
  return success();
}

LogicalResult EntryOp::verify() {
  // entry_c1
  auto type = llvm::cast<FunctionType>(getType());
  if (type.getNumInputs() != getInputNames().size())
    return emitOpError("expected ")
           << type.getNumInputs() << " input names, found "
           << getInputNames().size();
  if (type.getNumResults() != getOutputNames().size())
    return emitOpError("expected ")
           << type.getNumResults() << " output names, found "
           << getOutputNames().size();
  return success();
}

#define GET_OP_CLASSES
#include "dyn/Dialect/DLHLO/IR/DLHLOOps.cpp.inc"
