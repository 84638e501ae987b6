//===- comm.h - Ranks that exchange data ----------------------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A communicator is one rank's end of a group of `size` ranks: threads,
// processes of one machine, or of several. Operations of a group:
//
//   all_to_all   each rank sends a part to each rank; parts of any size, or 0
//   all_gather   each rank sends one part to all
//   broadcast    one rank, the root, sends its data to all
//   all_reduce   each rank gets the reduction of all ranks' elements
//   barrier      no rank leaves before all have come
//   send         to one rank; ends when the data have left, which is not before
//                the other rank has begun to receive
//   receive      from one rank
//
//   dyn_communicator_t *communicator;
//   dyn_communicator_create_sockets(NULL, NULL, &communicator);
//   dyn_communicator_all_to_all(communicator, sends, receives, NULL, NULL);
//
// Start and wait. Each operation has the out-parameter `out_request`. If it is
// null, the function returns when the operation has ended; else when it has
// begun, and dyn_request_wait ends it. The memory of its data must stay, and
// what it sends unchanged, so long. A thread of the runtime moves the data
// meanwhile.
//
// Order. Two ranks must begin the operations that concern both in the same
// order. Before data move, the two tell each other the operation, its number
// and the sizes: if these do not match, both get INVALID_ARGUMENT with both
// sides named, or RANK_FAILED with the same words if another rank has told them
// first, and no memory has been written.
//
// Failures. Each operation has a deadline. A rank that ends is noticed at once,
// one that is stopped or late at the deadline. A failure is the end of the
// communicator, in all ranks: those that wait get a status and a message that
// names the rank that failed, and later operations get the same again. The last
// operation before may have succeeded on ranks that had all of it. Data of
// operations that fail are undefined, but nothing touches them any more (but
// over MPI, see docs/Runtime.md). Only an error that is found before the
// operation begins, such as a null pointer, leaves the communicator usable.
//
// Threads. Communicators are thread-safe, but the order of operations that
// several threads begin is the caller's duty. A forked child cannot use a
// communicator.
//
//===----------------------------------------------------------------------===//

#ifndef DYN_COMM_H
#define DYN_COMM_H

#include "dyn/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Communicators
//===----------------------------------------------------------------------===//

typedef struct dyn_communicator_options {
  size_t struct_size;
  /// Deadline of operations that state none: 0 for 30 s, UINT64_MAX for never.
  uint64_t timeout_ns;
  /// For tests: bytes per second that pass from this rank to each other one, 0
  /// for the number in DYN_LINK_RATE, or no limit. A message leaves when the
  /// link would have taken it; the time of the transport comes in addition.
  uint64_t link_rate;
} dyn_communicator_options_t;

/// Makes the communicator of a single process: rank 0 of 1.
DYN_API dyn_status_t
dyn_communicator_create_self(dyn_communicator_t **out_communicator);

/// Makes `size` communicators, one for each rank, between threads of this
/// process. `options` may be null.
DYN_API dyn_status_t dyn_communicator_create_threads(
    uint32_t size, const dyn_communicator_options_t *options,
    dyn_communicator_t **out_communicators);

/// Where the ranks of a group of processes meet.
typedef struct dyn_socket_options {
  size_t struct_size;
  /// Number of ranks. 0 to take rank and size from the environment: RANK and
  /// WORLD_SIZE, as torchrun sets them, or the variables of Open MPI's mpirun
  /// (OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE) or of MPICH's (PMI_RANK,
  /// PMI_SIZE).
  uint32_t size;
  uint32_t rank;
  /// Host name or address of rank 0; null for MASTER_ADDR.
  const char *address;
  /// TCP port at which rank 0 listens while the group meets. 0 for
  /// DYN_MASTER_PORT, or MASTER_PORT, or the port after it under torchrun,
  /// whose agent listens at MASTER_PORT itself (TORCHELASTIC_USE_AGENT_STORE).
  uint32_t port;
  /// 1 to use TCP between processes of one machine too.
  uint32_t network_only;
  /// How long ranks wait for each other, 0 for 60 s.
  uint64_t timeout_ns;
} dyn_socket_options_t;

/// Joins a group of processes over TCP. Those with one address that can see
/// each other pass messages in memory instead, but for `network_only`
/// (dyn_communicator_stats_t::memory_peers). Both options may be null. Fails
/// with INVALID_ARGUMENT if ranks disagree on the size or two have the same
/// rank, with NOT_FOUND if the address or a variable is missing, with
/// DEADLINE_EXCEEDED, which names the ranks that did not come, with RANK_FAILED
/// or IO_ERROR. No connection is encrypted or authenticated: use networks that
/// you trust.
DYN_API dyn_status_t
dyn_communicator_create_sockets(const dyn_socket_options_t *sockets,
                                const dyn_communicator_options_t *options,
                                dyn_communicator_t **out_communicator);

