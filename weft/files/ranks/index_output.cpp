#include <weft/files/ranks/index_output.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <weft/base/parallel.hpp>
#include <weft/bwt/core/near_context.hpp>

namespace weft::files {

using bwt_detail::fm_section;

index_output::index_output(multi::communicator& ranks, rank_output& out, const bwt_detail::fm_header& header)
    : ranks_(ranks), out_(out), header_(header) {}

void index_output::receive_sum(io::running_checksum& sum) const {
  sum.restore(multi::receive_text(ranks_, (ranks_.rank() + ranks_.size() - 1) % ranks_.size()));
}
void index_output::send_sum(const io::running_checksum& sum) const {
  multi::send_text(ranks_, sum.save(), (ranks_.rank() + 1) % ranks_.size());
}

void index_output::write_turns(fm_section which, std::span<const std::string_view> turns) {
  const auto s = static_cast<std::size_t>(which);
  std::vector<std::uint64_t> before;
  for (const std::string_view bytes : turns) before.push_back(bytes.size());
  std::vector<std::uint64_t> sizes = before; // of all ranks
  ranks_.exclusive_scan(before);
  ranks_.all_reduce(sizes, multi::reduction::sum);
  const bool several = ranks_.size() > 1, is_last_rank = ranks_.rank() + 1 == ranks_.size();
  std::uint64_t position = header_.offsets[s];
  io::running_checksum sum;
  for (std::size_t turn = 0; turn < turns.size(); ++turn) {
    if (several && ranks_.rank() + turn > 0) receive_sum(sum);
    sum.add(turns[turn]);
    if (several && !(is_last_rank && turn + 1 == turns.size())) send_sum(sum);
    out_.write_at(position + before[turn], turns[turn]);
    position += sizes[turn];
  }
  header_.checksums[s] = sum.value();
  if (position != header_.offsets[s] + header_.sizes[s])
    throw std::logic_error("the ranks have written more or less of a section of an index than planned");
}

void index_output::write_contexts(std::uint64_t first_row, std::span<const std::uint64_t> own,
                                  const run_options& run) {
  constexpr std::uint64_t piece = bwt_detail::context_piece;
  const std::string_view bytes = bytes_of_items(own);
  const std::uint64_t begin = first_row * sizeof(std::uint64_t), end = begin + bytes.size();
  // The piece that an earlier rank has begun ends at `head`; whole pieces of this rank follow it.
  const std::uint64_t head = std::min(end, (begin + piece - 1) / piece * piece),
                      whole = head + (end - head) / piece * piece;
  std::vector<std::uint64_t> sums((whole - head) / piece);
  parallel_for(0, sums.size(), 1, run, [&](std::uint64_t i, std::uint64_t) {
    sums[i] = io::checksum(bytes.substr(head - begin + i * piece, piece));
  });
  io::running_checksum all, last; // of the whole pieces so far, and of the piece that has begun
  if (ranks_.rank() > 0) {
    receive_sum(all);
    receive_sum(last);
  }
  const auto end_piece = [&] {
    const std::uint64_t value = last.value();
    all.add(bytes_of_items(std::span(&value, 1)));
    last.restore(io::running_checksum().save());
  };
  last.add(bytes.substr(0, head - begin));
  if (head > begin && head % piece == 0) end_piece();
  all.add(bytes_of_items(sums));
  last.add(bytes.substr(whole - begin));
  const bool is_last_rank = ranks_.rank() + 1 == ranks_.size();
  if (!is_last_rank) {
    send_sum(all);
    send_sum(last);
  } else if (end % piece != 0) {
    end_piece();
  }
  header_.contexts_checksum = all.value();
  out_.write_at(bwt_detail::section_offsets(header_.sizes).end + begin, bytes);
}

void index_output::finish() {
  const int last_rank = ranks_.size() - 1;
  ranks_.broadcast(std::as_writable_bytes(std::span(header_.checksums)), last_rank);
  ranks_.broadcast(std::as_writable_bytes(std::span(&header_.contexts_checksum, 1)), last_rank);
  if (ranks_.rank() == 0) {
    const bool with_contexts = bwt_detail::has_contexts(header_);
    bwt_detail::seal_header(header_, with_contexts);
    const auto last = static_cast<std::size_t>(fm_section::text);
    std::uint64_t end = header_.offsets[last] + header_.sizes[last], // of what has been written
        size = bwt_detail::section_offsets(header_.sizes).end;
    if (with_contexts) {
      end = size + header_.num_rows * sizeof(std::uint64_t);
      size += bwt_detail::bytes_of_contexts(header_.num_rows);
    }
    out_.write_at(end, std::string(size - end, '\0'));
  }
  out_.replace_header(bytes_of_items(std::span(&header_, 1)));
}

} // namespace weft::files
