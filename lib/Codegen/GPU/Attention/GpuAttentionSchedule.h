//===- GpuAttentionSchedule.h - Schedules of attention on a GPU -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CODEGEN_GPU_ATTENTION_GPUATTENTIONSCHEDULE_H
#define DYN_LIB_CODEGEN_GPU_ATTENTION_GPUATTENTIONSCHEDULE_H

#include "AttentionProblem.h"
#include "Codegen/GPU/GpuSchedule.h"

namespace dyn {

/// With FMA, of f32.
std::unique_ptr<GpuSchedule>
createFmaAttentionSchedule(AttentionProblem problem);
/// With tensor cores, of f16 or bf16.
std::unique_ptr<GpuSchedule>
createMmaAttentionSchedule(AttentionProblem problem);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_GPU_ATTENTION_GPUATTENTIONSCHEDULE_H
