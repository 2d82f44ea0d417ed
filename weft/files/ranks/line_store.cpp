#include <weft/files/ranks/line_store.hpp>

#include <algorithm>
#include <span>
#include <utility>
#include <weft/base/error.hpp>

namespace weft::files {

void line_store::add(line_block&& block) {
  const std::uint64_t bytes = block.text.size(), capacity = bytes == 0 ? 0 : block.text.capacity();
  if (bytes == 0 || (files_.empty() && memory_ + capacity <= how_.memory)) {
    memory_ += capacity;
    blocks_.push_back({std::move(block), 0});
    return;
  }
  write(block.text);
  blocks_.push_back({{{}, block.position}, bytes});
}

void line_store::write(const std::string& text) {
  constexpr std::uint64_t min_file = std::uint64_t{64} << 20;
  constexpr std::size_t min_spare = 32; // descriptors, for the runs of a sort
  const bool is_full = !files_.empty() && files_.back().bytes >= std::max(min_file, written_ / 8);
  if (files_.empty() || (is_full && spare_descriptors() > min_spare)) {
    if (!files_.empty()) files_.back().file.finish();
    const std::string& folder = how_.folders[next_folder_++ % how_.folders.size()];
    files_.push_back({run_file(folder, how_.compress_program, 1, 0), 0});
  }
  files_.back().file.write(text);
  files_.back().bytes += text.size();
  written_ += text.size();
}

bool line_store::next(line_block& block) {
  if (blocks_.empty()) return false;
  const std::uint64_t file_bytes = blocks_.front().file_bytes;
  block = std::move(blocks_.front().block);
  blocks_.pop_front();
  if (file_bytes == 0) return true;
  block.text.resize(file_bytes);
  read(block.text);
  return true;
}

void line_store::read(std::string& text) {
  text_file& from = files_.front();
  if (!source_) {
    if (files_.size() == 1) from.file.finish();
    source_ = from.file.open();
  }
  for (std::span<char> rest = text; !rest.empty();) {
    const std::size_t count = source_->read(rest);
    if (count == 0) throw io_error("a temporary file ends early: " + source_->name());
    rest = rest.subspan(count);
  }
  from.bytes -= text.size();
  if (from.bytes > 0) return;
  char none = 0;
  (void)source_->read({&none, 1}); // throws if the program that decompresses has failed
  source_.reset();
  files_.pop_front();
}

} // namespace weft::files
