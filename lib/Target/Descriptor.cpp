//===- Descriptor.cpp - Reads the descriptor from a lowered module --------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Target/Descriptor.h"

#include "dyn/Codegen/CPU/CodegenCPU.h"
#include "dyn/Conversion/DLHLOToLLVM/DLHLOToLLVM.h"
#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"
#include "dyn/Dialect/Dist/IR/Dist.h"
#include "dyn/Interpreter/ConstantEvaluator.h"
#include "dyn/Support/Dtype.h"
#include "dyn/Target/SharedWeights.h"
#include "dyn/artifact.h"

#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace dyn;

static_assert(int(dlhlo::Activation::None) == DYN_ACTIVATION_NONE &&
                  int(dlhlo::Activation::Relu) == DYN_ACTIVATION_RELU &&
                  int(dlhlo::Activation::GeluTanh) == DYN_ACTIVATION_GELU_TANH,
              "activations");

std::string dyn::getBodySymbol(StringRef kernel, Isa isa) {
  return (kernel + ".body." + getIsaName(isa)).str();
}

std::string dyn::getGeometrySymbol(StringRef kernel, Isa isa) {
  return (kernel + ".geometry." + getIsaName(isa)).str();
}

namespace {

/// Writes sizes in terms of numbered symbols.
class SizeWriter {
public:
  explicit SizeWriter(const SymbolicDims &dims) : dims(dims) {}

  /// Assigns the next number to a symbol.
  void add(StringAttr symbol) {
    int32_t number = indices.size();
    indices[symbol] = number;
  }

  SizeDescription describe(dhlo::DimExpr size) const {
    SizeDescription out;
    // A symbol with one value is bound and checked like any other.
    if (size.isSymbol() && indices.count(size.getName())) {
      out.dim = indices.lookup(size.getName());
      out.text = size.getName().str();
      return out;
    }
    dhlo::DimExpr expanded = dims.expand(size);
    if (auto value = dhlo::getConstantValue(expanded)) {
      out.extent = *value;
      out.text = std::to_string(*value);
      return out;
    }
    bool isKnown = true;
    dhlo::walkSymbols(expanded, [&](StringAttr name) {
      isKnown &= indices.count(name) != 0;
    });
    // In text, a symbol is its name: "2 * batch + 1".
    llvm::raw_string_ostream os(out.text);
    dhlo::printDimExpr(os, isKnown ? expanded : size);
    llvm::erase(out.text, '@');
    if (!isKnown)
      return out;
    if (expanded.isSymbol())
      out.dim = indices.lookup(expanded.getName());
    else
      encode(expanded, out.code);
    return out;
  }

private:
  /// Appends postfix code; see dyn_size_op_t.
  void encode(dhlo::DimExpr expr, std::vector<int64_t> &code) const {
    using dhlo::DimExprKind;
    auto constant = [&](int64_t value) {
      code.insert(code.end(), {DYN_SIZE_CONST, value});
    };
    auto getOp = [](DimExprKind kind) -> int64_t {
      switch (kind) {
      case DimExprKind::Add:
        return DYN_SIZE_ADD;
      case DimExprKind::Mul:
        return DYN_SIZE_MUL;
      case DimExprKind::FloorDiv:
        return DYN_SIZE_FLOORDIV;
      case DimExprKind::CeilDiv:
        return DYN_SIZE_CEILDIV;
      case DimExprKind::Mod:
        return DYN_SIZE_MOD;
      case DimExprKind::Min:
        return DYN_SIZE_MIN;
      case DimExprKind::Max:
        return DYN_SIZE_MAX;
      case DimExprKind::Broadcast:
        return DYN_SIZE_BROADCAST;
      case DimExprKind::Const:
      case DimExprKind::Symbol:
        break;
      }
      llvm_unreachable("constants and symbols are leaves");
    };
    if (expr.isConst())
      return constant(expr.getValue());
    if (expr.isSymbol()) {
      code.insert(code.end(), {DYN_SIZE_DIM, indices.lookup(expr.getName())});
      return;
    }
    for (unsigned i = 0; i != expr.getNumOperands(); ++i) {
      encode(expr.getOperand(i), code);
      if (i != 0)
        code.push_back(getOp(expr.getKind()));
    }
    // Additions and multiplications keep their constant apart from their
    // operands.
    bool isSum = expr.getKind() == DimExprKind::Add;
    bool isGemm = expr.getKind() == DimExprKind::Mul;
    if ((isSum && expr.getValue() != 0) || (isGemm && expr.getValue() != 1)) {
      constant(expr.getValue());
      code.push_back(getOp(expr.getKind()));
    }
  }

