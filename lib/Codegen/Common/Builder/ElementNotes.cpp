//===- ElementNotes.cpp - Why code computes elements one by one -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Codegen/Common/Builder/ElementNotes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace dyn;

/// On code: the name of the operation, its location, the reason.
static constexpr llvm::StringLiteral kElementsAttr = "dyn.elements";

std::optional<ElementNote> ElementNote::get(Operation *code) {
  auto note = code->getAttrOfType<ArrayAttr>(kElementsAttr);
  if (!note)
    return std::nullopt;
  return ElementNote{cast<StringAttr>(note[0]).getValue(),
                     cast<LocationAttr>(note[1]),
                     cast<StringAttr>(note[2]).getValue()};
}

bool dyn::hasNotes(KernelBuilder &b) {
  return b.getKernel()->hasAttr(kCountedAttr);
}

void dyn::noteElements(KernelBuilder &b, Operation *code, Operation *cause,
                       StringRef reason) {
  if (!hasNotes(b))
    return;
  LocationAttr location = cause->getLoc();
  code->setAttr(kElementsAttr,
                b.getArrayAttr({cause->getName().getIdentifier(), location,
                                b.getStringAttr(reason)}));
}

void dyn::noteElementsOfLoop(KernelBuilder &b, Operation *cause,
                             StringRef reason) {
  if (!hasNotes(b))
    return;
  Block *block = b.getInsertionBlock();
  for (Operation &op : llvm::reverse(*block))
    if (isa<scf::ForOp>(op))
      return noteElements(b, &op, cause, reason);
}
