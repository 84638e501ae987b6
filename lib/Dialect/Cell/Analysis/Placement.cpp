//===- Placement.cpp - Which rank holds which path ------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dyn/Dialect/Cell/Analysis/Placement.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <random>
#include <tuple>

using namespace dyn;
using namespace dyn::cell;

namespace {

/// Less excess is better, then less time. Many moves leave the busiest rank as
/// it is; of those the better ones spread rows evenly, and keep them at home.
struct Score {
  double excess = 0, time = 0, spread = 0;

  bool isBetterThan(const Score &other) const {
    auto less = [](double lhs, double rhs) {
      return lhs < rhs - 1e-9 * (std::abs(rhs) + 1e-9);
    };
    for (auto [mine, theirs] :
         {std::pair(excess, other.excess), std::pair(time, other.time)})
      if (less(mine, theirs) || less(theirs, mine))
        return mine < theirs;
    return less(spread, other.spread);
  }
};

/// A placement whose paths can be moved, with its score.
class Board {
public:
  Board(llvm::ArrayRef<RouterToPlace> routers, const RanksToPlaceOn &ranks,
        Placement start);

  const Placement &getPlacement() const { return placement; }
  int64_t getNumRanks() const { return ranks.count; }
  PlacementCost getCost() const;
  Score getScore() const;
  void move(size_t router, size_t path, int64_t rank);

private:
  /// Of one router: the time of paths on each rank, and the rows that it
  /// receives and sends.
  struct Traffic {
    std::vector<double> time, in, out;
    double moved = 0;
  };
  int64_t getSourceRank(size_t router, size_t source) const {
    return routers[router].isFromPaths ? placement[router - 1][source]
                                       : int64_t(source);
  }
  void send(size_t router, int64_t from, int64_t to, double rows);
  /// Adds the rows from one source to one path, or removes them.
  void sendTo(size_t router, size_t path, int64_t rank, double sign);
  void sendFrom(size_t router, size_t path, int64_t rank, double sign);
  /// Time and spread of one router.
  Score getPart(size_t router) const;

  llvm::ArrayRef<RouterToPlace> routers;
  RanksToPlaceOn ranks;
  Placement placement;
  std::vector<Traffic> traffic;
  std::vector<Score> parts;
  std::vector<double> bytes;
};

} // namespace

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

Board::Board(llvm::ArrayRef<RouterToPlace> routers, const RanksToPlaceOn &ranks,
             Placement start)
    : routers(routers), ranks(ranks), placement(std::move(start)),
      bytes(ranks.count, 0) {
  std::vector<double> zeros(ranks.count, 0);
  traffic.resize(routers.size(), {zeros, zeros, zeros, 0});
  for (size_t router = 0; router != routers.size(); ++router)
    for (auto [path, rank] : llvm::enumerate(placement[router])) {
      traffic[router].time[rank] += routers[router].getTime(path);
      if (!routers[router].bytes.empty())
        bytes[rank] += routers[router].bytes[path];
      sendTo(router, path, rank, 1);
    }
  for (size_t router = 0; router != routers.size(); ++router)
    parts.push_back(getPart(router));
}

void Board::send(size_t router, int64_t from, int64_t to, double rows) {
  if (from == to)
    return;
  traffic[router].out[from] += rows;
  traffic[router].in[to] += rows;
  traffic[router].moved += rows;
}

void Board::sendTo(size_t router, size_t path, int64_t rank, double sign) {
  const RouterToPlace &of = routers[router];
  for (size_t source = 0; source != of.from.size(); ++source)
    send(router, getSourceRank(router, source), rank,
         sign * of.from[source][path]);
  if (of.from.empty())
    for (int64_t source = 0; source != ranks.count; ++source)
      send(router, source, rank, sign * of.rows[path] / ranks.count);
}

void Board::sendFrom(size_t router, size_t path, int64_t rank, double sign) {
  size_t next = router + 1;
  if (next == routers.size() || !routers[next].isFromPaths)
    return;
  for (auto [to, rows] : llvm::enumerate(routers[next].from[path]))
    send(next, rank, placement[next][to], sign * rows);
}

void Board::move(size_t router, size_t path, int64_t rank) {
  int64_t before = std::exchange(placement[router][path], rank);
  const RouterToPlace &of = routers[router];
  traffic[router].time[before] -= of.getTime(path);
  traffic[router].time[rank] += of.getTime(path);
  if (!of.bytes.empty()) {
    bytes[before] -= of.bytes[path];
    bytes[rank] += of.bytes[path];
  }
  sendTo(router, path, before, -1);
  sendTo(router, path, rank, 1);
  sendFrom(router, path, before, -1);
  sendFrom(router, path, rank, 1);
  parts[router] = getPart(router);
  if (router + 1 != routers.size() && routers[router + 1].isFromPaths)
    parts[router + 1] = getPart(router + 1);
}

