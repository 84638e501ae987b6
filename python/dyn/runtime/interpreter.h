//===- interpreter.h - Utilities for CPython's C interface ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The extension uses CPython's limited interface of version 3.10, so that one
// build works with every Python from 3.10 on.
//
// When the interpreter ends, CPython unwinds the threads that wait for its
// lock, which C++ code on their stacks does not survive. Unlocked protects a
// thread from that, and nothing else here waits for the lock: the only Python
// code that runs is that of the classes of inputs.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PYTHON_RUNTIME_INTERPRETER_H
#define DYN_PYTHON_RUNTIME_INTERPRETER_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "dyn/runtime.h"

#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <unistd.h>
#include <utility>

namespace dyn::python {

/// Thrown when a Python exception has been set.
struct PythonError {};

/// A reference to an object, or none.
class Ref {
public:
  Ref() = default;
  /// Takes over a new reference; null means that an exception has been set.
  static Ref take(PyObject *object) {
    if (!object)
      throw PythonError();
    return Ref(object);
  }
  static Ref borrow(PyObject *object) {
    Py_INCREF(object);
    return Ref(object);
  }
  Ref(Ref &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Ref &operator=(Ref &&other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Ref() { Py_XDECREF(object); }

  explicit operator bool() const { return object; }
  PyObject *get() const { return object; }
  PyObject *release() { return std::exchange(object, nullptr); }

private:
  explicit Ref(PyObject *object) : object(object) {}

  PyObject *object = nullptr;
};

/// Throws if a function of CPython has failed, which returns 0 on success, and
/// otherwise -1 with an exception set.
inline void expect(int status) {
  if (status != 0)
    throw PythonError();
}

/// Calls a function that may throw on behalf of CPython, to which null means
/// that an exception has been set.
template <typename Fn> PyObject *guarded(Fn &&body) {
  try {
    return body().release();
  } catch (const PythonError &) {
    return nullptr;
  } catch (const std::bad_alloc &) {
    return PyErr_NoMemory();
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

inline Ref toNone() { return Ref::borrow(Py_None); }

/// Converts text with any bytes, such as the name of a file.
inline Ref toPython(const char *text) {
  return Ref::take(
      PyUnicode_DecodeUTF8(text, Py_ssize_t(std::strlen(text)), "replace"));
}

template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
Ref toPython(T number) {
  return Ref::take(std::is_signed_v<T> ? PyLong_FromLongLong(number)
                                       : PyLong_FromUnsignedLongLong(number));
}

inline void append(const Ref &list, const Ref &value) {
  expect(PyList_Append(list.get(), value.get()));
}

template <typename T>
void setItem(const Ref &dict, const char *name, const T &value) {
  expect(PyDict_SetItemString(dict.get(), name, toPython(value).get()));
}
inline void setItem(const Ref &dict, const char *name, const Ref &value) {
  expect(PyDict_SetItemString(dict.get(), name, value.get()));
}

/// Raises an exception of a built-in class.
[[noreturn]] inline void raise(PyObject *type, const std::string &message) {
  PyErr_SetString(type, message.c_str());
  throw PythonError();
}

/// Takes the exception that has been set, with its traceback; there must be
/// one.
inline Ref takeException() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback)
    PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return Ref::take(value);
}

/// Sets an exception again that was taken.
inline void setException(Ref exception) {
  PyObject *value = exception.release();
  auto *type = reinterpret_cast<PyObject *>(Py_TYPE(value));
  Py_INCREF(type);
  // PyErr_SetObject would replace the exception's context.
  PyErr_Restore(type, value, PyException_GetTraceback(value));
}

/// Adds a line to the text of the exception that has been set, which Python can
/// from 3.11 on.
inline void addNote(const std::string &note) {
  Ref exception = takeException();
  if (PyObject *done =
          PyObject_CallMethod(exception.get(), "add_note", "s", note.c_str()))
    Py_DECREF(done);
  else
    PyErr_Clear();
  setException(std::move(exception));
}

/// The integer value of an object, which must fit in T.
template <typename T> T toInteger(PyObject *object) {
  Ref index = Ref::take(PyNumber_Index(object));
  unsigned long long value = PyLong_AsUnsignedLongLong(index.get());
  if (PyErr_Occurred())
    throw PythonError();
  if (value > std::numeric_limits<T>::max())
    raise(PyExc_OverflowError,
          "expected at most " + std::to_string(std::numeric_limits<T>::max()) +
              ", got " + std::to_string(value));
  return T(value);
}

/// The bytes of an object, null if it is None. Lent by the object.
inline const char *toBytes(PyObject *object) {
  if (object == Py_None)
    return nullptr;
  char *bytes = nullptr;
  // Without a length argument, null bytes are refused.
  expect(PyBytes_AsStringAndSize(object, &bytes, nullptr));
  return bytes;
}

/// The text of an object, null if it is None. Lent by the object.
inline const char *toText(PyObject *object) {
  if (object == Py_None)
    return nullptr;
  const char *text = PyUnicode_AsUTF8AndSize(object, nullptr);
  if (!text)
    throw PythonError();
  return text;
}

//===----------------------------------------------------------------------===//
// Statuses and the lock
//===----------------------------------------------------------------------===//

/// Raises the exception of dyn.errors for a failed status. The only function
/// that converts statuses to exceptions.
inline void check(dyn_status_t status, const char *message = dyn_last_error()) {
  if (status == DYN_STATUS_OK)
    return;
  // The calls below may call the runtime.
  std::string said = message;
  Ref errors = Ref::take(PyImport_ImportModule("dyn.errors"));
  Ref classes = Ref::take(PyObject_GetAttrString(errors.get(), "CLASSES"));
  Ref type =
      Ref::take(PyObject_GetItem(classes.get(), toPython(int(status)).get()));
  PyErr_SetObject(type.get(), toPython(said.c_str()).get());
  throw PythonError();
}

/// Releases the interpreter's lock while it lives. If a thread cannot acquire
/// it again, because the interpreter ends, it pauses until the process has
/// ended.
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

/// Calls a function that may take long without the interpreter's lock.
template <typename Fn> auto unlocked(Fn &&body) {
  Unlocked released;
  return body();
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

/// A Python object that owns a C++ object.
template <typename T> struct Boxed {
  PyObject_HEAD T *object;

  static T &get(PyObject *self) {
    return *reinterpret_cast<Boxed *>(self)->object;
  }
  /// A new object of class `type`.
  static Ref make(PyTypeObject *type, std::unique_ptr<T> object) {
    Ref self = Ref::take(PyType_GenericAlloc(type, 0));
    reinterpret_cast<Boxed *>(self.get())->object = object.release();
    return self;
  }
  static void destroy(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    delete reinterpret_cast<Boxed *>(self)->object;
    reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
  }
  /// `T(args)`, where `args` is a tuple.
  static PyObject *create(PyTypeObject *type, PyObject *args, PyObject *) {
    return guarded([&] { return make(type, std::make_unique<T>(args)); });
  }
  /// A method of a tuple of arguments.
  template <Ref (T::*Method)(PyObject *)>
  static PyObject *call(PyObject *self, PyObject *args) {
    return guarded([&] { return (get(self).*Method)(args); });
  }
  /// A method without arguments.
  template <Ref (T::*Method)()>
  static PyObject *callPlain(PyObject *self, PyObject *) {
    return guarded([&] { return (get(self).*Method)(); });
  }
  /// An attribute.
  template <Ref (T::*Method)()> static PyObject *read(PyObject *self, void *) {
    return guarded([&] { return (get(self).*Method)(); });
  }
};

} // namespace dyn::python

#endif // DYN_PYTHON_RUNTIME_INTERPRETER_H
