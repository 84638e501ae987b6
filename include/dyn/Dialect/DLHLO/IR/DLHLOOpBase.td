//===- DLHLOOpBase.td - Base class of all operations ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DLHLO_OP_BASE
#define DYN_DLHLO_OP_BASE

include "dyn/Dialect/DHLO/IR/DHLOAttrs.td"
include "dyn/Dialect/DLHLO/IR/DLHLOAttrs.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class DLHLO_Op<string mnemonic, list<Trait> traits = []>
    : Op<DLHLO_Dialect, mnemonic, traits>;

#endif // DYN_DLHLO_OP_BASE
