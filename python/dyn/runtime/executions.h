//===- executions.h - The executions of a context -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PYTHON_RUNTIME_EXECUTIONS_H
#define DYN_PYTHON_RUNTIME_EXECUTIONS_H

#include "dyn/runtime.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

namespace dyn::python {

/// Executions of one context, so that any number of threads may call. One is
/// idle, or lent: to a call, and then to the arrays that lie in its memory.
class Executions : public std::enable_shared_from_this<Executions> {
public:
  /// An execution, until the last copy is destroyed; may outlive the
  /// Executions.
  using Lent = std::shared_ptr<dyn_execution_t>;

  /// `context` is lent.
  Executions(dyn_context_t *context, bool profile)
      : context(context), profile(profile) {}
  ~Executions() {
    for (dyn_execution_t *execution : idle)
      dyn_execution_release(execution);
  }
  Executions(const Executions &) = delete;

  /// Lends an idle execution, or a new one, for a call.
  dyn_status_t lend(Lent &lent) {
    dyn_execution_t *execution = takeIdle();
    if (!execution) {
      dyn_execution_options_t options = {};
      options.struct_size = sizeof(options);
      options.profile = profile;
      dyn_status_t status = dyn_execution_create(context, &options, &execution);
      if (status != DYN_STATUS_OK)
        return status;
    }
    lent.reset(execution, [self = weak_from_this()](dyn_execution_t *back) {
      if (std::shared_ptr<Executions> alive = self.lock())
        alive->takeBack(back);
      else
        dyn_execution_release(back);
    });
    return DYN_STATUS_OK;
  }
  /// The call has ended, the execution stays lent.
  void endCall(const Lent &lent) {
    std::lock_guard<std::mutex> lock(mutex);
    resting.push_back(lent.get());
  }
  /// Calls `body` with each execution that is in no call.
  template <typename Fn> void forEach(Fn body) {
    std::lock_guard<std::mutex> lock(mutex);
    for (const auto *list : {&idle, &resting})
      for (dyn_execution_t *execution : *list)
        body(execution);
  }

private:
  dyn_execution_t *takeIdle() {
    std::lock_guard<std::mutex> lock(mutex);
    if (idle.empty())
      return nullptr;
    dyn_execution_t *execution = idle.back();
    idle.pop_back();
    return execution;
  }
  void takeBack(dyn_execution_t *execution) {
    std::lock_guard<std::mutex> lock(mutex);
    resting.erase(std::remove(resting.begin(), resting.end(), execution),
                  resting.end());
    idle.push_back(execution);
  }

  dyn_context_t *context;
  bool profile;
  std::mutex mutex; ///< guards the members below
  std::vector<dyn_execution_t *> idle, resting;
};

} // namespace dyn::python

#endif // DYN_PYTHON_RUNTIME_EXECUTIONS_H
