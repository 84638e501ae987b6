//===- PlanModel.cpp - The layers of an entry, for a planner --------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Dist/Plan/PlanModel.h"

#include "RoutesOfRows.h"

#include "dyn/Dialect/DHLO/Analysis/IndexingMaps.h"
#include "dyn/Dialect/DHLO/Analysis/ReshapeAxes.h"
#include "dyn/Dialect/DHLO/IR/PortNames.h"
#include "dyn/Dialect/DHLO/IR/Verify.h"
#include "dyn/Dialect/DLHLO/Analysis/KernelCost.h"
#include "dyn/Dialect/Dist/Transforms/StageSizes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dist;
using dhlo::AxisIndex;
using dhlo::DimExpr;
using dhlo::IndexingMap;
using dhlo::typeOf;
using plan::Layer;
using plan::Split;
using plan::Splits;

namespace {
/// A router with all that is computed of its rows. It becomes a layer at its
/// first combine, after what it reads.
struct RouteLayer {
  cell::RouteOp route;
  plan::Routes routes;
  SmallVector<plan::Operand, 2> operands;
  std::optional<size_t> layer;
};

class ModelBuilder {
public:
  ModelBuilder(func::FuncOp entry, const SymbolicDims &dims,
               const SizeMap &sizes)
      : entry(entry), dims(dims), sizes(sizes), batch(entry, dims) {}

  FailureOr<PlanModel> build();

private:
  using LayerValue = PlanModel::LayerValue;

  /// An operand of an operation that a layer computes.
  struct Source {
    unsigned number;
    size_t layer;
    /// The axes of the result that have its rows and columns; -1 for none.
    int64_t rows, columns;
  };

  int64_t evaluate(DimExpr expr) const;
  int64_t getSize(Value value, int64_t axis) const {
    return axis < 0 ? 1 : evaluate(dims.getDim(value, axis));
  }
  double getBytes(Value value) const;
  std::optional<IndexingMap> getMap(Operation *op, unsigned operand) const;
  int64_t getResultAxis(Operation *op, unsigned operand, int64_t axis) const;
  /// The axis of the result that a weight alone has; -1 for none.
  int64_t findNewColumns(Operation *op, ArrayRef<Source> sources) const;

  bool addWeight(Operation *op);
  /// Adds the weights that an operation of a layer reads, by the axis of its
  /// result that has the columns.
  void readWeights(Operation *op, int64_t columns, Layer &layer);
  void addInput(unsigned number);
  LogicalResult addOperation(Operation *op);
  void addSum(dhlo::DotGeneralOp op, Layer &layer);
  /// Makes a layer of a router, if ranks can share its paths.
  LogicalResult addRoutes(cell::RouteOp route);
  /// The ranks that the program gives to paths.
  LogicalResult giveRanks(cell::RouteOp route, plan::Routes &routes);
  /// Adds an operation of a layer with routes.
  void addToRoutes(Operation *op, RouteLayer &routes);
  bool mergeIntoOperand(Operation *op, ArrayRef<Source> sources);
  void setValue(Layer &layer, const LayerValue &own);
  /// Finds the batch, and the rows of it that values have.
  void findBatch();
  double countOperations(Operation *op) const;
  /// Finds where stages cannot begin, and says why.
  void findCuts();
  void forbidCuts(size_t first, size_t last, Operation *op,
                  const std::string &reason);

  LogicalResult give(Operation *op, ShardingAttr sharding, size_t layer);
  /// Gives what is given for the weights of an operation.
  LogicalResult giveWeights(Operation *op, size_t layer);
  LogicalResult setMesh(Operation *op, ShardingAttr sharding);
  void useMesh(MeshOp mesh);

