#include <weft/io/temporary_file.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
#include <utility>
#include <weft/base/error.hpp>

namespace weft::io {

class temporary_file::open_file {
public:
  explicit open_file(std::string parent) : folder(std::move(parent)), name("temporary file in " + folder) {
    number = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (number >= 0) return;
    std::string path = folder + "/weft-XXXXXX"; // for file systems without O_TMPFILE
    number = ::mkostemp(path.data(), O_CLOEXEC);
    if (number < 0) throw io_error("create a temporary file in", folder, errno);
    ::unlink(path.c_str());
  }
  ~open_file() { ::close(number); }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;

  std::size_t read(std::uint64_t position, std::span<char> out) const {
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t got =
          ::pread(number, out.data() + done, out.size() - done, static_cast<off_t>(position + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw io_error("read", name, errno);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  std::string folder, name;
  int number = -1;
};

class temporary_file::source final : public byte_source {
public:
  source(std::shared_ptr<const open_file> file, std::uint64_t begin, std::uint64_t end)
      : file_(std::move(file)), begin_(begin), end_(end), at_(begin) {}

  std::size_t read(std::span<char> out) override {
    const std::size_t got = file_->read(at_, out.first(std::min<std::uint64_t>(out.size(), end_ - at_)));
    at_ += got;
    return got;
  }
  const std::string& name() const noexcept override { return file_->name; }
  compression kind() const noexcept override { return compression::none; }
  std::uint64_t position() const noexcept override { return at_ - begin_; }
  std::uint64_t size() const noexcept override { return end_ - begin_; }

private:
  std::shared_ptr<const open_file> file_;
  std::uint64_t begin_, end_, at_;
};

namespace {

std::string folder_or_default(const std::string& folder) {
  if (!folder.empty()) return folder;
  const char* variable = std::getenv("TMPDIR");
  return variable != nullptr && *variable != '\0' ? variable : "/tmp";
}

} // namespace

temporary_file::temporary_file(const std::string& folder)
    : descriptor_(std::make_shared<const open_file>(folder_or_default(folder))) {}

void temporary_file::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor_->number, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw io_error("write a temporary file in", descriptor_->folder, errno);
    bytes.remove_prefix(static_cast<std::size_t>(put));
    size_ += static_cast<std::uint64_t>(put);
  }
}

std::size_t temporary_file::read(std::uint64_t position, std::span<char> out) const {
  return descriptor_->read(position, out);
}

int temporary_file::descriptor() const noexcept { return descriptor_->number; }

std::unique_ptr<byte_source> temporary_file::read_back(std::uint64_t begin, std::uint64_t end) const {
  return std::make_unique<source>(descriptor_, begin, end);
}

} // namespace weft::io
