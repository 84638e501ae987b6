//===- Model.cpp - A model that changes while it runs ---------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"

#include "Clock.h"
#include "Memory.h"
#include "MemoryLimit.h"
#include "Options.h"

#include <algorithm>

using namespace dyn::rt;

/// More are forgotten, oldest first.
static constexpr size_t kMaxEvents = 256;
/// Milliseconds after which a retired variant is looked at again.
static constexpr uint64_t kReleaseMs = 5;

void dyn_model::keepContextOptions(const dyn_context_options_t &given) {
  contextOptions = given;
  contextOptions.struct_size = sizeof(contextOptions);
  for (const char **text :
       {&contextOptions.isa, &contextOptions.device_library,
        &contextOptions.gemm_library, &contextOptions.gemm_table,
        &contextOptions.exchange_library})
    if (*text)
      *text = texts.emplace_back(*text).c_str();
  pool = Ref<dyn_pool>::share(given.pool);
  communicator = Ref<dyn_communicator>::share(given.communicator);
  if (given.driver) {
    size_t size = std::min(given.driver->struct_size, sizeof(driver));
    std::memcpy(&driver, given.driver, size);
    driver.struct_size = size;
    contextOptions.driver = &driver;
  }
}

dyn_status_t dyn_model::initialize(dyn_artifact &artifact,
                                   const dyn_model_options_t &options) {
  begin = now();
  base = Ref<dyn_artifact>::share(&artifact);
  path = artifact.info().path;
  size_t slash = path.rfind('/');
  folder = slash == std::string::npos ? "." : path.substr(0, slash);
  if (options.sidecar_folder)
    folder = options.sidecar_folder;
  dyn_context_options_t given;
  DYN_RETURN_IF_FAILED(
      readOptions(options.context, "dyn_context_options_t", given));
  // Contexts of variants are made at any time, and ranks would wait for each
  // other.
  if (given.communicator && given.communicator->size > 1)
    return fail(DYN_STATUS_UNSUPPORTED,
                "communicator: expected none of several ranks in a model");
  keepContextOptions(given);
  measuresKernels = options.profile != 0;
  auto first = std::make_shared<Variant>();
  dyn_context_t *context = nullptr;
  DYN_RETURN_IF_FAILED(
      dyn_context_create(&artifact, &contextOptions, &context));
  first->context = Ref<dyn_context>::adopt(context);
  first->guards.resize(artifact.entries().size());
  first->reason = "the first artifact";
  variants.push_back(std::move(first));
  nextNumber = 1;
  releaser = std::make_unique<Ticker>(ForkLock::ofReleaser, kReleaseMs,
                                      [this] { return tryReleaseRetired(); });
  recompiler = std::make_unique<Recompiler>(
      options, path,
      [this](const CompileRequest &request, const std::string &at,
             const std::string &failure) {
        finishCompilation(request, at, failure);
      });
  return options.reoptimise || options.mode ? startTicker(options)
                                            : DYN_STATUS_OK;
}

dyn_status_t dyn_model::startTicker(const dyn_model_options_t &options) {
  uint64_t windowMs = options.window_ms ? options.window_ms : 10000;
  if (options.reoptimise)
    drift = std::make_unique<DriftWatch>(
        options.drift_threshold > 0 ? options.drift_threshold : 0.1, windowMs);
  if (options.mode == DYN_MODEL_AUTO)
    automatic = std::make_unique<AutoMode>(
        base->entries(), options.hot_ms ? options.hot_ms : 10000);
  memoryFloor =
      options.memory_floor ? options.memory_floor : usableMemory() / 16;
  ticker = std::make_unique<Ticker>(ForkLock::ofTicker, windowMs, [this] {
    guarded([&] { return attend(), DYN_STATUS_OK; });
    return true;
  });
  if (!ticker->start())
    return fail(DYN_STATUS_OUT_OF_MEMORY,
                "cannot start a thread to watch calls");
  return DYN_STATUS_OK;
}

dyn_status_t dyn_model::add(const char *file, const std::string &reason,
                            uint32_t &number, const CompileRequest *request) {
  // Everything that takes time comes before the lock.
  dyn_load_options_t load = {sizeof(load), folder.c_str()};
  dyn_artifact_t *loaded = nullptr;
  DYN_RETURN_IF_FAILED(dyn_artifact_load(file, &load, &loaded));
  auto artifact = Ref<dyn_artifact>::adopt(loaded);
  auto variant = std::make_shared<Variant>();
  std::string mismatch = findGuards(*base, *artifact, variant->guards);
  if (!mismatch.empty())
    return fail(DYN_STATUS_INVALID_ARGUMENT, "'%s' is no variant of '%s': %s",
                file, path.c_str(), mismatch.c_str());
  dyn_context_t *context = nullptr;
  DYN_RETURN_IF_FAILED(
      dyn_context_create(artifact.get(), &contextOptions, &context));
  variant->context = Ref<dyn_context>::adopt(context);
  variant->reason = reason;
  variant->context->populateLike(*base);
  DYN_RETURN_IF_FAILED(prepare(*variant));
  insert(std::move(variant), number, request);
  releaseRetired();
  return DYN_STATUS_OK;
}