Score Board::getPart(size_t router) const {
  const RouterToPlace &of = routers[router];
  const Traffic &at = traffic[router];
  Score part;
  part.time = *llvm::max_element(at.time) +
              of.moveTime * std::max(*llvm::max_element(at.in),
                                     *llvm::max_element(at.out));
  double all = llvm::sum_of(at.time, 0.0), squares = 0;
  for (double time : at.time)
    squares += time * time;
  part.spread = of.moveTime * at.moved / ranks.count;
  if (all > 0)
    part.spread += squares / all;
  return part;
}

Score Board::getScore() const {
  Score score;
  for (const Score &part : parts) {
    score.time += part.time;
    score.spread += part.spread;
  }
  for (double held : bytes)
    score.excess += std::max(0.0, held - ranks.memory);
  return score;
}

PlacementCost Board::getCost() const {
  Score score = getScore();
  PlacementCost cost;
  cost.time = score.time;
  cost.excess = score.excess;
  for (const Traffic &at : traffic) {
    cost.moved += at.moved;
    if (double all = llvm::sum_of(at.time, 0.0); all > 0)
      cost.balance = std::max(cost.balance,
                              *llvm::max_element(at.time) * ranks.count / all);
  }
  return cost;
}

PlacementCost cell::getCost(llvm::ArrayRef<RouterToPlace> routers,
                            const RanksToPlaceOn &ranks,
                            const Placement &placement) {
  return Board(routers, ranks, placement).getCost();
}

//===----------------------------------------------------------------------===//
// Starts
//===----------------------------------------------------------------------===//

Placement cell::placeInTurn(llvm::ArrayRef<RouterToPlace> routers,
                            const RanksToPlaceOn &ranks) {
  Placement placement;
  for (const RouterToPlace &router : routers) {
    auto &of = placement.emplace_back();
    for (size_t path = 0; path != router.rows.size(); ++path)
      of.push_back(int64_t(path) % ranks.count);
  }
  return placement;
}

namespace {
/// Paths, and at most one rank, that are placed together.
struct Cluster {
  std::vector<std::pair<size_t, size_t>> paths;
  std::vector<double> times; // of each router
  double bytes = 0;
  int64_t rank = -1;
};
} // namespace

static double getTime(const RouterToPlace &router) {
  double sum = 0;
  for (size_t path = 0; path != router.rows.size(); ++path)
    sum += router.getTime(path);
  return sum;
}

/// Joins paths with those that most of their rows come from, or with the rank,
/// as far as that leaves time and memory even; each by itself if not `joined`.
static std::vector<Cluster> getClusters(llvm::ArrayRef<RouterToPlace> routers,
                                        const RanksToPlaceOn &ranks,
                                        bool joined) {
  std::vector<Cluster> clusters;
  std::vector<size_t> first;
  for (auto [i, router] : llvm::enumerate(routers)) {
    first.push_back(clusters.size());
    for (size_t path = 0; path != router.rows.size(); ++path) {
      Cluster cluster;
      cluster.paths = {{i, path}};
      cluster.times.resize(routers.size(), 0);
      cluster.times[i] = router.getTime(path);
      cluster.bytes = router.bytes.empty() ? 0 : router.bytes[path];
      clusters.push_back(std::move(cluster));
    }
  }
  if (!joined)
    return clusters;
  size_t firstRank = clusters.size();
  for (int64_t rank = 0; rank != ranks.count; ++rank) {
    Cluster cluster;
    cluster.times.resize(routers.size(), 0);
    cluster.rank = rank;
    clusters.push_back(std::move(cluster));
  }

  std::vector<std::tuple<double, size_t, size_t>> edges;
  std::vector<double> share;
  for (auto [i, router] : llvm::enumerate(routers)) {
    share.push_back(getTime(router) / ranks.count);
    for (auto [source, row] : llvm::enumerate(router.from))
      for (auto [path, rows] : llvm::enumerate(row))
        if (rows > 0)
          edges.emplace_back(-rows * router.moveTime,
                             (router.isFromPaths ? first[i - 1] : firstRank) +
                                 source,
                             first[i] + path);
  }
  llvm::sort(edges);
  llvm::SmallVector<size_t> parent =
      llvm::to_vector_of<size_t>(llvm::seq<size_t>(0, clusters.size()));
  auto find = [&](size_t node) {
    while (parent[node] != node)
      node = parent[node] = parent[parent[node]];
    return node;
  };
  for (auto [weight, lhs, rhs] : edges) {
    size_t to = find(lhs), from = find(rhs);
    Cluster &a = clusters[to], &b = clusters[from];
    if (to == from || (a.rank >= 0 && b.rank >= 0) ||
        a.bytes + b.bytes > ranks.memory)
      continue;
    // A single path may be more than a share.
    bool fits = true;
    for (size_t i = 0; i != routers.size(); ++i)
      fits &= a.times[i] == 0 || b.times[i] == 0 ||
              a.times[i] + b.times[i] <= share[i] * 1.05;
    if (!fits)
      continue;
    llvm::append_range(a.paths, b.paths);
    for (size_t i = 0; i != routers.size(); ++i)
      a.times[i] += b.times[i];
    a.bytes += b.bytes;
    a.rank = std::max(a.rank, b.rank);
    b.paths.clear();
    parent[from] = to;
  }
  llvm::erase_if(clusters,
                 [](const Cluster &cluster) { return cluster.paths.empty(); });
  return clusters;
}

