//===- dyn-opt.cpp - Runs passes over MLIR text ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/RegisterAll.h"
#include "dyn/Support/ProgramFile.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;

static LogicalResult fail(const std::string &message) {
  llvm::WithColor::error(llvm::errs(), "dyn-opt") << message << '\n';
  return failure();
}

/// As MLIR's own, but rejects bytecode that would crash its reader.
static LogicalResult optimize(int argc, char **argv,
                              DialectRegistry &registry) {
  auto [input, output] =
      registerAndParseCLIOptions(argc, argv, "dyn optimizer\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return MlirOptMain(argc, argv, input, output, registry);

  llvm::InitLLVM initialize(argc, argv);
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> file = openInputFile(input, &message);
  if (!file)
    return fail(message);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects(config.shouldAllowUnregisteredDialects());
  if (failed(dyn::checkBytecode(*file, context)))
    return failure();
  std::unique_ptr<llvm::ToolOutputFile> result =
      openOutputFile(output, &message);
  if (!result)
    return fail(message);
  if (failed(MlirOptMain(result->os(), std::move(file), registry, config)))
    return failure();
  result->keep();
  return success();
}

int main(int argc, char **argv) {
  DialectRegistry registry;
  dyn::registerAllDialects(registry);
  dyn::registerAllExtensions(registry);
  dyn::registerAllPasses();
  return asMainReturnCode(optimize(argc, argv, registry));
}
