//===- FrameLayout.cpp - Checks the offsets against artifact.h ------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrameLayout.h"

#include "dyn/Dialect/DLHLO/IR/DLHLO.h"
#include "dyn/artifact.h"

#include <cstddef>

using namespace dyn::layout;

static_assert(dyn::dlhlo::DLHLODialect::kMaxLaunches == DYN_MAX_LAUNCHES,
              "launches");

static_assert(kServices == offsetof(dyn_frame_t, services), "frame");
static_assert(kCall == offsetof(dyn_frame_t, call), "frame");
static_assert(kInputs == offsetof(dyn_frame_t, inputs), "frame");
static_assert(kDims == offsetof(dyn_frame_t, dims), "frame");
static_assert(kConstants == offsetof(dyn_frame_t, constants), "frame");

static_assert(kReserve == offsetof(dyn_services_t, reserve), "services");
static_assert(kOutput == offsetof(dyn_services_t, output), "services");
static_assert(kLaunch == offsetof(dyn_services_t, launch), "services");
static_assert(kFail == offsetof(dyn_services_t, fail), "services");
static_assert(kCheck == offsetof(dyn_services_t, check), "services");
static_assert(kProbe == offsetof(dyn_services_t, probe), "services");
static_assert(kLaunchMany == offsetof(dyn_services_t, launch_many), "services");
static_assert(kRead == offsetof(dyn_services_t, read), "services");
static_assert(kWrite == offsetof(dyn_services_t, write), "services");
static_assert(kFetch == offsetof(dyn_services_t, fetch), "services");
static_assert(kGuess == offsetof(dyn_services_t, guess), "services");
static_assert(kGuessed == offsetof(dyn_services_t, guessed), "services");
static_assert(kExpect == offsetof(dyn_services_t, expect), "services");
static_assert(kExchangeStart == offsetof(dyn_services_t, exchange_start),
              "services");
static_assert(kExchangeWait == offsetof(dyn_services_t, exchange_wait),
              "services");

static_assert(kLaunchKernel == offsetof(dyn_launch_t, kernel), "launch");
static_assert(kLaunchChain == offsetof(dyn_launch_t, chain), "launch");
static_assert(kLaunchBuffers == offsetof(dyn_launch_t, buffers), "launch");
static_assert(kLaunchDims == offsetof(dyn_launch_t, dims), "launch");
static_assert(kLaunchSiteBase == offsetof(dyn_launch_t, site_base), "launch");
static_assert(offsetof(dyn_range_t, constant) == 0, "range");
static_assert(offsetof(dyn_range_t, path) == 4, "range");
static_assert(offsetof(dyn_range_t, offset) == 8, "range");
static_assert(offsetof(dyn_range_t, bytes) == 16, "range");

static_assert(kLaunchSize == sizeof(dyn_launch_t), "launch");
