//===- OverlapExchanges.cpp - Orders work around exchanges ----------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A list scheduler. Exchanges keep their order, which is that of all ranks, so
// ranks may order the rest as their own sizes suggest. Cheap operations are
// written where they are first read, or after the work whose result they read,
// so that fusions find both in one segment. Broadcasts are written in each
// segment that reads them: else they would be stored for later ones.

#include "dyn/Dialect/DHLO/Analysis/SymbolicDims.h"
#include "dyn/Dialect/DLHLO/Analysis/KernelCost.h"
#include "dyn/Dialect/Dist/Transforms/Passes.h"
#include "dyn/Dialect/Dist/Transforms/StageSizes.h"
#include "dyn/Plan/Machine.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

namespace dyn::dist {
#define GEN_PASS_DEF_OVERLAPEXCHANGESPASS
#include "dyn/Dialect/Dist/Transforms/Passes.h.inc"
} // namespace dyn::dist

using namespace mlir;
using namespace dyn;
using namespace dyn::dist;

namespace {

/// Operations for each element of a result, from which its operation is work
/// that is worth a kernel beside an exchange.
constexpr int64_t kWorkPerElement = 8;

/// Rates of a rank, in operations and bytes per second.
struct Rates {
  double operations = 5e10, link = 1e9;
};

/// Orders the operations of one block.
class Scheduler {
public:
  Scheduler(Block &block, const SymbolicDims &dims, Rates rates,
            int64_t maxOpen)
      : block(block), dims(dims), rates(rates), maxOpen(maxOpen) {}

  void run();
  /// Exchanges with work between their beginning and their end, and all.
  int64_t numOverlapped = 0, numExchanges = 0;

private:
  void addDependences();
  void collectBinders(Operation *op,
                      llvm::function_ref<void(Operation *)> add) const;

  /// The operations of a result, and of what is in regions.
  int64_t countOperations(Operation *op) const;
  int64_t countBytes(Value value) const;
  bool isWork(Operation *op) const;
  /// The number of the first exchange that has to end before an operation, -1
  /// for none.
  int findWait(Operation *op) const;

  /// Writes an operation after what it needs.
  void write(Operation *op);
  void writeFollowers(Operation *op);
  void begin(ExchangeStartOp start);
  /// Writes work that is due, or until the exchange should have ended, or all
  /// if no other exchange could hide it, of what does not need the exchange;
  /// then its end.
  void end(ExchangeWaitOp wait, llvm::function_ref<bool(Operation *)> isDue);
  /// The operations that one needs and that have not been written.
  DenseSet<Operation *> findNeeded(Operation *op) const;
  bool hasWorkSince(size_t position) const;
  void repeatBroadcasts();

  Block &block;
  const SymbolicDims &dims;
  Rates rates;
  int64_t maxOpen;

  SmallVector<Operation *> ops, order;
  DenseMap<StringAttr, Operation *> binders;
  DenseMap<Operation *, SmallVector<Operation *>> needs;
  llvm::SetVector<Operation *> work;
  DenseSet<Operation *> written;
  /// The ends of exchanges; which of them an operation needs, whatever lies
  /// between; and which have not been written.
  SmallVector<ExchangeWaitOp> waits;
  DenseMap<Operation *, llvm::BitVector> waitsFor;
  llvm::BitVector isAhead;
  /// An exchange that has begun, and what had been written then.
  struct Open {
    ExchangeWaitOp wait;
    double until;
    size_t position;
  };
  SmallVector<Open> open;
  double now = 0, linkIsFree = 0;
  int64_t numStarts = 0;
};

/// Whether ranks tell each other something in an operation's regions.
bool exchangesInside(Operation *op) {
  auto find = [](ExchangeStartOp) { return WalkResult::interrupt(); };
  return op->getNumRegions() && op->walk(find).wasInterrupted();
}

} // namespace

//===----------------------------------------------------------------------===//
// Dependences
//===----------------------------------------------------------------------===//

void Scheduler::collectBinders(
    Operation *op, llvm::function_ref<void(Operation *)> add) const {
  auto addOf = [&](StringAttr name) {
    if (Operation *binder = binders.lookup(name))
      add(binder);
  };
  llvm::for_each(findSizeNames(op, dims), addOf);
  // The bound of a size is checked where it is bound.
  op->walk([&](dhlo::BindsDims binds) {
    for (StringAttr name : binds.getBoundDims())
      if (auto dim =
              SymbolTable::lookupNearestSymbolFrom<dhlo::DimOp>(op, name))
        if (dhlo::DimExpr bound = dim.getAtMostAttr())
          dhlo::walkSymbols(dims.expand(bound), addOf);
  });
}

