//===- KernelEntry.cpp - A compiled kernel as an entry of a cache ---------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/KernelEntry.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstring>

using namespace dyn;
using llvm::StringRef;

// A list of lines, NAME and the bytes of its key, an empty line, the object.

ObjectCode KernelEntry::toBytes() const {
  ObjectCode bytes;
  for (const Helper &helper : helpers) {
    llvm::append_range(bytes, helper.name);
    bytes.push_back('\n');
    llvm::append_range(bytes, helper.key);
  }
  bytes.push_back('\n');
  llvm::append_range(bytes, object);
  return bytes;
}

std::optional<KernelEntry> KernelEntry::fromBytes(StringRef bytes) {
  KernelEntry entry;
  while (true) {
    size_t end = bytes.find('\n');
    if (end == StringRef::npos)
      return std::nullopt;
    StringRef name = bytes.take_front(end);
    bytes = bytes.drop_front(end + 1);
    if (name.empty())
      break;
    Helper &helper = entry.helpers.emplace_back();
    helper.name = name.str();
    if (bytes.size() < helper.key.size())
      return std::nullopt;
    std::memcpy(helper.key.data(), bytes.data(), helper.key.size());
    bytes = bytes.drop_front(helper.key.size());
  }
  entry.object.assign(bytes.begin(), bytes.end());
  return entry;
}