  func::FuncOp entry;
  const SymbolicDims &dims;
  const SizeMap &sizes;
  BatchAxes batch;
  PlanModel result;
  DenseMap<Value, size_t> &layers = result.layers;
  /// The bytes of values that are weights.
  DenseMap<Value, double> weights;
  DenseMap<Value, ShardingAttr> weightShardings;
  /// The layers with routes, and the operations of each.
  std::vector<std::unique_ptr<RouteLayer>> routeLayers;
  DenseMap<Operation *, RouteLayer *> routeLayerOf;
  /// Operations whose results do not change the stage.
  DenseSet<Operation *> stay;
};
} // namespace

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

int64_t ModelBuilder::evaluate(DimExpr expr) const {
  auto value = [&](StringAttr name) -> std::optional<int64_t> {
    auto it = sizes.find(name.getValue());
    if (it != sizes.end())
      return it->second;
    return dims.getEstimate(dhlo::getSymbolDim(name));
  };
  return std::max<int64_t>(dhlo::evaluate(dims.expand(expr), value).value_or(1),
                           0);
}

double ModelBuilder::getBytes(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return 0;
  int64_t bits = type.getElementTypeBitWidth();
  return double(evaluate(dims.getNumElements(type))) * ((bits + 7) / 8);
}

double ModelBuilder::countOperations(Operation *op) const {
  double operations = evaluate(dyn::countOperations(op, dims));
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      operations += countOperations(&inner);
  return operations;
}

//===----------------------------------------------------------------------===//
// Rows and columns
//===----------------------------------------------------------------------===//

std::optional<IndexingMap> ModelBuilder::getMap(Operation *op,
                                                unsigned operand) const {
  if (op->getNumRegions())
    return std::nullopt;
  return getIndexingMap(op, operand, dims);
}

/// The axis of the result whose blocks are those of an axis of an operand.
int64_t ModelBuilder::getResultAxis(Operation *op, unsigned operand,
                                    int64_t axis) const {
  if (axis < 0)
    return -1;
  if (isa<dhlo::ReshapeOp>(op)) {
    SmallVector<DimExpr> from, to;
    for (int64_t i = 0; i < typeOf(op->getOperand(0)).getRank(); ++i)
      from.push_back(dims.getDim(op->getOperand(0), i));
    for (int64_t i = 0; i < typeOf(op->getResult(0)).getRank(); ++i)
      to.push_back(dims.getDim(op->getResult(0), i));
    // The first axis of a group divides it into the same blocks. Ranks divide
    // axes that are joined or split only by factors that sizes are known to
    // have.
    for (const AxisGroup &group : getReshapeGroups(from, to, dims))
      if (!group.from.empty() && !group.to.empty() &&
          group.from.front() == axis && group.isProven &&
          (group.isAxis() || (dims.getMultipleOf(from[axis]) > 1 &&
                              dims.getMultipleOf(to[group.to.front()]) > 1)))
        return group.to.front();
    return -1;
  }
  std::optional<IndexingMap> map = getMap(op, operand);
  return map && (*map)[axis].isSame() ? (*map)[axis].axis : -1;
}

int64_t ModelBuilder::findNewColumns(Operation *op,
                                     ArrayRef<Source> sources) const {
  if (op->getNumResults() != 1 || isa<dhlo::ReshapeOp>(op) ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return -1;
  int64_t rank = typeOf(op->getResult(0)).getRank();
  for (int64_t axis = rank; axis-- > 0;) {
    bool isOfOthers = llvm::any_of(sources, [&](const Source &source) {
      std::optional<IndexingMap> map = getMap(op, source.number);
      return !map || llvm::any_of(*map, [&](const AxisIndex &index) {
        return index.dependsOn(axis);
      });
    });
    if (isOfOthers)
      continue;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!weights.contains(operand.get()))
        continue;
      std::optional<IndexingMap> map = getMap(op, operand.getOperandNumber());
      if (map && llvm::any_of(*map, [&](const AxisIndex &index) {
            return index.isSame() && index.axis == axis;
          }))
        return axis;
    }
  }
  return -1;
}

