//===- RuleList.h - Rules for routers that users write --------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_CELL_TRANSFORMS_RULELIST_H
#define DYN_LIB_DIALECT_CELL_TRANSFORMS_RULELIST_H

#include "dyn/Dialect/Cell/IR/Cell.h"

#include "llvm/Support/Error.h"

namespace dyn::cell {

enum class RuleAction { Fuse, Speculate, Preload, Leave };

/// KEY=ACTION or KEY=ACTION:KIND or KEY=ACTION:KIND:PATH:PATH...
struct Rule {
  std::string key;
  RuleAction action = RuleAction::Leave;
  std::optional<PredictionKind> kind;
  llvm::SmallVector<int64_t> paths;

  bool isForAll() const { return key == "*"; }
};

/// Rules by commas. An error says what was expected and what was found.
llvm::Expected<std::vector<Rule>> parseRules(llvm::StringRef text);

/// The rules of a router: its own, or those for all.
llvm::SmallVector<Rule> getRulesOf(llvm::ArrayRef<Rule> rules,
                                   llvm::StringRef key);

} // namespace dyn::cell

#endif // DYN_LIB_DIALECT_CELL_TRANSFORMS_RULELIST_H
