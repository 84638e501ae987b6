//===- ModelReader.cpp - Parsing of ONNX models ---------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "Wire.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace dyn::onnx;
using llvm::StringRef;
using llvm::Twine;

namespace {

/// Graphs within attributes of nodes of graphs ...
constexpr unsigned kMaxDepth = 32;
/// Nodes, tensors, attributes, names, numbers in attributes: everything that
/// takes memory of its own. GPT-2 has about 40 thousand.
constexpr size_t kMaxObjects = 8 * 1000 * 1000;

// Numbers of fields are those of onnx.proto. Fields without a case are skipped:
// protobuf lets newer versions add some.
/// Parses messages into structures. Each `read` returns false after `fail`.
class Parser {
public:
  explicit Parser(std::string &error) : error(error) {}

  bool read(StringRef bytes, Model &model);

private:
  bool read(StringRef bytes, Graph &graph);
  bool read(StringRef bytes, Node &node);
  bool read(StringRef bytes, NodeAttribute &attribute);
  bool read(StringRef bytes, Tensor &tensor);
  bool read(StringRef bytes, ValueInfo &info);
  bool read(StringRef bytes, Function &function);
  bool readType(StringRef bytes, ValueInfo &info);
  bool readShape(StringRef bytes, ValueInfo &info);
  bool readProperty(StringRef bytes, Properties &properties);
  bool readOpset(StringRef bytes, Opsets &opsets);

  template <typename T> bool readInto(const WireField &field, T &object) {
    return needs(field, WireType::Bytes) && count() &&
           read(field.bytes, object);
  }
  template <typename T>
  bool append(const WireField &field, std::vector<T> &objects) {
    if (!needs(field, WireType::Bytes) || !count())
      return false;
    objects.emplace_back();
    return read(field.bytes, objects.back());
  }
  bool append(const WireField &field, std::vector<StringRef> &strings) {
    if (!needs(field, WireType::Bytes) || !count())
      return false;
    strings.push_back(field.bytes);
    return true;
  }
  bool append(const WireField &field, std::vector<int64_t> &values) {
    bool withinLimit = true;
    if (!forEachVarint(field, [&](uint64_t value) {
          withinLimit = withinLimit && count();
          if (withinLimit)
            values.push_back(static_cast<int64_t>(value));
        }))
      return fail("a list of integers is malformed");
    return withinLimit;
  }

  /// A string field must be of type Bytes; others are left as they are.
  bool text(const WireField &field, StringRef &value) {
    value = field.bytes;
    return needs(field, WireType::Bytes);
  }
  bool needs(const WireField &field, WireType type) {
    return field.type == type ||
           fail("field " + Twine(field.number) + " of a " + message +
                " has the wrong wire type");
  }
  bool count() {
    return ++objects <= kMaxObjects ||
           fail("it has more than " + Twine(kMaxObjects) + " parts");
  }
  /// The end of a message: true if all of it was well formed.
  bool finish(const WireReader &reader) {
    return !reader.failed() || fail(Twine("a ") + message + " is malformed");
  }
  bool fail(const Twine &why) {
    if (error.empty())
      error = why.str();
    return false;
  }

  std::string &error;
  const char *message = "ModelProto";
  size_t objects = 0;
  unsigned depth = 0;
};

bool Parser::readProperty(StringRef bytes, Properties &properties) {
  std::pair<StringRef, StringRef> property;
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    if (field.number == 1 && !text(field, property.first))
      return false;
    if (field.number == 2 && !text(field, property.second))
      return false;
  }
  properties.push_back(property);
  return count() && finish(reader);
}

bool Parser::readOpset(StringRef bytes, Opsets &opsets) {
  StringRef domain;
  int64_t version = 0;
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    if (field.number == 1 && !text(field, domain))
      return false;
    if (field.number == 2)
      version = field.getInt();
  }
  // Both are names of the domain of ONNX itself.
  opsets[domain == "ai.onnx" ? "" : domain] = version;
  return count() && finish(reader);
}

