//===- communicator.cpp - Communicators as Python objects -----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dyn.comm describes the functions and gives them their names. Every function
// that may wait releases the interpreter's lock.
//
//===----------------------------------------------------------------------===//

#include "communicator.h"

#include <algorithm>
#include <vector>

using namespace dyn::python;

static PyTypeObject *communicatorType;

//===----------------------------------------------------------------------===//
// The class
//===----------------------------------------------------------------------===//

static void release(dyn_communicator_t *communicator) {
  // Leaving a group may take as long as telling the other ranks.
  unlocked([&] { dyn_communicator_release(communicator); });
}

Communicator::Communicator(dyn_communicator_t *owned)
    : handle(owned, release) {}

Communicator::Shared Communicator::get() const {
  if (!handle)
    check(DYN_STATUS_INVALID_ARGUMENT, "the communicator is closed");
  return handle;
}

Ref Communicator::rank() {
  return toPython(dyn_communicator_rank(get().get()));
}

Ref Communicator::size() {
  return toPython(dyn_communicator_size(get().get()));
}

Ref Communicator::close() {
  // Another thread may run while the last reference is released.
  Shared closing = std::move(handle);
  return toNone();
}

Ref Communicator::stats() {
  dyn_communicator_stats_t stats = {};
  stats.struct_size = sizeof(stats);
  check(dyn_communicator_stats(get().get(), &stats));
  Ref result = Ref::take(PyDict_New());
  setItem(result, "operations", stats.operations);
  setItem(result, "messages_sent", stats.messages_sent);
  setItem(result, "messages_received", stats.messages_received);
  setItem(result, "bytes_sent", stats.bytes_sent);
  setItem(result, "bytes_received", stats.bytes_received);
  setItem(result, "headers_sent", stats.headers_sent);
  setItem(result, "header_bytes_sent", stats.header_bytes_sent);
  setItem(result, "waits", stats.waits);
  setItem(result, "wait_ns", stats.wait_ns);
  setItem(result, "memory_peers", stats.memory_peers);
  return result;
}

Communicator::Shared dyn::python::toCommunicator(PyObject *object) {
  if (object == Py_None)
    return nullptr;
  if (!PyObject_TypeCheck(object, communicatorType))
    raise(PyExc_TypeError, "expected a communicator");
  return Boxed<Communicator>::get(object).get();
}

//===----------------------------------------------------------------------===//
// Functions of the module
//===----------------------------------------------------------------------===//

static Ref wrap(dyn_communicator_t *owned) {
  return Boxed<Communicator>::make(communicatorType,
                                   std::make_unique<Communicator>(owned));
}

static dyn_communicator_options_t toOptions(Arguments &next) {
  dyn_communicator_options_t options = {};
  options.struct_size = sizeof(options);
  options.timeout_ns = toInteger<uint64_t>(next.next());
  options.link_rate = toInteger<uint64_t>(next.next());
  return options;
}

/// split(color, key): None for the color of no group.
Ref Communicator::split(PyObject *args) {
  Arguments next(args, 2);
  auto color = toInteger<uint32_t>(next.next());
  auto key = toInteger<uint32_t>(next.next());
  dyn_communicator_t *made = nullptr;
  Shared whole = get();
  check(unlocked(
      [&] { return dyn_communicator_split(whole.get(), color, key, &made); }));
  return made ? wrap(made) : toNone();
}

/// make_self(): the communicator of a single process.
static Ref makeSelf(PyObject *) {
  dyn_communicator_t *made = nullptr;
  check(dyn_communicator_create_self(&made));
  return wrap(made);
}

/// make_threads(size, nanoseconds, bytes per second): a list.
static Ref makeThreads(PyObject *args) {
  Arguments next(args, 3);
  auto size = toInteger<uint32_t>(next.next());
  dyn_communicator_options_t options = toOptions(next);
  std::vector<dyn_communicator_t *> made(std::max(size, 1u));
  check(dyn_communicator_create_threads(size, &options, made.data()));
  Ref list = Ref::take(PyList_New(0));
  for (uint32_t rank = 0; rank < size; ++rank)
    append(list, wrap(made[rank]));
  return list;
}

/// make_sockets(size, rank, address, port, nanoseconds to meet, over a network
/// only, nanoseconds, bytes per second)
static Ref makeSockets(PyObject *args) {
  Arguments next(args, 8);
  dyn_socket_options_t sockets = {};
  sockets.struct_size = sizeof(sockets);
  sockets.size = toInteger<uint32_t>(next.next());
  sockets.rank = toInteger<uint32_t>(next.next());
  sockets.address = toText(next.next());
  sockets.port = toInteger<uint32_t>(next.next());
  sockets.timeout_ns = toInteger<uint64_t>(next.next());
  sockets.network_only = toInteger<uint32_t>(next.next());
  dyn_communicator_options_t options = toOptions(next);
  dyn_communicator_t *made = nullptr;
  check(unlocked([&] {
    return dyn_communicator_create_sockets(&sockets, &options, &made);
  }));
  return wrap(made);
}

/// make_plugin(library, nanoseconds, bytes per second)
static Ref makePlugin(PyObject *args) {
  Arguments next(args, 3);
  const char *library = toBytes(next.next());
  dyn_communicator_options_t options = toOptions(next);
  dyn_communicator_t *made = nullptr;
  check(unlocked([&] {
    return dyn_communicator_create_plugin(library, &options, &made);
  }));
  return wrap(made);
}

template <Ref (*Function)(PyObject *)>
static PyObject *callFunction(PyObject *, PyObject *args) {
  return guarded([&] { return Function(args); });
}

template <Ref (*Function)(PyObject *)>
static constexpr PyMethodDef function(const char *name) {
  return {name, callFunction<Function>, METH_VARARGS, nullptr};
}

static PyMethodDef functions[] = {function<makeSelf>("make_self"),
                                  function<makeThreads>("make_threads"),
                                  function<makeSockets>("make_sockets"),
                                  function<makePlugin>("make_plugin"),
                                  {nullptr, nullptr, 0, nullptr}};

static PyMethodDef methods[] = {
    plainMethod<Communicator, &Communicator::close>("close"),
    plainMethod<Communicator, &Communicator::stats>("stats"),
    method<Communicator, &Communicator::split>("split"),
    method<Communicator, &Communicator::allToAll>("all_to_all"),
    method<Communicator, &Communicator::allGather>("all_gather"),
    method<Communicator, &Communicator::broadcast>("broadcast"),
    method<Communicator, &Communicator::allReduce>("all_reduce"),
    method<Communicator, &Communicator::barrier>("barrier"),
    method<Communicator, &Communicator::send>("send"),
    method<Communicator, &Communicator::receive>("receive"),
    {nullptr, nullptr, 0, nullptr}};

static PyGetSetDef attributes[] = {
    attribute<Communicator, &Communicator::rank>("rank"),
    attribute<Communicator, &Communicator::size>("size"),
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

void dyn::python::addCommunicators(const Ref &module) {
  // Only the functions make objects.
  PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void *>(Boxed<Communicator>::destroy)},
      {Py_tp_methods, methods},
      {Py_tp_getset, attributes},
      {0, nullptr}};
  PyType_Spec spec = {
      "dyn.runtime.native.Communicator", sizeof(Boxed<Communicator>), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  Ref type = Ref::take(PyType_FromSpec(&spec));
  expect(PyModule_AddObjectRef(module.get(), "Communicator", type.get()));
  communicatorType = reinterpret_cast<PyTypeObject *>(type.release());
  expect(PyModule_AddFunctions(module.get(), functions));
  addRequests(module);
}
