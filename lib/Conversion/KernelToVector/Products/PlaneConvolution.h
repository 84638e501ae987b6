//===- PlaneConvolution.h - Convolutions of planes ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_CONVERSION_KERNELTOVECTOR_PRODUCTS_PLANECONVOLUTION_H
#define DYN_LIB_CONVERSION_KERNELTOVECTOR_PRODUCTS_PLANECONVOLUTION_H

#include "dyn/Conversion/KernelToVector/Schedule.h"

namespace dyn {

/// For a dhlo::isPlaneConvolution whose operands are the kernel's.
std::unique_ptr<Schedule>
createPlaneConvolutionSchedule(dhlo::ConvolutionOp op);

} // namespace dyn

#endif // DYN_LIB_CONVERSION_KERNELTOVECTOR_PRODUCTS_PLANECONVOLUTION_H