void dyn_model::insert(VariantPtr variant, uint32_t &number,
                       const CompileRequest *request) {
  std::lock_guard<std::mutex> guard(lock.mutex);
  variant->number = number = nextNumber++;
  if (automatic && request && request->sizes)
    automatic->finishCompilation(request->sizes, number, "", now(),
                                 now() - compilationBegin);
  // One for all sizes takes the place of the last one.
  if (variant->isForAllSizes())
    for (size_t i = variants.size(); i-- > 1;)
      if (variants[i]->isForAllSizes()) {
        note("replaced", variants[i]->number, variant->reason);
        retire(i);
      }
  // Those for some sizes are asked first.
  auto at = variants.end();
  if (variant->isForAllSizes())
    at = variants.begin() + 1;
  note("added", number, variant->reason);
  variants.insert(at, std::move(variant));
}

dyn_status_t dyn_model::createExecution(dyn_context &context,
                                        dyn_execution_t *&execution) const {
  dyn_execution_options_t options = {};
  options.struct_size = sizeof(options);
  options.profile = measuresKernels;
  return dyn_execution_create(&context, &options, &execution);
}

dyn_status_t dyn_model::prepare(Variant &variant) {
  uint32_t count = 0;
  {
    std::lock_guard<std::mutex> guard(lock.mutex);
    for (const VariantPtr &other : variants)
      count = std::max(count, other->countExecutions());
  }
  while (variant.idle.size() < count) {
    dyn_execution_t *execution = nullptr;
    DYN_RETURN_IF_FAILED(createExecution(*variant.context, execution));
    variant.idle.push_back(Ref<dyn_execution>::adopt(execution));
  }
  return DYN_STATUS_OK;
}

void dyn_model::retire(size_t index) {
  retired.push_back(std::move(variants[index]));
  variants.erase(variants.begin() + ptrdiff_t(index));
}

bool dyn_model::tryReleaseRetired() {
  std::vector<VariantPtr> unused; // released after the lock
  std::lock_guard<std::mutex> guard(lock.mutex);
  for (size_t i = retired.size(); i-- > 0;)
    if (retired[i]->countExecutions() == retired[i]->idle.size()) {
      unused.push_back(std::move(retired[i]));
      retired.erase(retired.begin() + ptrdiff_t(i));
    }
  return !retired.empty();
}

void dyn_model::releaseRetired() {
  // Without a thread they stay until variants change again.
  if (tryReleaseRetired())
    releaser->start();
}

dyn_status_t dyn_model::drop(uint32_t number, const std::string &reason) {
  {
    std::lock_guard<std::mutex> guard(lock.mutex);
    size_t i = variants.size() - 1;
    while (i > 0 && variants[i]->number != number)
      --i;
    if (i == 0)
      return fail(DYN_STATUS_INVALID_ARGUMENT,
                  number ? "variant %u does not exist"
                         : "variant %u is the first artifact, which stays",
                  number);
    if (automatic)
      automatic->forget(number);
    retire(i);
    note("dropped", number, reason);
  }
  releaseRetired();
  return DYN_STATUS_OK;
}

dyn_status_t dyn_model::take(uint32_t entry, const dyn_tensor_t *inputs,
                             uint32_t count, dyn_execution_t *&execution) {
  VariantPtr chosen;
  CallMemory memory;
  {
    std::lock_guard<std::mutex> guard(lock.mutex);
    // The first artifact is the last one asked, and reports what is wrong with
    // inputs.
    uint64_t sizes = automatic ? automatic->beginCall(entry, inputs, count) : 0;
    size_t i = variants.size() - 1;
    while (i > 0 && (!variants[i]->fits(entry, inputs, count) ||
                     (sizes && automatic->skips(variants[i]->number))))
      --i;
    chosen = variants[i];
    ++chosen->calls;
    if (sizes)
      automatic->choose(i == 0 || chosen->isForAllSizes());
    if (!memories.empty()) {
      memory = std::move(memories.back());
      memories.pop_back();
    }
    if (!chosen->idle.empty()) {
      execution = chosen->idle.back().take();
      chosen->idle.pop_back();
      if (sizes)
        noteCall(*execution, sizes, chosen->number);
    }
  }
  if (!execution)
    DYN_RETURN_IF_FAILED(createExecution(*chosen->context, execution));
  if (lendsMemory())
    execution->lend(std::move(memory));
  return DYN_STATUS_OK;
}

