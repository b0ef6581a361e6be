#pragma once

// Messages travel between ranks in waves. They are rays, points or regions of a query. In each wave every rank
//
//   1. finds the next rank of each message that is here; messages without one are done,
//   2. sends the messages there,
//   3. answers the messages that it received, by its own triangles,
//   4. sends the answers to the ranks that brought the messages.
//
// The waves end when no rank has a message. A message visits a rank at most once, so there are at most as many waves
// as ranks, and one more that finds no messages left. Each step that may fail runs in Communicator::agree().
//
// Source: Wald, Parker, "Data Parallel Path Tracing with Object Hierarchies", HPG 2022, forward rays in waves between
// the owners of parts of a scene. Where we differ: an answer depends only on the message and the triangles, not on
// the order of the ranks.

#include <vector>

#include "primitives/core/buffer.h"
#include "primitives/core/dispatch.h"
#include "scale/communicator.h"

namespace copse::detail {

/// The maximum number of ranks: those that a message has visited are bits of a word.
inline constexpr u32 max_wave_ranks = 64;

/// Elements in the order of the ranks that they are sent to.
struct SplitByRank {
  Buffer<u32> ids;
  std::vector<u64> begins;  // [rank], and the end
};

/// Sends elements of one rank to the others.
class WaveMail {
 public:
  WaveMail(Communicator& comm, Context& context) : comm_(comm), context_(context) {}

  Communicator& comm() const { return comm_; }
  Context& context() const { return context_; }

  /// Sorts elements by the ranks that they are sent to. Those that are sent to none come last, after the end.
  ///   to: for each element its rank, or the number of ranks
  SplitByRank split(const Buffer<u32>& to) const;

  /// Sends elements to the ranks, and returns those that this rank receives, in the order of the ranks. Collective.
  ///   begins: [rank], and the end
  ///   total:  becomes the number of elements that all ranks send
  template <class T>
  Buffer<T> send(const Buffer<T>& sorted, const std::vector<u64>& begins, u64& total) const {
    const u32 size = comm_.size(), rank = comm_.rank();
    const std::vector<u64> counts = counts_of_all(begins);  // [from][to]
    total = 0;
    for (const u64 count : counts) total += count;
    Buffer<T> received;
    if (total == 0) return received;
    u64 own = 0;
    for (u32 from = 0; from < size; ++from) own += counts[from * size + rank];
    comm_.agree([&] { received = Buffer<T>(context_, own); });
    std::vector<Outgoing> outgoing;
    std::vector<Incoming> incoming;
    u64 place = 0;
    for (u32 other = 0; other < size; ++other) {
      outgoing.push_back({sorted.data() + begins[other], counts[rank * size + other] * sizeof(T)});
      incoming.push_back({received.data() + place, counts[other * size + rank] * sizeof(T)});
      place += counts[other * size + rank];
    }
    comm_.exchange(context_, outgoing, incoming);
    return received;
  }

 private:
  std::vector<u64> counts_of_all(const std::vector<u64>& begins) const;

  Communicator& comm_;
  Context& context_;
};

/// A batch of messages. Each wave calls both functions on all ranks.
template <class Message>
class WaveQuestion {
 public:
  virtual ~WaveQuestion() = default;

  /// Stores for each message the rank that it visits next, or the number of ranks if it is done.
  virtual void route(const Buffer<Message>& live, Buffer<u32>& to) = 0;

  /// Answers messages by the triangles of this rank, notes the visit in them, and sends the answers to the ranks that
  /// brought the messages. Collective.
  virtual void answer(Buffer<Message>& live) = 0;
};

// The body: move_messages.h, for either executor and each type of messages.
template <class Executor, class Message>
void move_messages(const Executor& ex, const Message* live, const u32* ids, u64 count, Message* out);

/// Sends messages from rank to rank until all are done. Collective.
template <class Message>
void run_waves(const WaveMail& mail, Buffer<Message> live, WaveQuestion<Message>& question) {
  while (true) {
    SplitByRank next;
    Buffer<Message> sorted;
    mail.comm().agree([&] {
      Buffer<u32> to(mail.context(), live.size());
      question.route(live, to);
      next = mail.split(to);
      sorted = Buffer<Message>(mail.context(), next.begins.back());
      dispatch(mail.context(), [&](const auto& ex) {
        move_messages(ex, static_cast<const Message*>(live.data()), next.ids.data(), sorted.size(), sorted.data());
      });
    });
    u64 message_count = 0;
    live = mail.send(sorted, next.begins, message_count);
    if (message_count == 0) return;
    question.answer(live);
  }
}

}  // namespace copse::detail
