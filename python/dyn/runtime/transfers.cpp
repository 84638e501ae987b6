//===- transfers.cpp - Operations of communicators on arrays --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays are sent from where they lie and received where they lie: nothing is
// copied but strided memory that is sent. A request keeps its arrays, and so
// does a call until it returns.
//
//===----------------------------------------------------------------------===//

#include "communicator.h"
#include "tensors.h"

#include <vector>

using namespace dyn::python;

/// Classes of which objects are made and read here.
static PyTypeObject *requestType, *numpyArrayType;

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// The memory of an array. `name` is that of the argument.
static Input borrow(PyObject *object, const std::string &name, bool writes) {
  std::optional<Input> input = toInput(object, numpyArrayType, !writes);
  if (!input)
    raise(PyExc_TypeError,
          name + ": expected a contiguous array of numpy or of anything with "
                 "DLPack");
  if (toDevice(input->deviceType) != DYN_DEVICE_CPU)
    raise(PyExc_TypeError, name + ": expected memory of the CPU");
  if (writes && !input->writeable)
    raise(PyExc_ValueError, name + ": expected an array that can be written");
  return std::move(*input);
}

namespace {

/// The arrays of an operation.
class Parts {
public:
  dyn_part_t add(PyObject *object, const std::string &name, bool writes) {
    inputs.push_back(borrow(object, name, writes));
    return {inputs.back().tensor.data, inputs.back().bytes()};
  }

  /// One array for each rank. None stands for no bytes.
  std::vector<dyn_part_t> addAll(PyObject *list, const std::string &name,
                                 bool writes, uint32_t ranks) {
    if (PyList_Size(list) != Py_ssize_t(ranks))
      raise(PyExc_ValueError, name + ": expected an array for each of " +
                                  std::to_string(ranks) + " ranks, got " +
                                  std::to_string(PyList_Size(list)));
    std::vector<dyn_part_t> parts(ranks);
    for (uint32_t i = 0; i < ranks; ++i)
      if (PyObject *object = PyList_GetItem(list, i); object != Py_None)
        parts[i] = add(object, name + "[" + std::to_string(i) + "]", writes);
    return parts;
  }

  const Input &back() const { return inputs.back(); }

private:
  std::vector<Input> inputs;
};

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

/// An operation that has begun, and its arrays. One that is dropped is waited
/// for, as its memory must stay.
class Request {
public:
  Request(dyn_request_t *request, Parts parts)
      : request(request), parts(std::move(parts)) {}
  ~Request() {
    if (request)
      unlocked([&] { return dyn_request_wait(request); });
  }

  Ref wait() {
    dyn_request_t *waiting = std::exchange(request, nullptr);
    if (!waiting)
      check(DYN_STATUS_INVALID_ARGUMENT, "the request has been waited for");
    check(unlocked([&] { return dyn_request_wait(waiting); }));
    parts = {};
    return toNone();
  }

private:
  dyn_request_t *request;
  Parts parts;
};

} // namespace

