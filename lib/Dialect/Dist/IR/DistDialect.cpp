//===- DistDialect.cpp - The dist dialect, its attributes and types -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dist/IR/Dist.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dist;

#include "dyn/Dialect/Dist/IR/DistDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dyn/Dialect/Dist/IR/DistAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dyn/Dialect/Dist/IR/DistTypes.cpp.inc"

void DistDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dyn/Dialect/Dist/IR/DistTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dyn/Dialect/Dist/IR/DistAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dyn/Dialect/Dist/IR/DistOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

Attribute ShardingAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringAttr mesh;
  SmallVector<ArrayAttr> axes;
  auto parseAxis = [&] {
    SmallVector<Attribute> names;
    auto parseName = [&] {
      std::string name;
      if (parser.parseString(&name))
        return failure();
      names.push_back(StringAttr::get(parser.getContext(), name));
      return success();
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseName))
      return failure();
    axes.push_back(ArrayAttr::get(parser.getContext(), names));
    return success();
  };
  if (parser.parseLess() || parser.parseSymbolName(mesh) ||
      parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    FlatSymbolRefAttr::get(mesh), axes);
}

void ShardingAttr::print(AsmPrinter &printer) const {
  printer << '<' << getMesh() << ", [";
  llvm::interleaveComma(getAxes(), printer, [&](ArrayAttr names) {
    printer << '[';
    llvm::interleaveComma(names, printer);
    printer << ']';
  });
  printer << "]>";
}

LogicalResult
ShardingAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                     FlatSymbolRefAttr, llvm::ArrayRef<ArrayAttr> axes) {
  llvm::DenseSet<Attribute> seen;
  // sharding_c1
  for (ArrayAttr names : axes)
    for (Attribute name : names)
      if (!seen.insert(name).second)
        return emitError() << "expected mesh axis " << name
                           << " to divide one axis";
  return success();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

LogicalResult
PartAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                 StringAttr entry, int64_t rank, int64_t ranks,
                 llvm::ArrayRef<int64_t> stage) {
  // part_c1
  if (rank < 0 || rank >= ranks)
    return emitError() << "expected one of " << ranks << " ranks, found "
                       << rank;
  // part_c2
  if (entry.empty())
    return emitError() << "expected the name of an entry";
  // part_c3
  bool isAscending =
      llvm::is_sorted(stage, [](int64_t a, int64_t b) { return a <= b; });
  if (!stage.empty() &&
      (!isAscending || stage.front() < 0 || stage.back() >= ranks ||
       !llvm::is_contained(stage, rank)))
    return emitError() << "expected ascending ranks of a stage below " << ranks
                       << ", with " << rank << " among them";
  return success();
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

LogicalResult
SumsAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                 FlatSymbolRefAttr, int64_t, ArrayAttr axes, int64_t segments) {
  // sums_c1
  if (segments < 1 || !llvm::isPowerOf2_64(segments))
    return emitError() << "expected a power of two segments, found "
                       << segments;
  // sums_c2
  llvm::SmallDenseSet<Attribute> seen;
  for (Attribute name : axes)
    if (!llvm::isa<StringAttr>(name) || !seen.insert(name).second)
      return emitError() << "expected different names of axes, found " << name;
  return success();
}

/// Checks `dist.sums` of `op`.
static LogicalResult verifySums(Operation *op, Attribute attribute) {
  auto sums = llvm::dyn_cast<SumsAttr>(attribute);
  auto dot = llvm::dyn_cast<dhlo::DotGeneralOp>(op);
  // dist_c4
  if (!sums || !dot)
    return op->emitOpError("expected '")
           << DistDialect::kSumsAttr << "' to be sums, on a contraction";
  int64_t pair = sums.getPair(), pairs = dot.getLhsContract().size();
  if (pair < 0 || pair >= pairs)
    return op->emitOpError("expected one of ")
           << pairs << " pairs of contracted axes, found " << pair;
  int64_t size = llvm::cast<RankedTensorType>(dot.getLhs().getType())
                     .getDimSize(dot.getLhsContract()[pair]);
  if (ShapedType::isDynamic(size) || size % sums.getSegments() != 0)
    return op->emitOpError("expected a static size that is a multiple of ")
           << sums.getSegments() << " segments";
  SymbolTableCollection symbols;
  return verifyMeshAxes(op, sums.getMesh(), sums.getAxes(), symbols);
}

/// Checks an attribute that is a number, and of which `isValid` says whether it
/// is on such an operation.
static LogicalResult verifyInteger(Operation *op, NamedAttribute attribute,
                                   int64_t least, bool isValid,
                                   StringRef where) {
  auto value = llvm::dyn_cast<IntegerAttr>(attribute.getValue());
  // dist_c5, dist_c6
  if (!isValid || !value || !value.getType().isSignlessInteger(64) ||
      value.getInt() < least)
    return op->emitOpError("expected '")
           << attribute.getName().getValue() << "' to be an i64 of at least "
           << least << ", on " << where;
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes of other operations
//===----------------------------------------------------------------------===//

LogicalResult DistDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  // dist_c2
  if (attribute.getName() == kPartAttr &&
      (!llvm::isa<FunctionOpInterface, dlhlo::EntryOp>(op) ||
       !llvm::isa<PartAttr>(attribute.getValue())))
    return op->emitOpError("expected '")
           << kPartAttr << "' to be a part, on a function or an entry";
  // dist_c3
  if (attribute.getName() == kPlacementAttr) {
    auto ranks = llvm::dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
    if (!ranks ||
        llvm::any_of(ranks.asArrayRef(), [](int64_t rank) { return rank < 0; }))
      return op->emitOpError("expected '")
             << kPlacementAttr << "' to be an array of ranks, found "
             << attribute.getValue();
  }
  if (attribute.getName() == kMicroBatchesAttr)
    return verifyInteger(op, attribute, 1, llvm::isa<FunctionOpInterface>(op),
                         "a function");
  if (attribute.getName() == kBlockAttr)
    return verifyInteger(op, attribute, 0, llvm::isa<ReshardOp>(op),
                         "a 'dist.reshard'");
  if (attribute.getName() == kSumsAttr)
    return verifySums(op, attribute.getValue());
  return success();
}

/// Checks `dist.sharding` of an argument or a result of `op`.
static LogicalResult verifyPort(Operation *op, Type type,
                                NamedAttribute attribute) {
  if (attribute.getName() != DistDialect::kShardingAttr)
    return success();
  auto sharding = llvm::dyn_cast<ShardingAttr>(attribute.getValue());
  auto tensor = llvm::dyn_cast<RankedTensorType>(type);
  // dist_c1
  if (!sharding || !tensor)
    return op->emitOpError("expected '") << attribute.getName().getValue()
                                         << "' to be a sharding, on a tensor";
  SymbolTableCollection symbols;
  return verifySharding(op, sharding, tensor, symbols);
}

LogicalResult DistDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned index,
                                                    NamedAttribute attribute) {
  auto function = llvm::cast<FunctionOpInterface>(op);
  return verifyPort(op, function.getArgumentTypes()[index], attribute);
}

LogicalResult DistDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned index, NamedAttribute attribute) {
  auto function = llvm::cast<FunctionOpInterface>(op);
  return verifyPort(op, function.getResultTypes()[index], attribute);
}
