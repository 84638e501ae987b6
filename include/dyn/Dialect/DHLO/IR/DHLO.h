//===- DHLO.h - The dhlo dialect ------------------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DHLO_IR_DHLO_H
#define DYN_DIALECT_DHLO_IR_DHLO_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace dyn::dhlo {

/// See DHLO_Elementwise in DHLOInterfaces.td.
template <typename ConcreteType>
class Elementwise : public mlir::OpTrait::TraitBase<ConcreteType, Elementwise> {
};

/// See DHLO_MayFail in DHLOInterfaces.td.
template <typename ConcreteType>
class MayFail : public mlir::OpTrait::TraitBase<ConcreteType, MayFail> {};

/// See DHLO_Expensive in DHLOInterfaces.td.
template <typename ConcreteType>
class Expensive : public mlir::OpTrait::TraitBase<ConcreteType, Expensive> {};

/// See DHLO_Transcendental in DHLOInterfaces.td.
template <typename ConcreteType>
class Transcendental
    : public mlir::OpTrait::TraitBase<ConcreteType, Transcendental> {};

/// See DHLO_Movement in DHLOInterfaces.td.
template <typename ConcreteType>
class Movement : public mlir::OpTrait::TraitBase<ConcreteType, Movement> {};

/// See DHLO_MovesOneOperand in DHLOInterfaces.td.
template <typename ConcreteType>
class MovesOneOperand
    : public mlir::OpTrait::TraitBase<ConcreteType, MovesOneOperand> {};

/// See DHLO_Gathers in DHLOInterfaces.td.
template <typename ConcreteType>
class Gathers : public mlir::OpTrait::TraitBase<ConcreteType, Gathers> {};

/// See DHLO_Generated in DHLOInterfaces.td.
template <typename ConcreteType>
class Generated : public mlir::OpTrait::TraitBase<ConcreteType, Generated> {};

/// See DHLO_Reduction in DHLOInterfaces.td.
template <typename ConcreteType>
class Reduction : public mlir::OpTrait::TraitBase<ConcreteType, Reduction> {};

/// See DHLO_AlongSegments in DHLOInterfaces.td.
template <typename ConcreteType>
class AlongSegments
    : public mlir::OpTrait::TraitBase<ConcreteType, AlongSegments> {};

/// See DHLO_Contraction in DHLOInterfaces.td.
template <typename ConcreteType>
class Contraction : public mlir::OpTrait::TraitBase<ConcreteType, Contraction> {
};

/// See DHLO_Arithmetic in DHLOInterfaces.td.
template <typename ConcreteType>
class Arithmetic : public mlir::OpTrait::TraitBase<ConcreteType, Arithmetic> {};

/// See DHLO_Rounding in DHLOInterfaces.td.
template <typename ConcreteType>
class Rounding : public mlir::OpTrait::TraitBase<ConcreteType, Rounding> {};

} // namespace dyn::dhlo

#include "dyn/Dialect/DHLO/IR/DHLODialect.h.inc"
#include "dyn/Dialect/DHLO/IR/DHLOEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dyn/Dialect/DHLO/IR/DHLOAttrs.h.inc"

#include "dyn/Dialect/DHLO/IR/DimExpr.h"
#include "dyn/Dialect/DHLO/IR/IndexingMap.h"

#include "dyn/Dialect/DHLO/IR/DHLOInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dyn/Dialect/DHLO/IR/DHLOOps.h.inc"

namespace dyn::dhlo {

/// Whether the operation can set the error word.
bool mayFail(mlir::Operation *op);

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_IR_DHLO_H
