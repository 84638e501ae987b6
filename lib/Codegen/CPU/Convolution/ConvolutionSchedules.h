//===- ConvolutionSchedules.h - Schedules of convolutions -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Convolution.cpp selects one of them.

#ifndef DYN_LIB_CODEGEN_CPU_CONVOLUTION_CONVOLUTIONSCHEDULES_H
#define DYN_LIB_CODEGEN_CPU_CONVOLUTION_CONVOLUTIONSCHEDULES_H

#include "Codegen/CPU/Gemm/Gemm.h"

namespace dyn {

std::unique_ptr<Schedule>
createLineConvolutionSchedule(dhlo::Convolves op, RhsOrder order, bool padded);
/// For an isSkinnyConvolution with a filter that is not packed.
std::unique_ptr<Schedule> createSkinnyConvolutionSchedule(dhlo::Convolves op,
                                                          bool padded);
/// For a window of 3 x 3 at every pixel, and a filter in the layout winograd4.
std::unique_ptr<Schedule> createWinogradSchedule(dhlo::Convolves op,
                                                 bool padded);
/// For an isGroupwiseConvolution.
std::unique_ptr<Schedule> createGroupwiseSchedule(dhlo::Convolves op,
                                                  RhsOrder order);
/// For an isPlaneConvolution whose operands are the kernel's.
std::unique_ptr<Schedule> createPlaneConvolutionSchedule(dhlo::Convolves op);

} // namespace dyn

#endif // DYN_LIB_CODEGEN_CPU_CONVOLUTION_CONVOLUTIONSCHEDULES_H
