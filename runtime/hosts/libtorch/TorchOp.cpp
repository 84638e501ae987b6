//===- TorchOp.cpp - The operator torch.ops.dyn.run -----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   torch.ops.load_library("libdyn_torch.so")
//   outputs = torch.ops.dyn.run([x, y], "model.so")
//   outputs = torch.ops.dyn.run([x, y], "model.so", source="model.onnx",
//                               mode="auto", reoptimise=True)
//   print(torch.ops.dyn.report("model.so"))
//
// Inputs are read in place; outputs, and all intermediate results of the model,
// are allocated by LibTorch; kernels run on LibTorch's threads. A model is
// loaded by its first call, whose options it has, and kept.
//
//===----------------------------------------------------------------------===//

#include "HostModel.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/CPUAllocator.h>
#include <torch/library.h>

#include <map>
#include <optional>

using dyn::hosts::HostModel;
using dyn::hosts::ModelRequest;

namespace {

std::optional<dyn_dtype_t> toDtype(at::ScalarType type) {
  switch (type) {
  case at::kBool:
    return DYN_BOOL;
  case at::kChar:
    return DYN_I8;
  case at::kShort:
    return DYN_I16;
  case at::kInt:
    return DYN_I32;
  case at::kLong:
    return DYN_I64;
  case at::kByte:
    return DYN_U8;
  case at::kUInt16:
    return DYN_U16;
  case at::kUInt32:
    return DYN_U32;
  case at::kUInt64:
    return DYN_U64;
  case at::kHalf:
    return DYN_F16;
  case at::kBFloat16:
    return DYN_BF16;
  case at::kFloat:
    return DYN_F32;
  case at::kDouble:
    return DYN_F64;
  default:
    return std::nullopt;
  }
}

at::ScalarType fromDtype(dyn_dtype_t dtype) {
  for (at::ScalarType type :
       {at::kBool, at::kChar, at::kShort, at::kInt, at::kLong, at::kByte,
        at::kUInt16, at::kUInt32, at::kUInt64, at::kHalf, at::kBFloat16,
        at::kFloat})
    if (toDtype(type) == dtype)
      return type;
  return at::kDouble;
}

/// Runs tasks of the runtime's pool on LibTorch's threads.
void runParallel(void *, uint32_t count, dyn_task_fn task, void *argument) {
  at::parallel_for(0, count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      task(argument, uint32_t(i));
  });
}

/// Models by path.
class Models {
public:
  /// Leaked: LibTorch's allocator may be gone when statics are destroyed.
  static Models &all() {
    static Models &only = *new Models();
    return only;
  }

  HostModel &get(const ModelRequest &request) {
    std::lock_guard<std::mutex> lock(mutex);
    std::unique_ptr<HostModel> &model = models[request.path];
    if (!model)
      model = load(request);
    TORCH_CHECK(model, dyn_last_error());
    return *model;
  }
  HostModel &find(const std::string &path) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = models.find(path);
    TORCH_CHECK(found != models.end() && found->second,
                "dyn.report: no call has loaded '", path, "'");
    return *found->second;
  }

private:
  static std::unique_ptr<HostModel> load(const ModelRequest &request) {
    dyn_driver_t driver = {};
    driver.struct_size = sizeof(driver);
    // LibTorch aligns to 64 bytes, the maximum that the runtime requests.
    driver.allocate = [](void *, uint64_t bytes, uint64_t) -> void * {
      try {
        return c10::GetCPUAllocator()->raw_allocate(bytes);
      } catch (...) {
        return nullptr;
      }
    };
    driver.deallocate = [](void *, void *memory, uint64_t) {
      c10::GetCPUAllocator()->raw_deallocate(memory);
    };
    dyn_pool_options_t options = {};
    options.struct_size = sizeof(options);
    options.threads = uint32_t(at::get_num_threads());
    options.parallel = runParallel;
    dyn_pool_t *pool = nullptr;
    TORCH_CHECK(dyn_pool_create(&options, &pool) == DYN_STATUS_OK,
                dyn_last_error());
    std::unique_ptr<HostModel> model = HostModel::load(request, &driver, pool);
    dyn_pool_release(pool);
    return model;
  }

  std::mutex mutex;
  std::map<std::string, std::unique_ptr<HostModel>> models;
};

void *allocateOutput(void *user, uint32_t output, dyn_dtype_t dtype,
                     uint32_t rank, const int64_t *shape, uint64_t) {
  auto &outputs = *static_cast<std::vector<at::Tensor> *>(user);
  try {
    outputs[output] = at::empty(at::IntArrayRef(shape, rank),
                                at::TensorOptions(fromDtype(dtype)));
    // A tensor without elements has no data, and null would mean failure.
    void *data = outputs[output].mutable_data_ptr();
    return data ? data : user;
  } catch (...) {
    return nullptr;
  }
}

std::vector<at::Tensor> run(at::TensorList inputs, const std::string &path,
                            const std::string &source, const std::string &mode,
                            bool reoptimise, double window, double hot) {
  TORCH_CHECK(mode.empty() || mode == "auto",
              "dyn.run: expected the mode 'auto' or '', got '", mode, "'");
  ModelRequest request = {path, source, !mode.empty(), reoptimise, window, hot};
  if (const char *mistake = request.findMistake())
    TORCH_CHECK(false, "dyn.run: ", mistake, ": expected seconds");
  HostModel &model = Models::all().get(request);
  std::vector<at::Tensor> arrays;
  std::vector<dyn_tensor_t> tensors;
  for (const at::Tensor &input : inputs) {
    TORCH_CHECK(input.device().is_cpu(),
                "dyn.run: expected tensors of the "
                "CPU, got one of ",
                input.device());
    std::optional<dyn_dtype_t> dtype = toDtype(input.scalar_type());
    TORCH_CHECK(dtype, "dyn.run: elements of ", input.scalar_type(),
                " are not supported");
    arrays.push_back(input.contiguous());
    tensors.push_back({const_cast<void *>(arrays.back().const_data_ptr()),
                       arrays.back().sizes().data(), uint32_t(*dtype),
                       uint32_t(input.dim()), DYN_DEVICE_CPU, 0});
  }
  std::vector<at::Tensor> outputs(model.entry().output_count);
  dyn_status_t status = model.run(tensors, allocateOutput, &outputs);
  TORCH_CHECK(status == DYN_STATUS_OK, dyn_last_error());
  return outputs;
}

std::string report(const std::string &path) {
  const char *text = Models::all().find(path).report();
  TORCH_CHECK(text, dyn_last_error());
  return text;
}

} // namespace

TORCH_LIBRARY(dyn, library) {
  library.def("run(Tensor[] inputs, str path, *, str source='', str mode='', "
              "bool reoptimise=False, float window=10.0, float hot=10.0) -> "
              "Tensor[]");
  library.def("report(str path) -> str");
}
// For every backend: a model without inputs does not select one.
TORCH_LIBRARY_IMPL(dyn, CompositeExplicitAutograd, library) {
  library.impl("run", run);
  library.impl("report", report);
}
