//===- classes.h - Python classes of C++ objects --------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PYTHON_RUNTIME_CLASSES_H
#define DYN_PYTHON_RUNTIME_CLASSES_H

#include "interpreter.h"

namespace dyn::python {

template <typename T, void (*Release)(T *)> struct Releaser {
  void operator()(T *object) const { Release(object); }
};
template <typename T, void (*Release)(T *)>
using Handle = std::unique_ptr<T, Releaser<T, Release>>;

/// The items of a tuple of arguments of a call. Lent by the tuple.
class Arguments {
public:
  Arguments(PyObject *tuple, Py_ssize_t count) : tuple(tuple) {
    if (PyTuple_Size(tuple) != count)
      raise(PyExc_TypeError, "expected " + std::to_string(count) +
                                 " arguments, got " +
                                 std::to_string(PyTuple_Size(tuple)));
  }
  PyObject *next() { return PyTuple_GetItem(tuple, index++); }

private:
  PyObject *tuple;
  Py_ssize_t index = 0;
};

/// A class of objects that hold a T.
template <typename T>
Ref makeClass(const char *name, PyMethodDef *methods, PyGetSetDef *attributes) {
  PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void *>(Boxed<T>::create)},
      {Py_tp_dealloc, reinterpret_cast<void *>(Boxed<T>::destroy)},
      {Py_tp_methods, methods},
      {Py_tp_getset, attributes},
      {0, nullptr}};
  PyType_Spec spec = {name, sizeof(Boxed<T>), 0, Py_TPFLAGS_DEFAULT, slots};
  return Ref::take(PyType_FromSpec(&spec));
}

template <typename T, Ref (T::*Method)(PyObject *)>
constexpr PyMethodDef method(const char *name) {
  return {name, Boxed<T>::template call<Method>, METH_VARARGS, nullptr};
}
template <typename T, Ref (T::*Method)()>
constexpr PyMethodDef plainMethod(const char *name) {
  return {name, Boxed<T>::template callPlain<Method>, METH_NOARGS, nullptr};
}
template <typename T, Ref (T::*Method)()>
constexpr PyGetSetDef attribute(const char *name) {
  return {name, Boxed<T>::template read<Method>, nullptr, nullptr, nullptr};
}

} // namespace dyn::python

#endif // DYN_PYTHON_RUNTIME_CLASSES_H
