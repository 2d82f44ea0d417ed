#include <bench/scale/gpu_jobs.hpp>

#include <algorithm>
#include <bench/program.hpp>
#include <bench/scale/measure.hpp>
#include <bench/scale/shared_jobs.hpp>
#include <memory>
#include <weft/base/error.hpp>
#include <weft/base/parallel.hpp>

namespace weft::bench {

namespace {

using multi::communicator;

// Returns how a rank runs on its device, with its share of the threads of this machine.
run_options run_on(std::span<const device_choice> devices, int rank) {
  return {.device = devices[static_cast<std::size_t>(rank)],
          .threads = std::max(1, thread_count(0) / static_cast<int>(devices.size()))};
}

// Returns the time of a run of the whole job, extrapolated from its sample, or 0 if it has none.
double extrapolated_seconds(shared_job& job, std::span<const device_choice> devices) {
  if (job.size_in_samples() == 0) return 0;
  return job.size_in_samples() *
         time_of_ranks(
             static_cast<int>(devices.size()), [&] { job.prepare(devices.size()); },
             [&](communicator& ranks) { job.work_on_sample(ranks, run_on(devices, ranks.rank())); }, [] {},
             1);
}

// Returns the predicted time on `devices`, of which there are two or more, from a measurement of the first
// one.
double predicted_seconds(shared_job& job, std::span<const device_choice> devices) {
  const std::uint64_t count = devices.size();
  return job.exchange_seconds() + time_of_ranks(
                                      1, [&] { job.prepare(count); },
                                      [&](communicator&) { job.work_of_one(count, run_on(devices, 0)); },
                                      [] {}, 1);
}

// Measures the job on all of these devices.
gpu_job_run measure(shared_job& job, std::span<const device_choice> devices, double max_seconds) {
  const auto count = static_cast<int>(devices.size());
  gpu_job_run done{.num_devices = devices.size(), .seconds = extrapolated_seconds(job, devices)};
  done.is_extrapolated = done.seconds > max_seconds;
  if (done.is_extrapolated)
    done.is_right = job.is_right();
  else
    done.seconds = time_of_ranks(
        count, [&] { job.prepare(devices.size()); },
        [&](communicator& ranks) { job.work(ranks, run_on(devices, ranks.rank())); },
        [&] { done.is_right = done.is_right && job.is_right(); }, 1);
  done.predicted = count == 1 ? done.seconds : predicted_seconds(job, devices);
  return done;
}

} // namespace

std::vector<measured_gpu_job> run_gpu_jobs(std::span<const device_choice> devices, const std::string& only,
                                           const gpu_job_sizes& sizes) {
  std::vector<measured_gpu_job> done;
  for (const std::string_view name : gpu_job_names) {
    if (!is_requested(std::string(name), only)) continue;
    measured_gpu_job& each = done.emplace_back(measured_gpu_job{std::string(name), {}, {}, {}});
    try {
      const std::unique_ptr<shared_job> job = make_shared_job(name, sizes, {.device = devices[0]});
      each.about = job->about();
      for (std::size_t count = 1; count <= devices.size(); count *= 2)
        each.runs.push_back(measure(*job, devices.first(count), sizes.max_seconds));
    } catch (const cancelled_error&) {
      throw;
    } catch (const error& fault) {
      each.failure = fault.what();
    }
  }
  return done;
}

} // namespace weft::bench
