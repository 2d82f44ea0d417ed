// Bytes that the ranks of a job share: files that every rank reads whole, and lists that they send each
// other.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>
#include <weft/io/byte_source.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// Returns whether a path is a regular file. Standard input, which rank 0 alone has, and pipes, whose bytes
// come only once, are none.
[[nodiscard]] bool is_regular(const std::string& path);

// Opens a file on all ranks, as io::open_bytes() does. What is no regular file is read by rank 0 and copied
// to the memory of the other ranks. All ranks call it together. Throws the errors of io::open_bytes(), and
// memory_error if such an input is larger than `memory` (0: no limit).
[[nodiscard]] std::unique_ptr<io::byte_source>
open_on_all_ranks(multi::communicator& ranks, const std::string& path, std::uint64_t memory = 0);

// Send and receive a list of any size, whose items can be copied as bytes.
template <class Item> void send_items(multi::communicator& ranks, const std::vector<Item>& items, int to) {
  multi::send_text(ranks, {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(Item)}, to);
}
template <class Item> void receive_items(multi::communicator& ranks, std::vector<Item>& items, int from) {
  const std::string bytes = multi::receive_text(ranks, from);
  items.resize(bytes.size() / sizeof(Item));
  bytes.copy(reinterpret_cast<char*>(items.data()), bytes.size());
}
// Copies a list of rank 0 to the other ranks.
template <class Item> void broadcast_items(multi::communicator& ranks, std::vector<Item>& items) {
  std::uint64_t size = items.size();
  ranks.broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
  items.resize(size);
  ranks.broadcast(std::as_writable_bytes(std::span(items)), 0);
}

} // namespace weft::files
