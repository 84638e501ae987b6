//===- ConvolutionAxes.cpp - The axes of a convolution's tensors ----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/DHLO/IR/ConvolutionAxes.h"

using namespace mlir;
using namespace dyn::dhlo;

ConvolutionAxes::ConvolutionAxes(Convolves op) {
  spatial = op.getInput().getType().getRank() - 2;
  bool last = op.getLayout() == Layout::ChannelsLast;
  firstSpatial = last ? 1 : 2;
  channel = last ? spatial + 1 : 1;
  // Spatial..., channel, number, or number, channel, spatial...
  filterGroups = op.getImageOffsets() ? 1 : 0;
  filterSpatial = filterGroups + (last ? 0 : 2);
  filterChannel = filterGroups + (last ? spatial : 1);
  filterNumber = filterGroups + (last ? spatial + 1 : 0);
}
