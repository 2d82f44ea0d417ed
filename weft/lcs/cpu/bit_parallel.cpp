#include <weft/lcs/cpu/bit_parallel.hpp>

namespace weft::lcs_detail {

template <class Symbol>
std::uint64_t bit_parallel_distance(text<Symbol> a, text<Symbol> b, const lcs_call& call) {
  return bit_parallel_rows<Symbol>(call.edit(), call.work, call.wildcards)
      .distance(a, b, call.threads(a.size(), b.size()));
}

template <class Symbol> edit_script bit_parallel_path(text<Symbol> a, text<Symbol> b, const lcs_call& call) {
  call.work.expect_more(cells(a.size(), b.size())); // Hirschberg's recursion computes the table twice
  bit_parallel_rows<Symbol> words(call.edit(), call.work, call.wildcards);
  return hirschberg_path("engine bit-parallel", words, a, b, call.threads(a.size(), b.size()),
                         words.memory(a.size(), b.size()), call.options.run.memory);
}

template std::uint64_t bit_parallel_distance(text<std::uint8_t>, text<std::uint8_t>, const lcs_call&);
template std::uint64_t bit_parallel_distance(text<std::uint32_t>, text<std::uint32_t>, const lcs_call&);
template edit_script bit_parallel_path(text<std::uint8_t>, text<std::uint8_t>, const lcs_call&);
template edit_script bit_parallel_path(text<std::uint32_t>, text<std::uint32_t>, const lcs_call&);

} // namespace weft::lcs_detail
