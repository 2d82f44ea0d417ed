// Tests the exchanges of ranks that are threads: every function, on 1 to 8 ranks, and its failure.
#include <atomic>
#include <gtest/gtest.h>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/multi/communicator.hpp>
#include <weft/multi/thread_ranks.hpp>

namespace {

using namespace weft::multi;
using numbers = std::vector<std::uint64_t>;

constexpr int max_ranks = 8;

// Calls body(ranks) for 1 to 8 ranks.
void for_all_sizes(const std::function<void(communicator&)>& body) {
  for (int count = 1; count <= max_ranks; ++count) run_ranks(count, body);
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }
std::span<std::byte> bytes_of(std::string& text) { return std::as_writable_bytes(std::span(text)); }

// Returns the text that rank `from` sends to rank `to`: of another length for each pair, and sometimes empty.
std::string text_of(int from, int to) {
  return std::string(static_cast<std::size_t>((from * 5 + to * 3) % 7), static_cast<char>('a' + from));
}

TEST(communicator, reduces_to_sum_minimum_and_maximum) {
  for_all_sizes([](communicator& ranks) {
    const auto self = static_cast<std::uint64_t>(ranks.rank()),
               count = static_cast<std::uint64_t>(ranks.size());
    numbers values = {self, self + 10};
    ranks.all_reduce(values, reduction::sum);
    EXPECT_EQ(values, (numbers{count * (count - 1) / 2, count * (count - 1) / 2 + 10 * count}));
    EXPECT_EQ(reduce_number(ranks, self + 7, reduction::min), 7U);
    EXPECT_EQ(reduce_number(ranks, self, reduction::max), count - 1);
  });
}

TEST(communicator, scans_without_the_own_number) {
  for_all_sizes([](communicator& ranks) {
    const auto self = static_cast<std::uint64_t>(ranks.rank());
    numbers values = {1, self};
    ranks.exclusive_scan(values);
    EXPECT_EQ(values, (numbers{self, self == 0 ? 0 : self * (self - 1) / 2}));
  });
}

TEST(communicator, broadcasts_from_every_rank) {
  for_all_sizes([](communicator& ranks) {
    for (int root = 0; root < ranks.size(); ++root) {
      std::string text = ranks.rank() == root ? "from " + std::to_string(root) : "";
      broadcast_text(ranks, text, root);
      EXPECT_EQ(text, "from " + std::to_string(root));
    }
  });
}

TEST(communicator, gathers_pieces_of_different_sizes) {
  for_all_sizes([](communicator& ranks) {
    numbers sizes;
    std::string expected;
    for (int rank = 0; rank < ranks.size(); ++rank) {
      expected += text_of(rank, 0);
      sizes.push_back(text_of(rank, 0).size());
    }
    std::string all(expected.size(), '.');
    ranks.all_gather(bytes_of(text_of(ranks.rank(), 0)), sizes, bytes_of(all));
    EXPECT_EQ(all, expected);
  });
}

TEST(communicator, sends_a_piece_to_each_rank) {
  for_all_sizes([](communicator& ranks) {
    std::string sent, expected;
    numbers send_sizes, receive_sizes;
    for (int other = 0; other < ranks.size(); ++other) {
      sent += text_of(ranks.rank(), other);
      send_sizes.push_back(text_of(ranks.rank(), other).size());
      expected += text_of(other, ranks.rank());
      receive_sizes.push_back(text_of(other, ranks.rank()).size());
    }
    std::string received(expected.size(), '.');
    const traffic before = ranks.sent();
    ranks.all_to_all(bytes_of(sent), send_sizes, bytes_of(received), receive_sizes);
    EXPECT_EQ(received, expected);
    EXPECT_EQ(ranks.sent().calls - before.calls, 1U);
    const std::uint64_t own = text_of(ranks.rank(), ranks.rank()).size();
    EXPECT_EQ(ranks.sent().bytes - before.bytes, ranks.size() > 1 ? sent.size() - own : 0U);
  });
}

TEST(communicator, passes_messages_in_their_order) {
  for_all_sizes([](communicator& ranks) {
    if (ranks.size() == 1) return;
    const int next = (ranks.rank() + 1) % ranks.size(),
              before = (ranks.rank() + ranks.size() - 1) % ranks.size();
    const auto send = [&] {
      for (const char* text : {"one", "", "three"}) send_text(ranks, text, next);
    };
    const auto receive = [&] {
      for (const char* text : {"one", "", "three"}) EXPECT_EQ(receive_text(ranks, before), text);
    };
    if (ranks.rank() == 0) { // a ring in which all send first would wait for ever
      send();
      receive();
    } else {
      receive();
      send();
    }
  });
}

TEST(communicator, duplicates_exchange_at_the_same_time) {
  for_all_sizes([](communicator& ranks) {
    const std::unique_ptr<communicator> other = ranks.duplicate();
    std::jthread thread([&] {
      for (int i = 0; i < 20; ++i) EXPECT_EQ(reduce_number(*other, 1, reduction::sum), ranks.size());
    });
    for (int i = 0; i < 20; ++i) ranks.barrier();
    thread.join();
    EXPECT_GE(ranks.sent().calls, 40U);
  });
}

TEST(communicator, all_ranks_throw_the_error_of_one_step) {
  for_all_sizes([](communicator& ranks) {
    for (int bad = 0; bad < ranks.size(); ++bad) {
      const auto step = [&] {
        if (ranks.rank() == bad) throw weft::memory_error("8 GiB wanted, 2 GiB allowed");
      };
      try {
        run_together(ranks, step);
        ADD_FAILURE() << "no exception";
      } catch (const weft::memory_error& fault) {
        EXPECT_EQ(fault.what(), "rank " + std::to_string(bad) + ": 8 GiB wanted, 2 GiB allowed");
      }
    }
    EXPECT_THROW(run_together(ranks, [] { throw std::bad_alloc(); }), weft::memory_error);
    EXPECT_THROW(run_together(ranks, [] { throw weft::io_error("read", "x", 5); }), weft::io_error);
    run_together(ranks, [] {}); // the communicator is still in use
    ranks.barrier();
  });
}

// Returns the exchanges, each of which all ranks call together.
std::vector<std::function<void(communicator&)>> exchanges() {
  const auto ones = [](const communicator& ranks) {
    return numbers(static_cast<std::size_t>(ranks.size()), 1);
  };
  return {[](communicator& ranks) { ranks.barrier(); },
          [](communicator& ranks) { (void)reduce_number(ranks, 1, reduction::sum); },
          [](communicator& ranks) {
            std::string text(100, 'x');
            ranks.broadcast(bytes_of(text), ranks.size() - 1);
          },
          [](communicator& ranks) {
            numbers number = {1};
            ranks.exclusive_scan(number);
          },
          [](communicator& ranks) { (void)all_gather_number(ranks, 1); },
          [&](communicator& ranks) {
            std::string sent(static_cast<std::size_t>(ranks.size()), 'x'), received(sent.size(), '.');
            ranks.all_to_all(bytes_of(sent), ones(ranks), bytes_of(received), ones(ranks));
          },
          [](communicator& ranks) {
            if (ranks.rank() == 0) send_text(ranks, "x", ranks.size() - 1);
            if (ranks.rank() == ranks.size() - 1) (void)receive_text(ranks, 0);
            ranks.barrier();
          },
          [](communicator& ranks) { ranks.duplicate()->barrier(); }};
}

TEST(communicator, a_rank_that_fails_ends_every_exchange_of_the_others) {
  const auto all = exchanges();
  for (std::size_t e = 0; e < all.size(); ++e)
    for (const int count : {2, 3, 8})
      for (int bad = 0; bad < count; ++bad) {
        std::atomic<int> num_told{0};
        EXPECT_THROW(run_ranks(count,
                               [&](communicator& ranks) {
                                 all[(e + 3) % all.size()](ranks);
                                 if (ranks.rank() == bad) throw weft::io_error("the disk is full");
                                 try {
                                   all[e](ranks);
                                   ranks.barrier();
                                 } catch (const weft::io_error& fault) {
                                   EXPECT_STREQ(fault.what(), "the disk is full");
                                   ++num_told;
                                   throw;
                                 }
                               }),
                     weft::io_error);
        EXPECT_EQ(num_told, count - 1) << "exchange " << e << ", rank " << bad;
      }
}

TEST(communicator, refuses_sizes_that_do_not_fit) {
  run_ranks(1, [](communicator& ranks) {
    std::string text(3, 'x'), other(3, 'y');
    const numbers two = {2}, three = {3};
    EXPECT_THROW(ranks.all_gather(bytes_of(text), two, bytes_of(other)), std::invalid_argument);
    EXPECT_THROW(ranks.all_to_all(bytes_of(text), three, bytes_of(other), two), std::invalid_argument);
    EXPECT_THROW(ranks.broadcast(bytes_of(text), 1), std::invalid_argument);
    EXPECT_THROW(ranks.send(bytes_of(text), 0), std::invalid_argument);
    EXPECT_THROW(ranks.receive(bytes_of(text), -1), std::invalid_argument);
  });
  EXPECT_THROW((void)thread_ranks(0), std::invalid_argument);
}

} // namespace
