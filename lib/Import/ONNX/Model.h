//===- Model.h - An ONNX model as in its file -----------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Structures that mirror the messages of onnx.proto, as far as the importer
// reads them. Strings and tensors are views of the mapped file.

#ifndef DYN_LIB_IMPORT_ONNX_MODEL_H
#define DYN_LIB_IMPORT_ONNX_MODEL_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dyn::onnx {

using Properties = std::vector<std::pair<llvm::StringRef, llvm::StringRef>>;

/// Versions of operator sets, by domain.
using Opsets = std::map<llvm::StringRef, int64_t>;

/// TensorProto.DataType, the values that have an element type in dhlo.
enum class DataType : int32_t {
  Undefined = 0,
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  UInt32 = 12,
  UInt64 = 13,
  BFloat16 = 16
};

/// TensorProto. Elements are not parsed; TensorData.h finds them.
struct Tensor {
  llvm::StringRef name;
  std::vector<int64_t> dims;
  int32_t dataType = 0;
  /// Present (perhaps empty) if the elements are raw bytes.
  std::optional<llvm::StringRef> raw;
  /// Whether the elements are in a file of their own, and where.
  bool external = false;
  Properties externalData;
  /// The whole message, for the elements in typed fields.
  llvm::StringRef message;
};

/// One size of a declared shape: a value, a name, or neither.
struct Dimension {
  std::optional<int64_t> value;
  llvm::StringRef param;
};

/// ValueInfoProto. `kind` is the field number of the type's case: 1 is a
/// tensor.
struct ValueInfo {
  llvm::StringRef name;
  uint32_t kind = 0;
  int32_t elemType = 0;
  /// Absent if the rank is not known.
  std::optional<std::vector<Dimension>> shape;
};

struct Graph;

/// AttributeProto.
struct NodeAttribute {
  llvm::StringRef name;
  llvm::StringRef refName;
  int32_t type = 0;
  float f = 0;
  int64_t i = 0;
  llvm::StringRef s;
  std::unique_ptr<Tensor> t;
  std::unique_ptr<Graph> g;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<llvm::StringRef> strings;
};

/// NodeProto.
struct Node {
  llvm::StringRef name;
  llvm::StringRef opType;
  llvm::StringRef domain;
  llvm::StringRef overload;
  std::vector<llvm::StringRef> inputs;
  std::vector<llvm::StringRef> outputs;
  std::vector<NodeAttribute> attributes;
};

/// GraphProto.
struct Graph {
  llvm::StringRef name;
  llvm::StringRef doc;
  std::vector<Node> nodes;
  std::vector<Tensor> initializers;
  bool hasSparseInitializers = false;
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
};

/// FunctionProto.
struct Function {
  llvm::StringRef name;
  llvm::StringRef domain;
  llvm::StringRef overload;
  std::vector<llvm::StringRef> inputs;
  std::vector<llvm::StringRef> outputs;
  std::vector<NodeAttribute> defaults;
  std::vector<Node> nodes;
  Opsets opsets;
};

/// ModelProto with its mapped file.
struct Model {
  /// As the user named it, its folder, and its name in the folder.
  std::string path;
  std::string folder;
  std::string file;
  std::unique_ptr<llvm::MemoryBuffer> buffer;

  int64_t irVersion = 0;
  llvm::StringRef producerName;
  llvm::StringRef producerVersion;
  llvm::StringRef domain;
  llvm::StringRef doc;
  int64_t modelVersion = 0;
  Properties metadata;
  Opsets opsets;
  std::optional<Graph> graph;
  std::vector<Function> functions;
};

/// Maps and parses the file. Null on failure, with `error` set.
///
/// Nesting and the number of objects are bounded before anything is allocated,
/// so that a small hostile file cannot take much memory.
std::unique_ptr<Model> readModel(llvm::StringRef path, std::string &error);

} // namespace dyn::onnx

#endif // DYN_LIB_IMPORT_ONNX_MODEL_H
