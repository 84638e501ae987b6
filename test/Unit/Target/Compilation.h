//===- Compilation.h - Compilation in tests -------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TEST_UNIT_TARGET_COMPILATION_H
#define DYN_TEST_UNIT_TARGET_COMPILATION_H

#include "dyn/RegisterAll.h"
#include "dyn/Target/ObjectEmitter.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

namespace dyn::test {

/// Makes a context fit to compile modules to objects, without threads.
inline void prepareCompilation(mlir::MLIRContext &context) {
  // Compilation applies them.
  mlir::registerPassManagerCLOptions();
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
  context.disableMultithreading();
}

/// The object of a text of LLVM IR.
inline ObjectCode emitText(llvm::StringRef text, Isa isa, int optLevel = 2,
                           MiddlePasses passes = MiddlePasses::Default) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  EmitOptions options;
  options.optLevel = optLevel;
  ObjectCode object;
  std::string error;
  EXPECT_TRUE(emitObject(*module, isa, options, object, error, passes))
      << error;
  return object;
}

} // namespace dyn::test

#endif // DYN_TEST_UNIT_TARGET_COMPILATION_H
