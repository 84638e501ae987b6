//===- DHLOOps.td - Operations of dhlo, by family -*- tablegen -*-===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_OPS
#define DYN_DHLO_OPS

include "dyn/Dialect/DHLO/IR/DHLOAttrs.td"
include "dyn/Dialect/DHLO/IR/DHLOInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class DHLO_Op<string mnemonic, list<Trait> traits = []>
    : Op<DHLO_Dialect, mnemonic, traits>;

// Field order in every definition: summary, description, arguments, results,
// regions, assemblyFormat, builders, extraClassDeclaration, switches.
include "dyn/Dialect/DHLO/IR/DHLOSizeOps.td"
include "dyn/Dialect/DHLO/IR/DHLOElementwiseOps.td"
include "dyn/Dialect/DHLO/IR/DHLODataOps.td"
include "dyn/Dialect/DHLO/IR/DHLOReductionOps.td"
include "dyn/Dialect/DHLO/IR/DHLOContractionOps.td"
include "dyn/Dialect/DHLO/IR/DHLOCompositeOps.td"
include "dyn/Dialect/DHLO/IR/DHLOControlOps.td"

#endif // DYN_DHLO_OPS
