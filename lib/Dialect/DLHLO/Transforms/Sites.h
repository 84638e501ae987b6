//===- Sites.h - Places of the model where data can be in error
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_SITES_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_SITES_H

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

namespace dyn::dlhlo {

/// How reports name a location: by the names of the source model if it has
/// any, with the line of its code ("layers.0 (model.py:12)"), else by file and
/// line.
std::string getLocationName(mlir::Location loc);

/// What can go wrong in an operation that may fail.
SiteKind getSiteKind(mlir::Operation *op);

/// The site of an operation that may fail.
SiteAttr getSite(mlir::Operation *op);

/// The sites of the operations in `region` that may fail, in walk order.
llvm::SmallVector<mlir::Attribute> getSites(mlir::Region &region);

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_SITES_H
