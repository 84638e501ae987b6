//===- FrameLayout.cpp - Checks the offsets against artifact.h
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrameLayout.h"

#include "dyn/artifact.h"

#include <cstddef>

using namespace dyn::layout;

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