void ModelBuilder::setValue(Layer &layer, const LayerValue &own) {
  layer.value = {getSize(own.value, own.rows), getSize(own.value, own.columns),
                 getBytes(own.value)};
  layer.isBatched = batch.getAxis(own.value) >= 0;
}

void ModelBuilder::findBatch() {
  result.oneBatch = batch.find();
  if (!result.oneBatch) {
    result.model.batch = evaluate(batch.getBatch());
    return;
  }
  auto options =
      remark::RemarkOpts::name(result.oneBatch->op->getName().getStringRef())
          .category("dist-plan");
  remark::missed(result.oneBatch->op->getLoc(), options)
      << remark::add("makes no micro-batches: {0}", result.oneBatch->reason);
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

void ModelBuilder::addInput(unsigned number) {
  Value argument = entry.getArgument(number);
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!type)
    return;
  Layer layer;
  layer.name = dhlo::getInputName(entry, number);
  layer.isInput = true;
  layer.kernels = 0;
  int64_t rank = type.getRank();
  LayerValue own = {argument, rank ? 0 : -1, rank > 1 ? rank - 1 : -1};
  setValue(layer, own);
  layers[argument] = result.model.layers.size();
  result.model.layers.push_back(std::move(layer));
  result.values.push_back(own);
}

/// Values that are computed from weights alone are weights.
bool ModelBuilder::addWeight(Operation *op) {
  if (op->getNumRegions())
    return false;
  double bytes = 0;
  for (Value operand : op->getOperands()) {
    if (!weights.contains(operand))
      return false;
    bytes += weights[operand];
  }
  for (Value value : op->getResults()) {
    double own = getBytes(value);
    // A value without a static size is computed in each call, and its weights
    // stay. One number is part of the code.
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (op->getNumOperands() && type && !type.hasStaticShape())
      own = bytes;
    else if (op->getNumOperands())
      own = std::min(own, bytes);
    else if (DenseElementsAttr data;
             !isa<dhlo::WeightOp>(op) &&
             (!matchPattern(op, m_Constant(&data)) || data.isSplat()))
      own = 0;
    weights[value] = own;
  }
  return true;
}

void ModelBuilder::readWeights(Operation *op, int64_t columns, Layer &layer) {
  for (OpOperand &operand : op->getOpOperands()) {
    auto it = weights.find(operand.get());
    if (it == weights.end())
      continue;
    std::optional<IndexingMap> map = getMap(op, operand.getOperandNumber());
    auto hasIndex = [&](auto condition) {
      return map && llvm::any_of(*map, condition);
    };
    layer.weightBytes += it->second;
    if (!hasIndex([&](const AxisIndex &index) {
          return index.isSame() && index.axis == columns;
        }))
      layer.wholeBytes += it->second;
    if (hasIndex([](const AxisIndex &index) {
          return index.kind == AxisIndex::Kind::Found;
        }))
      layer.tableBytes += it->second;
  }
}

/// Adds the operation to the layer of its operand, if nothing else reads that
/// and both have the same rows and columns.
bool ModelBuilder::mergeIntoOperand(Operation *op, ArrayRef<Source> sources) {
  if (sources.size() != 1 || op->getNumResults() != 1 ||
      op->hasTrait<dhlo::Contraction>() || findNewColumns(op, sources) >= 0 ||
      (op->hasTrait<dhlo::Expensive>() && !op->hasTrait<dhlo::Elementwise>()))
    return false;
  const Source &source = sources.front();
  Layer &layer = result.model.layers[source.layer];
  LayerValue &own = result.values[source.layer];
  Value operand = op->getOperand(source.number);
  if (layer.isInput || layer.routes || !operand.hasOneUse() ||
      operand != own.value || (layer.hasRows && source.rows < 0) ||
      (layer.hasColumns && source.columns < 0))
    return false;
  own = {op->getResult(0), source.rows, source.columns};
  setValue(layer, own);
  return true;
}