  const SymbolicDims &dims;
  llvm::DenseMap<StringAttr, int32_t> indices;
};

/// Reads one entry: its signature in terms of the symbols that inputs bind.
class EntryReader {
public:
  EntryReader(dlhlo::EntryOp entry, const SymbolicDims &dims)
      : entry(entry), dims(dims), sizes(dims) {}

  LogicalResult read(EntryDescription &out) {
    out.name = entry.getSymName().str();
    out.function = entry.getFunction().str();
    out.arenas = entry.getArenas();
    if (dist::PartAttr part = dist::getPart(entry)) {
      out.partOf = part.getEntry().str();
      out.rank = part.getRank();
      out.ranks = part.getRanks();
    }
    if (auto read =
            entry->getAttrOfType<DenseI32ArrayAttr>(kEntryConstantsAttr))
      out.constants.assign(read.asArrayRef().begin(), read.asArrayRef().end());
    for (auto symbol : entry.getDims().getAsRange<FlatSymbolRefAttr>()) {
      sizes.add(symbol.getAttr());
      out.dims.push_back(describeDim(symbol.getAttr()));
    }
    auto type = cast<FunctionType>(entry.getType());
    return failure(failed(readPorts(type.getInputs(), entry.getInputNames(),
                                    out.inputs)) ||
                   failed(readPorts(type.getResults(), entry.getOutputNames(),
                                    out.outputs)));
  }

private:
  DimDescription describeDim(StringAttr name) {
    DimDescription out;
    out.name = name.str();
    dhlo::DimExpr symbol = dhlo::getSymbolDim(name);
    SymbolicDims::Range range = dims.getRange(symbol);
    out.min = range.min;
    out.max = range.max;
    out.multipleOf = std::max<int64_t>(dims.getMultipleOf(symbol), 1);
    llvm::SmallVector<int64_t> likely = dims.getLikely(symbol);
    if (!likely.empty())
      out.likely = likely.front();
    return out;
  }

  LogicalResult readPorts(TypeRange types, ArrayAttr names,
                          std::vector<PortDescription> &ports) {
    for (auto [type, name] : llvm::zip_equal(types, names)) {
      PortDescription port;
      port.name = cast<StringAttr>(name).str();
      auto tensor = cast<RankedTensorType>(type);
      port.dtype = getDtype(tensor.getElementType());
      if (port.dtype == 0)
        return entry.emitOpError("'")
               << port.name << "' has the element type "
               << tensor.getElementType() << ", which an artifact cannot pass";
      if (tensor.getRank() > DYN_MAX_RANK)
        return entry.emitOpError("'")
               << port.name << "' has rank " << tensor.getRank()
               << ", expected at most " << DYN_MAX_RANK;
      for (dhlo::DimExpr size : dhlo::getDims(tensor))
        port.sizes.push_back(sizes.describe(size));
      ports.push_back(std::move(port));
    }
    return success();
  }

