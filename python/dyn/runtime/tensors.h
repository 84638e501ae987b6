//===- tensors.h - Arrays of Python as tensors, and back ------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_PYTHON_RUNTIME_TENSORS_H
#define DYN_PYTHON_RUNTIME_TENSORS_H

#include "dlpack.h"
#include "interpreter.h"

#include "dyn/runtime.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace dyn::python {

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// An array that is read in place.
struct Input {
  dyn_tensor_t tensor;
  int deviceType;   ///< DLPack's
  Ref owner;        ///< keeps the memory
  size_t itemBytes; ///< of an element, which need not have a type of dyn
  bool writeable;

  uint64_t bytes() const {
    uint64_t bytes = itemBytes;
    for (uint32_t i = 0; i < tensor.rank; ++i)
      bytes *= uint64_t(tensor.shape[i]);
    return bytes;
  }
};

/// An attribute of an object, or none. `name` is made once.
inline Ref findAttribute(PyObject *object, PyObject *name) {
  PyObject *found = PyObject_GetAttr(object, name);
  if (found)
    return Ref::take(found);
  if (!PyErr_ExceptionMatches(PyExc_AttributeError))
    throw PythonError();
  PyErr_Clear();
  return {};
}

/// The array in a capsule of numpy's array interface.
inline std::optional<Input> fromArrayStruct(Ref capsule) {
  auto *array = static_cast<ArrayInterface *>(
      PyCapsule_GetPointer(capsule.get(), nullptr));
  if (!array || array->two != 2) {
    PyErr_Clear();
    return std::nullopt;
  }
  const int wanted = kContiguous | kNative;
  if ((array->flags & wanted) != wanted)
    return std::nullopt;
  uint32_t dtype = 0;
  if (std::optional<uint8_t> code = toTypeCode(array->kind))
    dtype = toDtype({*code, uint8_t(8 * array->itemSize), 1});
  static_assert(sizeof(*array->shape) == sizeof(int64_t),
                "shapes are borrowed as they are");
  return Input{{array->data, reinterpret_cast<const int64_t *>(array->shape),
                dtype, uint32_t(array->rank), DYN_DEVICE_CPU, 0},
               kCpu,
               std::move(capsule),
               size_t(array->itemSize),
               (array->flags & kWriteable) != 0};
}

/// Copies the elements of a tensor to `to` in row-major order, from axis `axis`
/// on. `element` is the one at the present position of the axes before it.
inline void copyElements(const DLTensor &tensor, int32_t axis,
                         const char *element, size_t bytes, char *&to) {
  if (axis == tensor.rank) {
    std::memcpy(to, element, bytes);
    to += bytes;
    return;
  }
  const int64_t step = tensor.strides[axis] * int64_t(bytes);
  for (int64_t i = 0; i < tensor.shape[axis]; ++i)
    copyElements(tensor, axis + 1, element + i * step, bytes, to);
}

/// The elements of a tensor of the host with strides, copied to a bytes object.
inline Ref copyToBytes(const DLTensor &tensor, size_t bytes) {
  auto size = Py_ssize_t(bytes);
  for (int32_t i = 0; i < tensor.rank; ++i)
    if (__builtin_mul_overflow(size, tensor.shape[i], &size)) {
      PyErr_NoMemory();
      throw PythonError();
    }
  Ref copy = Ref::take(PyBytes_FromStringAndSize(nullptr, size));
  char *to = PyBytes_AsString(copy.get());
  unlocked([&] {
    copyElements(tensor, 0, static_cast<char *>(tensor.data) + tensor.offset,
                 bytes, to);
  });
  return copy;
}

