//===- TensorFlowOp.cpp - The operation DynRun ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   ops = tf.load_op_library("libdyn_tensorflow.so")
//   outputs = ops.dyn_run(inputs=[x, y], path="model.so", Tout=[tf.float32])
//   outputs = ops.dyn_run(inputs=[x, y], path="model.so", Tout=[tf.float32],
//                         source="model.onnx", mode="auto", reoptimise=True)
//   print(ops.dyn_report(path="model.so"))
//
// Inputs are read in place, outputs are allocated by the operation's context.
// Each operation of a graph holds the model that its attribute names.
//
//===----------------------------------------------------------------------===//

#include "HostModel.h"

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

#include <map>
#include <mutex>

namespace tf = tensorflow;
using dyn::hosts::HostModel;

REGISTER_OP("DynRun")
    .Input("inputs: Tin")
    .Output("outputs: Tout")
    .Attr("path: string")
    .Attr("source: string = ''")
    .Attr("mode: {'', 'auto'} = ''")
    .Attr("reoptimise: bool = false")
    .Attr("window: float = 10.0")
    .Attr("hot: float = 10.0")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 0")
    .SetShapeFn([](tf::shape_inference::InferenceContext *context) {
      // The artifact, which knows the sizes, is not loaded yet.
      for (int i = 0; i < context->num_outputs(); ++i)
        context->set_output(i, context->UnknownShape());
      return absl::OkStatus();
    })
    .Doc("Runs the first entry of a dyn artifact. With its source, dyn-compile "
         "compiles variants of it: for hot sizes in the mode 'auto', and for "
         "routes that have drifted with reoptimise, both checked every window "
         "seconds; a size is hot from hot seconds in calls on.");

REGISTER_OP("DynReport")
    .Output("report: string")
    .Attr("path: string")
    .SetIsStateful()
    .SetShapeFn(tf::shape_inference::ScalarShape)
    .Doc("What the models of an artifact did and why: a JSON list of the "
         "reports of all operations DynRun that have it.");

namespace {

struct TypePair {
  tf::DataType type;
  dyn_dtype_t dtype;
};
const TypePair typePairs[] = {
    {tf::DT_BOOL, DYN_BOOL},     {tf::DT_INT8, DYN_I8},
    {tf::DT_INT16, DYN_I16},     {tf::DT_INT32, DYN_I32},
    {tf::DT_INT64, DYN_I64},     {tf::DT_UINT8, DYN_U8},
    {tf::DT_UINT16, DYN_U16},    {tf::DT_UINT32, DYN_U32},
    {tf::DT_UINT64, DYN_U64},    {tf::DT_HALF, DYN_F16},
    {tf::DT_BFLOAT16, DYN_BF16}, {tf::DT_FLOAT, DYN_F32},
    {tf::DT_DOUBLE, DYN_F64},
};
/// 0 for a type without a dyn type; the runtime refuses it with the input's
/// name.
uint32_t toDtype(tf::DataType type) {
  for (const TypePair &pair : typePairs)
    if (pair.type == type)
      return pair.dtype;
  return 0;
}

/// Converts a failure of the runtime to a status of TensorFlow.
absl::Status failure(dyn_status_t status) {
  switch (status) {
  case DYN_STATUS_OK:
    return absl::OkStatus();
  case DYN_STATUS_INVALID_ARGUMENT:
  case DYN_STATUS_DATA_ERROR:
    return absl::InvalidArgumentError(dyn_last_error());
  case DYN_STATUS_NOT_FOUND:
    return absl::NotFoundError(dyn_last_error());
  case DYN_STATUS_OUT_OF_MEMORY:
    return absl::ResourceExhaustedError(dyn_last_error());
  default:
    return absl::InternalError(dyn_last_error());
  }
}

/// The models of all operations, by path.
class Models {
public:
  /// Leaked: operations may be destroyed after statics.
  static Models &all() {
    static Models &only = *new Models();
    return only;
  }
  void add(const std::string &path, HostModel *model) {
    std::lock_guard<std::mutex> lock(mutex);
    models.emplace(path, model);
  }
  void remove(HostModel *model) {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto it = models.begin(); it != models.end();)
      it = it->second == model ? models.erase(it) : std::next(it);
  }
  /// Empty on failure.
  std::string report(const std::string &path) {
    std::lock_guard<std::mutex> lock(mutex);
    std::string list;
    auto [begin, end] = models.equal_range(path);
    for (auto it = begin; it != end; ++it) {
      const char *text = it->second->report();
      if (!text)
        return "";
      list += (list.empty() ? "[" : ",") + std::string(text);
    }
    return (list.empty() ? "[" : list) + "]";
  }

private:
  std::mutex mutex;
  std::multimap<std::string, HostModel *> models;
};