  dlhlo::EntryOp entry;
  const SymbolicDims &dims;
  SizeWriter sizes;
};

/// An attribute as JSON: dictionaries, arrays, strings, integers and floats.
llvm::json::Value toJson(Attribute attr) {
  if (auto dictionary = dyn_cast<DictionaryAttr>(attr)) {
    llvm::json::Object object;
    for (NamedAttribute entry : dictionary)
      object[llvm::json::fixUTF8(entry.getName().getValue())] =
          toJson(entry.getValue());
    return object;
  }
  if (auto array = dyn_cast<ArrayAttr>(attr)) {
    llvm::json::Array values;
    for (Attribute element : array)
      values.push_back(toJson(element));
    return values;
  }
  if (auto text = dyn_cast<StringAttr>(attr))
    return llvm::json::fixUTF8(text.getValue());
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return integer.getInt();
  if (auto number = dyn_cast<FloatAttr>(attr))
    return number.getValueAsDouble();
  return nullptr;
}

std::string getMetadata(ModuleOp module) {
  llvm::json::Object object;
  if (auto model = module->getAttrOfType<DictionaryAttr>(
          dhlo::DHLODialect::kMetadataAttr))
    object["model"] = toJson(model);
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(std::move(object));
  return text;
}

void readKernels(ModuleOp module, ArrayRef<Isa> isas,
                 ArtifactDescription &out) {
  for (auto kernel : module.getOps<dlhlo::KernelOp>()) {
    KernelDescription description;
    description.name = kernel.getSymName().str();
    description.kind = dlhlo::stringifyFusionKind(kernel.getKind()).str();
    Block &body = kernel.getBody().front();
    description.buffers =
        body.getNumArguments() + body.getTerminator()->getNumOperands();
    description.dims = kernel.getDims().size();
    for (Isa isa : isas)
      description.isas[static_cast<int>(isa)] = hasVersion(kernel, isa, isas);
    out.kernels.push_back(std::move(description));
  }
}

LogicalResult readEntries(ModuleOp module, ProgramDescription &out) {
  SymbolicDims dims(module);
  for (auto entry : module.getOps<dlhlo::EntryOp>())
    if (failed(EntryReader(entry, dims).read(out.entries.emplace_back())))
      return failure();
  return success();
}

/// Offsets by recipe.
using ConstantOffsets = llvm::StringMap<uint64_t>;

/// Reads the constants of a program, and assigns offsets after `bytes` bytes of
/// others to those that have none yet: not by recipe in `offsets`, nor in
/// `shared`, which may be null.
LogicalResult readConstants(ModuleOp module, uint64_t redZone,
                            const ConstantOffsets &offsets,
                            const SharedWeights *shared, uint64_t &bytes,
                            ProgramDescription &out) {
  using Owner = ConstantDescription::Owner;
  for (auto constant : module.getOps<dlhlo::ConstantOp>()) {
    ConstantDescription description;
    description.name = constant.getSymName().str();
    description.recipe = getRecipe(constant);
    description.bytes =
        dlhlo::getConstantBytes(cast<RankedTensorType>(constant.getType()));
    if (auto it = offsets.find(description.recipe); it != offsets.end()) {
      description.offset = it->second;
      description.owner = Owner::Cpu;
      out.constants.push_back(std::move(description));
      continue;
    }
    if (shared)
      if (auto found = shared->find(description.recipe, description.bytes)) {
        description.offset = *found;
        description.owner = Owner::SharedWeights;
        out.constants.push_back(std::move(description));
        continue;
      }
    description.offset = llvm::alignTo(bytes, DYN_CONSTANT_ALIGNMENT);
    std::optional<uint64_t> end =
        llvm::checkedAddUnsigned(description.offset, description.bytes);
    // Limits files; it also keeps the next offset from wrapping.
    if (!end || *end > std::numeric_limits<int64_t>::max() - redZone)
      return constant.emitOpError("the constants are too large");
    bytes = *end + redZone;
    out.constants.push_back(std::move(description));
  }
  return success();
}

void readSites(ModuleOp module, ProgramDescription &out) {
  auto sites =
      module->getAttrOfType<ArrayAttr>(dlhlo::DLHLODialect::kSitesAttr);
  if (!sites)
    return;
  for (auto site : sites.getAsRange<dlhlo::SiteAttr>())
    out.sites.push_back({static_cast<uint32_t>(site.getKind()),
                         site.getOp().str(), site.getLocation().str()});
}

void readRouters(ModuleOp module, ArtifactDescription &out) {
  auto probes =
      module->getAttrOfType<ArrayAttr>(dlhlo::DLHLODialect::kProbesAttr);
  if (!probes)
    return;
  llvm::StringMap<int32_t> indices;
  for (auto probe : probes.getAsRange<DictionaryAttr>()) {
    auto getText = [&](StringRef name) {
      auto text = probe.getAs<StringAttr>(name);
      return text ? text.str() : std::string();
    };
    RouterDescription router;
    router.key = getText("key");
    router.label = getText("label");
    router.cell = getText("cell");
    router.fingerprint = getText("fingerprint");
    router.paths = probe.getAs<IntegerAttr>("paths").getInt();
    // Routers are in the order of the program, so it is known already.
    auto before = indices.find(getText("after"));
    router.after = before == indices.end() ? -1 : before->second;
    if (auto load = probe.getAs<dhlo::LoadAttr>("load"))
      router.load.assign(load.getShares().begin(), load.getShares().end());
    indices[router.key] = out.routers.size();
    out.routers.push_back(std::move(router));
  }
}

} // namespace