bool Parser::read(StringRef bytes, Tensor &tensor) {
  message = "TensorProto";
  tensor.message = bytes;
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    bool ok = true;
    switch (field.number) {
    case 1:
      ok = append(field, tensor.dims);
      break;
    case 2:
      tensor.dataType = static_cast<int32_t>(field.value);
      break;
    case 8:
      ok = text(field, tensor.name);
      break;
    case 9:
      ok = needs(field, WireType::Bytes);
      tensor.raw = field.bytes;
      break;
    case 13:
      ok = needs(field, WireType::Bytes) &&
           readProperty(field.bytes, tensor.externalData);
      break;
    case 14:
      // DataLocation: 0 is the message itself, 1 external_data.
      tensor.external = field.value == 1;
      break;
    default:
      break;
    }
    if (!ok)
      return false;
  }
  return finish(reader);
}

bool Parser::readShape(StringRef bytes, ValueInfo &info) {
  WireReader reader(bytes);
  info.shape.emplace();
  for (WireField field; reader.next(field);) {
    if (field.number != 1)
      continue;
    if (!needs(field, WireType::Bytes) || !count())
      return false;
    Dimension dim;
    WireReader dimReader(field.bytes);
    for (WireField part; dimReader.next(part);) {
      if (part.number == 1)
        dim.value = part.getInt();
      if (part.number == 2 && !text(part, dim.param))
        return false;
    }
    if (!finish(dimReader))
      return false;
    info.shape->push_back(dim);
  }
  return finish(reader);
}

bool Parser::readType(StringRef bytes, ValueInfo &info) {
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    // Field 6 is a denotation; the others are the cases of the type.
    if (field.number == 6)
      continue;
    info.kind = field.number;
    if (field.number != 1)
      continue;
    if (!needs(field, WireType::Bytes))
      return false;
    WireReader tensor(field.bytes);
    for (WireField part; tensor.next(part);) {
      if (part.number == 1)
        info.elemType = static_cast<int32_t>(part.value);
      if (part.number == 2 &&
          (!needs(part, WireType::Bytes) || !readShape(part.bytes, info)))
        return false;
    }
    if (!finish(tensor))
      return false;
  }
  return finish(reader);
}

bool Parser::read(StringRef bytes, ValueInfo &info) {
  message = "ValueInfoProto";
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    if (field.number == 1 && !text(field, info.name))
      return false;
    if (field.number == 2 &&
        (!needs(field, WireType::Bytes) || !readType(field.bytes, info)))
      return false;
  }
  return finish(reader);
}

bool Parser::read(StringRef bytes, NodeAttribute &attribute) {
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    // Fields that hold messages have changed it.
    message = "AttributeProto";
    bool ok = true;
    switch (field.number) {
    case 1:
      ok = text(field, attribute.name);
      break;
    case 2:
      ok = needs(field, WireType::Fixed32);
      attribute.f = field.getFloat();
      break;
    case 3:
      ok = needs(field, WireType::Varint);
      attribute.i = field.getInt();
      break;
    case 4:
      ok = text(field, attribute.s);
      break;
    case 5:
      attribute.t = std::make_unique<Tensor>();
      ok = readInto(field, *attribute.t);
      break;
    case 6:
      if (++depth > kMaxDepth)
        return fail("graphs are nested more than " + Twine(kMaxDepth) +
                    " deep");
      attribute.g = std::make_unique<Graph>();
      ok = readInto(field, *attribute.g);
      --depth;
      break;
    case 7:
      // A repeated float is packed, or a field for each element: parsers must
      // accept both.
      if (field.type == WireType::Fixed32) {
        attribute.floats.push_back(field.getFloat());
        ok = count();
        break;
      }
      if (!needs(field, WireType::Bytes) || field.bytes.size() % 4 != 0)
        return fail("a list of floats is malformed");
      for (size_t i = 0; i < field.bytes.size() && ok; i += 4) {
        float value;
        std::memcpy(&value, field.bytes.data() + i, 4);
        attribute.floats.push_back(value);
        ok = count();
      }
      break;
    case 8:
      ok = append(field, attribute.ints);
      break;
    case 9:
      ok = append(field, attribute.strings);
      break;
    case 20:
      attribute.type = static_cast<int32_t>(field.value);
      break;
    case 21:
      ok = text(field, attribute.refName);
      break;
    default:
      break;
    }
    if (!ok)
      return false;
  }
  return finish(reader);
}

