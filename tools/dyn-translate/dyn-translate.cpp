//===- dyn-translate.cpp - Imports models to dhlo -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Import/ONNX.h"
#include "dyn/Support/ToolOptions.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

namespace cl = llvm::cl;

namespace {
struct CommandLine {
  cl::OptionCategory category{"dyn-translate options"};
  cl::opt<std::string> model{"import-onnx", cl::Required,
                             cl::desc("Import an ONNX model"),
                             cl::value_desc("model.onnx"), cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("Where to write the module"),
                              cl::value_desc("file"), cl::init("-"),
                              cl::cat(category)};
  cl::list<std::string> dims{
      "dim",
      cl::desc("What is known of a symbolic size: a value, or a range with a "
               "divisor and likely values. May be repeated"),
      cl::value_desc("name=min..[max][%multiple][~likely,...]"),
      cl::cat(category)};
  cl::opt<bool> emitBytecode{"emit-bytecode",
                             cl::desc("Write bytecode instead of text"),
                             cl::cat(category)};
  cl::opt<bool> printLocations{"mlir-print-debuginfo",
                               cl::desc("Print locations: the model's names"),
                               cl::cat(category)};
};
} // namespace

static int run(const CommandLine &options) {
  dyn::ImportOptions importOptions;
  for (const std::string &text : options.dims) {
    std::string error;
    auto dim = dyn::DimOption::parse(text, error);
    if (!dim) {
      llvm::WithColor::error() << "--dim: " << error << '\n';
      return 1;
    }
    importOptions.dims.push_back(std::move(*dim));
  }

  mlir::MLIRContext context;
  // The message names the node itself; its location adds the file.
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        bool isError =
            diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
        (isError ? llvm::WithColor::error(llvm::errs(), options.model)
                 : llvm::WithColor::warning(llvm::errs(), options.model))
            << diagnostic.str() << '\n';
      });
  auto module = dyn::onnx::importONNX(options.model, importOptions, &context);
  if (mlir::failed(module))
    return 1;

  std::string error;
  auto output = mlir::openOutputFile(options.output, &error);
  if (!output) {
    llvm::WithColor::error() << error << '\n';
    return 1;
  }
  if (options.emitBytecode) {
    if (failed(mlir::writeBytecodeToFile(**module, output->os())))
      return 1;
  } else {
    mlir::OpPrintingFlags flags;
    if (options.printLocations)
      flags.enableDebugInfo();
    (*module)->print(output->os(), flags);
    output->os() << '\n';
  }
  output->keep();
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  dyn::dropLibraryOptions();
  CommandLine options;
  cl::ParseCommandLineOptions(argc, argv, "dyn model importer\n");
  return run(options);
}
