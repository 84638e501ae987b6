//===- ObjectEmitter.h - Emits object code from the LLVM dialect ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_OBJECTEMITTER_H
#define DYN_TARGET_OBJECTEMITTER_H

#include "dyn/Support/Isa.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace dyn {

class KernelCache;

/// The bytes of an ELF object file.
using ObjectCode = llvm::SmallVector<char, 0>;

/// Options of code generation.
struct EmitOptions {
  /// A file that overrides numbers of the target (TargetInfo.h), or "".
  std::string targetInfo;
  /// 0 to 3. Kernels are already scheduled when LLVM sees them, so 2 is as good
  /// as 3 and faster.
  int optLevel = 2;
  /// Instrument memory accesses for AddressSanitizer. The artifact then needs
  /// the sanitizer's runtime in the process.
  bool sanitizeAddress = false;
  /// Where compiled kernels are found and kept, or null. Code is the same with
  /// it and without.
  KernelCache *cache = nullptr;
};

/// Registers the x86 target. Idempotent and thread-safe.
void initializeTargets();

/// A target machine for position-independent code of one instruction set.
/// Null with a message in `error` if LLVM was built without the target.
std::unique_ptr<llvm::TargetMachine>
createTargetMachine(Isa isa, const EmitOptions &options, std::string &error);

/// Translates a module in the LLVM dialect to LLVM IR for one instruction set.
/// Functions that are not internal are hidden outside of the artifact. Null
/// after emitting a diagnostic on failure.
std::unique_ptr<llvm::Module> translateToLLVMIR(mlir::ModuleOp module,
                                                llvm::LLVMContext &context,
                                                Isa isa,
                                                const EmitOptions &options);

/// The passes of LLVM that come before the selection of instructions.
enum class MiddlePasses {
  Default, ///< those of LLVM's level
  Kernel   ///< at level 2, only those that change kernels; else as Default
};

/// Optimises and emits an object file. Fails with a message in `error`.
bool emitObject(llvm::Module &module, Isa isa, const EmitOptions &options,
                ObjectCode &object, std::string &error,
                MiddlePasses passes = MiddlePasses::Default);

} // namespace dyn

#endif // DYN_TARGET_OBJECTEMITTER_H
