//===- Fingerprint.cpp - Hashes of the computations of values -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// LLVM's own hashes differ from process to process. So the text of types and
// attributes is hashed, with symbols numbered in order of appearance.

#include "Fingerprint.h"

#include "dyn/Dialect/Cell/Analysis/RoutePrediction.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;

namespace {
/// Text that is hashed as one string.
class Text {
public:
  Text &operator<<(StringRef text) {
    bytes += text;
    bytes.push_back('\0');
    return *this;
  }
  Text &operator<<(uint64_t number) {
    for (int i = 0; i != 8; ++i)
      bytes.push_back(char(number >> (8 * i)));
    return *this;
  }
  Text &operator<<(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return printed(type);
    // Names of sizes are ignored; operations determine how sizes are related.
    for (int64_t size : tensor.getShape())
      *this << uint64_t(size);
    return printed(tensor.getElementType());
  }
  Text &operator<<(Attribute attr) { return printed(attr); }
  uint64_t hash() const { return llvm::xxh3_64bits(bytes); }

private:
  /// The text of a type or attribute, with symbols replaced by their numbers.
  template <typename T> Text &printed(T what) {
    std::string text;
    llvm::raw_string_ostream os(text);
    what.print(os);
    StringRef rest = text;
    while (!rest.empty()) {
      auto [before, after] = rest.split('@');
      bytes += before;
      if (before.size() == rest.size())
        break;
      StringRef name =
          after.starts_with("\"")
              ? after.take_front(after.find('"', 1) + 1)
              : after.take_while([](char c) {
                  return llvm::isAlnum(c) || StringRef("_.$-").contains(c);
                });
      uint64_t number = symbols.try_emplace(name, symbols.size()).first->second;
      bytes.push_back('@');
      *this << number;
      rest = after.drop_front(name.size());
    }
    bytes.push_back('\0');
    return *this;
  }

  std::string bytes;
  llvm::StringMap<uint64_t> symbols;
};

/// Whether an attribute is a name, a description or a hint, which no result
/// depends on.
bool isNameless(NamedAttribute attr) {
  StringRef name = attr.getName();
  return name == "key" || name == CellDialect::kLabelAttr ||
         name == CellDialect::kKindAttr ||
         name == CellDialect::kSpeculateAttr ||
         name == CellDialect::kPreloadAttr || name == kPredictionsAttr ||
         name == dhlo::DHLODialect::kLoadAttr ||
         name == dhlo::DHLODialect::kNameAttr;
}

/// Whether a constant is a weight rather than a part of the program.
bool isWeight(Attribute attr) {
  auto elements = dyn_cast<ElementsAttr>(attr);
  return elements && isa<FloatType>(elements.getElementType()) &&
         elements.getNumElements() > 1 && !elements.isSplat();
}
} // namespace

uint64_t Fingerprints::hashRegion(Region &region, uint64_t outside) {
  Text text;
  for (Block &block : region) {
    for (BlockArgument argument : block.getArguments()) {
      Text own;
      own << outside << region.getRegionNumber() << argument.getArgNumber()
          << argument.getType();
      values[argument] = own.hash();
    }
    for (Operation &op : block)
      text << hashOp(&op);
  }
  return text.hash();
}

uint64_t Fingerprints::hashOp(Operation *op) {
  // Facts about sizes change what is legal, not what is computed.
  if (isa<dhlo::DimOp, cell::ProbeOp>(op))
    return 0;
  Text text;
  text << op->getName().getStringRef();
  if (!isa<dhlo::WeightOp, func::FuncOp>(op))
    for (NamedAttribute attr : op->getAttrDictionary())
      if (!isNameless(attr)) {
        text << attr.getName().getValue();
        if (isWeight(attr.getValue()))
          text << cast<ElementsAttr>(attr.getValue()).getType();
        else
          text << attr.getValue();
      }
  for (Value operand : op->getOperands())
    text << values.lookup(operand);
  for (Type type : op->getResultTypes())
    text << type;
  uint64_t outside = text.hash();
  for (Region &region : op->getRegions())
    text << hashRegion(region, outside);
  uint64_t hash = text.hash();
  ops[op] = hash;
  for (OpResult result : op->getResults()) {
    Text own;
    own << hash << result.getResultNumber();
    values[result] = own.hash();
  }
  return hash;
}

Fingerprints::Fingerprints(ModuleOp module) {
  for (Operation &op : *module.getBody())
    hashOp(&op);
}

std::string Fingerprints::get(Operation *op) const {
  return llvm::utohexstr(ops.lookup(op), /*LowerCase=*/true, /*Width=*/16);
}
