//===- PlanProgram.h - The tasks of the ranks of a plan -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PLAN_PLANPROGRAM_H
#define DYN_PLAN_PLANPROGRAM_H

#include "dyn/Plan/Plan.h"
#include "dyn/Plan/Simulator.h"

namespace dyn::plan {

/// The tasks of the ranks of a plan in one call. The label of a task is its
/// micro-batch times the number of layers, plus its layer. A rank starts to
/// receive the values of the next micro-batch before it computes one.
Program makeProgram(const Model &model, const Machine &machine,
                    const Plan &plan);

} // namespace dyn::plan

#endif // DYN_PLAN_PLANPROGRAM_H