GemmDescription dyn::describeGemm(dlhlo::LibraryGemmOp gemm,
                                  dlhlo::KernelOp kernel) {
  SymbolicDims dims(kernel);
  SizeWriter writer(dims);
  for (dhlo::DimOp dim : kernel.getDims())
    writer.add(dim.getSymNameAttr());
  Block &body = kernel.getBody().front();
  auto getDtypeOf = [](Value value) {
    return getDtype(cast<RankedTensorType>(value.getType()).getElementType());
  };
  auto getBuffer = [](std::optional<uint64_t> argument) -> uint32_t {
    return argument ? *argument : DYN_NO_BUFFER;
  };
  GemmDescription out;
  out.left = gemm.getLeft();
  out.right = gemm.getRight();
  out.result = body.getNumArguments();
  out.bias = getBuffer(gemm.getBias());
  out.addend = getBuffer(gemm.getAddend());
  out.factorDtype = getDtypeOf(body.getArgument(out.left));
  out.resultDtype = getDtypeOf(body.getTerminator()->getOperand(0));
  out.activation = static_cast<uint32_t>(gemm.getActivation());
  out.leftTransposed = gemm.getLeftTransposed();
  out.rightTransposed = gemm.getRightTransposed();
  out.leastWork = gemm.getFrom();
  for (auto [size, attr] :
       llvm::zip(std::array{&out.batch, &out.rows, &out.columns, &out.depth},
                 gemm.getSizes().getAsRange<dhlo::DimExpr>()))
    *size = writer.describe(attr);
  return out;
}

uint64_t ArtifactDescription::getOwnBegin() const {
  return llvm::alignTo(weightsBytes, DYN_PAGE);
}

LogicalResult dyn::describeModule(ModuleOp module, ArrayRef<Isa> isas,
                                  ArtifactDescription &description,
                                  uint64_t redZone,
                                  const SharedWeights *shared) {
  if (shared) {
    description.sidecar = llvm::sys::path::filename(shared->getPath()).str();
    description.weightsBytes = shared->getSize();
    description.constantsBytes = description.getOwnBegin();
  }
  description.producer = "dyn " DYN_VERSION;
  description.metadata = getMetadata(module);
  if (failed(readEntries(module, description)))
    return failure();
  if (description.entries.empty())
    return module.emitError("expected at least one function with the "
                            "attribute 'dhlo.entry', found none");
  readKernels(module, isas, description);
  readSites(module, description);
  readRouters(module, description);
  return readConstants(module, redZone, {}, shared, description.constantsBytes,
                       description);
}

LogicalResult dyn::describeProgram(ModuleOp module, uint32_t device,
                                   ArtifactDescription &description,
                                   const SharedWeights *shared) {
  ConstantOffsets offsets;
  for (const ConstantDescription &constant : description.constants)
    offsets[constant.recipe] = constant.offset;
  DeviceProgramDescription &program = description.programs.emplace_back();
  program.device = device;
  readSites(module, program);
  return failure(failed(readEntries(module, program)) ||
                 failed(readConstants(module, /*redZone=*/0, offsets, shared,
                                      description.constantsBytes, program)));
}