void ModelBuilder::addSum(dhlo::DotGeneralOp op, Layer &layer) {
  // Dynamic axes are negative.
  PlanModel::Sum sum = {op, -1, result.model.layers.size()};
  for (auto [pair, axis] : llvm::enumerate(op.getLhsContract()))
    if (int64_t size = typeOf(op.getLhs()).getDimSize(axis);
        size > layer.terms) {
      layer.terms = size;
      sum.pair = pair;
    }
  if (layer.terms)
    result.sums.push_back(sum);
}

LogicalResult ModelBuilder::addOperation(Operation *op) {
  SmallVector<Source> sources;
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    auto it = layers.find(value);
    if (it == layers.end())
      continue;
    unsigned number = operand.getOperandNumber();
    const LayerValue &own = result.values[it->second];
    // Only the first result of a layer has known axes.
    bool isKnown = own.value == value;
    sources.push_back({number, it->second,
                       isKnown ? getResultAxis(op, number, own.rows) : -1,
                       isKnown ? getResultAxis(op, number, own.columns) : -1});
  }
  op->walk([&](Operation *inner) {
    for (Value value : inner->getOperands())
      if (inner != op && layers.contains(value))
        sources.push_back({0, layers[value], -1, -1});
  });
  if (mergeIntoOperand(op, sources)) {
    Layer &layer = result.model.layers[sources.front().layer];
    layer.operations += countOperations(op);
    readWeights(op, result.values[sources.front().layer].columns, layer);
    layers[op->getResult(0)] = sources.front().layer;
    return giveWeights(op, sources.front().layer);
  }

  Layer layer;
  layer.name = op->getName().stripDialect().str();
  layer.operations = countOperations(op);
  layer.isView = isa<dhlo::ReshapeOp>(op);
  LayerValue own;
  if (op->getNumResults() && isa<RankedTensorType>(op->getResult(0).getType()))
    own.value = op->getResult(0);
  // The rows are those of the largest operand that has some.
  double most = -1;
  for (const Source &source : sources) {
    double bytes = result.model.layers[source.layer].value.bytes;
    if (source.rows >= 0 && bytes > most) {
      most = bytes;
      own.rows = source.rows;
      own.columns = source.columns;
    }
  }
  // Blocks of several results are computed together if these have equal sizes.
  if (llvm::any_of(op->getResults(), [&](Value result) {
        auto type = dyn_cast<RankedTensorType>(result.getType());
        return own.value && type && !dims.hasSameSizes(type, typeOf(own.value));
      }))
    own.rows = own.columns = -1;
  layer.hasRows = own.rows >= 0;
  // Ranks would choose other algorithms for fewer filters, which they leave
  // whole.
  int64_t columns = isa<dhlo::Convolves>(op) ? -1 : findNewColumns(op, sources);
  layer.isMatmul = columns >= 0 && columns != own.rows;
  layer.hasSum = layer.isMatmul && op->hasTrait<dhlo::Contraction>();
  if (layer.isMatmul)
    own.columns = columns;
  layer.hasColumns = own.columns >= 0 && own.columns != own.rows;
  readWeights(op, own.columns, layer);
  for (const Source &source : sources)
    layer.operands.push_back(
        {source.layer, layer.hasRows && source.rows == own.rows,
         layer.isMatmul ||
             (layer.hasColumns && source.columns == own.columns)});
  // Readers may divide what this layer does not.
  if (own.value) {
    int64_t rank = typeOf(own.value).getRank();
    if (own.rows < 0 && rank)
      own.rows = 0;
    if (own.columns < 0 && rank - 1 > own.rows)
      own.columns = rank - 1;
    setValue(layer, own);
  }
  size_t number = result.model.layers.size();
  if (auto dot = dyn_cast<dhlo::DotGeneralOp>(op); dot && layer.hasSum)
    addSum(dot, layer);
  for (Value value : op->getResults())
    layers[value] = number;
  result.model.layers.push_back(std::move(layer));
  result.values.push_back(own);
  return giveWeights(op, number);
}

