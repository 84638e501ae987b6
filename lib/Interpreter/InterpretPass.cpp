//===- InterpretPass.cpp - The pass dhlo-interpret ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Interpreter/Interpreter.h"
#include "dyn/Interpreter/Passes.h"
#include "dyn/Support/Weights.h"

#include "llvm/Support/raw_ostream.h"

namespace dyn {
#define GEN_PASS_DEF_INTERPRETPASS
#include "dyn/Interpreter/Passes.h.inc"
} // namespace dyn

using namespace mlir;
using namespace dyn;

namespace {
class InterpretPass : public dyn::impl::InterpretPassBase<InterpretPass> {
public:
  using InterpretPassBase::InterpretPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    WeightFiles files(weights);
    InterpreterOptions options;
    options.float64 = float64;
    options.seed = seed;
    options.weights = &files;
    Interpreter interpreter(getOperation(), options);
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && function.getNumArguments() == 0 &&
          failed(run(interpreter, function.getSymName())))
        signalPassFailure();
  }

private:
  LogicalResult run(Interpreter &interpreter, StringRef name) {
    FailureOr<SmallVector<Tensor>> results = interpreter.run(name, {});
    if (failed(results))
      return failure();
    ++numFunctions;
    numDataErrors += interpreter.getDataErrors().size();
    llvm::outs() << '@' << name << '\n';
    for (const Tensor &result : *results) {
      llvm::outs() << "  ";
      result.print(llvm::outs());
      llvm::outs() << '\n';
    }
    for (const DataError &error : interpreter.getDataErrors())
      llvm::outs() << "  " << error.op->getName() << ": "
                   << describe(error.kind) << '\n';
    return success();
  }
};
} // namespace
