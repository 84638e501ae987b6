//===- DHLOOps.td - Operations of dhlo, by family -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DHLO_OPS
#define DYN_DHLO_OPS

include "dyn/Dialect/DHLO/IR/DHLOSizeOps.td"
include "dyn/Dialect/DHLO/IR/DHLOUnaryOps.td"
include "dyn/Dialect/DHLO/IR/DHLOPredicateOps.td"
include "dyn/Dialect/DHLO/IR/DHLOBinaryOps.td"
include "dyn/Dialect/DHLO/IR/DHLOGeneratorOps.td"
include "dyn/Dialect/DHLO/IR/DHLOMovementOps.td"
include "dyn/Dialect/DHLO/IR/DHLOGatherOps.td"
include "dyn/Dialect/DHLO/IR/DHLOOrderOps.td"
include "dyn/Dialect/DHLO/IR/DHLOReductionOps.td"
include "dyn/Dialect/DHLO/IR/DHLOContractionOps.td"
include "dyn/Dialect/DHLO/IR/DHLOCompositeOps.td"
include "dyn/Dialect/DHLO/IR/DHLOControlOps.td"
include "dyn/Dialect/DHLO/IR/DHLOProbeOps.td"
include "dyn/Dialect/DHLO/IR/DHLOGuessOps.td"

#endif // DYN_DHLO_OPS
