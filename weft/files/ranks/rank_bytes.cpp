#include <weft/files/ranks/rank_bytes.hpp>

#include <filesystem>
#include <system_error>
#include <utility>

namespace weft::files {

namespace {

// A source of the bytes of a text, which it owns.
class owned_bytes final : public io::byte_source {
public:
  owned_bytes(std::string text, const std::string& name, std::uint64_t memory)
      : text_(std::move(text)), bytes_(io::memory_bytes(text_, name, 0, memory)) {}

  std::size_t read(std::span<char> out) override { return bytes_->read(out); }
  const std::string& name() const noexcept override { return bytes_->name(); }
  io::compression kind() const noexcept override { return bytes_->kind(); }
  std::uint64_t position() const noexcept override { return bytes_->position(); }
  std::uint64_t size() const noexcept override { return 0; } // as a pipe

private:
  const std::string text_;
  const std::unique_ptr<io::byte_source> bytes_;
};

} // namespace

bool is_regular(const std::string& path) {
  std::error_code none;
  return path != "-" && std::filesystem::is_regular_file(path, none);
}

std::unique_ptr<io::byte_source> open_on_all_ranks(multi::communicator& ranks, const std::string& path,
                                                   std::uint64_t memory) {
  if (multi::reduce_number(ranks, is_regular(path) ? 1 : 0, multi::reduction::max) == 1 || ranks.size() == 1)
    return io::open_bytes(path, true, memory);
  std::string text, name;
  multi::run_together(ranks, [&] {
    if (ranks.rank() != 0) return;
    const auto source = io::open_bytes(path, false);
    name = source->name();
    text = io::read_all(*source, memory);
  });
  multi::broadcast_text(ranks, text, 0);
  multi::broadcast_text(ranks, name, 0);
  return std::make_unique<owned_bytes>(std::move(text), name, memory);
}

} // namespace weft::files
