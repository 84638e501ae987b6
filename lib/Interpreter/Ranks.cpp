//===- Ranks.cpp - Runs all ranks of a local program ----------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Ranks have threads only to keep their stacks: one runs at a time, so a run is
// the same each time, and nothing is shared at once. A message is known by its
// sender, its receiver and its number among those of the pair, which both count
// by themselves.

#include "Ranks.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

using namespace mlir;
using namespace dyn;

namespace {

/// Sender, receiver, number.
using Key = std::tuple<int64_t, int64_t, int64_t>;

struct Message {
  Operation *op;
  Tensor rows;
};

/// The messages under way, and whose turn it is.
class Board {
public:
  explicit Board(int64_t ranks) : ranks(ranks) {}

  /// Runs `body` for each rank.
  LogicalResult run(llvm::function_ref<LogicalResult(int64_t)> body);
  void send(Key key, Message message) { messages.emplace(key, message); }
  /// Lets others run until the message is there.
  FailureOr<Message> receive(Operation *op, Key key);

private:
  struct Rank {
    bool isEnded = false;
    /// The message that it waits for, at which operation; none if it can go on.
    std::optional<Key> awaits;
    Operation *op = nullptr;
  };

  void passTurn();
  void reportDeadlock();

  std::vector<Rank> ranks;
  std::map<Key, Message> messages;
  int64_t turn = 0;
  bool hasFailed = false;
  std::mutex mutex;
  std::condition_variable hasTurn;
};

/// Evaluates a function with a `dist.part`.
class RankEvaluator : public Evaluator {
public:
  RankEvaluator(const InterpreterOptions &options,
                SmallVectorImpl<DataError> &dataErrors, Board &board,
                int64_t rank)
      : Evaluator(options, dataErrors), board(board), rank(rank) {}

  LogicalResult start(dist::ExchangeStartOp op);
  LogicalResult wait(dist::ExchangeWaitOp op);

private:
  using Range = std::pair<int64_t, int64_t>;
  /// Ranges within `rows`, with data errors corrected.
  SmallVector<Range> readRanges(dist::ExchangeStartOp op, const Tensor &ranges,
                                int64_t rows);

  struct Request {
    Tensor receives;
    SmallVector<int64_t> numbers;
  };

  Board &board;
  int64_t rank;
  DenseMap<Value, Request> requests;
  /// The number of exchanges with each rank.
  DenseMap<int64_t, int64_t> counts;
};

} // namespace

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

void Board::passTurn() {
  int64_t count = ranks.size();
  auto canRun = [&](const Rank &rank) {
    return !rank.isEnded &&
           (hasFailed || !rank.awaits || messages.count(*rank.awaits));
  };
  if (llvm::none_of(ranks, canRun) &&
      !llvm::all_of(ranks, [](const Rank &rank) { return rank.isEnded; }))
    reportDeadlock();
  for (int64_t i = 1; i <= count; ++i)
    if (int64_t next = (turn + i) % count; canRun(ranks[next])) {
      turn = next;
      break;
    }
  hasTurn.notify_all();
}

void Board::reportDeadlock() {
  hasFailed = true;
  const Rank &rank =
      *llvm::find_if(ranks, [](const Rank &rank) { return !rank.isEnded; });
  auto [from, to, number] = *rank.awaits;
  const Rank &peer = ranks[from];
  InFlightDiagnostic diag = rank.op->emitOpError("of rank ")
                            << to << " waits for rank " << from;
  if (peer.isEnded) {
    diag << ", which has ended";
    return;
  }
  diag << ", which waits for rank " << std::get<0>(*peer.awaits);
  diag.attachNote(peer.op->getLoc()) << "rank " << from << " waits here";
}

FailureOr<Message> Board::receive(Operation *op, Key key) {
  std::unique_lock lock(mutex);
  auto [from, to, number] = key;
  if (!messages.count(key)) {
    ranks[to].awaits = key;
    ranks[to].op = op;
    passTurn();
    hasTurn.wait(lock, [&, to = to] { return turn == to; });
    ranks[to].awaits.reset();
  }
  // One diagnostic is enough.
  if (hasFailed)
    return failure();
  auto it = messages.find(key);
  Message message = it->second;
  messages.erase(it);
  return message;
}

