//===- Exchanges.cpp - The exchanges of a call with other ranks -----------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchanges.h"

#include <algorithm>
#include <cstring>

using namespace dyn::rt;

namespace {
/// Rows [begin, end).
struct RowRange {
  int64_t begin, end;

  int64_t count() const { return end - begin; }
  bool operator<(const RowRange &other) const { return begin < other.begin; }
};

class HostCarrier final : public Carrier {
public:
  dyn_status_t clear(void *rows, uint64_t bytes) override {
    std::memset(rows, 0, bytes);
    return DYN_STATUS_OK;
  }
  dyn_status_t copy(void *to, const void *from, uint64_t bytes) override {
    std::memcpy(to, from, bytes);
    return DYN_STATUS_OK;
  }
  dyn_status_t begin(const std::vector<ExchangePart> &parts,
                     const ExchangeTerms &terms,
                     std::unique_ptr<PendingExchange> &out) override {
    return terms.communicator.exchange(parts, terms.timeoutNs, terms.cancel,
                                       dyn::rt::Rows::MovedHere, terms.error,
                                       out);
  }
};
} // namespace

Carrier &dyn::rt::hostCarrier() {
  static HostCarrier carrier;
  return carrier;
}

static RowRange rowsOf(const int64_t *ranges, uint32_t i) {
  return {ranges[2 * i], ranges[2 * i + 1]};
}

static dyn_status_t checkRanges(const RowExchange &wanted,
                                const int64_t *ranges, int64_t rows,
                                const Sites &sites) {
  for (uint32_t i = 0; i < wanted.count; ++i) {
    auto [begin, end] = rowsOf(ranges, i);
    if (begin < 0 || begin > rows)
      return sites.report(wanted.site, &begin);
    if (end < begin || end > rows)
      return sites.report(wanted.site, &end);
  }
  return DYN_STATUS_OK;
}

/// Clears the rows of the result that are in no range. Fails if ranges overlap.
static dyn_status_t clearRest(const RowExchange &wanted, Carrier &carrier,
                              const Sites &sites) {
  std::vector<RowRange> ranges;
  for (uint32_t i = 0; i < wanted.count; ++i)
    if (RowRange rows = rowsOf(wanted.receives, i); rows.count())
      ranges.push_back(rows);
  ranges.push_back({wanted.resultCount, wanted.resultCount});
  std::sort(ranges.begin(), ranges.end());
  int64_t next = 0;
  for (const RowRange &rows : ranges) {
    if (rows.begin < next)
      return sites.report(wanted.site, &rows.begin);
    if (uint64_t bytes = uint64_t((rows.begin - next) * wanted.rowBytes))
      DYN_RETURN_IF_FAILED(
          carrier.clear(wanted.result + next * wanted.rowBytes, bytes));
    next = rows.end;
  }
  return DYN_STATUS_OK;
}

/// The error of two ranks that do not agree, of which the last failure tells.
static dyn_status_t reportMismatch(uint64_t site, const Sites &sites) {
  std::string reason = dyn_last_error();
  dyn_status_t status = sites.report(site);
  std::string error = dyn_last_error();
  return fail(status, "%s: %s", error.c_str(), reason.c_str());
}

dyn_status_t Exchanges::begin(const RowExchange &wanted, Carrier &carrier,
                              const ExchangeTerms &terms, const Sites &sites,
                              int64_t &number) {
  const dyn_communicator &communicator = terms.communicator;
  DYN_RETURN_IF_FAILED(
      checkRanges(wanted, wanted.sends, wanted.rowCount, sites));
  DYN_RETURN_IF_FAILED(
      checkRanges(wanted, wanted.receives, wanted.resultCount, sites));
  DYN_RETURN_IF_FAILED(clearRest(wanted, carrier, sites));
  std::vector<ExchangePart> parts;
  for (uint32_t i = 0; i < wanted.count; ++i) {
    if (wanted.among[i] < 0 || wanted.among[i] >= communicator.size)
      return fail(DYN_STATUS_INTERNAL,
                  "compiled code exchanges rows with rank %lld of %u",
                  (long long)wanted.among[i], communicator.size);
    RowRange send = rowsOf(wanted.sends, i),
             receive = rowsOf(wanted.receives, i);
    ExchangePart part = {uint32_t(wanted.among[i]),
                         wanted.rows + send.begin * wanted.rowBytes,
                         uint64_t(send.count() * wanted.rowBytes),
                         wanted.result + receive.begin * wanted.rowBytes,
                         uint64_t(receive.count() * wanted.rowBytes)};
    if (part.rank != communicator.rank) {
      parts.push_back(part);
      continue;
    }
    if (part.sends != part.receives) {
      fail(DYN_STATUS_INVALID_ARGUMENT,
           "rank %u sends %llu bytes to itself and expects %llu", part.rank,
           (unsigned long long)part.sends, (unsigned long long)part.receives);
      return reportMismatch(wanted.site + 1, sites);
    }
    if (part.sends)
      DYN_RETURN_IF_FAILED(carrier.copy(part.receive, part.send, part.sends));
  }
  number = int64_t(begun.size());
  begun.push_back({nullptr, wanted.site});
  isQuiet = true;
  return carrier.begin(parts, terms, begun.back().exchange);
}

dyn_status_t Exchanges::wait(int64_t number, const Sites &sites,
                             RankError &heard) {
  if (number < 0 || number >= int64_t(begun.size()) ||
      !begun[size_t(number)].exchange)
    return fail(DYN_STATUS_INTERNAL,
                "compiled code waits for exchange %lld, which has not begun",
                (long long)number);
  auto [exchange, site] = std::move(begun[size_t(number)]);
  while (!begun.empty() && !begun.back().exchange)
    begun.pop_back();
  dyn_status_t status = exchange->wait(heard);
  return status == DYN_STATUS_INVALID_ARGUMENT ? reportMismatch(site + 1, sites)
                                               : status;
}

void Exchanges::leaveAlone() {
  isQuiet = false;
  for (Begun &each : begun)
    if (each.exchange)
      each.exchange->moveAlone();
}

void Exchanges::endAll() {
  RankError ignored;
  for (Begun &each : begun)
    if (each.exchange)
      each.exchange->wait(ignored);
  begun.clear();
}
