//===- VerifyPasses.td - Passes that check sizes --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_VERIFY_PASSES
#define DYN_DHLO_VERIFY_PASSES

include "mlir/Pass/PassBase.td"

def VerifyDimsPass : Pass<"dhlo-verify-dims"> {
  let summary = "Check that sizes are declared, in scope and consistent";
  let description = [{
    Checks the constraints on sizes that verifiers of single operations cannot
    check, for each symbol table (a module or a kernel) at or below the
    operation that the pass runs on:

    - every symbol used in a type or in an attribute is declared;
    - no definition depends on itself;
    - no size of an attribute, and no number of elements, becomes longer than a
      definition may (constraint C3 of `dhlo.dim`), which is checked before
      anything is expanded;
    - each symbol is bound at most once, and by an operation only if it has no
      definition;
    - a symbol that an operation binds (interface `BindsDims`), and one defined
      by it, is used after that operation and in its scope;
    - no result size provably differs from the size that the operands imply
      (interface `InfersSizes`), and reshapes keep the number of elements.

    Does not change the program.
  }];
  // Sizes of types become expressions, though a program may have no other part of dhlo.
  let dependentDialects = ["::dyn::dhlo::DHLODialect"];
}

#endif // DYN_DHLO_VERIFY_PASSES