class DynRun final : public tf::OpKernel {
public:
  explicit DynRun(tf::OpKernelConstruction *context) : OpKernel(context) {
    dyn::hosts::ModelRequest request;
    std::string mode;
    OP_REQUIRES_OK(context, context->GetAttr("path", &request.path));
    OP_REQUIRES_OK(context, context->GetAttr("source", &request.source));
    OP_REQUIRES_OK(context, context->GetAttr("mode", &mode));
    OP_REQUIRES_OK(context,
                   context->GetAttr("reoptimise", &request.reoptimises));
    float window = 0, hot = 0;
    OP_REQUIRES_OK(context, context->GetAttr("window", &window));
    OP_REQUIRES_OK(context, context->GetAttr("hot", &hot));
    request.isAutomatic = mode == "auto";
    request.window = window;
    request.hot = hot;
    const char *mistake = request.findMistake();
    OP_REQUIRES(context, !mistake,
                absl::InvalidArgumentError(
                    absl::StrCat(mistake, ": expected seconds")));
    dyn_pool_t *pool = makePool(context->device());
    model = HostModel::load(request, nullptr, pool);
    dyn_pool_release(pool);
    OP_REQUIRES(context, model, absl::InvalidArgumentError(dyn_last_error()));
    dyn_entry_info_t entry = model->entry();
    OP_REQUIRES(context, entry.output_count == uint32_t(num_outputs()),
                absl::InvalidArgumentError(
                    absl::StrCat("Tout: expected ", entry.output_count,
                                 " types, got ", num_outputs())));
    for (uint32_t i = 0; i < entry.output_count; ++i) {
      dyn_port_info_t port = model->output(i);
      tf::DataType type = output_type(int(i));
      OP_REQUIRES(context, toDtype(type) == uint32_t(port.dtype),
                  absl::InvalidArgumentError(absl::StrCat(
                      "Tout[", i, "]: output '", port.name, "' is ", port.text,
                      ", got ", tf::DataTypeString(type))));
    }
    Models::all().add(request.path, model.get());
  }
  ~DynRun() override { Models::all().remove(model.get()); }

  void Compute(tf::OpKernelContext *context) override {
    std::vector<dyn_tensor_t> inputs;
    std::vector<absl::InlinedVector<int64_t, 4>> shapes(num_inputs());
    for (int i = 0; i < context->num_inputs(); ++i) {
      const tf::Tensor &input = context->input(i);
      for (int axis = 0; axis < input.dims(); ++axis)
        shapes[i].push_back(input.dim_size(axis));
      inputs.push_back({const_cast<char *>(input.tensor_data().data()),
                        shapes[i].data(), toDtype(input.dtype()),
                        uint32_t(input.dims()), DYN_DEVICE_CPU, 0});
    }
    Call call = {context, absl::OkStatus()};
    dyn_status_t status = model->run(inputs, allocateOutput, &call);
    OP_REQUIRES_OK(context, call.status);
    OP_REQUIRES_OK(context, failure(status));
  }

private:
  /// A pool on the device's threads; null for this thread alone.
  static dyn_pool_t *makePool(tf::DeviceBase *device) {
    const auto *workers = device->tensorflow_cpu_worker_threads();
    if (!workers)
      return nullptr;
    dyn_pool_options_t options = {};
    options.struct_size = sizeof(options);
    options.threads = uint32_t(std::max(1, workers->num_threads));
    options.user = workers->workers;
    options.parallel = [](void *user, uint32_t count, dyn_task_fn task,
                          void *argument) {
      using Params = tf::thread::ThreadPool::SchedulingParams;
      const Params oneEach = Params::Fixed(/*block_size=*/1);
      static_cast<tf::thread::ThreadPool *>(user)->ParallelFor(
          count, oneEach, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i)
              task(argument, uint32_t(i));
          });
    };
    dyn_pool_t *pool = nullptr;
    dyn_pool_create(&options, &pool);
    return pool;
  }

  struct Call {
    tf::OpKernelContext *context;
    absl::Status status; ///< of the allocations
  };
  static void *allocateOutput(void *user, uint32_t output, dyn_dtype_t,
                              uint32_t rank, const int64_t *shape, uint64_t) {
    auto &call = *static_cast<Call *>(user);
    tf::TensorShape sizes;
    for (uint32_t axis = 0; axis < rank; ++axis)
      sizes.AddDim(shape[axis]);
    tf::Tensor *tensor = nullptr;
    call.status = call.context->allocate_output(int(output), sizes, &tensor);
    if (!call.status.ok())
      return nullptr;
    // A tensor without elements has no data, and null would mean failure.
    void *data = const_cast<char *>(tensor->tensor_data().data());
    return data ? data : user;
  }

  std::unique_ptr<HostModel> model;
};

class DynReport final : public tf::OpKernel {
public:
  explicit DynReport(tf::OpKernelConstruction *context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("path", &path));
  }

  void Compute(tf::OpKernelContext *context) override {
    std::string report = Models::all().report(path);
    OP_REQUIRES(context, !report.empty(),
                absl::InternalError(dyn_last_error()));
    tf::Tensor *text = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &text));
    text->scalar<tf::tstring>()() = report;
  }

private:
  std::string path;
};

REGISTER_KERNEL_BUILDER(Name("DynRun").Device(tf::DEVICE_CPU), DynRun);
REGISTER_KERNEL_BUILDER(Name("DynReport").Device(tf::DEVICE_CPU), DynReport);

} // namespace
