//===- ChildProcess.h - A compiler with limits ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_MODEL_CHILDPROCESS_H
#define DYN_RUNTIME_MODEL_CHILDPROCESS_H

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace dyn::rt {

struct ChildLimits {
  uint64_t cpuSeconds; ///< of processor time
  uint64_t wallMs;
  uint64_t fileBytes; ///< of each file that it writes
};

/// Runs a program at a low priority and waits for its end, or ends it with all
/// that it has started: when it exceeds a limit or `cancel` becomes true. Its
/// output goes to a file in `folder`, which is its folder for temporary files.
/// The reason for a failure, with the end of the output; "" if there is none.
std::string runChild(const std::vector<std::string> &command,
                     const std::string &folder, const ChildLimits &limits,
                     const std::atomic<int32_t> &cancel);

} // namespace dyn::rt

#endif // DYN_RUNTIME_MODEL_CHILDPROCESS_H