/// Makes communicators for some of the ranks: one for each `color`, whose ranks
/// are in the order of `key`, then of their rank. All ranks must call it. With
/// the color DYN_NO_GROUP a rank gets null. Groups share the transport and the
/// order of a pair's operations, numbers of ranks in messages, statistics and
/// the end after a failure with the communicator that they are made of, which
/// they keep alive. Fails as operations do.
DYN_API dyn_status_t
dyn_communicator_split(dyn_communicator_t *communicator, uint32_t color,
                       uint32_t key, dyn_communicator_t **out_communicator);
#define DYN_NO_GROUP UINT32_MAX

DYN_API uint32_t dyn_communicator_rank(const dyn_communicator_t *communicator);
DYN_API uint32_t dyn_communicator_size(const dyn_communicator_t *communicator);
DYN_API void dyn_communicator_retain(dyn_communicator_t *communicator);
/// Releasing the last reference leaves the group. Requests hold one.
DYN_API void dyn_communicator_release(dyn_communicator_t *communicator);

/// Totals since the communicator was made. Data to the rank itself do not
/// count.
typedef struct dyn_communicator_stats {
  size_t struct_size;
  uint64_t operations;    ///< begun
  uint64_t messages_sent; ///< with data: at most one a peer and exchange
  uint64_t messages_received;
  uint64_t bytes_sent; ///< of data
  uint64_t bytes_received;
  uint64_t headers_sent; ///< what two ranks tell each other before
  uint64_t header_bytes_sent;
  uint64_t waits;   ///< for operations that had not ended
  uint64_t wait_ns; ///< time in these
  /// Other ranks with which messages pass in memory, as the transport says.
  uint64_t memory_peers;
} dyn_communicator_stats_t;

/// Fills `*out_stats` up to its struct_size.
DYN_API dyn_status_t dyn_communicator_stats(
    dyn_communicator_t *communicator, dyn_communicator_stats_t *out_stats);

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// An operation that has begun.
typedef struct dyn_request dyn_request_t;

typedef struct dyn_transfer_options {
  size_t struct_size;
  /// Deadline of this operation from its beginning, 0 for the communicator's,
  /// UINT64_MAX for never.
  uint64_t timeout_ns;
  /// The operation ends with CANCELLED soon after this becomes non-zero, and
  /// the communicator with it. Read until the operation ends. May be null.
  const volatile int32_t *cancel;
} dyn_transfer_options_t;

/// A range of memory: what goes to a rank, or where what comes from it goes.
/// `data` may be null if `bytes` is 0.
typedef struct dyn_part {
  void *data;
  uint64_t bytes;
} dyn_part_t;

/// Ends the request and releases it, also if it failed. Any of the failures of
/// operations: INVALID_ARGUMENT, CANCELLED, DEADLINE_EXCEEDED, RANK_FAILED,
/// OUT_OF_MEMORY.
DYN_API dyn_status_t dyn_request_wait(dyn_request_t *request);

/// Sends `sends[r]` to each rank r, and receives `receives[r]` from it: `size`
/// parts each, which may be empty.
DYN_API dyn_status_t dyn_communicator_all_to_all(
    dyn_communicator_t *communicator, const dyn_part_t *sends,
    const dyn_part_t *receives, const dyn_transfer_options_t *options,
    dyn_request_t **out_request);

/// Sends `bytes` of `data` to all ranks, and receives `receives[r]` from each
/// rank r, this one included.
DYN_API dyn_status_t dyn_communicator_all_gather(
    dyn_communicator_t *communicator, const void *data, uint64_t bytes,
    const dyn_part_t *receives, const dyn_transfer_options_t *options,
    dyn_request_t **out_request);

/// Sends the root's `data` to all other ranks, which receive it in theirs.
DYN_API dyn_status_t dyn_communicator_broadcast(
    dyn_communicator_t *communicator, uint32_t root, void *data, uint64_t bytes,
    const dyn_transfer_options_t *options, dyn_request_t **out_request);

typedef enum dyn_reduction {
  DYN_REDUCE_SUM = 0,
  DYN_REDUCE_MIN = 1, ///< NaN if an element is
  DYN_REDUCE_MAX = 2  ///< NaN if an element is
} dyn_reduction_t;

/// The order in which elements of ranks are combined. It alone decides the
/// bits: neither time, sizes nor the transport do.
typedef enum dyn_reduction_order {
  /// ((r0 + r1) + r2) + r3 ...
  DYN_ORDER_BY_RANK = 0,
  /// The largest power of two of ranks that leaves a rest, in a tree, and the
  /// rest in a tree: (r0 + r1) + (r2 + r3). A rank that has combined 2^k equal
  /// segments so itself gives the bits of 2^k ranks.
  DYN_ORDER_TREE = 1
} dyn_reduction_order_t;

