// How a call from Python runs: the keyword arguments that all functions have in common, the release of the
// GIL, progress, and Ctrl-C.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <nanobind/nanobind.h>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <weft/base/monitor.hpp>
#include <weft/base/run.hpp>

namespace weft::python {

namespace nb = nanobind;

// A task is work on another thread, while the calling thread reports progress and looks for signals.
class task {
public:
  task_monitor monitor;

  // Marks the task as ended. `failure` is the exception that ended it, or null.
  void end(std::exception_ptr failure) noexcept;
  // Waits without the GIL until the task has ended or, if `milliseconds` is not negative, for that time.
  // Returns whether it has ended.
  bool wait(int milliseconds);
  // Throws the exception that ended the task, if there was one.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::exception_ptr failure_;
};

// A when_cancelled says whether a cancelled task is left to run on its own if it does not end within half a
// second. A task that writes to memory of the caller must not be left.
enum class when_cancelled { wait, leave };

// A call is one call of a function of the package, with the keyword arguments that all functions share.
class call {
public:
  // `arguments` is the tuple (device, engine, threads, progress, stream). Throws a Python exception for a
  // value that no function accepts.
  explicit call(const nb::tuple& arguments);

  // Returns the options of the call, without a monitor.
  [[nodiscard]] const run_options& run() const noexcept { return run_; }
  // Returns the value of `stream`, which is None if the caller gave none.
  [[nodiscard]] nb::handle stream() const noexcept { return stream_; }
  // Throws ValueError if a stream was given, because `what` is not in the memory of a GPU.
  void refuse_stream(const char* what) const;
  // Throws InputError if an engine was named, because `what` is in the memory of a GPU, where the functions
  // choose the engine.
  void refuse_engine(const char* what) const;

  // Returns work(options). Releases the GIL meanwhile. `cost` is a rough number of nanoseconds, and `total`
  // the amount of work that the monitor will count. A short task without a progress callback runs on the
  // calling thread. Any other task runs on a thread of its own: the calling thread calls the callback and
  // looks for signals, and cancels the task if one of the two raises a Python exception, which is then
  // thrown. `work` owns all it refers to, because a task that is left outlives the call.
  template <class Work>
  auto execute(double cost, std::uint64_t total, Work work, when_cancelled rule = when_cancelled::wait) const
      -> std::invoke_result_t<Work&, const run_options&> {
    using result = std::invoke_result_t<Work&, const run_options&>;
    if (cost < short_cost && progress_.is_none()) {
      std::optional<nb::gil_scoped_release> released;
      if (cost > tiny_cost) released.emplace();
      return work(run_);
    }
    using stored = std::conditional_t<std::is_void_v<result>, bool, std::optional<result>>;
    struct work_task : task {
      work_task(const run_options& options, Work body) : run(options), work(std::move(body)) {
        run.monitor = &monitor;
      }
      run_options run;
      Work work;
      stored value{};
    };
    const auto started = std::make_shared<work_task>(run_, std::move(work));
    started->monitor.set_total(total);
    std::thread thread([task = started] {
      std::exception_ptr failure;
      try {
        if constexpr (std::is_void_v<result>)
          task->work(task->run);
        else
          task->value.emplace(task->work(task->run));
      } catch (...) {
        failure = std::current_exception();
      }
      task->end(failure);
    });
    watch(*started, thread, rule);
    if constexpr (!std::is_void_v<result>) return std::move(*started->value);
  }

private:
  // Costs, in nanoseconds, below which a task runs on the calling thread, and below which it keeps the GIL.
  static constexpr double short_cost = 20e6, tiny_cost = 20e3;

  // Waits for the task, then joins the thread and passes on the exception of the task. Throws
  // nb::python_error after a signal handler or the progress callback has raised.
  void watch(task& started, std::thread& thread, when_cancelled rule) const;

  run_options run_;
  nb::handle progress_, stream_;
};

// Returns the characters of the str that the argument `name` is. Throws TypeError for any other object.
[[nodiscard]] std::string read_str(nb::handle value, const char* name);

// Calls release() with the GIL, which this thread may have or not. On a thread that is none of Python's, does
// nothing once the interpreter ends, because the thread could not get the GIL any more: what a task holds
// that has been left is then never released.
void with_gil(const std::function<void()>& release) noexcept;
// Makes with_gil() know when the interpreter ends. Called once, when the module is made.
void note_end_of_interpreter();

// An owner keeps a Python object alive. It may be destroyed on any thread, with or without the GIL.
using memory_owner = std::shared_ptr<void>;
[[nodiscard]] memory_owner keep_alive(nb::object object);

} // namespace weft::python
