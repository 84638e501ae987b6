//===- Products.cpp - GEMMs that a library computes -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Products.h"

#include "Clock.h"
#include "DeviceSpace.h"
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

Products::~Products() {
  plans.clear();
  if (handle)
    library->destroy(handle);
}

dyn_status_t Products::open(const dyn_program_t &program, const char *device,
                            const dyn_context_options_t &options) {
  for (uint32_t i = 0; i < program.kernel_count; ++i)
    numKernels += program.kernels[i].product != nullptr;
  tuneCount = options.tune_products;
  if (tuneCount > kMaxTuned)
    return fail(DYN_STATUS_INVALID_ARGUMENT,
                "tune_products: expected at most %u algorithms, got %u",
                kMaxTuned, tuneCount);
  bool isNeeded = numKernels || options.product_library ||
                  options.product_table || tuneCount;
  if (!isNeeded) {
    reason = "no kernel of the artifact is left to one";
    return DYN_STATUS_OK;
  }
  DYN_RETURN_IF_FAILED(
      openLibrary(options.product_library, options.device_library));
  if (!library && (options.product_table || tuneCount))
    return fail(DYN_STATUS_UNSUPPORTED,
                "%s: expected a library of products, there is none: %s",
                tuneCount ? "tune_products" : "product_table", reason.c_str());
  if (!library)
    return DYN_STATUS_OK;
  table.emplace(version, device);
  return options.product_table ? table->read(options.product_table)
                               : DYN_STATUS_OK;
}

dyn_status_t Products::openLibrary(const char *wanted, const char *driverName) {
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
dyn_status_t Products::openFirst(const char *driverName) {
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

dyn_status_t Products::tryLibrary(const char *name) {
  const ProductLibrary *loaded = nullptr;
  DYN_RETURN_IF_FAILED(ProductLibrary::load(name, cuda.isEmulator, loaded));
  // On failure the library may leave any value in it.
  dyn_cublas_handle_t created = nullptr;
  DYN_RETURN_IF_FAILED(
      loaded->check(loaded->create(&created), "start the library of products"));
  handle = created;
  library = loaded;
  version = loaded->getVersion();
  reason.clear();
  return DYN_STATUS_OK;
}

dyn_product_info_t Products::info() const {
  dyn_product_info_t info = {};
  info.kernels = numKernels;
  info.library = library ? library->name.c_str() : "";
  info.reason = reason.c_str();
  info.version = version;
  std::lock_guard<std::mutex> lock(mutex);
  info.table_size = table ? table->size() : 0;
  info.tuned = numTuned;
  return info;
}

dyn_status_t Products::writeTable(const char *path) const {
  std::lock_guard<std::mutex> lock(mutex);
  if (!table)
    return fail(DYN_STATUS_UNSUPPORTED,
                "there is no library of products to write a table of: %s",
                reason.c_str());
  return table->write(path);
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

std::optional<ProductKey> Products::getProblem(const dyn_product_t &product,
                                               const int64_t *dims) {
  ProductKey key;
  int64_t work = 1;
  const std::pair<ProductKey::Field, const dyn_size_t &> sizes[] = {
      {ProductKey::Batch, product.batch},
      {ProductKey::Rows, product.rows},
      {ProductKey::Columns, product.columns},
      {ProductKey::Depth, product.depth}};
  for (const auto &[field, size] : sizes) {
    std::optional<int64_t> value = evaluate(size, dims);
    // The library's sizes are 32-bit integers.
    if (!value || *value <= 0 || *value > INT_MAX ||
        __builtin_mul_overflow(work, *value, &work))
      return std::nullopt;
    key[field] = *value;
  }
  if (work < product.least_work)
    return std::nullopt;
  key[ProductKey::FactorType] = product.factor_dtype;
  key[ProductKey::ResultType] = product.result_dtype;
  key[ProductKey::Activation] = product.activation;
  key[ProductKey::HasBias] = product.bias != DYN_NO_BUFFER;
  key[ProductKey::HasAddend] = product.addend != DYN_NO_BUFFER;
  key[ProductKey::LeftTransposed] = product.left_transposed;
  key[ProductKey::RightTransposed] = product.right_transposed;
  return key;
}

/// The alignment that all buffers have.
static uint64_t getAlignment(const ProductBuffers &buffers) {
  uint64_t bits = kMaxAlignment;
  for (const void *buffer :
       {buffers.left, buffers.right, buffers.bias, buffers.addend,
        static_cast<const void *>(buffers.result)})
    bits |= reinterpret_cast<uint64_t>(buffer);
  return bits & -bits;
}

static dyn_status_t reserveWorkspace(const ProductPlan &plan,
                                     ProductBuffers &buffers,
                                     DeviceSpace &space,
                                     uint64_t &allocations) {
  if (!plan.getWorkspaceBytes())
    return DYN_STATUS_OK;
  DYN_RETURN_IF_FAILED(
      space.workspace.reserve(int64_t(plan.getWorkspaceBytes()), allocations));
  buffers.workspace = space.workspace.data();
  return DYN_STATUS_OK;
}

dyn_status_t Products::run(const dyn_product_t &product, ProductKey key,
                           void *const *buffers, const char *kernel,
                           DeviceSpace &space, uint64_t &allocations,
                           bool &isDone) {
  isDone = false;
  if (!library)
    return DYN_STATUS_OK;
  auto get = [&](uint32_t buffer) -> void * {
    return buffer == DYN_NO_BUFFER ? nullptr : buffers[buffer];
  };
  ProductBuffers places = {get(product.left),   get(product.right),
                           get(product.bias),   get(product.addend),
                           get(product.result), nullptr,
                           space.stream};
  key[ProductKey::Alignment] = int64_t(getAlignment(places));

  std::lock_guard<std::mutex> lock(mutex);
  auto it = plans.find(key);
  if (it == plans.end()) {
    auto plan = std::make_unique<ProductPlan>(*library, handle);
    DYN_RETURN_IF_FAILED(
        makePlan(key, *plan, places, kernel, space, allocations));
    it = plans.emplace(key, std::move(plan)).first;
  }
  ProductPlan &plan = *it->second;
  if (!plan.hasAlgorithm())
    return DYN_STATUS_OK;
  DYN_RETURN_IF_FAILED(reserveWorkspace(plan, places, space, allocations));
  isDone = true;
  return plan.run(places, kernel);
}

dyn_status_t Products::makePlan(const ProductKey &key, ProductPlan &plan,
                                ProductBuffers buffers, const char *kernel,
                                DeviceSpace &space, uint64_t &allocations) {
  DYN_RETURN_IF_FAILED(plan.describe(key));
  if (const TunedProduct *known = table->find(key)) {
    // The table is of another build of the library with the same version
    // number.
    if (!plan.use(known->algorithm))
      return fail(DYN_STATUS_UNSUPPORTED,
                  "'%s' refuses the algorithm that the table of products has "
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

dyn_status_t Products::tune(const ProductKey &key, ProductPlan &plan,
                            const std::vector<dyn_cublas_heuristic_t> &proposed,
                            ProductBuffers buffers, const char *kernel,
                            DeviceSpace &space, uint64_t &allocations) {
  const dyn_cublas_heuristic_t *best = nullptr;
  uint64_t bestTime = UINT64_MAX;
  auto wait = [&] {
    return cuda.check(cuda.streamSynchronize(space.stream), "tune a product");
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
