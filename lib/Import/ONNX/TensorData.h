//===- TensorData.h - Elements of ONNX tensors ----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_LIB_IMPORT_ONNX_TENSORDATA_H
#define DYN_LIB_IMPORT_ONNX_TENSORDATA_H

#include "Model.h"

#include "dyn/Dialect/DHLO/IR/DHLO.h"

#include "llvm/ADT/StringMap.h"

namespace dyn::onnx {

/// The dhlo element type of a TensorProto.DataType; null if it has none.
mlir::Type getElementType(mlir::MLIRContext *context, int32_t dataType);
/// The name that ONNX gives a data type, for diagnostics.
llvm::StringRef getDataTypeName(int32_t dataType);

/// Finds tensors' elements in the model's file and its external files.
class TensorData {
public:
  TensorData(const Model &model, mlir::MLIRContext *context)
      : model(model), context(context) {}

  /// The tensor as an attribute: elements if it is small, or if its elements
  /// are not stored as plain bytes; else a WeightAttr. Null on failure, with
  /// `error` set. `type` receives the tensor's type.
  mlir::Attribute get(const Tensor &tensor, mlir::RankedTensorType &type,
                      std::string &error);

  /// The bytes of a tensor of f32, if a file has them as such; else none.
  llvm::StringRef getFloats(const Tensor &tensor);

  /// The elements of raw little-endian bytes.
  static mlir::DenseElementsAttr makeElements(mlir::RankedTensorType type,
                                              llvm::ArrayRef<char> bytes);

private:
  /// Bytes in a file.
  struct Source {
    llvm::StringRef file;
    uint64_t offset = 0;
    llvm::StringRef bytes;
  };

  bool locate(const Tensor &tensor, uint64_t length, unsigned elementBytes,
              Source &source, std::string &error);
  bool locateExternal(const Tensor &tensor, uint64_t length, Source &source,
                      std::string &error);
  /// Maps a file of the model's folder; null on failure.
  llvm::MemoryBuffer *open(llvm::StringRef location, std::string &error);
  mlir::DenseElementsAttr readTyped(const Tensor &tensor,
                                    mlir::RankedTensorType type,
                                    std::string &error);

  const Model &model;
  mlir::MLIRContext *context;
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> files;
};

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_TENSORDATA_H
