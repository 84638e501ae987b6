//===- ElementNotes.h - Why code computes elements one by one -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Whether vectors are possible is decided where code is emitted. There the
// reason is written down as well, on the code itself, so that what is reported
// about a kernel cannot differ from what is compiled. Code that is compiled has
// no notes.

#ifndef DYN_LIB_CODEGEN_COMMON_BUILDER_ELEMENTNOTES_H
#define DYN_LIB_CODEGEN_COMMON_BUILDER_ELEMENTNOTES_H

#include "Codegen/Common/Builder/KernelBuilder.h"

namespace dyn {

/// Marks a kernel whose code is counted and not compiled: it has notes.
inline constexpr llvm::StringLiteral kCountedAttr = "dyn.counted";

/// Whether the code of the kernel has notes. Whoever has to search for a cause
/// asks first.
bool hasNotes(KernelBuilder &b);

/// Why some code computes elements one by one.
struct ElementNote {
  llvm::StringRef operation; ///< the name of the operation that forces it
  mlir::Location location;   ///< of that operation
  llvm::StringRef reason;    ///< a clause: "its indices differ by element"

  /// The note on an operation of a kernel's code, if it has one.
  static std::optional<ElementNote> get(mlir::Operation *code);
};

/// Notes that `code`, an operation of the kernel's code or its function,
/// computes elements one by one because of `cause`, an operation of the kernel.
void noteElements(KernelBuilder &b, mlir::Operation *code,
                  mlir::Operation *cause, llvm::StringRef reason);

/// The same of the loop that was just emitted.
void noteElementsOfLoop(KernelBuilder &b, mlir::Operation *cause,
                        llvm::StringRef reason);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_BUILDER_ELEMENTNOTES_H