/// The array in a capsule of DLPack, whose producer frees it with the capsule.
/// Copies it if it has strides and `copies` allows it, unless it is a device's.
inline std::optional<Input> fromDLPack(Ref capsule, bool copies) {
  DLTensor *tensor = nullptr;
  bool readOnly = false;
  const char *name = "dltensor", *versioned = "dltensor_versioned";
  if (PyCapsule_IsValid(capsule.get(), name))
    tensor = &static_cast<DLManagedTensor *>(
                  PyCapsule_GetPointer(capsule.get(), name))
                  ->tensor;
  else if (PyCapsule_IsValid(capsule.get(), versioned)) {
    auto *managed = static_cast<DLManagedTensorVersioned *>(
        PyCapsule_GetPointer(capsule.get(), versioned));
    tensor = &managed->tensor;
    readOnly = managed->flags & kReadOnly;
  }
  if (!tensor || tensor->rank < 0)
    return std::nullopt;
  char *data = static_cast<char *>(tensor->data);
  if (data)
    data += tensor->offset;
  const uint32_t dtype = toDtype(tensor->dtype);
  if (!isContiguous(*tensor)) {
    if (!copies || !dtype || toDevice(tensor->device.type) != DYN_DEVICE_CPU)
      return std::nullopt;
    Ref copy = copyToBytes(*tensor, dyn_dtype_size(dyn_dtype_t(dtype)));
    data = PyBytes_AsString(copy.get());
    // The shape stays the capsule's.
    capsule = Ref::take(PyTuple_Pack(2, capsule.get(), copy.get()));
  }
  return Input{{data, tensor->shape, dtype, uint32_t(tensor->rank),
                DYN_DEVICE_CPU, tensor->device.ordinal},
               tensor->device.type,
               std::move(capsule),
               size_t(tensor->dtype.bits) * tensor->dtype.lanes / 8,
               !readOnly};
}

/// Calls `__dlpack__`, with a version for producers that may pass read-only
/// arrays: they raise BufferError without it. Raises what the producer raises.
inline Ref callDLPack(const Ref &method) {
  Ref nothing = Ref::take(PyTuple_New(0));
  if (PyObject *capsule = PyObject_Call(method.get(), nothing.get(), nullptr))
    return Ref::take(capsule);
  if (!PyErr_ExceptionMatches(PyExc_BufferError))
    throw PythonError();
  Ref first = takeException();
  Ref options = Ref::take(Py_BuildValue("{s:(ii)}", "max_version", 1, 0));
  if (PyObject *capsule =
          PyObject_Call(method.get(), nothing.get(), options.get()))
    return Ref::take(capsule);
  // Older producers take no version, which says nothing about the array.
  if (PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    setException(std::move(first));
    throw PythonError();
  }
  Ref second = takeException();
  PyException_SetContext(second.get(), first.release());
  setException(std::move(second));
  throw PythonError();
}

inline void release(DLManagedTensorVersioned *managed) {
  if (managed->deleter)
    managed->deleter(managed);
}

/// The array of an object of the host by DLPack's functions of C, which take a
/// twentieth of the time of `__dlpack__` and check less: for arrays that the
/// caller may read. None if its class itself has none (subclasses may keep
/// their elements elsewhere), or if they do not describe a type of dyn.
inline Ref exchange(PyObject *object) {
  static PyObject *const attribute =
      PyUnicode_InternFromString("__dlpack_c_exchange_api__");
  static PyObject *const members = PyUnicode_InternFromString("__dict__");
  Ref own =
      findAttribute(reinterpret_cast<PyObject *>(Py_TYPE(object)), members);
  PyObject *item = own ? PyObject_GetItem(own.get(), attribute) : nullptr;
  if (!item) {
    PyErr_Clear();
    return {};
  }
  Ref found = Ref::take(item);
  if (!PyCapsule_IsValid(found.get(), "dlpack_exchange_api"))
    return {};
  auto *api = static_cast<DLPackExchangeAPI *>(
      PyCapsule_GetPointer(found.get(), "dlpack_exchange_api"));
  DLManagedTensorVersioned *managed = nullptr;
  if (api->major != 1 || api->fromObject(object, &managed) != 0) {
    // `__dlpack__` says why.
    PyErr_Clear();
    return {};
  }
  PyObject *made =
      PyCapsule_New(managed, "dltensor_versioned", [](PyObject *capsule) {
        release(static_cast<DLManagedTensorVersioned *>(
            PyCapsule_GetPointer(capsule, "dltensor_versioned")));
      });
  if (!made)
    release(managed);
  Ref capsule = Ref::take(made);
  // Memory of a device needs the order of streams that `__dlpack__` makes.
  if (managed->tensor.device.type != kCpu || !toDtype(managed->tensor.dtype))
    return {};
  return capsule;
}