//===----------------------------------------------------------------------===//
// Routes
//===----------------------------------------------------------------------===//

LogicalResult ModelBuilder::giveRanks(cell::RouteOp route,
                                      plan::Routes &routes) {
  auto given =
      route->getAttrOfType<DenseI64ArrayAttr>(DistDialect::kPlacementAttr);
  if (!given)
    return success();
  auto meshes = entry->getParentOfType<ModuleOp>().getOps<MeshOp>();
  if (!result.mesh && meshes.empty())
    return route.emitOpError("expected a 'dist.mesh' beside its '")
           << DistDialect::kPlacementAttr << "'";
  if (!result.mesh)
    useMesh(*meshes.begin());
  if (failed(verifyPlacement(route, given, result.mesh.getRanks())))
    return failure();
  routes.given.assign(given.asArrayRef().begin(), given.asArrayRef().end());
  return success();
}

LogicalResult ModelBuilder::addRoutes(cell::RouteOp route) {
  PathRows rows(route, dims);
  if (std::optional<PathRows::Obstacle> obstacle = rows.find()) {
    auto options =
        remark::RemarkOpts::name(obstacle->op->getName().getStringRef())
            .category("dist-plan");
    remark::missed(obstacle->op->getLoc(), options)
        << remark::add("paths stay on all ranks: {0}", obstacle->reason);
    return success();
  }
  // Of routers for the same rows, the first one is divided.
  if (llvm::any_of(rows.operations,
                   [&](Operation *op) { return routeLayerOf.contains(op); }))
    return success();
  auto own = std::make_unique<RouteLayer>(RouteLayer{
      route,
      getRoutes(route, rows, dims,
                [&](DimExpr size) { return double(evaluate(size)); }),
      {},
      std::nullopt});
  if (failed(giveRanks(route, own->routes)))
    return failure();
  routeLayerOf[route] = own.get();
  for (Operation *op : rows.operations)
    routeLayerOf[op] = own.get();
  routeLayers.push_back(std::move(own));
  return success();
}

void ModelBuilder::addToRoutes(Operation *op, RouteLayer &own) {
  auto &operands =
      own.layer ? result.model.layers[*own.layer].operands : own.operands;
  DimExpr cells = own.route.getRoutes().getType().getCells();
  op->walk([&](Operation *inner) {
    for (Value value : inner->getOperands()) {
      auto it = layers.find(value);
      // Operands of later operations may be computed after the first combine.
      if (it == layers.end() || (own.layer && it->second >= *own.layer))
        continue;
      const LayerValue &read = result.values[it->second];
      bool isOfCells = read.value == value && read.rows == 0 && inner == op &&
                       dims.isEqual(dims.getDim(value, 0), cells);
      operands.push_back({it->second, isOfCells, false});
    }
  });
  auto combine = dyn_cast<cell::CombineOp>(op);
  if (!combine)
    return;
  Value cellsOut = combine.getResult();
  if (!own.layer) {
    own.layer = result.model.layers.size();
    Layer &layer = result.model.layers.emplace_back();
    layer.name = "router";
    if (auto key = own.route.getKey())
      layer.name += (" " + *key).str();
    layer.hasRows = layer.hasColumns = false;
    layer.operands = std::move(own.operands);
    for (const plan::Path &path : own.routes.paths) {
      layer.operations += path.operations;
      layer.weightBytes += path.weightBytes;
    }
    layer.routes = std::move(own.routes);
    result.values.push_back({});
  }
  layers[cellsOut] = *own.layer;
  // Readers of the largest value decide how it is divided.
  LayerValue &value = result.values[*own.layer];
  if (value.value && getBytes(value.value) >= getBytes(cellsOut))
    return;
  int64_t rank = typeOf(cellsOut).getRank();
  value = {cellsOut, 0, rank > 1 ? rank - 1 : -1, own.route};
  setValue(result.model.layers[*own.layer], value);
}