void Scheduler::addDependences() {
  for (Operation &op : block.without_terminator()) {
    ops.push_back(&op);
    numStarts += isa<ExchangeStartOp>(op);
    if (auto wait = dyn_cast<ExchangeWaitOp>(op))
      waits.push_back(wait);
    if (isWork(&op))
      work.insert(&op);
  }
  isAhead.resize(waits.size(), true);
  for (Operation *op : ops)
    if (auto binds = dyn_cast<dhlo::BindsDims>(op))
      for (StringAttr name : binds.getBoundDims())
        binders[name] = op;
  Operation *lastExchange = nullptr, *lastEffect = nullptr;
  for (Operation *op : ops) {
    SmallVector<Operation *> &needed = needs[op];
    auto add = [&](Operation *other) {
      if (other && other != op && !llvm::is_contained(needed, other))
        needed.push_back(other);
    };
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *maker = operand.getDefiningOp())
          add(block.findAncestorOpInBlock(*maker));
    });
    collectBinders(op, add);
    if (isa<ExchangeStartOp>(op) || exchangesInside(op)) {
      add(lastExchange);
      lastExchange = op;
    }
    if (!isa<ExchangeStartOp, ExchangeWaitOp, dhlo::BindsDims>(op) &&
        !isMemoryEffectFree(op)) {
      add(lastEffect);
      lastEffect = op;
    }
    llvm::BitVector needsWaits(waits.size());
    for (Operation *other : needed)
      needsWaits |= waitsFor[other];
    if (auto *wait = llvm::find(waits, op); wait != waits.end())
      needsWaits.set(wait - waits.begin());
    waitsFor[op] = std::move(needsWaits);
  }
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

int64_t Scheduler::countOperations(Operation *op) const {
  int64_t count = dims.getEstimate(dyn::countOperations(op, dims));
  for (Region &region : op->getRegions())
    for (Operation &nested : region.getOps())
      count += countOperations(&nested);
  return count;
}

int64_t Scheduler::countBytes(Value value) const {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t bits = type.getElementTypeBitWidth();
  return dims.getEstimate(dims.getNumElements(type)) * ((bits + 7) / 8);
}

