//===- RuleList.cpp - Rules for routers that users write ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuleList.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::cell;

static llvm::Error expected(StringRef what, StringRef found) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "expected %s, found '%s'", what.str().c_str(),
                                 found.str().c_str());
}

static llvm::Error parsePaths(StringRef text, Rule &rule) {
  SmallVector<StringRef> numbers;
  text.split(numbers, ':');
  for (StringRef number : numbers) {
    int64_t path = 0;
    if (number.getAsInteger(10, path) || path < 0)
      return expected("the number of a path", number);
    rule.paths.push_back(path);
  }
  if (rule.kind == PredictionKind::Early)
    return expected("no paths of an early prediction", text);
  return llvm::Error::success();
}

static llvm::Error parseRule(StringRef text, Rule &rule) {
  // Keys may contain any character but a comma.
  auto [key, rest] = text.rsplit('=');
  if (key.empty() || key.size() == text.size())
    return expected("KEY=ACTION", text);
  rule.key = key.trim().str();
  auto [action, prediction] = rest.split(':');
  auto known = llvm::StringSwitch<std::optional<RuleAction>>(action)
                   .Case("fuse", RuleAction::Fuse)
                   .Case("speculate", RuleAction::Speculate)
                   .Case("preload", RuleAction::Preload)
                   .Case("leave", RuleAction::Leave)
                   .Default(std::nullopt);
  if (!known)
    return expected("fuse, speculate, preload or leave", action);
  rule.action = *known;
  if (action.size() == rest.size())
    return llvm::Error::success();
  if (rule.action == RuleAction::Fuse || rule.action == RuleAction::Leave)
    return expected("no prediction after " + action.str(), prediction);
  auto [kind, paths] = prediction.split(':');
  rule.kind = symbolizePredictionKind(kind);
  if (!rule.kind)
    return expected("majority, after or early", kind);
  return kind.size() == prediction.size() ? llvm::Error::success()
                                          : parsePaths(paths, rule);
}

llvm::Expected<std::vector<Rule>> cell::parseRules(StringRef text) {
  std::vector<Rule> rules;
  SmallVector<StringRef> parts;
  if (!text.empty())
    text.split(parts, ',');
  for (StringRef part : parts)
    if (llvm::Error error = parseRule(part, rules.emplace_back()))
      return error;
  return rules;
}

SmallVector<Rule> cell::getRulesOf(ArrayRef<Rule> rules, StringRef key) {
  auto select = [&](auto isWanted) {
    SmallVector<Rule> found;
    llvm::copy_if(rules, std::back_inserter(found), isWanted);
    return found;
  };
  SmallVector<Rule> own =
      select([&](const Rule &rule) { return rule.key == key; });
  return own.empty() ? select([](const Rule &rule) { return rule.isForAll(); })
                     : own;
}
