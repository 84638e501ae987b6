//===- DistOps.cpp - Verifiers of dist operations -------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dist/IR/Dist.h"

#include "dyn/Dialect/DHLO/IR/Verify.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dist;
using dyn::dhlo::DimExpr;
using dyn::dhlo::sizesOf;
using dyn::dhlo::typeOf;
using dyn::dhlo::verifyElementType;
using dyn::dhlo::verifySizes;

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

static ParseResult parseMeshAxes(OpAsmParser &parser, ArrayAttr &names,
                                 DenseI64ArrayAttr &sizes) {
  SmallVector<StringRef> axes;
  SmallVector<std::string> storage;
  SmallVector<int64_t> counts;
  auto parseAxis = [&] {
    return failure(parser.parseString(&storage.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseInteger(counts.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseAxis))
    return failure();
  llvm::append_range(axes, storage);
  names = parser.getBuilder().getStrArrayAttr(axes);
  sizes = parser.getBuilder().getDenseI64ArrayAttr(counts);
  return success();
}

static void printMeshAxes(OpAsmPrinter &printer, MeshOp, ArrayAttr names,
                          DenseI64ArrayAttr sizes) {
  printer << '[';
  llvm::interleaveComma(
      llvm::zip(names, sizes.asArrayRef()), printer, [&](auto axis) {
        printer << std::get<0>(axis) << " = " << std::get<1>(axis);
      });
  printer << ']';
}

/// The most ranks of a mesh, far above what a program per rank is for.
static constexpr int64_t kMaxRanks = 65536;

LogicalResult MeshOp::verify() {
  llvm::DenseSet<Attribute> seen;
  // mesh_c1
  for (Attribute name : getNames())
    if (cast<StringAttr>(name).empty() || !seen.insert(name).second)
      return emitOpError("expected axes with different names, found ") << name;
  if (getNames().size() != getSizes().size())
    return emitOpError("expected a size for each axis");
  // mesh_c3
  if (int64_t first = getFirst(); first < 0 || first > kMaxRanks)
    return emitOpError("expected a first rank of 0 to ")
           << kMaxRanks << ", found " << first;
  // mesh_c2
  int64_t ranks = 1;
  for (int64_t size : getSizes()) {
    if (size < 1 || size > kMaxRanks / ranks)
      return emitOpError("expected 1 to ") << kMaxRanks << " ranks";
    ranks *= size;
  }
  return success();
}

int64_t MeshOp::getRanks() { return llvm::product_of(getSizes()); }

int64_t MeshOp::getSize(StringRef axis) {
  for (auto [name, size] :
       llvm::zip(getNames().getAsValueRange<StringAttr>(), getSizes()))
    if (name == axis)
      return size;
  return 0;
}

SmallVector<int64_t> dist::getGroup(MeshOp mesh, int64_t rank, ArrayAttr axes) {
  SmallVector<int64_t> group;
  int64_t first = mesh.getFirst();
  rank -= first;
  // The rank without its coordinates along `axes`, and their strides.
  SmallVector<std::pair<int64_t, int64_t>> dims(axes.size());
  int64_t base = rank, stride = 1;
  for (int64_t i = mesh.getSizes().size(); i-- > 0;) {
    int64_t size = mesh.getSizes()[i];
    auto it = llvm::find(axes, mesh.getNames()[i]);
    if (it != axes.end()) {
      base -= rank / stride % size * stride;
      dims[it - axes.begin()] = {size, stride};
    }
    stride *= size;
  }
  group.push_back(base);
  for (auto [size, stride] : dims) {
    SmallVector<int64_t> next;
    for (int64_t first : group)
      for (int64_t i = 0; i < size; ++i)
        next.push_back(first + i * stride);
    group = std::move(next);
  }
  for (int64_t &member : group)
    member += first;
  return group;
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

LogicalResult dist::verifySharding(Operation *op, ShardingAttr sharding,
                                   RankedTensorType type,
                                   SymbolTableCollection &symbols) {
  // reshard_c1, dist_c1
  if (int64_t(sharding.getAxes().size()) != type.getRank())
    return op->emitOpError("expected a sharding of ")
           << type.getRank() << " axes, found " << sharding;
  return verifyMeshAxes(op, sharding.getMesh(), sharding.getAxes(), symbols);
}

LogicalResult dist::verifyMeshAxes(Operation *op, FlatSymbolRefAttr mesh,
                                   ArrayRef<ArrayAttr> axes,
                                   SymbolTableCollection &symbols) {
  // reshard_c2, dist_c1, dist_c4
  auto meshOp = symbols.lookupNearestSymbolFrom<MeshOp>(op, mesh);
  if (!meshOp)
    return op->emitOpError("expected a mesh, found ") << mesh;
  for (ArrayAttr names : axes)
    for (StringAttr name : names.getAsRange<StringAttr>())
      if (!meshOp.getSize(name))
        return op->emitOpError("expected an axis of mesh ")
               << mesh << ", found " << name;
  return success();
}

LogicalResult ReshardOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifySharding(*this, getSharding(), typeOf(getResult()), symbols);
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

llvm::SmallVector<int64_t> dist::getStageRanks(PartAttr part) {
  if (!part.getStage().empty())
    return llvm::to_vector(part.getStage());
  return llvm::to_vector(llvm::seq<int64_t>(0, part.getRanks()));
}

PartAttr dist::getPartOf(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  return function ? getPart(function) : nullptr;
}

LogicalResult ExchangeStartOp::verify() {
  // exchange_start_c1
  PartAttr part = getPartOf(*this);
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t rank : getAmong())
    if (rank < 0 || (part && rank >= part.getRanks()) ||
        !seen.insert(rank).second)
      return emitOpError("expected different ranks of the program, found ")
             << rank;
  if (seen.empty() || (part && !seen.contains(part.getRank())))
    return emitOpError("expected the rank of the function among those of the "
                       "exchange");
  // exchange_start_c2
  int64_t numbers = 2 * getAmong().size();
  for (Value ranges : {getSends(), getReceives()})
    if (typeOf(ranges).getRank() != 1 ||
        typeOf(ranges).getDimSize(0) != numbers)
      return emitOpError("expected ranges of ")
             << numbers << " numbers, found " << ranges.getType();
  // exchange_start_c3
  if (typeOf(getRows()).getRank() == 0)
    return emitOpError("expected rows with an axis");
  // exchange_start_c4
  if (!getRequest().hasOneUse() ||
      !isa<ExchangeWaitOp>(*getRequest().user_begin()) ||
      (*getRequest().user_begin())->getBlock() != (*this)->getBlock())
    return emitOpError("expected one 'dist.exchange_wait' in the same block");
  return success();
}

LogicalResult ExchangeWaitOp::verify() {
  // exchange_wait_c1
  auto start = getRequest().getDefiningOp<ExchangeStartOp>();
  if (!start)
    return emitOpError("expected the result of a 'dist.exchange_start'");
  // exchange_wait_c2
  if (failed(verifyElementType(*this, "result", getResult(),
                               typeOf(start.getRows()).getElementType())))
    return failure();
  SmallVector<DimExpr> sizes = sizesOf(start.getRows());
  sizes.front() = nullptr; // `receives` say how many
  return verifySizes(*this, "result", sizes, getResult());
}

#define GET_OP_CLASSES
#include "dyn/Dialect/Dist/IR/DistOps.cpp.inc"
