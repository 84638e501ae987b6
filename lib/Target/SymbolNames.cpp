//===- SymbolNames.cpp - Renames symbols of objects -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/SymbolNames.h"

#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ELF/ELFObjcopy.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/StringSaver.h"

using namespace dyn;
using llvm::StringRef;

static llvm::Error rename(ObjectCode &object, StringRef from, StringRef to) {
  auto file = llvm::object::ObjectFile::createELFObjectFile(
      {{object.data(), object.size()}, "kernel"});
  if (!file)
    return file.takeError();
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::objcopy::ConfigManager config;
  for (llvm::object::SymbolRef symbol : (*file)->symbols()) {
    llvm::Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (name->starts_with(from))
      config.Common.SymbolsToRename[*name] =
          saver.save(to + name->drop_front(from.size()));
  }
  ObjectCode renamed;
  llvm::raw_svector_ostream stream(renamed);
  if (llvm::Error error = llvm::objcopy::elf::executeObjcopyOnBinary(
          config.Common, config.ELF,
          llvm::cast<llvm::object::ELFObjectFileBase>(**file), stream))
    return error;
  object = std::move(renamed);
  return llvm::Error::success();
}

bool dyn::renameSymbols(ObjectCode &object, StringRef from, StringRef to,
                        std::string &error) {
  if (llvm::Error problem = rename(object, from, to)) {
    error = llvm::toString(std::move(problem));
    return false;
  }
  return true;
}
