//===- RouteMarks.h - Marks of lowered routes, for later passes -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_DIALECT_DHLO_IR_ROUTEMARKS_H
#define DYN_DIALECT_DHLO_IR_ROUTEMARKS_H

#include "llvm/ADT/StringRef.h"

namespace dyn::dhlo {

// Preloading. Where routers are lowered, the unit attribute
// `DHLODialect::kPreloadAttr` marks operations on groups whose weights are
// fetched. The probe of the router has a dictionary with the prediction by
// which they are fetched before it has run: `paths`, and `after`, the key of
// the router whose path p they follow; without it, they are the paths of all
// cells. The dictionary is empty if the router predicts itself.
// `dlhlo-fetch-paths` consumes these attributes.

/// An attribute of a `dhlo.bind` of the number of rows of a path: the key of
/// the router, and the path.
inline constexpr llvm::StringLiteral kRowsOfAttr = "dhlo.rows_of";

/// A unit attribute of the `cell.switch` that runs the rest of a guess, and of
/// the `dhlo.bind` of its first number of rows: what is computed before it are
/// the router and, independent of it, paths by the guess.
inline constexpr llvm::StringLiteral kAfterGuessAttr = "dhlo.after_guess";

} // namespace dyn::dhlo

#endif // DYN_DIALECT_DHLO_IR_ROUTEMARKS_H
