//===- Thread.h - Threads of the runtime ----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_SYSTEM_THREAD_H
#define DYN_RUNTIME_SYSTEM_THREAD_H

#include <pthread.h>

namespace dyn::rt {

/// Starts a thread that blocks the host's signals, except those that its own
/// instructions raise: for these the host's handlers run in it, because they
/// would end the process if they were blocked. False if the system cannot start
/// one.
bool startThread(pthread_t &thread, void *(*function)(void *), void *argument);

} // namespace dyn::rt

#endif // DYN_RUNTIME_SYSTEM_THREAD_H
