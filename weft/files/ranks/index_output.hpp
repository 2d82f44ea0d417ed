// The file of an index that the ranks of a job write together: each rank writes its part of every section.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>
#include <weft/base/run.hpp>
#include <weft/bwt/cpu/fm_sections.hpp>
#include <weft/files/ranks/rank_output.hpp>
#include <weft/io/checksum.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::files {

// Returns the bytes of a list of numbers.
template <class Items> [[nodiscard]] std::string_view bytes_of_items(const Items& items) {
  return {reinterpret_cast<const char*>(items.data()), items.size() * sizeof(*items.data())};
}

// The sections come in any order, each once, and then the header. All ranks call the functions together, and
// each gives its own bytes. A checksum is that of all bytes of a section in their order. Its state goes from
// rank to rank.
class index_output {
public:
  // `header` has everything but checksums, and is the same on all ranks. The output is a common file
  // (rank_output::is_common()). Both objects must outlive this one.
  index_output(multi::communicator& ranks, rank_output& out, const bwt_detail::fm_header& header);

  // Writes a section, which consists of the bytes of all ranks one after another.
  void write(bwt_detail::fm_section which, std::string_view own) { write_turns(which, std::span(&own, 1)); }
  // Writes a section in turns: in each of them come the bytes of all ranks one after another. All ranks have
  // as many turns.
  void write_turns(bwt_detail::fm_section which, std::span<const std::string_view> turns);
  // Writes the contexts of the rows from `first_row` on, of which this rank has some.
  void write_contexts(std::uint64_t first_row, std::span<const std::uint64_t> own, const run_options& run);
  // Writes the header, after everything else.
  void finish();

private:
  // Receives checksums from the rank before, and sends them to the next one.
  void receive_sum(io::running_checksum& sum) const;
  void send_sum(const io::running_checksum& sum) const;

  multi::communicator& ranks_;
  rank_output& out_;
  bwt_detail::fm_header header_; // the last rank sets the checksums
};

} // namespace weft::files