bool Parser::read(StringRef bytes, Node &node) {
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    message = "NodeProto";
    bool ok = true;
    switch (field.number) {
    case 1:
      ok = append(field, node.inputs);
      break;
    case 2:
      ok = append(field, node.outputs);
      break;
    case 3:
      ok = text(field, node.name);
      break;
    case 4:
      ok = text(field, node.opType);
      break;
    case 5:
      ok = append(field, node.attributes);
      break;
    case 7:
      ok = text(field, node.domain);
      if (node.domain == "ai.onnx")
        node.domain = "";
      break;
    case 8:
      ok = text(field, node.overload);
      break;
    default:
      break;
    }
    if (!ok)
      return false;
  }
  return finish(reader);
}

bool Parser::read(StringRef bytes, Graph &graph) {
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    message = "GraphProto";
    bool ok = true;
    switch (field.number) {
    case 1:
      ok = append(field, graph.nodes);
      break;
    case 2:
      ok = text(field, graph.name);
      break;
    case 5:
      ok = append(field, graph.initializers);
      break;
    case 10:
      ok = text(field, graph.doc);
      break;
    case 11:
      ok = append(field, graph.inputs);
      break;
    case 12:
      ok = append(field, graph.outputs);
      break;
    case 15:
      graph.hasSparseInitializers = true;
      break;
    default:
      break;
    }
    if (!ok)
      return false;
  }
  return finish(reader);
}

bool Parser::read(StringRef bytes, Function &function) {
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    message = "FunctionProto";
    bool ok = true;
    switch (field.number) {
    case 1:
      ok = text(field, function.name);
      break;
    case 4:
      ok = append(field, function.inputs);
      break;
    case 5:
      ok = append(field, function.outputs);
      break;
    case 7:
      ok = append(field, function.nodes);
      break;
    case 9:
      ok = needs(field, WireType::Bytes) &&
           readOpset(field.bytes, function.opsets);
      break;
    case 10:
      ok = text(field, function.domain);
      break;
    case 11:
      ok = append(field, function.defaults);
      break;
    case 13:
      ok = text(field, function.overload);
      break;
    default:
      break;
    }
    if (!ok)
      return false;
  }
  return finish(reader);
}

bool Parser::read(StringRef bytes, Model &model) {
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    message = "ModelProto";
    bool ok = true;
    switch (field.number) {
    case 1:
      ok = needs(field, WireType::Varint);
      model.irVersion = field.getInt();
      break;
    case 2:
      ok = text(field, model.producerName);
      break;
    case 3:
      ok = text(field, model.producerVersion);
      break;
    case 4:
      ok = text(field, model.domain);
      break;
    case 5:
      model.modelVersion = field.getInt();
      break;
    case 6:
      ok = text(field, model.doc);
      break;
    case 7:
      model.graph.emplace();
      ok = readInto(field, *model.graph);
      break;
    case 8:
      ok =
          needs(field, WireType::Bytes) && readOpset(field.bytes, model.opsets);
      break;
    case 14:
      ok = needs(field, WireType::Bytes) &&
           readProperty(field.bytes, model.metadata);
      break;
    case 25:
      ok = append(field, model.functions);
      break;
    default:
      break;
    }
    if (!ok)
      return false;
  }
  message = "ModelProto";
  return finish(reader);
}

} // namespace

std::unique_ptr<Model> dyn::onnx::readModel(StringRef path,
                                            std::string &error) {
  auto model = std::make_unique<Model>();
  model->path = path.str();
  model->folder = llvm::sys::path::parent_path(path).str();
  model->file = llvm::sys::path::filename(path).str();
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(path, status)) {
    error = "cannot open: " + code.message();
    return nullptr;
  }
  // Only a regular file can be mapped; a pipe would block.
  if (!llvm::sys::fs::is_regular_file(status)) {
    error = "cannot open: expected a regular file";
    return nullptr;
  }
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    error = "cannot open: " + buffer.getError().message();
    return nullptr;
  }
  model->buffer = std::move(*buffer);
  std::string why;
  bool parsed = Parser(why).read(model->buffer->getBuffer(), *model);
  if (parsed && !model->graph) {
    why = "it holds no graph";
    parsed = false;
  }
  if (!parsed) {
    error = "expected an ONNX model: " + why;
    return nullptr;
  }
  return model;
}
