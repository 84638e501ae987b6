//===- ExplainReader.h - Reads the explanation of a compilation -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Shared by the printers of explanations of dlhlo::explain. Absent members
// are read as empty, as the description of the format allows.

#ifndef DYN_LIB_DRIVER_EXPLAINREADER_H
#define DYN_LIB_DRIVER_EXPLAINREADER_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace dyn {

/// The objects of an array member.
inline llvm::SmallVector<const llvm::json::Object *>
getObjects(const llvm::json::Object &parent, llvm::StringRef name) {
  llvm::SmallVector<const llvm::json::Object *> objects;
  if (const llvm::json::Array *array = parent.getArray(name))
    for (const llvm::json::Value &value : *array)
      if (const llvm::json::Object *object = value.getAsObject())
        objects.push_back(object);
  return objects;
}

/// The strings of an array member.
inline llvm::SmallVector<llvm::StringRef>
getTexts(const llvm::json::Object &parent, llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef> texts;
  if (const llvm::json::Array *array = parent.getArray(name))
    for (const llvm::json::Value &value : *array)
      texts.push_back(value.getAsString().value_or(""));
  return texts;
}

inline llvm::StringRef getText(const llvm::json::Object &object,
                               llvm::StringRef name) {
  return object.getString(name).value_or("");
}

inline int64_t getNumber(const llvm::json::Object &object,
                         llvm::StringRef name) {
  return object.getInteger(name).value_or(0);
}

/// "1 launch", "2 launches".
inline std::string countOf(int64_t count, llvm::StringRef one,
                           llvm::StringRef many) {
  return (llvm::Twine(count) + " " + (count == 1 ? one : many)).str();
}

/// The features of an instruction set, in words.
inline std::string describeIsa(const llvm::json::Object &isa) {
  return (llvm::Twine(getNumber(isa, "vector_bits")) + "-bit vectors" +
          (isa.getBoolean("fma").value_or(false) ? ", fused multiply-add" : ""))
      .str();
}

/// The constant sizes of a kernel in words; empty if there are none.
inline std::string describeConstantSizes(const llvm::json::Object &kernel) {
  const llvm::json::Array *sizes = kernel.getArray("constant_sizes");
  if (!sizes || sizes->empty())
    return "";
  llvm::SmallVector<std::string> numbers;
  for (const llvm::json::Value &size : *sizes)
    numbers.push_back(std::to_string(size.getAsInteger().value_or(0)));
  return (numbers.size() == 1 ? "constant size " : "constant sizes ") +
         llvm::join(numbers, ", ");
}

/// A clause about a kernel whose code is slow; empty if it is not.
inline std::string describeSlowCode(const llvm::json::Object &kernel) {
  const llvm::json::Object *slow = kernel.getObject("slow");
  if (!slow)
    return "";
  std::string text = llvm::formatv("{0:F0} % of the roofline",
                                   100 * slow->getNumber("share").value_or(0))
                         .str();
  if (slow->getBoolean("by_element").value_or(false))
    text += ", element by element";
  text += (": " + getText(*slow, "operation")).str();
  if (auto location = slow->getString("location"))
    text += (" at " + *location).str();
  return text + ", since " + getText(*slow, "reason").str();
}

} // namespace dyn

#endif // DYN_LIB_DRIVER_EXPLAINREADER_H
