//===- CodeKeys.h - Keys of compiled code ---------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_TARGET_CODEKEYS_H
#define DYN_TARGET_CODEKEYS_H

#include "dyn/Target/KernelCache.h"

#include "mlir/IR/BuiltinOps.h"

namespace dyn {

namespace dlhlo {
class KernelOp;
} // namespace dlhlo

/// The keys of one compilation, for a cache of kernels. Code depends on the
/// operations that are lowered, without their locations; on the instruction
/// set; on the options of code generation, with the contents of the file of the
/// target's numbers; and on the compiler.
class CodeKeys {
public:
  /// None if nothing may be looked up: there is no cache, the compiler cannot
  /// tell its own identity, the file of the target's numbers cannot be read, or
  /// the code is for a sanitizer, whose reports name locations of the model.
  static std::optional<CodeKeys> create(const EmitOptions &options);

  /// The key of a kernel, whatever its name is. Lowering sees a kernel alone
  /// in a module, so nothing else of the model matters.
  CacheKey getKey(dlhlo::KernelOp kernel, Isa isa) const;
  /// The key of a module that is translated to LLVM as it is.
  CacheKey getKey(mlir::ModuleOp code, Isa isa) const;

  KernelCache &getCache() const { return cache; }

private:
  CodeKeys(KernelCache &cache, std::string common)
      : cache(cache), common(std::move(common)) {}
  CacheKey getKeyOf(mlir::Operation *alone, Isa isa) const;

  KernelCache &cache;
  std::string common; ///< what all keys depend on
};

} // namespace dyn

#endif // DYN_TARGET_CODEKEYS_H
