//===- Memoize.h - Answers that are computed once -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_DIALECT_DHLO_ANALYSIS_MEMOIZE_H
#define DYN_LIB_DIALECT_DHLO_ANALYSIS_MEMOIZE_H

#include "llvm/ADT/DenseMap.h"

namespace dyn {

/// Returns the answer to `question` from `answers`, or computes and memoizes
/// it. `compute` may ask further questions.
template <typename Question, typename Answer, typename Compute>
Answer memoize(llvm::DenseMap<Question, Answer> &answers,
               const Question &question, Compute compute) {
  auto known = answers.find(question);
  if (known != answers.end())
    return known->second;
  Answer answer = compute();
  answers[question] = answer;
  return answer;
}

} // namespace dyn

#endif // DYN_LIB_DIALECT_DHLO_ANALYSIS_MEMOIZE_H
