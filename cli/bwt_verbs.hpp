// These functions are common to the verbs bwt, unbwt and sa.
#pragma once

#include <cli/program.hpp>
#include <cli/task.hpp>
#include <cstdint>
#include <string>
#include <weft/base/device.hpp>
#include <weft/bwt/bwt_options.hpp>

namespace weft::cli {

// Returns the options of the flags. `held`: bytes that are in memory already, which --memory includes.
bwt_options bwt_options_of(const arguments& given, std::uint64_t held);

// Returns the least number of bytes of memory that bwt or sa takes for each byte of its text, with 32-bit
// positions. On the CPU, these are text, suffix array and result; the sentinel form is made without a suffix
// array if necessary. If there is a GPU to do the work, only the text and the results on the host are
// counted. The library checks what an engine takes beyond that.
std::uint64_t memory_of_byte(const arguments& given);

// Reads the text of a verb that takes `each` bytes of memory for a byte of it. Throws memory_error if
// --memory does not allow it: before anything is read if the size of the file is known, otherwise after the
// first byte too many.
std::string read_text(const arguments& given, std::uint64_t each);

// How a verb works on the text of its input.
struct text_verb {
  void (*check_flags)(const arguments&);
  // Does the work on one rank, which suffix helpers may help, or none if they are null.
  int (*work_alone)(const arguments&, const stopwatch&, const std::string& text, bwt_detail::suffix_helpers*);
  // Does the work on all ranks; rank 0 has the text. Returns what rank 0 prints afterwards.
  std::string (*work_shared)(const arguments&, const std::string& text, std::uint64_t size);
  // Bytes of memory that rank 0 takes for a byte of a shared text, beside what suffix_parts checks.
  std::uint64_t memory_of_shared_byte;
};

// Reads the text, and shares the work among the ranks if the flags allow it (`may_share`) and that is
// worthwhile: not if rank 0 has a GPU or would be as fast alone.
int run_text_verb(const arguments& given, const text_verb& verb, bool may_share);

void write_closing_line(const arguments& given, const stopwatch& time, std::uint64_t bytes,
                        const std::string& engine, device_choice used = {device_kind::cpu});

} // namespace weft::cli
