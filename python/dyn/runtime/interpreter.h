//===- interpreter.h - What the extension wants of CPython --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// When the interpreter ends, CPython unwinds the threads that wait for its
// lock, which no C++ on the way survives. Unlocked keeps a thread from that,
// and nothing else here waits for the lock: no code of Python runs but that of
// the classes of inputs.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PYTHON_RUNTIME_INTERPRETER_H
#define DYN_PYTHON_RUNTIME_INTERPRETER_H

#include "dyn/runtime.h"

#include <nanobind/nanobind.h>

#include <cstring>
#include <unistd.h>

namespace dyn::python {
namespace nb = nanobind;

/// Text that may quote anything, such as the name of a file.
inline nb::str toText(const char *text) {
  return nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(text, Py_ssize_t(std::strlen(text)), "replace"));
}

/// Throws the exception of dyn.errors for a failed status. The one place where
/// statuses become exceptions.
inline void check(dyn_status_t status, const char *message = dyn_last_error()) {
  if (status == DYN_STATUS_OK)
    return;
  nb::object type =
      nb::module_::import_("dyn.errors").attr("CLASSES")[nb::int_(int(status))];
  PyErr_SetObject(type.ptr(), toText(message).ptr());
  throw nb::python_error();
}

/// Gives the interpreter's lock away while it lives. A thread that cannot have
/// it back, because the interpreter ends, stays here until the process is gone.
class Unlocked {
public:
  Unlocked() : thread(PyEval_SaveThread()) {}
  ~Unlocked() {
    try {
      PyEval_RestoreThread(thread);
    } catch (...) {
      while (true)
        ::pause();
    }
  }
  Unlocked(const Unlocked &) = delete;

private:
  PyThreadState *thread;
};

/// Calls what may take its time without the interpreter's lock.
template <typename Fn> auto unlocked(Fn &&body) {
  Unlocked released;
  return body();
}

} // namespace dyn::python

#endif // DYN_PYTHON_RUNTIME_INTERPRETER_H
