//===- Report.cpp - Reports of the emulator -------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

using namespace dyn::emu;

static const char *getName(Fault fault) {
  switch (fault) {
  case Fault::OutOfBounds:
    return "access out of bounds";
  case Fault::Misaligned:
    return "misaligned access";
  case Fault::Uninitialized:
    return "read of uninitialized memory";
  case Fault::Race:
    return "race";
  case Fault::Divergence:
    return "divergent operation of a warp";
  case Fault::BarrierMismatch:
    return "threads at different barriers";
  case Fault::StackOverflow:
    return "stack overflow";
  case Fault::Disagreement:
    return "ranks that disagree";
  case Fault::Limit:
    return "more than the device has";
  }
  return "";
}

static std::string at(const std::string &op, const std::string &location) {
  return op + (location.empty() ? "" : " (" + location + ")");
}

std::string Report::describe() const {
  std::string text =
      std::string(getName(fault)) + " in kernel '" + kernel + "'";
  if (!op.empty())
    text += " at " + at(op, location) + ", block " + std::to_string(block) +
            ", thread " + std::to_string(thread);
  if (!otherOp.empty())
    text += ", with " + at(otherOp, otherLocation) + ", " +
            (otherThread ? "thread " + std::to_string(*otherThread)
                         : "several threads");
  return detail.empty() ? text : text + ": " + detail;
}