/// Combines the `count` elements of all ranks into `result` of each. `elements`
/// may be `result`, else the two must not overlap. Types: f32, f64, i32, i64;
/// UNSUPPORTED for others. Two exchanges: each rank reduces a part of the
/// elements and sends it to all.
DYN_API dyn_status_t dyn_communicator_all_reduce(
    dyn_communicator_t *communicator, const void *elements, void *result,
    uint64_t count, dyn_dtype_t dtype, dyn_reduction_t reduction,
    dyn_reduction_order_t order, const dyn_transfer_options_t *options,
    dyn_request_t **out_request);

/// Returns when all ranks have begun it.
DYN_API dyn_status_t dyn_communicator_barrier(
    dyn_communicator_t *communicator, const dyn_transfer_options_t *options,
    dyn_request_t **out_request);

/// Sends to another rank, which receives as many bytes from this one.
DYN_API dyn_status_t dyn_communicator_send(
    dyn_communicator_t *communicator, uint32_t peer, const void *data,
    uint64_t bytes, const dyn_transfer_options_t *options,
    dyn_request_t **out_request);
DYN_API dyn_status_t dyn_communicator_receive(
    dyn_communicator_t *communicator, uint32_t peer, void *data, uint64_t bytes,
    const dyn_transfer_options_t *options, dyn_request_t **out_request);

//===----------------------------------------------------------------------===//
// Transports
//===----------------------------------------------------------------------===//

// A transport moves messages between two ranks. All operations, their checks,
// deadlines and counters are built on this table, so they are the same
// everywhere, and so are the bits of a reduction.

typedef enum dyn_transport_event_kind {
  DYN_TRANSPORT_SENT = 1,     ///< the memory may be used again
  DYN_TRANSPORT_RECEIVED = 2, ///< all bytes are there
  DYN_TRANSPORT_CLOSED = 3,   ///< the peer has left, or is lost
  DYN_TRANSPORT_ABORTED = 4   ///< the peer has called `abort`
} dyn_transport_event_kind_t;

typedef struct dyn_transport_event {
  uint32_t peer;
  uint32_t kind;
  const char *reason; ///< of ABORTED; lent until the next call of `progress`
} dyn_transport_event_t;

/// Only `wake` is called in several threads at the same time. There is at most
/// one unfinished message a peer and direction; messages of a pair stay in
/// order; both sides of one state the same number of bytes, which is not 0.
typedef struct dyn_transport {
  size_t struct_size;
  void *user;
  uint32_t rank;
  uint32_t size;
  /// Begin to move a message. The memory stays until SENT, RECEIVED or `abort`.
  void (*send)(void *user, uint32_t peer, const void *data, uint64_t bytes);
  void (*receive)(void *user, uint32_t peer, void *data, uint64_t bytes);
  /// Moves data until there is an event, for at most `timeout_ns`, or until
  /// `wake` is called, which may have been before. Returns the number of
  /// events, at most `capacity`. CLOSED and ABORTED come after all data that
  /// the peer had sent, at most one of them a peer, and also while no message
  /// is expected.
  uint32_t (*progress)(void *user, uint64_t timeout_ns,
                       dyn_transport_event_t *events, uint32_t capacity);
  void (*wake)(void *user);
  /// Tells peers the reason, as far as that is possible at once, and forgets
  /// all messages. Only `close` follows.
  void (*abort)(void *user, const char *reason);
  void (*close)(void *user);
  /// How long a thread that waits asks again, by `progress` without time,
  /// before it sleeps in one with time; 0 to sleep at once. Long enough for the
  /// answer of a rank that is about to give it, and only where a processor is
  /// free for each rank.
  uint64_t spin_ns;
  /// With how many ranks messages pass in memory, without calls of the system.
  /// If with all others, whoever begins one moves it as far as it can. Else its
  /// time is better spent by the communicator's own thread, on a processor
  /// whose rank waits.
  uint32_t memory_peers;
} dyn_transport_t;

/// Makes a communicator of a transport, which it closes in the end, or at once
/// if this fails.
DYN_API dyn_status_t dyn_communicator_create(
    const dyn_transport_t *transport, const dyn_communicator_options_t *options,
    dyn_communicator_t **out_communicator);

/// The function that a library with a transport exports as
/// "dyn_transport_open". Fills `*transport`, or returns a reason, which is lent
/// for ever.
typedef const char *(*dyn_transport_open_fn)(dyn_transport_t *transport);

/// Makes a communicator over the transport of a shared library, which stays
/// loaded: "libdyn_mpi.so" for MPI, where all processes of MPI_COMM_WORLD must
/// make it. NOT_FOUND if it cannot be loaded, UNSUPPORTED if it has no
/// transport or refuses.
DYN_API dyn_status_t dyn_communicator_create_plugin(
    const char *library, const dyn_communicator_options_t *options,
    dyn_communicator_t **out_communicator);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // DYN_COMM_H
