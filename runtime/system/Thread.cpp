//===- Thread.cpp - Threads of the runtime --------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Thread.h"

#include <csignal>
#include <initializer_list>

bool dyn::rt::startThread(pthread_t &thread, void *(*function)(void *),
                          void *argument) {
  sigset_t blocked, before;
  ::sigfillset(&blocked);
  for (int raised : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS})
    ::sigdelset(&blocked, raised);
  // A thread inherits the signal mask of its creator.
  ::pthread_sigmask(SIG_SETMASK, &blocked, &before);
  bool started = ::pthread_create(&thread, nullptr, function, argument) == 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}
