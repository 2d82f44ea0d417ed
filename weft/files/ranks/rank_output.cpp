#include <weft/files/ranks/rank_output.hpp>

#include <span>
#include <weft/base/error.hpp>

namespace weft::files {

namespace {

// A rank that waits to fail sends this to rank 0 instead of the size of a text.
constexpr std::uint64_t waits_to_fail = ~std::uint64_t{0};

std::span<std::byte> bytes_of(std::uint64_t& number) { return std::as_writable_bytes(std::span(&number, 1)); }

} // namespace

rank_output::rank_output(multi::communicator& ranks, const std::string& path)
    : is_stdout_(path.empty() || path == "-") {
  if (ranks.size() == 1)
    file_.emplace(path);
  else
    open(ranks, path);
}

rank_output::rank_output(const std::string& path) : is_stdout_(path.empty() || path == "-") {
  file_.emplace(path);
}

void rank_output::open(multi::communicator& ranks, const std::string& path) {
  multi::run_together(ranks, [&] {
    if (ranks.rank() != 0) return;
    if (!is_stdout_) io::remove_abandoned_temporaries(path); // of ranks that were killed
    file_.emplace(path);
  });
  std::string temporary = file_ ? file_->temporary() : "";
  multi::broadcast_text(ranks, temporary, 0);
  ranks_ = ranks.duplicate();
  if (temporary.empty()) return;
  try {
    if (ranks.rank() != 0) file_.emplace(path, temporary);
  } catch (const io_error&) { // another host, which does not see the file
  }
  is_common_ = multi::reduce_number(ranks, file_ ? 1 : 0, multi::reduction::min) == 1;
  if (!is_common_ && ranks.rank() != 0) file_.reset();
}

void rank_output::write_header(std::string_view bytes) {
  if (!ranks_ || ranks_->rank() == 0) write(bytes);
}

void rank_output::write_footer(std::string_view bytes) {
  begin_turn();
  end_turn(!ranks_ || ranks_->rank() == 0 ? bytes : std::string_view());
}

void rank_output::replace_header(std::string_view bytes) {
  wait_for_turns();
  if (ranks_->rank() != 0) return;
  file_->seek(0);
  file_->write(bytes);
}

void rank_output::write_at(std::uint64_t position, std::string_view bytes) {
  if (bytes.empty()) return;
  file_->seek(position);
  file_->write(bytes);
}

void rank_output::begin_turn(std::optional<std::uint64_t> size) {
  if (!ranks_) return;
  wait_for_turns();
  if (is_common_) {
    if (ranks_->rank() != 0) ranks_->receive(bytes_of(position_), ranks_->rank() - 1);
    file_->seek(position_);
    has_passed_ = size.has_value();
    if (size) pass_position(position_ + *size);
  }
  has_begun_ = true;
}

// Rank 0 answers as soon as it has received all turns before.
void rank_output::wait_to_fail() {
  if (!ranks_) return;
  if (is_common_ || ranks_->rank() == 0) return begin_turn();
  std::uint64_t message = waits_to_fail;
  ranks_->send(bytes_of(message), 0);
  ranks_->receive(bytes_of(message), 0);
}

void rank_output::pass_position(std::uint64_t position) {
  ranks_->send(bytes_of(position), (ranks_->rank() + 1) % ranks_->size());
}

void rank_output::wait_for_turns() {
  if (!ranks_ || ranks_->rank() != 0 || !has_begun_) return;
  has_begun_ = false;
  if (is_common_)
    ranks_->receive(bytes_of(position_), ranks_->size() - 1);
  else
    receive_turns();
}

// Turns of other ranks come as texts, each of which ends with an empty one.
void rank_output::receive_turns() {
  for (int other = 1; other < ranks_->size(); ++other)
    for (std::string text; receive_part(text, other);) {
      file_->write(text);
      if (is_stdout_) file_->flush();
    }
}

// Receives what send_text() has sent. Returns false at the end of the turn.
bool rank_output::receive_part(std::string& text, int other) {
  std::uint64_t size = 0;
  for (ranks_->receive(bytes_of(size), other); size == waits_to_fail; ranks_->receive(bytes_of(size), other))
    ranks_->send(bytes_of(size), other); // and then waits for the failure
  text.resize(size);
  if (size > 0) ranks_->receive(std::as_writable_bytes(std::span(text)), other);
  return size > 0;
}

void rank_output::write(std::string_view bytes) {
  if (bytes.empty()) return;
  position_ += bytes.size();
  if (file_)
    file_->write(bytes);
  else
    send_text(*ranks_, bytes, 0);
}

void rank_output::end_turn(std::string_view last) {
  if (is_common_ && !has_passed_) pass_position(position_ + last.size());
  write(last);
  if (is_common_)
    file_->flush();
  else if (!file_)
    send_text(*ranks_, {}, 0);
}

void rank_output::fail(const std::exception_ptr& fault) noexcept {
  if (ranks_) ranks_->fail(multi::describe_failure(fault, ranks_->rank()));
}

void rank_output::flush() {
  if (file_) file_->flush();
}

void rank_output::commit() {
  if (!ranks_) return file_->commit();
  wait_for_turns();
  multi::run_together(*ranks_, [&] {
    if (file_) file_->finish();
  });
  multi::run_together(*ranks_, [&] {
    if (file_) file_->commit();
  });
}

} // namespace weft::files
