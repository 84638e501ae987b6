//===- CodeBuilder.h - Short names for the operations of loop code --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_COMMON_BUILDER_CODEBUILDER_H
#define DYN_LIB_CODEGEN_COMMON_BUILDER_CODEBUILDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace dyn {

/// Emits `arith`, `scf` and pointer operations at a builder's insertion point.
/// Integers are i64, pointers are `!llvm.ptr`, offsets and strides are bytes.
///
/// Contractions work on plain pointers rather than memrefs: their strides are
/// run-time values, rows start anywhere (padding, packed copies), and the code
/// of a micro-kernel depends only on the addresses that are passed to it.
class CodeBuilder {
public:
  CodeBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : b(builder), loc(loc) {}

  mlir::OpBuilder &builder() { return b; }
  mlir::Location getLoc() const { return loc; }

  //===--------------------------------------------------------------------===//
  // Integers
  //===--------------------------------------------------------------------===//

  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value add(mlir::Value lhs, int64_t rhs);
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, int64_t rhs);
  /// Rounded down; the operands are not negative.
  mlir::Value div(mlir::Value lhs, mlir::Value rhs);
  mlir::Value div(mlir::Value lhs, int64_t rhs);
  mlir::Value rem(mlir::Value lhs, mlir::Value rhs);
  mlir::Value rem(mlir::Value lhs, int64_t rhs);
  /// Rounded up; the operands are not negative.
  mlir::Value ceilDiv(mlir::Value lhs, mlir::Value rhs);
  mlir::Value ceilDiv(mlir::Value lhs, int64_t rhs);
  mlir::Value min(mlir::Value lhs, mlir::Value rhs);
  mlir::Value max(mlir::Value lhs, mlir::Value rhs);
  mlir::Value lt(mlir::Value lhs, mlir::Value rhs);
  mlir::Value le(mlir::Value lhs, mlir::Value rhs);
  mlir::Value eq(mlir::Value lhs, mlir::Value rhs);
  mlir::Value both(mlir::Value lhs, mlir::Value rhs);
  mlir::Value select(mlir::Value condition, mlir::Value ifTrue,
                     mlir::Value ifFalse);
  /// The value if it is a constant.
  static std::optional<int64_t> getConstant(mlir::Value value);

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  mlir::Type ptrType();
  mlir::Value offset(mlir::Value ptr, mlir::Value bytes);
  mlir::Value offset(mlir::Value ptr, int64_t bytes);
  /// The same pointer, but later passes cannot see its origin.
  mlir::Value opaque(mlir::Value ptr);
  /// Loads and stores assume the alignment of the element type.
  mlir::Value load(mlir::Type type, mlir::Value ptr);
  void store(mlir::Value value, mlir::Value ptr);
  /// Prefetches a cache line to the first or second level; never faults.
  void prefetch(mlir::Value ptr, bool forWrite = false, int64_t level = 1);

  //===--------------------------------------------------------------------===//
  // Vectors
  //===--------------------------------------------------------------------===//

  mlir::Value zero(mlir::Type type);
  mlir::Value splat(mlir::VectorType type, mlir::Value scalar);
  /// acc + lhs * rhs, rounded once if `fused`, else twice.
  mlir::Value multiplyAdd(mlir::Value lhs, mlir::Value rhs, mlir::Value acc,
                          bool fused);

  //===--------------------------------------------------------------------===//
  // Control
  //===--------------------------------------------------------------------===//

  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value index, mlir::ValueRange carried)>;

  /// for (index = begin; index < end; index += step), with carried values.
  llvm::SmallVector<mlir::Value> forLoop(mlir::Value begin, mlir::Value end,
                                         mlir::Value step,
                                         mlir::ValueRange init, LoopBody body);
  void forLoop(mlir::Value begin, mlir::Value end, mlir::Value step,
               llvm::function_ref<void(mlir::Value index)> body);
  void forLoop(mlir::Value end, llvm::function_ref<void(mlir::Value)> body) {
    forLoop(constant(0), end, constant(1), body);
  }
  void ifThen(mlir::Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = {});
  /// An if with one result.
  mlir::Value choose(mlir::Value condition,
                     llvm::function_ref<mlir::Value()> then,
                     llvm::function_ref<mlir::Value()> otherwise);

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
};

/// Marks functions that several kernels use.
inline constexpr llvm::StringLiteral kHelperAttr = "dyn.helper";

/// Calls a private function that is never inlined and not visible in other
/// objects; `body` creates it at its first use. Its name determines its code:
/// functions of one name are equal for one instruction set, so that
/// `share-kernel-helpers` can keep one of them. It calls no other function.
void callHelper(CodeBuilder &b, mlir::Operation *symbolTable,
                llvm::StringRef name, llvm::ArrayRef<mlir::Value> operands,
                llvm::function_ref<void(CodeBuilder &, mlir::ValueRange)> body);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_COMMON_BUILDER_CODEBUILDER_H
