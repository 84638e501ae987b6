//===- EntryLowering.h - State that the code of an entry shares -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_DLHLOTOLLVM_ENTRYLOWERING_H
#define DYN_LIB_CONVERSION_DLHLOTOLLVM_ENTRYLOWERING_H

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace dyn {

/// The index of each kernel and constant of a module, in its order.
struct ModuleIndex {
  explicit ModuleIndex(mlir::ModuleOp module);
  llvm::DenseMap<mlir::StringAttr, int64_t> kernels, constants;
};

/// Values and blocks of an entry's function that operations of its body use.
struct EntryFrame {
  mlir::Value call;
  /// Functions of the runtime.
  mlir::Value reserve, output, launch, fail, check, probe;
  mlir::Value constants;
  /// Arrays for the arguments of a launch, and for the sizes of an output.
  mlir::Value bufferArray, sizeArray;
  /// If kernels are launched together: the function and its dyn_launch_t.
  mlir::Value launchMany, launchArray;
  /// If weights of paths are announced: the function.
  mlir::Value fetch;
  /// If routers are guessed: the functions that ask and count.
  mlir::Value guess, guessed;
  mlir::Value expect;
  /// If there are exchanges: the functions.
  mlir::Value exchangeStart, exchangeWait;
  /// If buffers are a device's: the functions that access them, and memory for
  /// one element.
  mlir::Value read, write, element;
  /// Returns its argument, a status.
  mlir::Block *exit = nullptr;
};

/// Creates the function of an entry: a prologue that reads the frame, and the
/// body of `source`, whose operations are unchanged. `source` is erased. If
/// `isDevice`, buffers lie in the memory of a device.
mlir::LLVM::LLVMFuncOp createEntryFunction(mlir::func::FuncOp source,
                                           bool isDevice, EntryFrame &frame);

/// Patterns for the operations of an entry over buffers.
void populateEntryPatterns(const mlir::LLVMTypeConverter &types,
                           mlir::RewritePatternSet &patterns,
                           const EntryFrame &frame, const ModuleIndex &index);

} // namespace dyn

#endif // DYN_LIB_CONVERSION_DLHLOTOLLVM_ENTRYLOWERING_H
