//===- HostModel.h - A loaded model that any thread of a host may call ----===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_HOSTS_HOSTMODEL_H
#define DYN_RUNTIME_HOSTS_HOSTMODEL_H

#include "dyn/runtime.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace dyn::hosts {

/// A host's options of a model.
struct ModelRequest {
  std::string path;
  /// The model's file, from which dyn-compile makes variants, or "".
  std::string source;
  bool isAutomatic = false, reoptimises = false;
  /// Seconds between checks of both, and in calls from which a size is hot.
  double window = 10, hot = 10;

  /// The name of a number of seconds that is out of range; else null.
  const char *findMistake() const {
    auto areSeconds = [](double seconds) {
      return seconds > 0 && seconds < 1e6;
    };
    return areSeconds(window) ? areSeconds(hot) ? nullptr : "hot" : "window";
  }
};

/// A model (dyn_model_t), whose calls take an execution each and do not wait
/// for each other. Thread-safe. Failures leave their message in
/// dyn_last_error().
class HostModel {
public:
  /// Null on failure. `driver` and `pool` may be null.
  static std::unique_ptr<HostModel> load(const ModelRequest &request,
                                         const dyn_driver_t *driver,
                                         dyn_pool_t *pool) {
    std::unique_ptr<HostModel> host(new HostModel());
    dyn_context_options_t context = {};
    context.struct_size = sizeof(context);
    context.driver = driver;
    context.pool = pool;
    const char *compiler[] = {"dyn-compile", request.source.c_str(), nullptr};
    dyn_model_options_t options = {};
    options.struct_size = sizeof(options);
    options.context = &context;
    if (!request.source.empty())
      options.compiler = compiler;
    options.mode = request.isAutomatic ? DYN_MODEL_AUTO : DYN_MODEL_MANUAL;
    options.reoptimise = request.reoptimises;
    options.window_ms = toMilliseconds(request.window);
    options.hot_ms = toMilliseconds(request.hot);
    if (dyn_artifact_load(request.path.c_str(), nullptr, &host->artifact) ||
        dyn_model_create(host->artifact, &options, &host->model))
      return nullptr;
    return host;
  }
  ~HostModel() {
    dyn_model_release(model);
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

  /// The report of dyn_model_report; null on failure.
  const char *report() const {
    const char *text = nullptr;
    return dyn_model_report(model, &text) ? nullptr : text;
  }

  /// Runs the first entry; outputs go to `output(user, ...)`.
  dyn_status_t run(const std::vector<dyn_tensor_t> &inputs,
                   dyn_output_fn output, void *user) {
    dyn_execution_t *execution = nullptr;
    if (dyn_status_t status = dyn_model_take(
            model, 0, inputs.data(), uint32_t(inputs.size()), &execution))
      return status;
    dyn_call_options_t options = {};
    options.struct_size = sizeof(options);
    options.output = output;
    options.output_user = user;
    std::vector<dyn_tensor_t> outputs(entry().output_count);
    dyn_status_t status = dyn_execution_run(
        execution, &options, inputs.data(), uint32_t(inputs.size()),
        outputs.data(), uint32_t(outputs.size()));
    dyn_model_give(model, execution);
    return status;
  }

private:
  HostModel() = default;

  /// At least 1: 0 is for the default.
  static uint64_t toMilliseconds(double seconds) {
    return std::max<uint64_t>(1, uint64_t(seconds * 1000 + 0.5));
  }

  dyn_artifact_t *artifact = nullptr;
  dyn_model_t *model = nullptr;
};

} // namespace dyn::hosts

#endif // DYN_RUNTIME_HOSTS_HOSTMODEL_H