/// Runs or begins an operation, which is a function of the options and of where
/// the request goes. `next` has the deadline and whether to return a request.
template <typename Fn> static Ref run(Arguments &next, Parts parts, Fn begin) {
  dyn_transfer_options_t options = {};
  options.struct_size = sizeof(options);
  options.timeout_ns = toInteger<uint64_t>(next.next());
  const bool returns = PyObject_IsTrue(next.next()) == 1;
  dyn_request_t *request = nullptr;
  check(
      unlocked([&] { return begin(&options, returns ? &request : nullptr); }));
  if (!request)
    return toNone();
  return Boxed<Request>::make(
      requestType, std::make_unique<Request>(request, std::move(parts)));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// all_to_all(list of what is sent, list of what is received, ...)
Ref Communicator::allToAll(PyObject *args) {
  Arguments next(args, 4);
  Shared self = get();
  Parts parts;
  std::vector<dyn_part_t> sends = parts.addAll(
      next.next(), "sends", false, dyn_communicator_size(self.get()));
  std::vector<dyn_part_t> receives = parts.addAll(
      next.next(), "receives", true, dyn_communicator_size(self.get()));
  return run(next, std::move(parts), [&](auto *options, auto **request) {
    return dyn_communicator_all_to_all(self.get(), sends.data(),
                                       receives.data(), options, request);
  });
}

/// all_gather(array, list of what is received, ...)
Ref Communicator::allGather(PyObject *args) {
  Arguments next(args, 4);
  Shared self = get();
  Parts parts;
  dyn_part_t own = parts.add(next.next(), "array", false);
  std::vector<dyn_part_t> receives = parts.addAll(
      next.next(), "receives", true, dyn_communicator_size(self.get()));
  return run(next, std::move(parts), [&](auto *options, auto **request) {
    return dyn_communicator_all_gather(self.get(), own.data, own.bytes,
                                       receives.data(), options, request);
  });
}

/// broadcast(array, root, ...)
Ref Communicator::broadcast(PyObject *args) {
  Arguments next(args, 4);
  Shared self = get();
  PyObject *array = next.next();
  auto root = toInteger<uint32_t>(next.next());
  Parts parts;
  dyn_part_t part =
      parts.add(array, "array", dyn_communicator_rank(self.get()) != root);
  return run(next, std::move(parts), [&](auto *options, auto **request) {
    return dyn_communicator_broadcast(self.get(), root, part.data, part.bytes,
                                      options, request);
  });
}

/// all_reduce(array, result, reduction, order, ...)
Ref Communicator::allReduce(PyObject *args) {
  Arguments next(args, 6);
  Shared self = get();
  Parts parts;
  dyn_part_t elements = parts.add(next.next(), "array", false);
  auto dtype = dyn_dtype_t(parts.back().tensor.dtype);
  const uint64_t itemBytes = parts.back().itemBytes;
  dyn_part_t result = parts.add(next.next(), "out", true);
  if (parts.back().tensor.dtype != dtype || result.bytes != elements.bytes)
    raise(PyExc_ValueError, "out: expected the type and the elements of the "
                            "array");
  auto reduction = dyn_reduction_t(toInteger<uint32_t>(next.next()));
  auto order = dyn_reduction_order_t(toInteger<uint32_t>(next.next()));
  return run(next, std::move(parts), [&](auto *options, auto **request) {
    return dyn_communicator_all_reduce(self.get(), elements.data, result.data,
                                       elements.bytes / itemBytes, dtype,
                                       reduction, order, options, request);
  });
}

/// barrier(...)
Ref Communicator::barrier(PyObject *args) {
  Arguments next(args, 2);
  Shared self = get();
  return run(next, {}, [&](auto *options, auto **request) {
    return dyn_communicator_barrier(self.get(), options, request);
  });
}

/// send(array, rank, ...)
Ref Communicator::send(PyObject *args) {
  Arguments next(args, 4);
  Shared self = get();
  Parts parts;
  dyn_part_t part = parts.add(next.next(), "array", false);
  auto to = toInteger<uint32_t>(next.next());
  return run(next, std::move(parts), [&](auto *options, auto **request) {
    return dyn_communicator_send(self.get(), to, part.data, part.bytes, options,
                                 request);
  });
}

/// receive(array, rank, ...)
Ref Communicator::receive(PyObject *args) {
  Arguments next(args, 4);
  Shared self = get();
  Parts parts;
  dyn_part_t part = parts.add(next.next(), "array", true);
  auto from = toInteger<uint32_t>(next.next());
  return run(next, std::move(parts), [&](auto *options, auto **request) {
    return dyn_communicator_receive(self.get(), from, part.data, part.bytes,
                                    options, request);
  });
}

void dyn::python::addRequests(const Ref &module) {
  static PyMethodDef methods[] = {plainMethod<Request, &Request::wait>("wait"),
                                  {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(Boxed<Request>::destroy)},
      {Py_tp_methods, methods},
      {0, nullptr}};
  static PyType_Spec spec = {
      "dyn.runtime.native.Request", sizeof(Boxed<Request>), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  Ref type = Ref::take(PyType_FromSpec(&spec));
  expect(PyModule_AddObjectRef(module.get(), "Request", type.get()));
  requestType = reinterpret_cast<PyTypeObject *>(type.release());
  Ref numpy = Ref::take(PyImport_ImportModule("numpy"));
  Ref array = Ref::take(PyObject_GetAttrString(numpy.get(), "ndarray"));
  numpyArrayType = reinterpret_cast<PyTypeObject *>(array.release());
}
