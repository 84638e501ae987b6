//===- RegisterAll.cpp - The lists of dialects and passes -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/RegisterAll.h"

#include "dyn/Codegen/CPU/CodegenCPU.h"
#include "dyn/Codegen/Codegen.h"
#include "dyn/Codegen/GPU/CodegenGPU.h"
#include "dyn/Conversion/CellToDHLO/CellToDHLO.h"
#include "dyn/Conversion/DLHLOToLLVM/DLHLOToLLVM.h"
#include "dyn/Conversion/KernelToLLVM/KernelToLLVM.h"
#include "dyn/Conversion/NVVMToEmulation/NVVMToEmulation.h"
#include "dyn/Dialect/Cell/IR/Cell.h"
#include "dyn/Dialect/Cell/Transforms/Passes.h"
#include "dyn/Dialect/DHLO/IR/DHLO.h"
#include "dyn/Dialect/DHLO/Transforms/Passes.h"
#include "dyn/Dialect/DLHLO/IR/DLHLO.h"
#include "dyn/Dialect/DLHLO/Transforms/Passes.h"
#include "dyn/Dialect/Dist/IR/Dist.h"
#include "dyn/Dialect/Dist/Plan/Passes.h"
#include "dyn/Dialect/Dist/Transforms/Passes.h"
#include "dyn/Interpreter/Passes.h"
#include "dyn/Pipelines/Pipelines.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"

void dyn::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<cell::CellDialect, dhlo::DHLODialect, dist::DistDialect,
                  dlhlo::DLHLODialect, mlir::arith::ArithDialect,
                  mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                  mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect,
                  mlir::NVVM::NVVMDialect, mlir::scf::SCFDialect,
                  mlir::vector::VectorDialect>();
}

void dyn::registerAllExtensions(mlir::DialectRegistry &registry) {}

void dyn::registerAllPasses() {
  cell::registerCellPasses();
  dhlo::registerDHLOPasses();
  dlhlo::registerDLHLOPasses();
  dist::registerDistPasses();
  dist::registerDistPlanPasses();
  registerConvertCellToDHLOPass();
  registerDLHLOToLLVMPasses();
  registerConvertKernelToGPUPass();
  registerConvertKernelToLLVMPass();
  registerConvertKernelToVectorPass();
  registerConvertNVVMToEmulationPass();
  registerShareKernelHelpersPass();
  registerReportSlowKernelsPass();
  registerDecomposeUnscheduledPass();
  registerKernelPipelines();
  registerPipelines();
  registerInterpreterPasses();
  mlir::registerCanonicalizer();
  mlir::registerCSE();
  mlir::registerSymbolDCE();
}
