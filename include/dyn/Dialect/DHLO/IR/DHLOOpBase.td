//===- DHLOOpBase.td - Base class of all operations -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_OP_BASE
#define DYN_DHLO_OP_BASE

include "dyn/Dialect/DHLO/IR/DHLOAttrs.td"
include "dyn/Dialect/DHLO/IR/DHLOInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Field order in every definition: summary, description, arguments, results,
// regions, assemblyFormat, builders, extraClassDeclaration, switches.
class DHLO_Op<string mnemonic, list<Trait> traits = []>
    : Op<DHLO_Dialect, mnemonic, traits>;

#endif // DYN_DHLO_OP_BASE