void dyn_model::give(dyn_execution_t *execution) {
  auto held = Ref<dyn_execution>::adopt(execution); // released after the lock
  CallMemory memory;
  if (lendsMemory())
    memory = execution->takeMemory();
  std::lock_guard<std::mutex> guard(lock.mutex);
  if (lendsMemory())
    memories.push_back(std::move(memory));
  endCall(*execution);
  for (std::vector<VariantPtr> *list : {&variants, &retired})
    for (VariantPtr &variant : *list)
      if (variant->context.get() == &execution->context()) {
        variant->idle.push_back(std::move(held));
        return;
      }
}

void dyn_model::noteCall(const dyn_execution_t &execution, uint64_t sizes,
                         uint32_t variant) {
  Lent call = {&execution, sizes, variant, execution.successfulCalls(),
               execution.timeOfCalls()};
  // An earlier one of this address was released, not given back.
  for (Lent &other : lent)
    if (other.execution == &execution) {
      other = call;
      return;
    }
  lent.push_back(call);
}

void dyn_model::endCall(const dyn_execution_t &execution) {
  for (Lent &call : lent) {
    if (call.execution != &execution)
      continue;
    bool isOne = execution.successfulCalls() == call.calls + 1;
    automatic->endCall(call.sizes, call.variant,
                       isOne ? execution.timeOfCalls() - call.time : 0);
    call = lent.back();
    lent.pop_back();
    return;
  }
}

dyn_status_t dyn_model::recompile(CompileRequest request) {
  std::string reason = request.reason;
  std::lock_guard<std::mutex> guard(lock.mutex);
  DYN_RETURN_IF_FAILED(recompiler->start(std::move(request)));
  ++compilations;
  compilationBegin = now();
  note("compiles", 0, reason);
  return DYN_STATUS_OK;
}

void dyn_model::attend() {
  if (drift)
    watchDrift();
  if (automatic)
    decideOnSizes();
}

void dyn_model::decideOnSizes() {
  bool memoryIsShort = findFreeMemory() < memoryFloor;
  std::vector<AutoMode::Decision> decisions;
  {
    std::lock_guard<std::mutex> guard(lock.mutex);
    decisions =
        automatic->decide(now(), memoryIsShort, recompiler->isRunning());
    for (const AutoMode::Decision &decision : decisions)
      if (decision.kind == AutoMode::Decision::Keep)
        note("kept", decision.variant, decision.reason);
  }
  for (AutoMode::Decision &decision : decisions) {
    // The host may have dropped it, or begun a compilation.
    if (decision.kind == AutoMode::Decision::Drop)
      drop(decision.variant, decision.reason);
    if (decision.kind != AutoMode::Decision::Compile)
      continue;
    uint64_t sizes = decision.request.sizes;
    if (recompile(std::move(decision.request)) == DYN_STATUS_OK)
      continue;
    std::lock_guard<std::mutex> guard(lock.mutex);
    automatic->cancelCompilation(sizes);
  }
}

void dyn_model::watchDrift() {
  Ref<dyn_artifact> general; // The last one, where no other is for the sizes.
  std::vector<Ref<dyn_artifact>> fixed;
  {
    std::lock_guard<std::mutex> guard(lock.mutex);
    for (const VariantPtr &variant : variants) {
      auto artifact = Ref<dyn_artifact>::share(&variant->context->artifact());
      if (variant->isForAllSizes())
        general = std::move(artifact);
      else
        fixed.push_back(std::move(artifact));
    }
  }
  CompileRequest request;
  request.reason = drift->closeWindow(*general, fixed);
  if (request.reason.empty())
    return;
  request.routes = drift->getCounts();
  if (recompile(std::move(request)) == DYN_STATUS_OK)
    drift->beginPause();
}

void dyn_model::finishCompilation(const CompileRequest &request,
                                  const std::string &file,
                                  const std::string &failure) {
  {
    std::lock_guard<std::mutex> guard(lock.mutex);
    if (drift)
      drift->extendPause(now() - compilationBegin);
  }
  std::string reason = failure;
  uint32_t number = 0;
  dyn_status_t status = DYN_STATUS_OK;
  if (reason.empty())
    status = guarded(
        [&] { return add(file.c_str(), request.reason, number, &request); });
  if (status != DYN_STATUS_OK)
    reason = dyn_last_error();
  if (reason.empty())
    return;
  std::lock_guard<std::mutex> guard(lock.mutex);
  ++failures;
  if (automatic && request.sizes)
    automatic->finishCompilation(request.sizes, 0, reason, now(),
                                 now() - compilationBegin);
  note("failed", 0, reason);
}