/// Borrows the memory of a contiguous numpy array, or of any object with
/// DLPack, which is copied if it is strided memory of the host and `copies`
/// allows it. `numpyArray` is the class of the former. `isPlain` says that the
/// object's elements are those in its memory, and may be read without a check
/// of its library (`exchange`).
inline std::optional<Input> toInput(PyObject *object, PyTypeObject *numpyArray,
                                    bool copies = true, bool isPlain = false) {
  static PyObject *const arrayStruct =
      PyUnicode_InternFromString("__array_struct__");
  static PyObject *const dlpack = PyUnicode_InternFromString("__dlpack__");
  if (!PyObject_TypeCheck(object, numpyArray)) {
    if (PyCapsule_CheckExact(object))
      return fromDLPack(Ref::borrow(object), copies);
    if (isPlain)
      if (Ref capsule = exchange(object))
        return fromDLPack(std::move(capsule), copies);
    if (Ref method = findAttribute(object, dlpack))
      if (Ref capsule = callDLPack(method))
        return fromDLPack(std::move(capsule), copies);
  }
  if (Ref capsule = findAttribute(object, arrayStruct))
    if (PyCapsule_CheckExact(capsule.get()))
      return fromArrayStruct(std::move(capsule));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

inline void adviseHugePages(void *block, uint64_t bytes) {
  const uint64_t page = 4096;
  uint64_t begin = (reinterpret_cast<uint64_t>(block) + page - 1) / page * page;
  uint64_t end = (reinterpret_cast<uint64_t>(block) + bytes) / page * page;
  ::madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
}

/// Memory of the outputs of one call, until arrays own it.
class Outputs {
public:
  explicit Outputs(size_t count) : memory(count) {}

  static void *allocate(void *user, uint32_t output, dyn_dtype_t, uint32_t,
                        const int64_t *, uint64_t bytes) {
    const uint64_t alignment = 64;
    if (bytes > UINT64_MAX - alignment)
      return nullptr;
    uint64_t rounded = (bytes / alignment + 1) * alignment;
    void *block = std::aligned_alloc(alignment, rounded);
    // Page faults of new memory cost more than writing it, unless pages are
    // huge.
    const uint64_t hugeFrom = 4 << 20;
    if (block && rounded >= hugeFrom)
      adviseHugePages(block, rounded);
    static_cast<Outputs *>(user)->memory[output].reset(block, std::free);
    return block;
  }

  std::shared_ptr<void> take(size_t index) { return std::move(memory[index]); }

private:
  std::vector<std::shared_ptr<void>> memory;
};

/// An output as Python sees it, by numpy's array interface and by DLPack.
class Array {
public:
  /// `owner` keeps the memory.
  Array(const dyn_tensor_t &tensor, std::shared_ptr<void> owner)
      : tensor(tensor), shape(tensor.shape, tensor.shape + tensor.rank),
        strides(tensor.rank), owner(std::move(owner)) {
    auto step = intptr_t(dyn_dtype_size(dyn_dtype_t(tensor.dtype)));
    interface.two = 2;
    interface.rank = int(tensor.rank);
    interface.kind = toKind(tensor.dtype);
    interface.itemSize = int(step);
    interface.flags = kContiguous | kAligned | kNative | kWriteable;
    for (size_t i = shape.size(); i-- > 0;) {
      strides[i] = step;
      step *= shape[i];
    }
    interface.shape = reinterpret_cast<intptr_t *>(shape.data());
    interface.strides = strides.data();
    interface.data = tensor.data;
  }

  /// `__array_struct__` of the object `self`.
  static PyObject *arrayStruct(PyObject *self, void *) {
    return guarded([&] {
      Array &array = Boxed<Array>::get(self);
      if (array.tensor.device != DYN_DEVICE_CPU)
        raise(PyExc_AttributeError, "the array lies on a device: use DLPack");
      Ref capsule = Ref::take(
          PyCapsule_New(&array.interface, nullptr, [](PyObject *capsule) {
            Py_DECREF(static_cast<PyObject *>(PyCapsule_GetContext(capsule)));
          }));
      Py_INCREF(self);
      expect(PyCapsule_SetContext(capsule.get(), self));
      return capsule;
    });
  }

  static PyObject *dlpack(PyObject *self, PyObject *, PyObject *) {
    return guarded([&] { return Boxed<Array>::get(self).toDLPack(); });
  }

  Ref dlpackDevice() {
    DLDevice device = getDevice();
    return Ref::take(Py_BuildValue("(ii)", device.type, device.ordinal));
  }

  static PyTypeObject *makeType() {
    static PyMethodDef methods[] = {
        {"__dlpack__",
         reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(dlpack)),
         METH_VARARGS | METH_KEYWORDS, nullptr},
        {"__dlpack_device__", Boxed<Array>::callPlain<&Array::dlpackDevice>,
         METH_NOARGS, nullptr},
        {nullptr, nullptr, 0, nullptr}};
    static PyGetSetDef attributes[] = {
        {"__array_struct__", arrayStruct, nullptr, nullptr, nullptr},
        {nullptr, nullptr, nullptr, nullptr, nullptr}};
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, reinterpret_cast<void *>(Boxed<Array>::destroy)},
        {Py_tp_methods, methods},
        {Py_tp_getset, attributes},
        {0, nullptr}};
    static PyType_Spec spec = {
        "dyn.runtime.native.Array", sizeof(Boxed<Array>), 0,
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    return reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  }

