//===- Parts.cpp - The parts that the core does not know ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one file that knows the core and all that is built on it. Its tables are
// constants: constructors that registered the parts would run in an order that
// no one chooses.
//
//===----------------------------------------------------------------------===//

#include "CudaProgram.h"
#include "Profile.h"

using namespace dyn::rt;

const DeviceKind dyn::rt::deviceKinds[] = {
    {DYN_DEVICE_CUDA, "DYN_DEVICE_CUDA", CudaProgram::open},
    {},
};

const RouteProfiles dyn::rt::routeProfiles = {startProfileOfEnvironment,
                                              openRouteRecorder};
