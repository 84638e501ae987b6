//===- Gemms.cpp - GEMMs that a library computes --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gemms.h"

#include "Clock.h"
#include "CudaSpace.h"
#include "SizeExpression.h"

#include <algorithm>
#include <climits>
#include <cstring>

using namespace dyn::rt;

/// The system's libraries, the newest first.
static constexpr const char *kSystemLibraries[] = {
    "libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"};
/// Runs of an algorithm when it is tuned: the first one is not measured, as it
/// loads the code on the device. The minimum time counts.
static constexpr int kTuningRuns = 4;
static constexpr uint32_t kMaxTuned = 64;
/// Alignment of buffers; more makes no difference to algorithms.
static constexpr uint64_t kMaxAlignment = 256;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

Gemms::~Gemms() {
  plans.clear();
  if (handle)
    library->destroy(handle);
}

dyn_status_t Gemms::open(const dyn_program_t &program, const char *device,
                         const dyn_context_options_t &options) {
  for (uint32_t i = 0; i < program.kernel_count; ++i)
    numKernels += program.kernels[i].gemm != nullptr;
  tuneCount = options.tune_gemms;
  if (tuneCount > kMaxTuned)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "tune_gemms: expected at most %u algorithms, got %u", kMaxTuned,
                tuneCount);
  bool isNeeded =
      numKernels || options.gemm_library || options.gemm_table || tuneCount;
  if (!isNeeded) {
    reason = "no kernel of the artifact is left to one";
    return DYN_STATUS_OK;
  }
  DYN_RETURN_IF_FAILED(
      openLibrary(options.gemm_library, options.device_library));
  if (!library && (options.gemm_table || tuneCount))
    return fail(DYN_STATUS_UNSUPPORTED,
                "%s: expected a GEMM library, there is none: %s",
                tuneCount ? "tune_gemms" : "gemm_table", reason.c_str());
  if (!library)
    return DYN_STATUS_OK;
  table.emplace(version, device);
  return options.gemm_table ? table->read(options.gemm_table) : DYN_STATUS_OK;
}

dyn_status_t Gemms::openLibrary(const char *wanted, const char *driverName) {
  if (!wanted)
    return openFirst(driverName);
  if (std::strcmp(wanted, "none") == 0) {
    reason = "none is wanted";
    return DYN_STATUS_OK;
  }
  return tryLibrary(wanted);
}

/// A machine need not have a library: the artifact's kernels then compute all
/// GEMMs.
dyn_status_t Gemms::openFirst(const char *driverName) {
  if (cuda.isEmulator) {
    if (tryLibrary(driverName) != DYN_STATUS_OK)
      reason = dyn_last_error();
    return DYN_STATUS_OK;
  }
  for (const char *name : kSystemLibraries) {
    if (tryLibrary(name) == DYN_STATUS_OK)
      return DYN_STATUS_OK;
    reason += (reason.empty() ? "" : "; ") + std::string(dyn_last_error());
  }
  return DYN_STATUS_OK;
}

dyn_status_t Gemms::tryLibrary(const char *name) {
  const GemmLibrary *loaded = nullptr;
  DYN_RETURN_IF_FAILED(GemmLibrary::load(name, cuda.isEmulator, loaded));
  // On failure the library may leave any value in it.
  dyn_cublas_handle_t created = nullptr;
  DYN_RETURN_IF_FAILED(
      loaded->check(loaded->create(&created), "start the GEMM library"));
  handle = created;
  library = loaded;
  version = loaded->getVersion();
  reason.clear();
  return DYN_STATUS_OK;
}

dyn_gemm_info_t Gemms::info() const {
  dyn_gemm_info_t info = {};
  info.kernels = numKernels;
  info.library = library ? library->name.c_str() : "";
  info.reason = reason.c_str();
  info.version = version;
  std::lock_guard<std::mutex> lock(mutex);
  info.table_size = table ? table->size() : 0;
  info.tuned = numTuned;
  return info;
}

