//===- Explain.h - Plans as JSON, in words and as a page ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The members of the JSON, beside names that say enough:
//
//   seconds         of a call, simulated; `searched_seconds` by the search
//   stages          consecutive ranks, their mesh and layers; `seconds` of a
//                   micro-batch
//   layers          `splits` for each axis of the mesh of its stage
//                   Of a router that is divided by paths, `routes`: the paths
//                   of each rank, with their weights, and rows and seconds of a
//                   call, and the bytes that change rank in each direction
//   edges           layers that read each other's values: `bytes` of the value,
//                   and `moved`, those that change rank, both in a call
//   links           bytes out of all groups of so many ranks
//   timeline        rank, layer, micro-batch, begin and end in seconds, and
//                   whether the rank waits; at most 20000

#ifndef DYN_PLAN_EXPLAIN_H
#define DYN_PLAN_EXPLAIN_H

#include "dyn/Plan/Plan.h"
#include "dyn/Plan/Simulator.h"

#include "llvm/Support/JSON.h"

namespace dyn::plan {

llvm::json::Value explain(const Model &model, const Machine &machine,
                          const Plan &plan, const Simulation &simulation);
/// Prints what `explain` returns in words.
void printPlan(llvm::raw_ostream &os, const llvm::json::Value &plan);
/// Prints it as one self-contained page.
void printPlanPage(llvm::raw_ostream &os, const llvm::json::Value &plan);

} // namespace dyn::plan

#endif // DYN_PLAN_EXPLAIN_H