LogicalResult Board::run(llvm::function_ref<LogicalResult(int64_t)> body) {
  std::vector<std::thread> threads;
  for (int64_t rank = 0, count = ranks.size(); rank < count; ++rank)
    threads.emplace_back([&, rank] {
      std::unique_lock lock(mutex);
      hasTurn.wait(lock, [&] { return turn == rank; });
      if (!hasFailed) {
        lock.unlock();
        LogicalResult result = body(rank);
        lock.lock();
        hasFailed |= failed(result);
      }
      ranks[rank].isEnded = true;
      passTurn();
    });
  for (std::thread &thread : threads)
    thread.join();
  return failure(hasFailed);
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

SmallVector<RankEvaluator::Range>
RankEvaluator::readRanges(dist::ExchangeStartOp op, const Tensor &ranges,
                          int64_t rows) {
  SmallVector<Range> result;
  for (size_t i = 0; i != op.getAmong().size(); ++i) {
    int64_t begin = ranges.getInt(2 * i), end = ranges.getInt(2 * i + 1);
    int64_t first = std::clamp<int64_t>(begin, 0, rows);
    int64_t last = std::clamp(end, first, rows);
    if (first != begin || last != end)
      reportDataError(op, DataErrorKind::Index);
    result.push_back({first, last});
  }
  return result;
}

/// The bytes of some of `rows` rows.
template <typename Bytes>
static Bytes getRows(Bytes bytes, int64_t rows, int64_t begin, int64_t end) {
  int64_t each = rows ? bytes.size() / rows : 0;
  return bytes.slice(begin * each, (end - begin) * each);
}

LogicalResult RankEvaluator::start(dist::ExchangeStartOp op) {
  const Tensor &rows = get(op.getRows());
  Request request = {get(op.getReceives()), {}};
  auto ranges = readRanges(op, get(op.getSends()), rows.getSize(0));
  for (auto [peer, range] : llvm::zip_equal(op.getAmong(), ranges)) {
    SmallVector<int64_t> sizes(rows.getSizes());
    sizes.front() = range.second - range.first;
    Tensor part = Tensor::copy(
        rows.getElementType(), sizes,
        getRows(rows.getBytes(), rows.getSize(0), range.first, range.second));
    // No test: as in allocate.
    if (part.isNull())
      return op.emitOpError("runs out of memory");
    int64_t number = counts[peer]++;
    board.send({rank, peer, number}, {op, part});
    request.numbers.push_back(number);
  }
  requests[op.getRequest()] = std::move(request);
  return success();
}

LogicalResult RankEvaluator::wait(dist::ExchangeWaitOp op) {
  auto start = op.getRequest().getDefiningOp<dist::ExchangeStartOp>();
  FailureOr<Tensor> result = allocate(op, op.getType());
  if (failed(result))
    return failure();
  Request request = requests[op.getRequest()];
  int64_t rows = result->getSize(0);
  SmallVector<Range> ranges = readRanges(start, request.receives, rows);
  SmallVector<Range> sorted = llvm::filter_to_vector(
      ranges, [](Range range) { return range.first != range.second; });
  llvm::sort(sorted);
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].first < sorted[i - 1].second)
      return op.emitOpError("of rank ")
             << rank << " receives row " << sorted[i].first << " twice";
  for (auto [peer, range, number] :
       llvm::zip_equal(start.getAmong(), ranges, request.numbers)) {
    FailureOr<Message> message = board.receive(op, {peer, rank, number});
    if (failed(message))
      return failure();
    const Tensor &sent = message->rows;
    int64_t expected = range.second - range.first;
    if (sent.getSize(0) != expected)
      return op.emitOpError("of rank ")
             << rank << " receives " << expected << " rows of rank " << peer
             << ", which sends " << sent.getSize(0);
    if (sent.getElementType() != result->getElementType() ||
        sent.getSizes().drop_front() != result->getSizes().drop_front())
      return op.emitOpError("of rank ")
             << rank << " receives other rows than rank " << peer << " sends";
    llvm::copy(sent.getBytes(), getRows(result->getMutableBytes(), rows,
                                        range.first, range.second)
                                    .begin());
  }
  return set(op, op.getResult(), *result);
}

/// The evaluator of a rank, of which all functions with a part have one.
static RankEvaluator *getRank(Operation *op, Evaluator &state) {
  if (dist::getPartOf(op))
    return static_cast<RankEvaluator *>(&state);
  op->emitOpError("is not in the function of a rank");
  return nullptr;
}

template <>
LogicalResult dyn::evaluate(dist::ExchangeStartOp op, Evaluator &state) {
  RankEvaluator *rank = getRank(op, state);
  return rank ? rank->start(op) : failure();
}

template <>
LogicalResult dyn::evaluate(dist::ExchangeWaitOp op, Evaluator &state) {
  return static_cast<RankEvaluator &>(state).wait(op);
}

template <> LogicalResult dyn::evaluate(dist::ReshardOp op, Evaluator &state) {
  return state.set(op, op.getResult(), state.get(op.getOperand()));
}

/// Does nothing: a mesh has no value.
template <> LogicalResult dyn::evaluate(dist::MeshOp, Evaluator &) {
  return success();
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<func::FuncOp>> dyn::findParts(ModuleOp module,
                                                    StringRef entry) {
  std::map<int64_t, func::FuncOp> found;
  int64_t ranks = 0;
  for (auto function : module.getOps<func::FuncOp>()) {
    dist::PartAttr part = dist::getPart(function);
    if (!part || part.getEntry() != entry)
      continue;
    ranks = part.getRanks();
    found.emplace(part.getRank(), function);
  }
  if (int64_t(found.size()) != ranks)
    return module.emitError("entry '")
           << entry << "': expected functions of " << ranks
           << " ranks, found those of " << found.size();
  return llvm::map_to_vector(found, [](auto &part) { return part.second; });
}

FailureOr<RankResults>
dyn::runRanks(ArrayRef<func::FuncOp> parts, const InterpreterOptions &options,
              bool mayGuess, bool &hasGuessed,
              llvm::function_ref<FailureOr<SmallVector<Tensor>>(func::FuncOp,
                                                                Evaluator &)>
                  run) {
  Board board(parts.size());
  RankResults results;
  results.outputs.resize(parts.size());
  SmallVector<SmallVector<DataError>> errors(parts.size());
  auto runRank = [&](int64_t rank) -> LogicalResult {
    RankEvaluator state(options, errors[rank], board, rank);
    state.mayGuess = mayGuess;
    auto outputs = run(parts[rank], state);
    hasGuessed |= state.hasGuessed;
    if (failed(outputs))
      return failure();
    results.outputs[rank] = std::move(*outputs);
    return success();
  };
  if (failed(board.run(runRank)))
    return failure();
  for (ArrayRef<DataError> ofRank : errors)
    results.dataErrors.append(ofRank.begin(), ofRank.end());
  return results;
}
