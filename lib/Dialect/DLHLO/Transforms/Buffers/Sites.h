//===- Sites.h - Locations of possible data errors ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_SITES_H
#define DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_SITES_H

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"

namespace dyn::dlhlo {

/// The name of a location in reports: the names of the source model if there
/// are any, with the line of its source ("layers.0 (model.py:12)"), else file
/// and line.
std::string getLocationName(mlir::Location loc);

/// The kind of data error of an operation that may fail.
SiteKind getSiteKind(mlir::Operation *op);

/// The site of an operation that may fail.
SiteAttr getSite(mlir::Operation *op);

/// The sites of the operations in `region` that may fail, in walk order.
llvm::SmallVector<mlir::Attribute> getSites(mlir::Region &region);

} // namespace dyn::dlhlo

#endif // DYN_LIB_DIALECT_DLHLO_TRANSFORMS_BUFFERS_SITES_H