//===----------------------------------------------------------------------===//
// Shardings of the user
//===----------------------------------------------------------------------===//

void ModelBuilder::useMesh(MeshOp mesh) {
  result.mesh = mesh;
  result.model.mesh.assign(mesh.getSizes().begin(), mesh.getSizes().end());
}

LogicalResult ModelBuilder::setMesh(Operation *op, ShardingAttr sharding) {
  auto mesh =
      SymbolTable::lookupNearestSymbolFrom<MeshOp>(op, sharding.getMesh());
  if (result.mesh && result.mesh != mesh)
    return op->emitError("plan: expected one mesh, found ")
           << sharding.getMesh() << " beside @" << result.mesh.getSymName();
  useMesh(mesh);
  return success();
}

LogicalResult ModelBuilder::give(Operation *op, ShardingAttr sharding,
                                 size_t number) {
  if (failed(setMesh(op, sharding)))
    return failure();
  const LayerValue &own = result.values[number];
  Splits splits(result.model.mesh.size(), Split::None);
  for (auto [axis, names] : llvm::enumerate(sharding.getAxes()))
    for (StringAttr name : names.getAsRange<StringAttr>()) {
      if (int64_t(axis) != own.rows && int64_t(axis) != own.columns)
        return op->emitError("plan: expected a sharding of rows (axis ")
               << own.rows << ") and columns (axis " << own.columns
               << "), found one of axis " << axis;
      size_t index = llvm::find(result.mesh.getNames(), name) -
                     result.mesh.getNames().begin();
      splits[index] = int64_t(axis) == own.rows ? Split::Rows : Split::Columns;
    }
  result.model.layers[number].given = splits;
  return success();
}

