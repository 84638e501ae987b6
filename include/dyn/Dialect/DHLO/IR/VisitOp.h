//===- VisitOp.h - Overloads for classes of operations --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where each of many classes of operations has a function of its own, the
// functions are overloads, and these overloads are the only list of them:
//
//   DimExpr count(ReduceOp op);
//   DimExpr count(SortOp op);
//   ...
//   visitOp<DimExpr>(
//       Ops(), op,
//       [&](auto op) -> decltype(count(op)) { return count(op); },
//       [&](Operation *) { return zero; });
//
// None of the overloads may take what all operations convert to, such as
// `Operation *` or `Value`.

#ifndef DYN_DIALECT_DHLO_IR_VISITOP_H
#define DYN_DIALECT_DHLO_IR_VISITOP_H

#include "dyn/Dialect/DHLO/IR/DHLO.h"

#include "llvm/ADT/TypeSwitch.h"

namespace dyn {

/// Classes of operations.
template <typename... Ops> struct OpList {};

/// Calls `visit` with the class of an operation, if it is one of `Ops` that
/// `visit` can be called with, else `otherwise` with the operation.
template <typename Result, typename... Ops, typename Visit, typename Otherwise>
Result visitOp(OpList<Ops...>, mlir::Operation *op, Visit visit,
               Otherwise otherwise) {
  static_assert((std::is_invocable_v<Visit &, Ops> || ...),
                "no overload takes one of the operations");
  llvm::TypeSwitch<mlir::Operation *, Result> cases(op);
  auto add = [&](auto *type) {
    using Op = std::remove_pointer_t<decltype(type)>;
    if constexpr (std::is_invocable_v<Visit &, Op>)
      cases.template Case<Op>(visit);
  };
  (add(static_cast<Ops *>(nullptr)), ...);
  return cases.Default(otherwise);
}

namespace dhlo {
/// All operations of the dialect.
using Ops = OpList<
#define GET_OP_LIST
#include "dyn/Dialect/DHLO/IR/DHLOOps.cpp.inc"
    >;
} // namespace dhlo

} // namespace dyn

#endif // DYN_DIALECT_DHLO_IR_VISITOP_H
