//===- Sites.cpp - Locations of possible data errors ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sites.h"

#include "llvm/Support/Path.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

std::string dlhlo::getLocationName(Location loc) {
  if (auto name = llvm::dyn_cast<NameLoc>(loc)) {
    // The line of the model's source; formats without lines have 0 there.
    auto code = llvm::dyn_cast<FileLineColLoc>(name.getChildLoc());
    if (!code || code.getLine() == 0)
      return name.getName().str();
    return (name.getName().getValue() + " (" +
            llvm::sys::path::filename(code.getFilename()) + ":" +
            Twine(code.getLine()) + ")")
        .str();
  }
  if (auto file = llvm::dyn_cast<FileLineColLoc>(loc))
    return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
        .str();
  if (auto call = llvm::dyn_cast<CallSiteLoc>(loc))
    return getLocationName(call.getCallee());
  if (auto fused = llvm::dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (std::string name = getLocationName(part); !name.empty())
        return name;
  return {};
}

SiteKind dlhlo::getSiteKind(Operation *op) {
  if (llvm::isa<dhlo::DivOp, dhlo::RemOp>(op))
    return SiteKind::Division;
  if (llvm::isa<dhlo::ShiftLeftOp, dhlo::ShiftRightOp>(op))
    return SiteKind::Shift;
  if (llvm::isa<dhlo::ConvertOp>(op))
    return SiteKind::Conversion;
  if (llvm::isa<dhlo::BindsDims>(op))
    return SiteKind::Size;
  return SiteKind::Index;
}

SiteAttr dlhlo::getSite(Operation *op) {
  return SiteAttr::get(op->getContext(), getSiteKind(op),
                       op->getName().getStringRef(),
                       getLocationName(op->getLoc()));
}

SmallVector<Attribute> dlhlo::getSites(Region &region) {
  SmallVector<Attribute> sites;
  region.walk([&](Operation *op) {
    if (dhlo::mayFail(op))
      sites.push_back(getSite(op));
  });
  return sites;
}
