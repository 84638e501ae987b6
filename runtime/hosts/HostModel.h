//===- HostModel.h - A loaded model that any thread of a host may call ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_HOSTS_HOSTMODEL_H
#define DYN_RUNTIME_HOSTS_HOSTMODEL_H

#include "dyn/runtime.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace dyn::hosts {

/// An artifact and its context, with a list of idle executions: each call takes
/// its own, so that calls do not wait for each other. Thread-safe. Failures
/// leave their message in dyn_last_error().
class HostModel {
public:
  /// Loads `path`. Null on failure. `driver` and `pool` may be null.
  static std::unique_ptr<HostModel>
  load(const std::string &path, const dyn_driver_t *driver, dyn_pool_t *pool) {
    std::unique_ptr<HostModel> model(new HostModel());
    dyn_context_options_t options = {};
    options.struct_size = sizeof(options);
    options.driver = driver;
    options.pool = pool;
    if (dyn_artifact_load(path.c_str(), nullptr, &model->artifact) ||
        dyn_context_create(model->artifact, &options, &model->context))
      return nullptr;
    return model;
  }
  ~HostModel() {
    for (dyn_execution_t *execution : idle)
      dyn_execution_release(execution);
    dyn_context_release(context);
    dyn_artifact_release(artifact);
  }
  HostModel(const HostModel &) = delete;
  HostModel &operator=(const HostModel &) = delete;

  dyn_entry_info_t entry() const {
    dyn_entry_info_t info = {};
    info.struct_size = sizeof(info);
    dyn_artifact_entry(artifact, 0, &info);
    return info;
  }
  dyn_port_info_t output(uint32_t index) const {
    dyn_port_info_t info = {};
    info.struct_size = sizeof(info);
    dyn_artifact_output(artifact, 0, index, &info);
    return info;
  }

  /// Runs the first entry; outputs go to `output(user, ...)`.
  dyn_status_t run(const std::vector<dyn_tensor_t> &inputs,
                   dyn_output_fn output, void *user) {
    dyn_execution_t *execution = nullptr;
    if (dyn_status_t status = take(execution))
      return status;
    dyn_call_options_t options = {};
    options.struct_size = sizeof(options);
    options.output = output;
    options.output_user = user;
    std::vector<dyn_tensor_t> outputs(entry().output_count);
    dyn_status_t status = dyn_execution_run(
        execution, &options, inputs.data(), uint32_t(inputs.size()),
        outputs.data(), uint32_t(outputs.size()));
    std::lock_guard<std::mutex> lock(mutex);
    idle.push_back(execution);
    return status;
  }

private:
  HostModel() = default;

  dyn_status_t take(dyn_execution_t *&execution) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!idle.empty()) {
        execution = idle.back();
        idle.pop_back();
        return DYN_STATUS_OK;
      }
    }
    return dyn_execution_create(context, nullptr, &execution);
  }

  dyn_artifact_t *artifact = nullptr;
  dyn_context_t *context = nullptr;
  std::mutex mutex; ///< guards `idle`
  std::vector<dyn_execution_t *> idle;
};

} // namespace dyn::hosts

#endif // DYN_RUNTIME_HOSTS_HOSTMODEL_H