dyn_status_t Gemms::writeTable(const char *path) const {
  std::lock_guard<std::mutex> lock(mutex);
  if (!table)
    return fail(DYN_STATUS_UNSUPPORTED,
                "there is no GEMM library to write a table of: %s",
                reason.c_str());
  return table->write(path);
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

std::optional<GemmKey> Gemms::getProblem(const dyn_gemm_t &gemm,
                                         const int64_t *dims) {
  GemmKey key;
  int64_t work = 1;
  const std::pair<GemmKey::Field, const dyn_size_t &> sizes[] = {
      {GemmKey::Batch, gemm.batch},
      {GemmKey::Rows, gemm.rows},
      {GemmKey::Columns, gemm.columns},
      {GemmKey::Depth, gemm.depth}};
  for (const auto &[field, size] : sizes) {
    std::optional<int64_t> value = evaluate(size, dims);
    // The library's sizes are 32-bit integers.
    if (!value || *value <= 0 || *value > INT_MAX ||
        __builtin_mul_overflow(work, *value, &work))
      return std::nullopt;
    key[field] = *value;
  }
  if (work < gemm.least_work)
    return std::nullopt;
  key[GemmKey::FactorType] = gemm.factor_dtype;
  key[GemmKey::ResultType] = gemm.result_dtype;
  key[GemmKey::Activation] = gemm.activation;
  key[GemmKey::HasBias] = gemm.bias != DYN_NO_BUFFER;
  key[GemmKey::HasAddend] = gemm.addend != DYN_NO_BUFFER;
  key[GemmKey::LeftTransposed] = gemm.left_transposed;
  key[GemmKey::RightTransposed] = gemm.right_transposed;
  return key;
}

/// The alignment that all buffers have.
static uint64_t getAlignment(const GemmBuffers &buffers) {
  uint64_t bits = kMaxAlignment;
  for (const void *buffer :
       {buffers.left, buffers.right, buffers.bias, buffers.addend,
        static_cast<const void *>(buffers.result)})
    bits |= reinterpret_cast<uint64_t>(buffer);
  return bits & -bits;
}

static dyn_status_t reserveWorkspace(const GemmPlan &plan, GemmBuffers &buffers,
                                     CudaSpace &space, uint64_t &allocations) {
  if (!plan.getWorkspaceBytes())
    return DYN_STATUS_OK;
  DYN_RETURN_IF_FAILED(
      space.workspace.reserve(int64_t(plan.getWorkspaceBytes()), allocations));
  buffers.workspace = space.workspace.data();
  return DYN_STATUS_OK;
}

dyn_status_t Gemms::run(const dyn_gemm_t &gemm, GemmKey key,
                        void *const *buffers, const char *kernel,
                        CudaSpace &space, uint64_t &allocations, bool &isDone) {
  isDone = false;
  if (!library)
    return DYN_STATUS_OK;
  auto get = [&](uint32_t buffer) -> void * {
    return buffer == DYN_NO_BUFFER ? nullptr : buffers[buffer];
  };
  GemmBuffers operands = {get(gemm.left),   get(gemm.right),  get(gemm.bias),
                          get(gemm.addend), get(gemm.result), nullptr,
                          space.stream};
  key[GemmKey::Alignment] = int64_t(getAlignment(operands));

  std::lock_guard<std::mutex> lock(mutex);
  auto it = plans.find(key);
  if (it == plans.end()) {
    auto plan = std::make_unique<GemmPlan>(*library, handle);
    DYN_RETURN_IF_FAILED(
        makePlan(key, *plan, operands, kernel, space, allocations));
    it = plans.emplace(key, std::move(plan)).first;
  }
  GemmPlan &plan = *it->second;
  if (!plan.hasAlgorithm())
    return DYN_STATUS_OK;
  DYN_RETURN_IF_FAILED(reserveWorkspace(plan, operands, space, allocations));
  isDone = true;
  return plan.run(operands, kernel);
}

dyn_status_t Gemms::makePlan(const GemmKey &key, GemmPlan &plan,
                             GemmBuffers buffers, const char *kernel,
                             CudaSpace &space, uint64_t &allocations) {
  DYN_RETURN_IF_FAILED(plan.describe(key));
  if (const TunedGemm *known = table->find(key)) {
    // The table is of another build of the library with the same version
    // number.
    if (!plan.use(known->algorithm))
      return fail(DYN_STATUS_UNSUPPORTED,
                  "'%s' refuses the algorithm that the GEMM table has "
                  "for '%s'",
                  library->name.c_str(), kernel);
    return DYN_STATUS_OK;
  }
  std::vector<dyn_cublas_heuristic_t> proposed;
  DYN_RETURN_IF_FAILED(plan.propose(std::max(tuneCount, 1u), proposed));
  if (proposed.empty())
    return DYN_STATUS_OK;
  if (tuneCount)
    return tune(key, plan, proposed, buffers, kernel, space, allocations);
  plan.use(proposed.front());
  return DYN_STATUS_OK;
}

dyn_status_t Gemms::tune(const GemmKey &key, GemmPlan &plan,
                         const std::vector<dyn_cublas_heuristic_t> &proposed,
                         GemmBuffers buffers, const char *kernel,
                         CudaSpace &space, uint64_t &allocations) {
  const dyn_cublas_heuristic_t *best = nullptr;
  uint64_t bestTime = UINT64_MAX;
  auto wait = [&] {
    return cuda.check(cuda.streamSynchronize(space.stream), "tune a GEMM");
  };
  for (const dyn_cublas_heuristic_t &candidate : proposed) {
    plan.use(candidate);
    DYN_RETURN_IF_FAILED(reserveWorkspace(plan, buffers, space, allocations));
    DYN_RETURN_IF_FAILED(wait());
    for (int i = 0; i < kTuningRuns; ++i) {
      uint64_t begin = now();
      DYN_RETURN_IF_FAILED(plan.run(buffers, kernel));
      DYN_RETURN_IF_FAILED(wait());
      uint64_t time = now() - begin;
      if (i > 0 && time < bestTime) {
        bestTime = time;
        best = &candidate;
      }
    }
  }
  plan.use(*best);
  table->add(key, {best->algorithm, bestTime});
  ++numTuned;
  return DYN_STATUS_OK;
}
