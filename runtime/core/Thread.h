//===- Thread.h - Threads of the runtime ---------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_THREAD_H
#define DYN_RUNTIME_CORE_THREAD_H

#include <pthread.h>

namespace dyn::rt {

/// Starts a thread that leaves the host's signals to the host's threads. Those
/// that an instruction of its own raises, the host's handlers see in it, too:
/// blocked, they would end the process. False if the system has no thread.
bool startThread(pthread_t &thread, void *(*function)(void *), void *argument);

} // namespace dyn::rt

#endif // DYN_RUNTIME_CORE_THREAD_H
