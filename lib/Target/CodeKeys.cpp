//===- CodeKeys.cpp - Keys of compiled code -------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/CodeKeys.h"

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"
#include "dyn/Target/CompilerIdentity.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace dyn;

/// Writes a field of what is digested: its length keeps it apart from the next.
static void writeField(raw_ostream &os, StringRef field) {
  os << field.size() << ':' << field << '\n';
}

static StringRef getBytes(const CacheKey &key) {
  return {reinterpret_cast<const char *>(key.data()), key.size()};
}

std::optional<CodeKeys> CodeKeys::create(const EmitOptions &options) {
  if (!options.cache || options.sanitizeAddress)
    return std::nullopt;
  std::optional<CacheKey> compiler = getCompilerIdentity();
  if (!compiler)
    return std::nullopt;
  std::string common;
  llvm::raw_string_ostream os(common);
  writeField(os, getBytes(*compiler));
  writeField(os, std::to_string(options.optLevel));
  if (!options.targetInfo.empty()) {
    auto file = llvm::MemoryBuffer::getFile(options.targetInfo);
    if (!file)
      return std::nullopt;
    writeField(os, (*file)->getBuffer());
  }
  return CodeKeys(*options.cache, std::move(common));
}

/// The flags that print all that an operation is. Their defaults are those of
/// the command line, which may leave out elements.
static OpPrintingFlags getFlags() {
  return OpPrintingFlags()
      .printGenericOpForm()
      .enableDebugInfo(false)
      .skipRegions(false)
      .useLocalScope(false)
      .printValueUsers(false)
      .printUniqueSSAIDs(false)
      .printNameLocAsPrefix(false)
      .elideLargeElementsAttrs(std::numeric_limits<int64_t>::max())
      .elideLargeResourceString(std::numeric_limits<int64_t>::max());
}

CacheKey CodeKeys::getKeyOf(Operation *alone, Isa isa) const {
  std::string text = common;
  llvm::raw_string_ostream os(text);
  writeField(os, getIsaName(isa));
  // Without a parent it is printed with its resources.
  alone->print(os, getFlags());
  return getCacheKey(text);
}

CacheKey CodeKeys::getKey(dlhlo::KernelOp kernel, Isa isa) const {
  OwningOpRef<dlhlo::KernelOp> alone = kernel.clone();
  alone->setSymName("kernel");
  return getKeyOf(*alone, isa);
}

CacheKey CodeKeys::getKey(ModuleOp code, Isa isa) const {
  OwningOpRef<ModuleOp> alone = code.clone();
  return getKeyOf(*alone, isa);
}
