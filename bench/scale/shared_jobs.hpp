// The jobs that ranks do together on several GPUs (gpu_jobs.hpp): their inputs, their calls of weft, and the
// checks of their answers.
#pragma once

#include <bench/scale/gpu_jobs.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <weft/base/run.hpp>
#include <weft/multi/communicator.hpp>

namespace weft::bench {

// A job that ranks do together, with its input and the right answer.
class shared_job {
public:
  explicit shared_job(std::string about) : about_(std::move(about)) {}
  virtual ~shared_job() = default;
  shared_job(const shared_job&) = delete;
  shared_job& operator=(const shared_job&) = delete;

  // Returns what the job is, in words.
  [[nodiscard]] const std::string& about() const noexcept { return about_; }
  // Removes the answers of the last run, and prepares one on `count` devices.
  virtual void prepare(std::uint64_t count) = 0;
  // Does the part of one rank. All ranks call it at the same time, after one call of prepare().
  virtual void work(multi::communicator& ranks, const run_options& run) = 0;
  // Returns whether the answers of the last run are right.
  [[nodiscard]] virtual bool is_right() const = 0;
  // Does on one device what each of `count` devices does, after a call of prepare(count).
  virtual void work_of_one(std::uint64_t count, const run_options& run) = 0;
  // Returns the seconds in which several devices exchange what they need of each other.
  [[nodiscard]] virtual double exchange_seconds() const { return 0; }
  // Returns how many times as much work the whole job is as its sample, which is a small part of it; 0 if
  // there is no sample.
  [[nodiscard]] virtual double size_in_samples() const { return 0; }
  // Does the part of one rank in the sample, like work(). is_right() then checks the answer for the sample.
  virtual void work_on_sample(multi::communicator& /*ranks*/, const run_options& /*run*/) {}

private:
  std::string about_;
};

// Makes the job of this name, which is one of gpu_job_names, and its right answer, which the CPU and the
// device of `run` compute.
[[nodiscard]] std::unique_ptr<shared_job> make_shared_job(std::string_view name, const gpu_job_sizes& sizes,
                                                          const run_options& run);

} // namespace weft::bench