void dyn_model::note(const char *what, uint32_t variant,
                     const std::string &detail) {
  ++eventCount;
  events.push_back({now() - begin, what, detail, variant});
  if (events.size() > kMaxEvents)
    events.pop_front();
}

//===----------------------------------------------------------------------===//
// ABI
//===----------------------------------------------------------------------===//

dyn_status_t dyn_model_create(dyn_artifact_t *artifact,
                              const dyn_model_options_t *options,
                              dyn_model_t **out_model) {
  return guarded([&]() -> dyn_status_t {
    if (!out_model)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "out_model is null");
    *out_model = nullptr;
    if (!artifact)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "artifact is null");
    dyn_model_options_t given;
    DYN_RETURN_IF_FAILED(readOptions(options, "dyn_model_options_t", given));
    if (given.compiler && given.recompile)
      return fail(DYN_STATUS_INVALID_ARGUMENT,
                  "dyn_model_options_t: expected compiler or recompile, not "
                  "both");
    if (given.mode > DYN_MODEL_AUTO)
      return fail(DYN_STATUS_INVALID_ARGUMENT,
                  "dyn_model_options_t: expected a mode of dyn_model_mode_t, "
                  "got %u",
                  given.mode);
    if ((given.reoptimise || given.mode) && !given.compiler && !given.recompile)
      return fail(DYN_STATUS_INVALID_ARGUMENT,
                  "dyn_model_options_t: %s needs compiler or recompile",
                  given.reoptimise ? "reoptimise" : "the automatic mode");
    auto model = Ref<dyn_model_t>::adopt(new dyn_model_t());
    DYN_RETURN_IF_FAILED(model->initialize(*artifact, given));
    *out_model = model.take();
    return DYN_STATUS_OK;
  });
}

void dyn_model_retain(dyn_model_t *model) {
  if (model)
    model->retain();
}
void dyn_model_release(dyn_model_t *model) {
  if (model)
    model->release();
}

template <typename Fn>
static dyn_status_t withModel(dyn_model_t *model, Fn &&body) {
  return guarded([&]() -> dyn_status_t {
    if (!model)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "model is null");
    return body();
  });
}

dyn_status_t dyn_model_add(dyn_model_t *model, const char *path,
                           uint32_t *out_number) {
  return withModel(model, [&]() -> dyn_status_t {
    if (!path)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "path is null");
    uint32_t number = 0;
    DYN_RETURN_IF_FAILED(model->add(path, "the host added it", number));
    if (out_number)
      *out_number = number;
    return DYN_STATUS_OK;
  });
}

dyn_status_t dyn_model_drop(dyn_model_t *model, uint32_t number) {
  return withModel(model,
                   [&] { return model->drop(number, "the host dropped it"); });
}

dyn_status_t dyn_model_take(dyn_model_t *model, uint32_t entry,
                            const dyn_tensor_t *inputs, uint32_t input_count,
                            dyn_execution_t **out_execution) {
  return withModel(model, [&]() -> dyn_status_t {
    if (!out_execution)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "out_execution is null");
    *out_execution = nullptr;
    if (input_count && !inputs)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "inputs is null");
    return model->take(entry, inputs, input_count, *out_execution);
  });
}

void dyn_model_give(dyn_model_t *model, dyn_execution_t *execution) {
  if (model && execution)
    withModel(model, [&] { return model->give(execution), DYN_STATUS_OK; });
}

dyn_status_t dyn_model_recompile(dyn_model_t *model, const char *reason,
                                 const char *profile, const char *const *dims,
                                 uint32_t dim_count) {
  return withModel(model, [&]() -> dyn_status_t {
    CompileRequest request;
    request.reason = reason ? reason : "the host asked for it";
    request.profile = profile ? profile : "";
    for (uint32_t i = 0; i < dim_count; ++i) {
      if (!dims || !dims[i])
        return fail(DYN_STATUS_INVALID_ARGUMENT, "dims[%u] is null", i);
      request.dims.push_back(dims[i]);
    }
    return model->recompile(std::move(request));
  });
}

dyn_status_t dyn_model_wait(dyn_model_t *model) {
  return withModel(model, [&] { return model->wait(), DYN_STATUS_OK; });
}

dyn_status_t dyn_model_report(dyn_model_t *model, const char **out_report) {
  return withModel(model, [&]() -> dyn_status_t {
    if (!out_report)
      return fail(DYN_STATUS_INVALID_ARGUMENT, "out_report is null");
    static thread_local std::string text;
    text = model->report();
    *out_report = text.c_str();
    return DYN_STATUS_OK;
  });
}
