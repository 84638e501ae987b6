//===- ReferenceProgram.cpp - Runs a model in the interpreter -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "ReferenceProfile.h"

#include "dyn/Dialect/DHLO/IR/DHLO.h"
#include "dyn/Dialect/DHLO/IR/PortNames.h"
#include "dyn/Dialect/DHLO/Transforms/Passes.h"
#include "dyn/Dialect/Dist/IR/Dist.h"
#include "dyn/Import/ONNX.h"
#include "dyn/Interpreter/Interpreter.h"
#include "dyn/RegisterAll.h"
#include "dyn/Support/Dtype.h"
#include "dyn/Support/ProgramFile.h"
#include "dyn/Support/Weights.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Path.h"

#include <cstring>

using namespace dyn::run;
using namespace mlir;

static dyn_dtype_t toRuntime(Type elementType) {
  return static_cast<dyn_dtype_t>(dyn::getDtype(elementType));
}

namespace {
class ReferenceProgram final : public Program {
public:
  explicit ReferenceProgram(const RunOptions &options);

  llvm::Error load(llvm::StringRef path);

  llvm::ArrayRef<PortDescription> inputs() const override { return inputPorts; }
  llvm::Expected<std::vector<NamedTensor>>
  run(llvm::ArrayRef<Tensor> inputs) override;
  llvm::Error finish() override;

private:
  llvm::Error findEntry();
  /// The diagnostics since the last call.
  llvm::Error takeError();

  RunOptions options;
  MLIRContext context;
  std::string messages;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
  func::FuncOp entry;
  std::unique_ptr<dyn::WeightFiles> weights;
  std::vector<PortDescription> inputPorts;
  ReferenceProfile profile;
};
} // namespace

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  dyn::registerAllDialects(registry);
  return registry;
}

ReferenceProgram::ReferenceProgram(const RunOptions &options)
    : options(options), context(makeRegistry()),
      handler(&context, [this](Diagnostic &diag) {
        llvm::raw_string_ostream os(messages);
        if (!messages.empty())
          os << '\n';
        os << diag.getLocation() << ": " << diag;
        for (Diagnostic &note : diag.getNotes())
          os << '\n' << note;
        return success();
      }) {
  context.printOpOnDiagnostic(false);
  // A program of functions alone does not load it.
  context.loadDialect<dyn::dhlo::DHLODialect>();
}

llvm::Error ReferenceProgram::takeError() {
  std::string text;
  text.swap(messages);
  return llvm::createStringError(text);
}

llvm::Error ReferenceProgram::load(llvm::StringRef path) {
  if (path.ends_with(".onnx")) {
    FailureOr<OwningOpRef<ModuleOp>> imported =
        dyn::onnx::importONNX(path, {}, &context);
    if (succeeded(imported))
      module = std::move(*imported);
  } else {
    module = dyn::readProgram(path, context);
    if (module && failed(dyn::dhlo::verifyAllDims(*module)))
      return takeError();
  }
  if (!module)
    return takeError();
  weights =
      std::make_unique<dyn::WeightFiles>(llvm::sys::path::parent_path(path));
  if (!options.profileFile.empty() &&
      failed(profile.start(*module, options.profileWindowMs)))
    return takeError();
  return findEntry();
}

/// Whether a function has a name, or is a rank's part of the entry of this
/// name.
static bool isEntry(func::FuncOp function, llvm::StringRef name) {
  dyn::dist::PartAttr part = dyn::dist::getPart(function);
  return function.getSymName() == name || (part && part.getEntry() == name);
}

llvm::Error ReferenceProgram::findEntry() {
  for (auto function : module->getOps<func::FuncOp>())
    if (options.entry.empty() ? !function.isExternal()
                              : isEntry(function, options.entry)) {
      entry = function;
      break;
    }
  if (!entry)
    return llvm::createStringError(
        options.entry.empty()
            ? std::string("the module has no function")
            : "the module has no function '" + options.entry + "'");
  for (auto [index, type] : llvm::enumerate(entry.getArgumentTypes())) {
    auto tensorType = dyn_cast<RankedTensorType>(type);
    if (!tensorType)
      return llvm::createStringError("expected tensors alone in the signature");
    std::string text;
    llvm::raw_string_ostream os(text);
    os << type;
    inputPorts.push_back({dyn::dhlo::getInputName(entry, index),
                          toRuntime(tensorType.getElementType()), text});
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<NamedTensor>>
ReferenceProgram::run(llvm::ArrayRef<Tensor> values) {
  SmallVector<dyn::Tensor> inputs;
  for (auto [value, type, port] :
       llvm::zip_equal(values, entry.getArgumentTypes(), inputPorts)) {
    // The bytes of a file would count as elements of the port's type.
    if (value.dtype() != port.dtype)
      return llvm::createStringError("input '" + port.name + "': expected " +
                                     port.text + ", got " + value.type());
    inputs.push_back(dyn::Tensor::borrow(
        cast<RankedTensorType>(type).getElementType(), value.shape(),
        ArrayRef(value.data(),
                 value.numElements() * dyn_dtype_size(value.dtype()))));
  }
  dyn::InterpreterOptions interpreterOptions;
  interpreterOptions.seed = options.seed;
  interpreterOptions.weights = weights.get();
  if (!options.profileFile.empty())
    profile.observe(interpreterOptions);
  dyn::Interpreter interpreter(*module, interpreterOptions);
  FailureOr<SmallVector<dyn::Tensor>> results =
      interpreter.run(entry.getSymName(), inputs);
  if (failed(results))
    return takeError();
  // The first data error is the status of the call, as in the runtime.
  if (!interpreter.getDataErrors().empty()) {
    const dyn::DataError &error = interpreter.getDataErrors().front();
    std::string text;
    llvm::raw_string_ostream os(text);
    os << error.op->getName() << " at " << error.op->getLoc() << ": "
       << dyn::describe(error.kind);
    return llvm::createStringError(text);
  }
  std::vector<NamedTensor> outputs;
  for (auto [index, result] : llvm::enumerate(*results)) {
    Tensor tensor(toRuntime(result.getElementType()), result.getSizes());
    if (!result.getBytes().empty())
      std::memcpy(tensor.data(), result.getBytes().data(),
                  result.getBytes().size());
    outputs.push_back(
        {dyn::dhlo::getOutputName(entry, index), std::move(tensor)});
  }
  return outputs;
}

llvm::Error ReferenceProgram::finish() {
  return options.profileFile.empty() ? llvm::Error::success()
                                     : profile.write(options.profileFile);
}

llvm::Expected<std::unique_ptr<Program>>
dyn::run::loadReference(llvm::StringRef path, const RunOptions &options) {
  auto program = std::make_unique<ReferenceProgram>(options);
  if (llvm::Error error = program->load(path))
    return std::move(error);
  return std::unique_ptr<Program>(std::move(program));
}
