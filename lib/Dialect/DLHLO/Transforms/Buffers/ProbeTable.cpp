//===- ProbeTable.cpp - The routers of a module that have probes ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProbeTable.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

ProbeTable::ProbeTable(ModuleOp module) {
  if (auto known = module->getAttrOfType<ArrayAttr>(DLHLODialect::kProbesAttr))
    llvm::append_range(routers, known);
}

std::optional<int64_t> ProbeTable::find(StringAttr key) const {
  for (auto [i, router] : llvm::enumerate(routers))
    if (cast<DictionaryAttr>(router).get("key") == key)
      return i;
  return std::nullopt;
}

int64_t ProbeTable::add(dhlo::ProbeOp probe) {
  // A clone of a region, such as that of a loop, has a clone of the probe.
  if (std::optional<int64_t> known = find(probe.getKeyAttr()))
    return *known;
  Builder b(probe.getContext());
  SmallVector<NamedAttribute> members;
  auto add = [&](StringRef name, Attribute value) {
    if (value)
      members.push_back(b.getNamedAttr(name, value));
  };
  add("key", probe.getKeyAttr());
  add("label", probe.getLabelAttr());
  add("cell", probe.getCellAttr());
  add("fingerprint", probe.getFingerprintAttr());
  add("after", probe.getAfterAttr());
  add("load", probe->getAttr(dhlo::DHLODialect::kLoadAttr));
  int64_t paths =
      cast<RankedTensorType>(probe.getOffsets().getType()).getDimSize(0) - 1;
  add("paths", b.getI64IntegerAttr(paths));
  routers.push_back(b.getDictionaryAttr(members));
  return routers.size() - 1;
}

void ProbeTable::store(ModuleOp module) const {
  if (!routers.empty())
    module->setAttr(DLHLODialect::kProbesAttr,
                    ArrayAttr::get(module.getContext(), routers));
}
