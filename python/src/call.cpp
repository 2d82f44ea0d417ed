#include "call.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <nanobind/stl/string.h>
#include <string>
#include <weft/base/device.hpp>
#include <weft/base/error.hpp>

#include "integers.hpp"

namespace weft::python {

namespace {

bool is_automatic(nb::handle value) {
  return PyUnicode_Check(value.ptr()) && PyUnicode_CompareWithASCIIString(value.ptr(), "auto") == 0;
}

// Calls a progress callback with the state of a monitor, at most every tenth of a second. The value True
// stands for a bar of tqdm.
class progress_reporter {
public:
  progress_reporter(nb::handle progress, const task_monitor& monitor) : monitor_(monitor) {
    if (progress.is_none() || progress.ptr() == Py_False) return;
    callback_ = nb::borrow(progress);
    if (progress.ptr() == Py_True) callback_ = nb::module_::import_("weft._progress").attr("bar")();
  }
  // Reports what is done, or that all is done.
  void report(bool finished) {
    if (!callback_.is_valid()) return;
    const auto now = std::chrono::steady_clock::now();
    if (!finished && now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    const std::uint64_t total = monitor_.total(), done = monitor_.done();
    callback_(finished ? total : std::min(done, total), total);
  }

private:
  const task_monitor& monitor_;
  nb::object callback_;
  std::chrono::steady_clock::time_point last_;
};

} // namespace

void task::end(std::exception_ptr failure) noexcept {
  // Notifies under the lock, because the object may be destroyed as soon as another thread has seen the end.
  const std::lock_guard lock(mutex_);
  failure_ = std::move(failure);
  has_ended_ = true;
  ended_.notify_all();
}

bool task::wait(int milliseconds) {
  const nb::gil_scoped_release released;
  std::unique_lock lock(mutex_);
  const auto has_ended = [this] { return has_ended_; };
  if (milliseconds < 0) {
    ended_.wait(lock, has_ended);
    return true;
  }
  return ended_.wait_for(lock, std::chrono::milliseconds(milliseconds), has_ended);
}

std::string read_str(nb::handle value, const char* name) {
  Py_ssize_t size = 0;
  const char* const characters =
      PyUnicode_Check(value.ptr()) ? PyUnicode_AsUTF8AndSize(value.ptr(), &size) : nullptr;
  if (characters == nullptr) {
    PyErr_Clear();
    const std::string type = nb::cast<std::string>(nb::str(nb::handle(value.type()).attr("__name__")));
    throw nb::type_error((std::string(name) + " must be a str, not " + type).c_str());
  }
  return {characters, static_cast<std::size_t>(size)};
}

call::call(const nb::tuple& arguments) {
  const auto argument = [&](Py_ssize_t i) { return nb::handle(PyTuple_GetItem(arguments.ptr(), i)); };
  if (!is_automatic(argument(0))) run_.device = parse_device(read_str(argument(0), "device"));
  if (!is_automatic(argument(1))) run_.engine = read_str(argument(1), "engine");
  run_.threads = static_cast<int>(read_integer(argument(2), "threads", 1024));
  progress_ = argument(3);
  stream_ = argument(4);
  if (!progress_.is_none() && !PyBool_Check(progress_.ptr()) && PyCallable_Check(progress_.ptr()) == 0)
    throw nb::type_error("progress must be None, a bool, or a function of (done, total)");
  if (!stream_.is_none() && !progress_.is_none() && progress_.ptr() != Py_False)
    throw nb::value_error("progress cannot be reported for work in a stream: leave out progress or stream");
}

void call::refuse_stream(const char* what) const {
  if (!stream_.is_none())
    throw nb::value_error((std::string("stream can be used only with arrays in the memory of a GPU, but ") +
                           what + " is in the memory of the host: leave out stream")
                              .c_str());
}

void call::refuse_engine(const char* what) const {
  if (run_.engine != "auto")
    throw error(errc::invalid_input,
                std::string("engine can be used only with arrays in the memory of the host, "
                            "but ") +
                    what + " is in the memory of a GPU: leave out engine");
}

void call::watch(task& started, std::thread& thread, when_cancelled rule) const {
  std::optional<nb::python_error> raised;
  try {
    progress_reporter reporter(progress_, started.monitor);
    while (!started.wait(20)) {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      reporter.report(false);
    }
    thread.join();
    started.rethrow();
    reporter.report(true);
    return;
  } catch (nb::python_error& error) {
    if (!thread.joinable()) throw;
    raised.emplace(std::move(error));
  } catch (...) {
    if (!thread.joinable()) throw;
    started.monitor.cancel();
    started.wait(-1);
    thread.join();
    throw;
  }
  started.monitor.cancel();
  if (!started.wait(rule == when_cancelled::leave ? 500 : -1))
    thread.detach();
  else
    thread.join();
  throw std::move(*raised);
}

namespace {
std::atomic<bool> interpreter_ends = false;
}

void note_end_of_interpreter() {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] { interpreter_ends = true; }));
}

void with_gil(const std::function<void()>& release) noexcept {
  if (interpreter_ends && PyGILState_GetThisThreadState() == nullptr) return;
  const PyGILState_STATE state = PyGILState_Ensure();
  release();
  PyGILState_Release(state);
}

memory_owner keep_alive(nb::object object) {
  return {object.release().ptr(),
          [](void* held) { with_gil([held] { Py_DECREF(static_cast<PyObject*>(held)); }); }};
}

} // namespace weft::python
