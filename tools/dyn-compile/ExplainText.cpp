//===- ExplainText.cpp - The explanation of a compilation in words
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExplainText.h"

using namespace llvm;

/// The objects of an array member; nothing if the member is absent.
static SmallVector<const json::Object *> getObjects(const json::Object &parent,
                                                    StringRef name) {
  SmallVector<const json::Object *> objects;
  if (const json::Array *array = parent.getArray(name))
    for (const json::Value &value : *array)
      if (const json::Object *object = value.getAsObject())
        objects.push_back(object);
  return objects;
}

static StringRef getText(const json::Object &object, StringRef name) {
  return object.getString(name).value_or("");
}

/// "1 launch", "2 launches".
static std::string countLaunches(const json::Object &object) {
  int64_t count = object.getInteger("launches").value_or(0);
  return std::to_string(count) + (count == 1 ? " launch" : " launches");
}

static void printSize(raw_ostream &os, const json::Object &size) {
  os << "  " << getText(size, "name");
  if (auto definition = size.getString("definition")) {
    os << " = " << *definition << '\n';
    return;
  }
  os << ": at least " << size.getInteger("min").value_or(0);
  if (auto max = size.getInteger("max"))
    os << ", at most " << *max;
  if (auto multiple = size.getInteger("multiple_of"))
    os << ", a multiple of " << *multiple;
  os << '\n';
}

static void printKernel(raw_ostream &os, const json::Object &kernel) {
  os << "  " << getText(kernel, "name") << " (" << getText(kernel, "kind")
     << "), " << countLaunches(kernel);
  if (auto reason = kernel.getString("reason"))
    os << ": " << *reason;
  os << '\n';
}

void printExplanation(raw_ostream &os, const json::Value &explanation) {
  const json::Object *root = explanation.getAsObject();
  if (!root)
    return;
  for (const json::Object *entry : getObjects(*root, "entries")) {
    os << "entry " << getText(*entry, "name") << ": " << countLaunches(*entry)
       << '\n';
    if (const json::Array *memory = entry->getArray("memory"))
      for (const json::Value &formula : *memory)
        os << "  memory: " << formula.getAsString().value_or("?") << " bytes\n";
  }
  os << "sizes\n";
  for (const json::Object *size : getObjects(*root, "sizes"))
    printSize(os, *size);
  os << "kernels\n";
  for (const json::Object *kernel : getObjects(*root, "kernels"))
    printKernel(os, *kernel);
  int64_t bytes = 0;
  SmallVector<const json::Object *> constants = getObjects(*root, "constants");
  for (const json::Object *constant : constants)
    bytes += constant->getInteger("bytes").value_or(0);
  os << "constants: " << constants.size() << ", " << bytes << " bytes\n";
}