bool Scheduler::isWork(Operation *op) const {
  if (op->getNumRegions())
    return true;
  if (!isa<dhlo::DHLODialect>(op->getDialect()) || op->getNumResults() == 0)
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return type &&
         countOperations(op) >=
             kWorkPerElement * dims.getEstimate(dims.getNumElements(type));
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

int Scheduler::findWait(Operation *op) const {
  llvm::BitVector ahead = waitsFor.lookup(op);
  ahead &= isAhead;
  return ahead.find_first();
}

void Scheduler::write(Operation *op) {
  if (!written.insert(op).second)
    return;
  SmallVector<Operation *> needed = needs[op];
  llvm::sort(needed,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  llvm::for_each(needed, [&](Operation *other) { write(other); });
  order.push_back(op);
  if (auto *wait = llvm::find(waits, op); wait != waits.end())
    isAhead.reset(wait - waits.begin());
  now += countOperations(op) / rates.operations;
}

/// Writes what reads a result and needs nothing else, such as a bias and an
/// activation, beside its work.
void Scheduler::writeFollowers(Operation *op) {
  for (Operation *user : op->getUsers()) {
    Operation *reader = block.findAncestorOpInBlock(*user);
    if (!reader || reader == &block.back() || written.contains(reader) ||
        isa<ExchangeStartOp, ExchangeWaitOp>(reader) || work.contains(reader) ||
        findWait(reader) >= 0)
      continue;
    write(reader);
    writeFollowers(reader);
  }
}

DenseSet<Operation *> Scheduler::findNeeded(Operation *op) const {
  DenseSet<Operation *> found;
  SmallVector<Operation *> left = {op};
  while (!left.empty())
    for (Operation *other : needs.lookup(left.pop_back_val()))
      if (!written.contains(other) && found.insert(other).second)
        left.push_back(other);
  return found;
}

void Scheduler::begin(ExchangeStartOp start) {
  // Only one that ends before this one in the program, too: any other may be
  // with ranks of another stage, which wait for this one. When a sender begins,
  // a receiver cannot tell, so what it has received is worked on before it
  // waits for more, not kept for a later exchange.
  if (int64_t(open.size()) >= maxOpen) {
    auto *first = llvm::find_if(
        open, [&](Open &each) { return each.wait->isBeforeInBlock(start); });
    if (first != open.end())
      end(first->wait,
          [&](Operation *op) { return waitsFor.lookup(op).any(); });
  }
  write(start);
  auto wait = cast<ExchangeWaitOp>(*start->getUsers().begin());
  linkIsFree =
      std::max(linkIsFree, now) + countBytes(wait.getResult()) / rates.link;
  open.push_back({wait, linkIsFree, order.size()});
}

bool Scheduler::hasWorkSince(size_t position) const {
  return llvm::any_of(ArrayRef(order).drop_front(position),
                      [&](Operation *op) { return work.contains(op); });
}

void Scheduler::end(ExchangeWaitOp wait,
                    llvm::function_ref<bool(Operation *)> isDue) {
  auto *it =
      llvm::find_if(open, [&](const Open &each) { return each.wait == wait; });
  Open exchange = *it;
  open.erase(it);
  for (Operation *op : work) {
    if (written.contains(op) || findWait(op) >= 0 || exchangesInside(op))
      continue;
    if (now >= exchange.until && numExchanges < numStarts && !isDue(op))
      continue;
    write(op);
    writeFollowers(op);
  }
  numOverlapped += hasWorkSince(exchange.position);
  now = std::max(now, exchange.until);
  write(wait);
}

void Scheduler::repeatBroadcasts() {
  DenseMap<Operation *, int64_t> segments;
  int64_t segment = 0;
  for (Operation &op : block) {
    bool isEdge =
        isa<ExchangeStartOp, ExchangeWaitOp>(op) || exchangesInside(&op);
    segments[&op] = segment += isEdge;
    segment += isEdge;
  }
  for (Operation *op : ops) {
    if (!isa<dhlo::BroadcastOp>(op))
      continue;
    SmallVector<Operation *> readers;
    for (Operation *user : op->getUsers())
      readers.push_back(block.findAncestorOpInBlock(*user));
    llvm::sort(readers, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    int64_t last = segments.lookup(op);
    Operation *copy = op;
    for (Operation *reader : readers) {
      if (std::exchange(last, segments.lookup(reader)) !=
          segments.lookup(reader))
        copy = OpBuilder(reader).clone(*op);
      if (copy != op)
        reader->walk([&](Operation *nested) {
          nested->replaceUsesOfWith(op->getResult(0), copy->getResult(0));
        });
    }
  }
}

void Scheduler::run() {
  addDependences();
  for (Operation *op : ops) {
    bool hasOrder = exchangesInside(op);
    auto start = dyn_cast<ExchangeStartOp>(op);
    if (!start && !hasOrder)
      continue;
    // Its other needs do not have to wait.
    DenseSet<Operation *> needed = findNeeded(op);
    for (int wait = findWait(op); wait >= 0; wait = findWait(op))
      end(waits[wait], [&](Operation *op) { return needed.contains(op); });
    if (!start) {
      write(op);
      continue;
    }
    ++numExchanges;
    begin(start);
  }
  while (!open.empty())
    end(open.front().wait, [](Operation *) { return true; });
  llvm::for_each(ops, [&](Operation *op) { write(op); });
  for (Operation *op : order)
    op->moveBefore(block.getTerminator());
  repeatBroadcasts();
}

namespace {
struct OverlapExchangesPass
    : dist::impl::OverlapExchangesPassBase<OverlapExchangesPass> {
  using OverlapExchangesPassBase::OverlapExchangesPassBase;

  void runOnOperation() override {
    markAnalysesPreserved<SymbolicDims>();
    const auto &dims = getAnalysis<SymbolicDims>();
    Rates rates;
    if (!machine.empty()) {
      llvm::Expected<plan::Machine> read = plan::Machine::read(machine);
      if (!read) {
        getOperation().emitError(llvm::toString(read.takeError()));
        return signalPassFailure();
      }
      rates.operations = read->flops;
      rates.link = read->links.front().bytesPerSecond;
      for (const plan::LinkLevel &level : read->links)
        rates.link = std::min(rates.link, level.bytesPerSecond);
    }
    if (maxOpen < 1) {
      getOperation().emitError("max-open: expected at least 1, found ")
          << maxOpen.getValue();
      return signalPassFailure();
    }
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (!block->getOps<ExchangeStartOp>().empty())
        blocks.push_back(block);
    });
    for (Block *block : blocks) {
      Scheduler scheduler(*block, dims, rates, maxOpen);
      scheduler.run();
      numOverlapped += scheduler.numOverlapped;
      numExposed += scheduler.numExchanges - scheduler.numOverlapped;
    }
    if (blocks.empty())
      markAllAnalysesPreserved();
  }
};
} // namespace