private:
  /// The data that a consumer of DLPack owns until it deletes it.
  struct Shared {
    DLManagedTensor managed;
    std::vector<int64_t> shape, strides;
    std::shared_ptr<void> owner;
  };

  DLDevice getDevice() const {
    if (tensor.device == DYN_DEVICE_CPU)
      return {kCpu, 0};
    return {kCuda, tensor.device_ordinal};
  }

  Ref toDLPack() {
    auto shared = std::make_unique<Shared>(Shared{{}, shape, {}, owner});
    auto bytes = int64_t(dyn_dtype_size(dyn_dtype_t(tensor.dtype)));
    for (intptr_t stride : strides)
      shared->strides.push_back(stride / bytes);
    shared->managed.tensor = {tensor.data,
                              getDevice(),
                              int32_t(shape.size()),
                              fromDtype(tensor.dtype),
                              shared->shape.data(),
                              shared->strides.data(),
                              0};
    shared->managed.context = shared.get();
    shared->managed.deleter = [](DLManagedTensor *managed) {
      delete static_cast<Shared *>(managed->context);
    };
    Ref capsule = Ref::take(
        PyCapsule_New(&shared->managed, "dltensor", [](PyObject *capsule) {
          // A consumer has renamed the capsule.
          if (!PyCapsule_IsValid(capsule, "dltensor"))
            return;
          auto *managed = static_cast<DLManagedTensor *>(
              PyCapsule_GetPointer(capsule, "dltensor"));
          managed->deleter(managed);
        }));
    shared.release();
    return capsule;
  }

  dyn_tensor_t tensor;
  std::vector<int64_t> shape;
  std::vector<intptr_t> strides; ///< in bytes
  std::shared_ptr<void> owner;
  ArrayInterface interface = {};
};

} // namespace dyn::python

#endif // DYN_PYTHON_RUNTIME_TENSORS_H