/// Puts clusters, the heaviest first, where the busiest router of a rank takes
/// the least time.
static Placement pack(llvm::ArrayRef<RouterToPlace> routers,
                      const RanksToPlaceOn &ranks,
                      std::vector<Cluster> clusters) {
  std::vector<double> all;
  Placement placement;
  for (const RouterToPlace &router : routers) {
    all.push_back(std::max(getTime(router), 1e-9));
    placement.emplace_back(router.rows.size(), 0);
  }
  auto getPart = [&](llvm::ArrayRef<double> times) {
    double most = 0;
    for (auto [of, total] : llvm::zip_equal(times, all))
      most = std::max(most, of / total);
    return most;
  };
  // Clusters that have a rank come first.
  llvm::stable_sort(clusters, [&](const Cluster &lhs, const Cluster &rhs) {
    return std::pair(lhs.rank < 0, -getPart(lhs.times)) <
           std::pair(rhs.rank < 0, -getPart(rhs.times));
  });
  std::vector<std::vector<double>> times(
      ranks.count, std::vector<double>(routers.size(), 0));
  std::vector<double> bytes(ranks.count, 0);
  for (const Cluster &cluster : clusters) {
    int64_t best = cluster.rank;
    std::tuple<bool, double, double> least;
    for (int64_t rank = 0; cluster.rank < 0 && rank != ranks.count; ++rank) {
      std::vector<double> together = times[rank];
      for (auto [sum, more] : llvm::zip_equal(together, cluster.times))
        sum += more;
      std::tuple<bool, double, double> cost = {bytes[rank] + cluster.bytes >
                                                   ranks.memory,
                                               getPart(together), bytes[rank]};
      if (best < 0 || cost < least) {
        best = rank;
        least = cost;
      }
    }
    for (auto [sum, more] : llvm::zip_equal(times[best], cluster.times))
      sum += more;
    bytes[best] += cluster.bytes;
    for (auto [router, path] : cluster.paths)
      placement[router][path] = best;
  }
  return placement;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// Moves and swaps paths of the same router until nothing helps.
static void improve(Board &board) {
  Score best = board.getScore();
  const Placement &placement = board.getPlacement();
  auto isBetter = [&] {
    Score score = board.getScore();
    if (!score.isBetterThan(best))
      return false;
    best = score;
    return true;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t router = 0; router != placement.size(); ++router)
      for (size_t path = 0; path != placement[router].size(); ++path) {
        for (int64_t to = 0; to != board.getNumRanks(); ++to) {
          int64_t before = placement[router][path];
          if (to == before)
            continue;
          board.move(router, path, to);
          if (isBetter())
            changed = true;
          else
            board.move(router, path, before);
        }
        for (size_t other = 0; other != path; ++other) {
          int64_t mine = placement[router][path];
          int64_t theirs = placement[router][other];
          if (mine == theirs)
            continue;
          board.move(router, path, theirs);
          board.move(router, other, mine);
          if (isBetter()) {
            changed = true;
          } else {
            board.move(router, path, mine);
            board.move(router, other, theirs);
          }
        }
      }
  }
}

Placement cell::placePaths(llvm::ArrayRef<RouterToPlace> routers,
                           const RanksToPlaceOn &ranks) {
  constexpr int kKicks = 6, kKicked = 3;
  Placement best;
  Score bestScore;
  auto offer = [&](const Board &board) {
    Score score = board.getScore();
    if (best.empty() || score.isBetterThan(bestScore)) {
      best = board.getPlacement();
      bestScore = score;
    }
  };
  if (routers.empty())
    return best;
  for (Placement start :
       {placeInTurn(routers, ranks),
        pack(routers, ranks, getClusters(routers, ranks, /*joined=*/false)),
        pack(routers, ranks, getClusters(routers, ranks, /*joined=*/true))}) {
    Board board(routers, ranks, std::move(start));
    improve(board);
    offer(board);
  }
  // The same numbers on each machine: distributions of the library differ.
  std::mt19937 random(1);
  for (int kick = 0; kick != kKicks; ++kick) {
    Board board(routers, ranks, best);
    for (int i = 0; i != kKicked; ++i) {
      size_t router = random() % routers.size();
      board.move(router, random() % routers[router].rows.size(),
                 int64_t(random() % ranks.count));
    }
    improve(board);
    offer(board);
  }
  return best;
}
