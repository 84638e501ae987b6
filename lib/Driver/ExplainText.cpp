//===- ExplainText.cpp - The explanation of a compilation in words --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Driver/ExplainText.h"

#include "ExplainReader.h"

#include "llvm/ADT/StringExtras.h"

using namespace dyn;
using namespace llvm;

/// A formula and, unless the formula is a constant or has none, its value.
static std::string getFormula(const json::Object &parent, StringRef name) {
  const json::Object *formula = parent.getObject(name);
  if (!formula)
    return "?";
  std::string text = getText(*formula, "text").str();
  auto value = formula->getInteger("value");
  if (value && text != std::to_string(*value))
    text += " = " + std::to_string(*value);
  return text;
}

static void printEntry(raw_ostream &os, const json::Object &entry) {
  os << "entry " << getText(entry, "name") << ": "
     << countOf(getNumber(entry, "launches"), "launch", "launches");
  if (int64_t controlled = getNumber(entry, "controlled"))
    os << ", of which " << controlled
       << " in loops and branches, counted once each";
  if (int64_t together = getNumber(entry, "together"))
    os << ", " << together << " of them together in "
       << getNumber(entry, "lists");
  os << "\n  flops: " << getFormula(entry, "flops")
     << "\n  bytes: " << getFormula(entry, "bytes")
     << "\n  memory: " << getFormula(entry, "peak") << " bytes\n";
  SmallVector<const json::Object *> memory = getObjects(entry, "memory");
  if (memory.size() > 1)
    for (const json::Object *segment : memory)
      os << "    of a segment: " << getFormula(*segment, "bytes") << " bytes\n";
}

static void printSize(raw_ostream &os, const json::Object &size) {
  os << "  " << getText(size, "name");
  if (size.getObject("definition")) {
    os << " = " << getText(*size.getObject("definition"), "text") << '\n';
    return;
  }
  os << ": at least " << getNumber(size, "min");
  if (auto max = size.getInteger("max"))
    os << ", at most " << *max;
  if (auto *bound = size.getObject("at_most"))
    os << ", at most " << getText(*bound, "text");
  if (auto multiple = size.getInteger("multiple_of"))
    os << ", a multiple of " << *multiple;
  if (auto value = size.getInteger("value"))
    os << "; values are for " << *value;
  os << '\n';
}

static void printKernel(raw_ostream &os, const json::Object &kernel) {
  os << "  " << getText(kernel, "name") << " (" << getText(kernel, "kind")
     << "), " << countOf(getNumber(kernel, "launches"), "launch", "launches");
  if (auto reason = kernel.getString("reason"))
    os << ": " << *reason;
  os << "\n    flops: " << getFormula(kernel, "flops")
     << "\n    bytes: " << getFormula(kernel, "bytes") << "\n    rests on: ";
  SmallVector<std::string> facts;
  for (const json::Object *fact : getObjects(kernel, "facts"))
    facts.push_back(getText(*fact, "text").str());
  std::string constants = describeConstantSizes(kernel);
  if (!constants.empty())
    facts.push_back(constants);
  os << (facts.empty() ? "nothing" : join(facts, "; ")) << '\n';
  std::string slow = describeSlowCode(kernel);
  if (!slow.empty())
    os << "    slow: " << slow << '\n';
}

static void printConstants(raw_ostream &os, const json::Object &root) {
  int64_t bytes = 0;
  SmallVector<const json::Object *> constants = getObjects(root, "constants");
  for (const json::Object *constant : constants)
    bytes += getNumber(*constant, "bytes");
  os << "constants: " << constants.size() << ", " << bytes << " bytes";
  const json::Object *most = nullptr;
  int64_t mostBytes = 0;
  for (const json::Object *entry : getObjects(root, "entries"))
    for (const json::Object *launch : getObjects(*entry, "sequence"))
      if (int64_t read = getNumber(*launch, "constant_bytes");
          read > mostBytes) {
        most = launch;
        mostBytes = read;
      }
  if (most) {
    os << ", of which a launch reads at most " << mostBytes << ": "
       << getText(*most, "kernel");
    if (auto location = most->getString("location"))
      os << " at " << *location;
  }
  os << '\n';
}

void dyn::printExplanation(raw_ostream &os, const json::Value &explanation) {
  const json::Object *root = explanation.getAsObject();
  if (!root)
    return;
  for (const json::Object *entry : getObjects(*root, "entries"))
    printEntry(os, *entry);
  os << "sizes\n";
  for (const json::Object *size : getObjects(*root, "sizes"))
    printSize(os, *size);
  os << "kernels\n";
  for (const json::Object *isa : getObjects(*root, "isas"))
    os << "  each for " << getText(*isa, "name") << ": " << describeIsa(*isa)
       << '\n';
  for (const json::Object *kernel : getObjects(*root, "kernels"))
    printKernel(os, *kernel);
  SmallVector<const json::Object *> routers = getObjects(*root, "routers");
  if (!routers.empty())
    os << "routers\n";
  for (const json::Object *router : routers)
    os << "  " << getText(*router, "router") << ": " << getText(*router, "rule")
       << ": " << getText(*router, "why") << '\n';
  printConstants(os, *root);
}
