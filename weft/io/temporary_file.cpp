#include <weft/io/temporary_file.hpp>

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
#include <utility>
#include <weft/base/error.hpp>

namespace weft::io {

namespace {

// The bytes of a descriptor, never taken for compressed ones.
class descriptor_source final : public byte_source {
public:
  descriptor_source(int descriptor, std::string folder)
      : descriptor_(descriptor), name_("temporary file in " + folder),
        size_(static_cast<std::uint64_t>(::lseek(descriptor, 0, SEEK_END))) {
    ::lseek(descriptor, 0, SEEK_SET);
  }
  ~descriptor_source() override { ::close(descriptor_); }
  descriptor_source(const descriptor_source&) = delete;
  descriptor_source& operator=(const descriptor_source&) = delete;

  std::size_t read(std::span<char> out) override {
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t got = ::read(descriptor_, out.data() + done, out.size() - done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw io_error("read", name_, errno);
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    position_ += done;
    return done;
  }
  const std::string& name() const noexcept override { return name_; }
  compression kind() const noexcept override { return compression::none; }
  std::uint64_t position() const noexcept override { return position_; }
  std::uint64_t size() const noexcept override { return size_; }

private:
  int descriptor_;
  std::string name_;
  std::uint64_t size_, position_ = 0;
};

std::string folder_or_default(const std::string& folder) {
  if (!folder.empty()) return folder;
  const char* variable = std::getenv("TMPDIR");
  return variable != nullptr && *variable != '\0' ? variable : "/tmp";
}

} // namespace

temporary_file::temporary_file(const std::string& folder) : folder_(folder_or_default(folder)) {
  descriptor_ = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor_ >= 0) return;
  std::string path = folder_ + "/weft-XXXXXX"; // file systems without O_TMPFILE
  descriptor_ = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor_ < 0) throw io_error("create a temporary file in", folder_, errno);
  ::unlink(path.c_str());
}

temporary_file::~temporary_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

temporary_file::temporary_file(temporary_file&& other) noexcept
    : folder_(std::move(other.folder_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

temporary_file& temporary_file::operator=(temporary_file&& other) noexcept {
  std::swap(folder_, other.folder_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

void temporary_file::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw io_error("write a temporary file in", folder_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
}

std::unique_ptr<byte_source> temporary_file::read_back() {
  return std::make_unique<descriptor_source>(std::exchange(descriptor_, -1), folder_);
}

} // namespace weft::io
