// A program that uses MPI itself, and weft's communicator over its MPI_Comm: every exchange, with messages in
// pieces of 1 MiB, and a sort. Started by mpirun; returns 0 if all results are right.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <string>
#include <vector>
#include <weft/multi/mpi.hpp>
#include <weft/multi/sort.hpp>

namespace {

using namespace weft::multi;
using numbers = std::vector<std::uint64_t>;

int num_faults = 0;

void expect(bool right, const char* what) {
  if (right) return;
  ++num_faults;
  std::fprintf(stderr, "wrong: %s\n", what);
}

// Returns numbers that tell who sends them to whom; more than three pieces of them.
numbers message(int from, int to) {
  numbers result(400'000 + static_cast<std::size_t>(from * 7 + to));
  std::iota(result.begin(), result.end(), static_cast<std::uint64_t>(from * 1000 + to) << 32);
  return result;
}

void check_exchanges(communicator& ranks) {
  const int rank = ranks.rank(), size = ranks.size();
  const auto self = static_cast<std::uint64_t>(rank), count = static_cast<std::uint64_t>(size);
  ranks.barrier();
  for (int root = 0; root < size; ++root) {
    numbers text = rank == root ? message(root, root) : numbers(message(root, root).size());
    ranks.broadcast(std::as_writable_bytes(std::span(text)), root);
    expect(text == message(root, root), "broadcast");
  }
  numbers sums(300'000, self), scanned(300'000, 1);
  ranks.all_reduce(sums, reduction::sum);
  ranks.exclusive_scan(scanned);
  expect(sums == numbers(300'000, count * (count - 1) / 2), "all_reduce");
  expect(scanned == numbers(300'000, self), "exclusive_scan");
  expect(reduce_number(ranks, self, reduction::max) == count - 1, "maximum");
  constexpr std::uint64_t large = ~std::uint64_t{0}; // some libraries take it for -1
  expect(reduce_number(ranks, rank == size - 1 ? 5 : large, reduction::min) == 5,
         "minimum with large numbers");
  expect(reduce_number(ranks, rank == 0 ? large : self, reduction::max) == large,
         "maximum with large numbers");
  std::vector<numbers> sent, expected;
  std::vector<std::span<const std::byte>> pieces;
  numbers received, sizes;
  for (int other = 0; other < size; ++other) {
    sent.push_back(message(rank, other));
    expected.push_back(message(other, rank));
    sizes.push_back(expected.back().size() * sizeof(std::uint64_t));
    received.resize(received.size() + expected.back().size());
  }
  for (const numbers& piece : sent) pieces.push_back(std::as_bytes(std::span(piece)));
  ranks.all_to_all(pieces, std::as_writable_bytes(std::span(received)), sizes);
  numbers joined;
  for (const numbers& piece : expected) joined.insert(joined.end(), piece.begin(), piece.end());
  expect(received == joined, "all_to_all");
  std::string text = "text of " + std::to_string(rank);
  if (rank > 0) send_text(ranks, text, 0);
  for (int other = 1; rank == 0 && other < size; ++other)
    expect(receive_text(ranks, other) == "text of " + std::to_string(other), "send and receive");
  const auto copy = ranks.duplicate();
  expect(all_gather_number(*copy, self * self).back() == (count - 1) * (count - 1), "all_gather");
}

void check_sort(communicator& ranks) {
  std::mt19937_64 random(static_cast<std::uint64_t>(ranks.rank()) + 1);
  numbers items(500'000 + static_cast<std::size_t>(ranks.rank()) * 1000);
  for (std::uint64_t& item : items) item = random();
  const std::uint64_t sum =
      reduce_number(ranks, std::accumulate(items.begin(), items.end(), std::uint64_t{0}), reduction::sum);
  weft::multi::sort(ranks, std::span(items));
  expect(std::is_sorted(items.begin(), items.end()), "a part is sorted");
  const numbers firsts = all_gather_number(ranks, items.front()),
                lasts = all_gather_number(ranks, items.back());
  for (std::size_t r = 1; r < firsts.size(); ++r)
    expect(lasts[r - 1] <= firsts[r], "parts follow one another");
  expect(reduce_number(ranks, std::accumulate(items.begin(), items.end(), std::uint64_t{0}),
                       reduction::sum) == sum,
         "no item is lost");
}

} // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  {
    const auto ranks = communicator_of(MPI_COMM_WORLD, {.max_message_bytes = std::uint64_t{1} << 20});
    check_exchanges(*ranks);
    check_sort(*ranks);
    num_faults =
        static_cast<int>(reduce_number(*ranks, static_cast<std::uint64_t>(num_faults), reduction::sum));
    if (ranks->rank() == 0) std::printf("%d ranks, %d wrong\n", ranks->size(), num_faults);
  }
  MPI_Finalize();
  return num_faults == 0 ? 0 : 1;
}
