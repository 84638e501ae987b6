//===- Passes.td - Passes that interpret ----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_INTERPRETER_PASSES
#define DYN_INTERPRETER_PASSES

include "mlir/Pass/PassBase.td"

def InterpretPass : Pass<"dhlo-interpret", "::mlir::ModuleOp"> {
  let summary = "Run functions without inputs and print their results";
  let description = [{
    Runs each function without arguments by the interpreter, in the order of the
    module, and prints its name, its results and its data errors, one per line.
    The module is not changed. Tests of operations and of passes use it: a
    program contains its inputs as constants.

    ```mlir
    func.func @add() -> tensor<2xf32> {
      %x = dhlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %y = dhlo.add %x, %x : tensor<2xf32>
      return %y : tensor<2xf32>
    }
    ```

    prints

    ```
    @add
      tensor<2xf32> [2, 4]
    ```

    A data error is printed as `  dhlo.div: integer division by zero`. If a
    function cannot be run, the pass continues with the next and fails at the
    end.
  }];
  let options = [
    Option<"float64", "float64", "bool", /*default=*/"false",
           "Evaluate floats of any type in f64">,
    Option<"seed", "seed", "uint64_t", /*default=*/"0",
           "Seed of random numbers">,
    Option<"weights", "weights", "std::string", /*default=*/"\"\"",
           "Folder of the files that weights are in; empty: the current one">,
  ];
  let statistics = [
    Statistic<"numFunctions", "functions", "Functions run">,
    Statistic<"numDataErrors", "data-errors", "Data errors met">,
  ];
}

#endif // DYN_INTERPRETER_PASSES
