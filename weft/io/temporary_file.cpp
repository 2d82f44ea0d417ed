#include <weft/io/temporary_file.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
#include <utility>
#include <vector>
#include <weft/base/error.hpp>

namespace weft::io {

// The segments of a file. A closed segment has the descriptor -1.
class temporary_file::segments {
public:
  segments(std::string folder, std::size_t count, std::uint64_t bytes) : segments(std::move(folder), bytes) {
    descriptors_.reserve(count); // from here on an exception closes what is open
    while (descriptors_.size() < count) descriptors_.push_back(create());
  }
  ~segments() { close_before(descriptors_.size()); }
  segments(const segments&) = delete;
  segments& operator=(const segments&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
  [[nodiscard]] int front() const noexcept { return descriptors_.front(); }

  void write(std::uint64_t position, std::string_view bytes) {
    while (!bytes.empty()) {
      const location at = locate(position, bytes.size());
      const ssize_t put = ::pwrite(at.descriptor, bytes.data(), at.bytes, at.offset);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) throw io_error("write a temporary file in", folder_, errno);
      bytes.remove_prefix(static_cast<std::size_t>(put));
      position += static_cast<std::uint64_t>(put);
    }
    std::uint64_t before = size();
    while (before < position && !size_.compare_exchange_weak(before, position, std::memory_order_relaxed)) {
    }
  }

  std::size_t read(std::uint64_t position, std::span<char> out) const {
    std::size_t done = 0;
    while (done < out.size()) {
      const location at = locate(position + done, out.size() - done);
      const ssize_t got = ::pread(at.descriptor, out.data() + done, at.bytes, at.offset);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw io_error("read", name_, errno);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  // Closes the first `count` segments.
  void close_before(std::size_t count) noexcept {
    for (std::size_t s = 0; s < count; ++s)
      if (const int descriptor = std::exchange(descriptors_[s], -1); descriptor >= 0) ::close(descriptor);
  }
  // Returns the number of segments that end at `position` or before it, without the last segment.
  [[nodiscard]] std::size_t count_before(std::uint64_t position) const noexcept {
    const std::size_t last = descriptors_.size() - 1;
    return last == 0 ? 0 : static_cast<std::size_t>(std::min<std::uint64_t>(position / bytes_, last));
  }

private:
  segments(std::string folder, std::uint64_t bytes)
      : folder_(std::move(folder)), name_("temporary file in " + folder_), bytes_(bytes) {}

  // Where bytes of the file are: in the segment with this descriptor, from `offset` on, and how many of them.
  struct location {
    int descriptor;
    off_t offset;
    std::size_t bytes;
  };

  [[nodiscard]] int create() const {
    int descriptor = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor >= 0) return descriptor;
    std::string path = folder_ + "/weft-XXXXXX"; // for file systems without O_TMPFILE
    descriptor = ::mkostemp(path.data(), O_CLOEXEC);
    if (descriptor < 0) throw io_error("create a temporary file in", folder_, errno);
    ::unlink(path.c_str());
    return descriptor;
  }

  // Returns where the first of `count` bytes at `position` are: those that are in one segment.
  [[nodiscard]] location locate(std::uint64_t position, std::size_t count) const noexcept {
    const std::size_t segment = count_before(position);
    const std::uint64_t offset = position - segment * bytes_;
    const bool last = segment + 1 == descriptors_.size();
    return {descriptors_[segment], static_cast<off_t>(offset),
            last ? count : static_cast<std::size_t>(std::min<std::uint64_t>(count, bytes_ - offset))};
  }

  std::string folder_, name_;
  std::uint64_t bytes_; // of each segment but the last
  std::vector<int> descriptors_;
  std::atomic<std::uint64_t> size_{0};
};

class temporary_file::source final : public byte_source {
public:
  source(std::shared_ptr<segments> file, std::uint64_t begin, std::uint64_t end, bool discards)
      : file_(std::move(file)), begin_(begin), end_(end), at_(begin), discards_(discards) {}

  std::size_t read(std::span<char> out) override {
    const std::size_t got = file_->read(at_, out.first(std::min<std::uint64_t>(out.size(), end_ - at_)));
    at_ += got;
    if (discards_) file_->close_before(file_->count_before(at_));
    return got;
  }
  const std::string& name() const noexcept override { return file_->name(); }
  compression kind() const noexcept override { return compression::none; }
  std::uint64_t position() const noexcept override { return at_ - begin_; }
  std::uint64_t size() const noexcept override { return end_ - begin_; }

private:
  std::shared_ptr<segments> file_;
  std::uint64_t begin_, end_, at_;
  bool discards_; // whether bytes that were read are discarded
};

namespace {

std::string folder_or_default(const std::string& folder) {
  if (!folder.empty()) return folder;
  const char* variable = std::getenv("TMPDIR");
  return variable != nullptr && *variable != '\0' ? variable : "/tmp";
}

} // namespace

temporary_file::temporary_file(const std::string& folder, std::size_t num_segments,
                               std::uint64_t segment_bytes)
    : segments_(std::make_shared<segments>(folder_or_default(folder), std::max<std::size_t>(num_segments, 1),
                                           std::max<std::uint64_t>(segment_bytes, 1))) {}

void temporary_file::write_at(std::uint64_t position, std::string_view bytes) {
  segments_->write(position, bytes);
}

std::uint64_t temporary_file::size() const noexcept { return segments_->size(); }

std::size_t temporary_file::read(std::uint64_t position, std::span<char> out) const {
  return segments_->read(position, out);
}

void temporary_file::discard_before(std::uint64_t position) const noexcept {
  segments_->close_before(segments_->count_before(position));
}

int temporary_file::descriptor() const noexcept { return segments_->front(); }

std::unique_ptr<byte_source> temporary_file::read_back(std::uint64_t begin, std::uint64_t end) const {
  return std::make_unique<source>(segments_, begin, end, false);
}

std::unique_ptr<byte_source> temporary_file::read_once() const {
  return std::make_unique<source>(segments_, 0, size(), true);
}

} // namespace weft::io
