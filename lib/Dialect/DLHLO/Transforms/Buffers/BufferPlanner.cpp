//===- BufferPlanner.cpp - Converts entries over tensors to buffers -------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferPlanner.h"

#include "Dialect/DLHLO/Transforms/Fusion/FusionRules.h"
#include "Readers.h"
#include "Sites.h"

#include "dyn/Dialect/DHLO/IR/PortNames.h"
#include "dyn/Dialect/DLHLO/IR/Chains.h"
#include "dyn/Dialect/DLHLO/Transforms/Explain.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace dyn;
using namespace dyn::dlhlo;

Value BufferPlanner::getIndex(Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// Hosts only pass tensors, by name.
static LogicalResult checkSignature(func::FuncOp entry,
                                    ArrayRef<Attribute> inputs,
                                    ArrayRef<Attribute> outputs) {
  FunctionType type = entry.getFunctionType();
  for (TypeRange types :
       {TypeRange(type.getInputs()), TypeRange(type.getResults())})
    for (Type port : types)
      if (!llvm::isa<RankedTensorType>(port))
        return entry.emitOpError("expected tensors alone in the signature of "
                                 "an entry, found ")
               << port;
  for (auto [names, what] :
       {std::pair(inputs, "inputs"), {outputs, "outputs"}}) {
    llvm::SmallDenseSet<Attribute> seen;
    for (Attribute name : names)
      if (!seen.insert(name).second)
        return entry.emitOpError("expected distinct names of ")
               << what << ", found " << name << " twice";
  }
  return success();
}

LogicalResult BufferPlanner::plan(func::FuncOp entry) {
  MLIRContext *context = entry.getContext();
  Location loc = entry.getLoc();
  if (!entry.getBody().hasOneBlock())
    return entry.emitOpError("expected a body of one block");
  SmallVector<Attribute> inputs, outputs, dimRefs;
  for (unsigned i = 0; i != entry.getNumArguments(); ++i)
    inputs.push_back(builder.getStringAttr(dhlo::getInputName(entry, i)));
  for (unsigned i = 0; i != entry.getNumResults(); ++i)
    outputs.push_back(builder.getStringAttr(dhlo::getOutputName(entry, i)));
  if (failed(checkSignature(entry, inputs, outputs)))
    return failure();

  unpackLaunches(entry);

  // The symbols that are sizes of inputs, in order: the frame's dims.
  llvm::SetVector<StringAttr> bound;
  for (Type type : entry.getArgumentTypes())
    for (dhlo::DimExpr size :
         dhlo::getDims(llvm::cast<RankedTensorType>(type))) {
      if (!size)
        return entry.emitOpError(
                   "expected a name for each dynamic size, found ")
               << type;
      auto dim = size.isSymbol() ? symbols.lookup<dhlo::DimOp>(size.getName())
                                 : dhlo::DimOp();
      if (dim && !dim.getDefinitionAttr())
        bound.insert(size.getName());
    }

  for (StringAttr name : bound)
    dimRefs.push_back(FlatSymbolRefAttr::get(name));

  SmallVector<Type> types(entry.getNumArguments(), BufferType::get(context));
  types.append(bound.size(), builder.getIndexType());
  std::string name = ("dyn.entry." + entry.getSymName()).str();
  builder.setInsertionPoint(entry);
  auto function = func::FuncOp::create(builder, loc, name,
                                       builder.getFunctionType(types, {}));
  Block *body = function.addEntryBlock();
  for (auto [from, to] : llvm::zip(entry.getArguments(), body->getArguments()))
    buffers.map(from, to);
  for (auto [i, symbol] : llvm::enumerate(bound))
    shape.bind(symbol, body->getArgument(entry.getNumArguments() + i));

  for (OpOperand &output : entry.front().getTerminator()->getOpOperands())
    if (failed(
            setDestination(output, {int64_t(output.getOperandNumber()), {}})))
      return failure();
  builder.setInsertionPointToEnd(body);
  if (failed(planBlock(entry.front())))
    return failure();
  func::ReturnOp::create(builder, loc);

  builder.setInsertionPoint(function);
  StringAttr entryName = entry.getSymNameAttr();
  FunctionType entryType = entry.getFunctionType();
  dist::PartAttr part = dist::getPart(entry);
  symbols.erase(entry);
  auto lowered = EntryOp::create(
      builder, loc, entryName, builder.getStringAttr(name),
      TypeAttr::get(entryType), builder.getArrayAttr(inputs),
      builder.getArrayAttr(outputs), builder.getArrayAttr(dimRefs),
      builder.getI32IntegerAttr(maxArenas));
  if (part)
    lowered->setAttr(dist::DistDialect::kPartAttr, part);
  return success();
}

void BufferPlanner::unpackLaunches(func::FuncOp entry) {
  SmallVector<LaunchManyOp> found;
  entry.walk([&](LaunchManyOp op) { found.push_back(op); });
  for (LaunchManyOp op : found) {
    Block &body = op.getBody().front();
    op->replaceAllUsesWith(body.getTerminator()->getOperands());
    auto launches = llvm::to_vector(body.getOps<LaunchOp>());
    std::pair<Operation *, Operation *> ends = {launches.front(),
                                                launches.back()};
    if (DenseI64ArrayAttr found = getChains(op))
      chains[ends.first] = found;
    for (LaunchOp launch : launches)
      together[launch] = ends;
    for (Operation &part :
         llvm::make_early_inc_range(body.without_terminator()))
      part.moveBefore(op);
    op.erase();
  }
}

LogicalResult BufferPlanner::setDestination(OpOperand &use,
                                            Destination destination) {
  Value source = use.get();
  while (auto reshape = source.getDefiningOp<dhlo::ReshapeOp>())
    source = reshape.getOperand();
  Operation *maker = source.getDefiningOp();
  if (!llvm::isa_and_present<LaunchOp, dist::ExchangeWaitOp>(maker) ||
      maker->getBlock() != use.getOwner()->getBlock() ||
      !destinations.insert({source, destination}).second)
    return use.getOwner()->emitOpError("expected operand ")
           << use.getOperandNumber()
           << " to be the result of a launch or an exchange that is returned "
              "once";
  return success();
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

LogicalResult BufferPlanner::planBlock(Block &block) {
  // A nested block does not free arenas of its parent: the results of a branch
  // or a loop may lie in its own arenas.
  llvm::SaveAndRestore<Arenas> scope(current, Arenas());
  SmallVector<Operation *> segment;
  for (Operation &op : block.without_terminator()) {
    segment.push_back(&op);
    if (!llvm::isa<dhlo::BindsDims>(op))
      continue;
    if (failed(planSegment(segment)))
      return failure();
    segment.clear();
  }
  return segment.empty() ? success() : planSegment(segment);
}

LogicalResult BufferPlanner::planSegment(Segment segment) {
  ++numSegments;
  endLeases(segment.front());
  if (failed(computeSizes(segment)) || failed(reserveMemory(segment)))
    return failure();
  auto unpoison = [&](Operation *op) {
    for (Value result : op->getResults())
      if (Value bytes = valueBytes.lookup(result))
        UnpoisonOp::create(builder, op->getLoc(), getBuffer(result), bytes);
  };
  for (Operation *op : segment) {
    // The results of launches that run together are live from the first one on,
    // and that of an exchange from its beginning on.
    auto [first, last] = together.lookup(op);
    if (auto start = llvm::dyn_cast<dist::ExchangeStartOp>(op))
      unpoison(dist::getWait(start));
    else if (!first && !llvm::isa<dist::ExchangeWaitOp>(op))
      unpoison(op);
    else if (first == op)
      for (Operation *part = first; part != last->getNextNode();
           part = part->getNextNode())
        unpoison(part);
    if (failed(planOp(op)))
      return failure();
    for (Value value : lastReads.lookup(op))
      PoisonOp::create(builder, op->getLoc(), getBuffer(value),
                       valueBytes.lookup(value));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult BufferPlanner::planOp(Operation *op) {
  if (auto launch = llvm::dyn_cast<LaunchOp>(op))
    return planLaunch(launch);
  if (auto fromDims = llvm::dyn_cast<dhlo::FromDimsOp>(op))
    return planFromDims(fromDims);
  if (auto bind = llvm::dyn_cast<dhlo::BindOp>(op))
    return planBind(bind);
  if (auto start = llvm::dyn_cast<dist::ExchangeStartOp>(op))
    return planExchange(start);
  if (auto wait = llvm::dyn_cast<dist::ExchangeWaitOp>(op)) {
    dist::BufferWaitOp::create(builder, op->getLoc(),
                               buffers.lookup(wait.getRequest()));
    return success();
  }
  if (auto probe = llvm::dyn_cast<dhlo::ProbeOp>(op))
    return planProbe(probe);
  if (auto guess = llvm::dyn_cast<dhlo::GuessOp>(op))
    return planGuess(guess);
  if (auto guessed = llvm::dyn_cast<dhlo::GuessedOp>(op))
    return planGuessed(guessed);
  if (auto fetch = llvm::dyn_cast<FetchOp>(op)) {
    Value offsets = fetch.getOffsets();
    FetchOp::create(builder, op->getLoc(),
                    offsets ? getBuffer(offsets) : Value(), fetch.getRanges(),
                    fetch.getPredicted());
    return success();
  }
  if (auto branch = llvm::dyn_cast<dhlo::IfOp>(op))
    return planIf(branch);
  if (auto loop = llvm::dyn_cast<dhlo::WhileOp>(op))
    return planWhile(loop);
  if (auto constant = llvm::dyn_cast<GetConstantOp>(op)) {
    buffers.map(constant.getResult(),
                ConstantBufferOp::create(builder, op->getLoc(), bufferType,
                                         constant.getConstant()));
    return success();
  }
  if (isView(op)) {
    buffers.map(op->getResult(0), getBuffer(op->getOperand(0)));
    return success();
  }
  if (isOpTriviallyDead(op))
    return success();
  return op->emitOpError("expected a launch, control flow or a view here; run "
                         "dlhlo-outline-kernels before dlhlo-plan-buffers");
}

LogicalResult BufferPlanner::planLaunch(LaunchOp launch) {
  SmallVector<Value> sizes, operands;
  for (auto expr : launch.getDims().getAsRange<dhlo::DimExpr>())
    sizes.push_back(shape.get(builder, expr, launch));
  for (Value input : launch.getInputs())
    operands.push_back(getBuffer(input));
  for (Value result : launch.getResults())
    operands.push_back(getBuffer(result));
  OpBuilder::InsertionGuard guard(builder);
  if (Operation *first = together.lookup(launch).first) {
    if (first == launch) {
      many = DispatchManyOp::create(builder, launch.getLoc());
      many.getBody().emplaceBlock();
      if (DenseI64ArrayAttr found = chains.lookup(first))
        many->setAttr(kChainsAttr, found);
    }
    builder.setInsertionPointToEnd(&many.getBody().front());
  }
  auto dispatch =
      DispatchOp::create(builder, launch.getLoc(), launch.getKernel(), sizes,
                         operands, sites.add(launch.getSites().getValue()));
  if (!launch.getDims().empty())
    dispatch->setAttr(kSizesAttr, launch.getDims());
  return success();
}

bool dlhlo::isOnlyBound(Operation *op) {
  return llvm::isa<dhlo::FromDimsOp>(op) &&
         llvm::all_of(op->getUsers(), llvm::IsaPred<dhlo::BindOp>);
}

LogicalResult BufferPlanner::planFromDims(dhlo::FromDimsOp op) {
  if (isOnlyBound(op))
    return success();
  Type type = llvm::cast<RankedTensorType>(op.getType()).getElementType();
  for (auto [i, expr] :
       llvm::enumerate(op.getExprs().getAsRange<dhlo::DimExpr>()))
    StoreOp::create(builder, op.getLoc(), shape.get(builder, expr, op),
                    getBuffer(op.getResult()), i, type);
  return success();
}

Value BufferPlanner::loadScalar(Location loc, Value tensor, Type type) {
  CheckOp::create(builder, loc);
  return LoadOp::create(builder, loc, type, getBuffer(tensor));
}

LogicalResult BufferPlanner::planExchange(dist::ExchangeStartOp start) {
  auto wait = dist::getWait(start);
  if (!dist::getPartOf(start))
    return start.emitOpError("expected to be in a part of an entry");
  Location loc = start.getLoc();
  auto from = llvm::cast<RankedTensorType>(start.getRows().getType());
  auto to = llvm::cast<RankedTensorType>(wait.getResult().getType());
  Value rows = shape.get(builder, dhlo::getDim(from, 0), start);
  Value results = shape.get(builder, dhlo::getDim(to, 0), start);
  Value bytes = shape.get(builder, getRowBytes(from), start);
  if (!rows || !results || !bytes)
    return failure();
  auto isOfSizes = [](Value ranges) {
    return getViewSource(ranges).getDefiningOp<dhlo::FromDimsOp>() != nullptr;
  };
  if (!isOfSizes(start.getSends()) || !isOfSizes(start.getReceives()))
    CheckOp::create(builder, loc);
  Attribute errors[] = {
      getSite(start),
      SiteAttr::get(builder.getContext(), SiteKind::SizeMismatch,
                    start->getName().getStringRef(), getLocationName(loc))};
  buffers.map(start.getRequest(),
              dist::BufferStartOp::create(
                  builder, loc, getBuffer(start.getRows()), rows,
                  getBuffer(wait.getResult()), results, bytes, start.getAmong(),
                  getBuffer(start.getSends()), getBuffer(start.getReceives()),
                  sites.add(errors))
                  .getRequest());
  return success();
}

LogicalResult BufferPlanner::planProbe(dhlo::ProbeOp probe) {
  SmallVector<Value> sizes, operands;
  auto type = llvm::cast<RankedTensorType>(probe.getSeats().getType());
  if (failed(shape.getSizes(builder, type, probe, sizes)))
    return failure();
  for (Value operand : probe->getOperands())
    operands.push_back(getBuffer(operand));
  ProbeOp::create(builder, probe.getLoc(), probes.add(probe), sizes[0],
                  sizes[1], operands);
  return success();
}

FailureOr<int64_t> BufferPlanner::getRouter(Operation *op, StringAttr key) {
  std::optional<int64_t> router = probes.find(key);
  if (!router)
    return op->emitOpError("expected a router that has a probe, found ") << key;
  return *router;
}

LogicalResult BufferPlanner::planGuess(dhlo::GuessOp guess) {
  FailureOr<int64_t> router = getRouter(guess, guess.getKeyAttr());
  if (failed(router))
    return failure();
  Value value = GuessOp::create(builder, guess.getLoc(), builder.getIndexType(),
                                builder.getI64IntegerAttr(*router),
                                guess.getPaysFromAttr());
  // Services return what the declaration promises.
  shape.bind(guess.getSymbolAttr().getAttr(), value);
  return success();
}

LogicalResult BufferPlanner::planGuessed(dhlo::GuessedOp guessed) {
  FailureOr<int64_t> router = getRouter(guessed, guessed.getKeyAttr());
  if (failed(router))
    return failure();
  GuessedOp::create(
      builder, guessed.getLoc(), *router, getBuffer(guessed.getRoutes()),
      getBuffer(guessed.getGuess()), getBuffer(guessed.getRest()));
  return success();
}
