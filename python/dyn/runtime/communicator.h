//===- communicator.h - Communicators as Python objects -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PYTHON_RUNTIME_COMMUNICATOR_H
#define DYN_PYTHON_RUNTIME_COMMUNICATOR_H

#include "classes.h"

#include "dyn/comm.h"

namespace dyn::python {

/// A reference to a communicator until `close`. Calls that run then keep one of
/// their own.
///
/// Operations (transfers.cpp) end before they return None, or, if their last
/// argument is true, have begun when they return a Request. The argument before
/// it is their deadline in nanoseconds.
class Communicator {
public:
  using Shared = std::shared_ptr<dyn_communicator_t>;

  explicit Communicator(dyn_communicator_t *owned);

  Ref rank();
  Ref size();
  Ref close();
  Ref stats();
  Ref split(PyObject *args);

  Ref allToAll(PyObject *args);
  Ref allGather(PyObject *args);
  Ref broadcast(PyObject *args);
  Ref allReduce(PyObject *args);
  Ref barrier(PyObject *args);
  Ref send(PyObject *args);
  Ref receive(PyObject *args);

  /// Raises InvalidArgumentError after `close`.
  Shared get() const;

private:
  Shared handle;
};

/// The communicator of an object, null if it is None. Raises TypeError if the
/// object is something else.
Communicator::Shared toCommunicator(PyObject *object);

/// Adds the class and the functions that make communicators to the module.
void addCommunicators(const Ref &module);

/// Adds the class of requests.
void addRequests(const Ref &module);

} // namespace dyn::python

#endif // DYN_PYTHON_RUNTIME_COMMUNICATOR_H
