//===- ChildProcesses.h - Processes that this one starts ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_SUPPORT_CHILDPROCESSES_H
#define DYN_SUPPORT_CHILDPROCESSES_H

#include <csignal>

namespace dyn {

/// While an object lives, the exit status of child processes is kept until it
/// is read. The parent of a tool may have set SIGCHLD to be ignored, which
/// discards it.
class AwaitChildren {
public:
  AwaitChildren() {
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &standard, &before);
  }
  ~AwaitChildren() { sigaction(SIGCHLD, &before, nullptr); }
  AwaitChildren(const AwaitChildren &) = delete;
  AwaitChildren &operator=(const AwaitChildren &) = delete;

private:
  struct sigaction before;
};

} // namespace dyn

#endif // DYN_SUPPORT_CHILDPROCESSES_H
