//===- Exchanges.h - The exchanges of a call with other ranks -------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DYN_RUNTIME_CORE_EXCHANGES_H
#define DYN_RUNTIME_CORE_EXCHANGES_H

#include "Communicator.h"
#include "Sites.h"

namespace dyn::rt {

/// The arguments of dyn_services_t.exchange_start.
struct RowExchange {
  uint32_t count;
  const int64_t *among;
  const char *rows;
  int64_t rowCount;
  char *result;
  int64_t resultCount;
  int64_t rowBytes;
  const int64_t *sends, *receives;
  uint64_t site;
};

/// With whom rows are exchanged, and for how long. See dyn_communicator.
struct ExchangeTerms {
  dyn_communicator &communicator;
  uint64_t timeoutNs;
  const volatile int32_t *cancel;
  RankError error; ///< told to the other ranks
};

/// Moves the rows of exchanges in the memory of the host, or of a device.
class Carrier {
public:
  virtual ~Carrier() = default;
  /// Fills rows of a result with zeros.
  virtual dyn_status_t clear(void *rows, uint64_t bytes) = 0;
  /// Moves the rows that a rank sends to itself.
  virtual dyn_status_t copy(void *to, const void *from, uint64_t bytes) = 0;
  /// Begins to move those to and from other ranks.
  virtual dyn_status_t begin(const std::vector<ExchangePart> &parts,
                             const ExchangeTerms &terms,
                             std::unique_ptr<PendingExchange> &out) = 0;
};

/// The one for the memory of the host.
Carrier &hostCarrier();

/// Exchanges that have begun and not ended.
class Exchanges {
public:
  /// Begins one whose ranges lie in the memory of the host, and gives it a
  /// number.
  dyn_status_t begin(const RowExchange &wanted, Carrier &carrier,
                     const ExchangeTerms &terms, const Sites &sites,
                     int64_t &number);
  /// Ends one, and merges the errors of the other ranks into `heard`.
  dyn_status_t wait(int64_t number, const Sites &sites, RankError &heard);
  /// Has them move beside what the call does next.
  void moveAlone() {
    if (isQuiet)
      leaveAlone();
  }
  /// Ends what a failed call has begun, and discards their failures.
  void endAll();

private:
  struct Begun {
    std::unique_ptr<PendingExchange> exchange; ///< null once it has ended
    uint64_t site;
  };
  void leaveAlone();

  std::vector<Begun> begun;
  bool isQuiet = false; ///< one has begun since `moveAlone`
};

} // namespace dyn::rt

#endif // DYN_RUNTIME_CORE_EXCHANGES_H
