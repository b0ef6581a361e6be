#pragma once

// Sends answers that are lists between ranks.

#include "scale/questions/list_head.h"
#include "scale/waves/waves.h"

namespace copse::detail {

// The body: list_steps.h, for either executor.
template <class Executor, class Message>
void pack_heads(const Executor& ex, const Message* live, const u32* counts, const u32* ids, u64 count,
                ListHead* heads);
template <class Executor>
void place_heads(const Executor& ex, const ListHead* heads, u64 n, u64* offsets);

/// A list per message. The items of list i are those from offsets[i] to offsets[i + 1].
template <class Item>
struct ListsOfMessages {
  Buffer<ListHead> heads;
  Buffer<u64> offsets;
  Buffer<Item> items;

  /// Stores the heads of the lists, and makes room for their items.
  ///   counts:    the lengths of the lists of all messages
  ///   back:      the messages that get a list
  ///   has_items: false if only the lengths of the lists are needed
  template <class Message>
  void begin(Context& context, const Buffer<Message>& live, const Buffer<u32>& counts, const SplitByRank& back,
             bool has_items = true) {
    heads = Buffer<ListHead>(context, back.begins.back());
    dispatch(context, [&](const auto& ex) {
      pack_heads(ex, static_cast<const Message*>(live.data()), counts.data(), back.ids.data(), heads.size(),
                 heads.data());
    });
    if (!has_items) return;
    place(context);
    items = Buffer<Item>(context, offset(context, heads.size()));
  }

  /// Sends the lists to the ranks, and returns those that this rank receives. Collective.
  ListsOfMessages send(const WaveMail& mail, const SplitByRank& back, bool has_items = true) const {
    ListsOfMessages got;
    u64 head_count = 0, item_count = 0;
    got.heads = mail.send(heads, back.begins, head_count);
    if (!has_items) return got;
    std::vector<u64> item_begins;
    mail.comm().agree([&] {
      for (const u64 begin : back.begins) item_begins.push_back(offset(mail.context(), begin));
    });
    got.items = mail.send(items, item_begins, item_count);
    mail.comm().agree([&] { got.place(mail.context()); });
    return got;
  }

 private:
  void place(Context& context) {
    offsets = Buffer<u64>(context, heads.size() + 1);
    dispatch(context, [&](const auto& ex) {
      place_heads(ex, static_cast<const ListHead*>(heads.data()), heads.size(), offsets.data());
    });
  }

  u64 offset(Context& context, u64 list) const {
    return download(context, BufferSpan<const u64>(offsets.data() + list, 1))[0];
  }
};

}  // namespace copse::detail