LogicalResult ModelBuilder::giveWeights(Operation *op, size_t number) {
  Layer &layer = result.model.layers[number];
  const LayerValue &own = result.values[number];
  for (OpOperand &operand : op->getOpOperands()) {
    ShardingAttr sharding = weightShardings.lookup(operand.get());
    if (!sharding)
      continue;
    if (!layer.given)
      layer.given = Splits(result.model.mesh.size(), Split::None);
    layer.areRowsFree = true;
    std::optional<IndexingMap> map = getMap(op, operand.getOperandNumber());
    for (auto [axis, names] : llvm::enumerate(sharding.getAxes()))
      for (StringAttr name : names.getAsRange<StringAttr>()) {
        bool isColumns = map && (*map)[axis].isSame() && layer.isMatmul &&
                         (*map)[axis].axis == own.columns;
        if (!isColumns && !layer.hasSum)
          return op->emitError(
                     "plan: expected a weight that is divided by "
                     "columns, or by the sum of a contraction, found ")
                 << sharding;
        size_t index = llvm::find(result.mesh.getNames(), name) -
                       result.mesh.getNames().begin();
        (*layer.given)[index] = isColumns ? Split::Columns : Split::Sum;
      }
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

std::optional<size_t> PlanModel::getLayer(Operation *op) const {
  if (auto it = routed.find(op); it != routed.end())
    return it->second;
  if (op->getNumResults())
    if (auto it = layers.find(op->getResult(0)); it != layers.end())
      return it->second;
  return std::nullopt;
}

void ModelBuilder::forbidCuts(size_t first, size_t last, Operation *op,
                              const std::string &reason) {
  for (size_t i = first; i <= last; ++i)
    result.model.layers[i].canBegin = false;
  if (first > last || !stay.insert(op).second)
    return;
  auto options = remark::RemarkOpts::name(op->getName().getStringRef())
                     .category("dist-plan");
  remark::missed(op->getLoc(), options)
      << remark::add("stays in the stage of its readers: {0}", reason);
}

// Tensors change the stage, by messages whose sizes both stages know. So what
// is no tensor, and sizes that depend on data, stay.

void ModelBuilder::findCuts() {
  for (auto &own : routeLayers)
    if (own->layer)
      for (auto &[op, routes] : routeLayerOf)
        if (routes == own.get())
          result.routed[op] = *own->layer;
  DenseMap<StringAttr, std::pair<size_t, Operation *>> bound;
  // Each stage computes weights by itself.
  DenseMap<Operation *, llvm::SetVector<StringAttr>> namesOfWeights;
  for (Operation &op : entry.front()) {
    llvm::SetVector<StringAttr> names = findSizeNames(&op, dims);
    for (Value value : getReadValues(&op))
      if (auto it = namesOfWeights.find(value.getDefiningOp());
          it != namesOfWeights.end())
        names.insert_range(it->second);
    std::optional<size_t> layer = result.getLayer(&op);
    bool isReturn = op.hasTrait<OpTrait::IsTerminator>();
    if (!layer && !isReturn) {
      namesOfWeights[&op] = names;
      continue;
    }
    for (StringAttr name : names) {
      auto it = bound.find(name);
      if (it == bound.end())
        continue;
      // All ranks have the results.
      auto [first, binder] = it->second;
      forbidCuts(isReturn ? 1 : first + 1,
                 isReturn ? result.model.layers.size() - 1 : *layer, binder,
                 "the size @" + name.getValue().str() +
                     " that it finds is not sent");
    }
    if (isReturn)
      continue;
    op.walk([&](dhlo::BindsDims binder) {
      for (StringAttr name : binder.getBoundDims())
        bound[name] = {*layer, &op};
    });
    for (Value value : getReadValues(&op)) {
      Operation *maker = value.getDefiningOp();
      std::optional<size_t> from =
          maker ? result.getLayer(maker) : std::nullopt;
      if (!from)
        continue;
      // Rows of paths may read what is computed after a first combine.
      if (*from > *layer)
        forbidCuts(*layer + 1, *from, &op, "rows of its router read it later");
      else if (!isa<RankedTensorType>(value.getType()))
        forbidCuts(*from + 1, *layer, maker, "its result is no tensor");
    }
  }
}

FailureOr<PlanModel> ModelBuilder::build() {
  result.model.name = entry.getSymName().str();
  findBatch();
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    addInput(i);
    auto sharding =
        entry.getArgAttrOfType<ShardingAttr>(i, DistDialect::kShardingAttr);
    if (sharding &&
        failed(give(entry, sharding, layers.lookup(entry.getArgument(i)))))
      return failure();
  }
  for (auto route : entry.front().getOps<cell::RouteOp>())
    if (failed(addRoutes(route)))
      return failure();
  for (Operation &op : entry.front().without_terminator()) {
    if (RouteLayer *routes = routeLayerOf.lookup(&op)) {
      addToRoutes(&op, *routes);
      continue;
    }
    if (auto reshard = dyn_cast<ReshardOp>(op)) {
      Value operand = reshard.getOperand();
      if (weights.contains(operand)) {
        double bytes = weights[operand];
        weights[reshard.getResult()] = bytes;
        weightShardings[reshard.getResult()] = reshard.getSharding();
        if (failed(setMesh(reshard, reshard.getSharding())))
          return failure();
        continue;
      }
      size_t layer = layers.lookup(operand);
      layers[reshard.getResult()] = layer;
      if (result.values[layer].value == operand) {
        result.values[layer].value = reshard.getResult();
        if (failed(give(reshard, reshard.getSharding(), layer)))
          return failure();
      }
      continue;
    }
    if (!addWeight(&op) && failed(addOperation(&op)))
      return failure();
  }
  for (Value value : entry.front().getTerminator()->getOperands())
    if (auto it = layers.find(value); it != layers.end())
      result.model.layers[it->second].isResult =
          !result.model.layers[it->second].isInput;
  findCuts();
  return std::move(result);
}

FailureOr<PlanModel> dist::buildPlanModel(func::FuncOp entry,
                                          const SymbolicDims &dims,
                                          const SizeMap &sizes) {
  return ModelBuilder(entry, dims, sizes).build();
}
