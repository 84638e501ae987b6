//===- FrameLayout.h - Offsets of the fields of artifact.h's structures ---===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Byte offsets of the fields of dyn_frame_t, dyn_services_t and dyn_launch_t on
// x86-64. FrameLayout.cpp compares them with the structures themselves.

#ifndef DYN_LIB_CONVERSION_DLHLOTOLLVM_FRAMELAYOUT_H
#define DYN_LIB_CONVERSION_DLHLOTOLLVM_FRAMELAYOUT_H

namespace dyn::layout {

enum Frame {
  kServices = 0,
  kCall = 8,
  kInputs = 16,
  kDims = 24,
  kConstants = 32
};

enum Services {
  kReserve = 8,
  kOutput = 16,
  kLaunch = 24,
  kFail = 32,
  kCheck = 40,
  kProbe = 48,
  kLaunchMany = 56,
  kRead = 64,
  kWrite = 72,
  kFetch = 80,
  kGuess = 88,
  kGuessed = 96,
  kExpect = 104,
  kExchangeStart = 112,
  kExchangeWait = 120
};

enum Launch {
  kLaunchKernel = 0,
  kLaunchChain = 4,
  kLaunchBuffers = 8,
  kLaunchDims = 16,
  kLaunchSiteBase = 24,
  kLaunchSize = 32
};

} // namespace dyn::layout

#endif // DYN_LIB_CONVERSION_DLHLOTOLLVM_FRAMELAYOUT_H
