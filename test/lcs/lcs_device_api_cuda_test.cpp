// Tests weft/lcs/lcs.cuh with sequences in device memory, on streams and in graphs; the results are compared
// with those of engine bit-sliced.
#include <stdexcept>
#include <test/lcs/device_cases.hpp>
#include <thread>
#include <weft/base/error.hpp>

namespace {

using namespace weft_test;

class gpu_lcs_device_api : public gpu_lcs_device_suite {};

TEST_F(gpu_lcs_device_api, values_at_tile_edges) {
  const weft::gpu::stream stream;
  std::mt19937_64 random(1);
  const auto size = [&] {
    const std::size_t unit = std::size_t{32} << random() % 10;
    return unit * (1 + random() % (40000 / unit)) + random() % 3 - 1;
  };
  for (const int sigma : alphabets)
    for (const lcs_metric metric : metrics)
      for (int round = 0; round < 12; ++round) {
        const std::string a = random_symbols(random, size(), sigma),
                          b = random_symbols(random, size(), sigma);
        value_call call(a, b, sigma, metric, stream.get());
        call.spoil_storage();
        call.enqueue();
        ASSERT_EQ(call.wait(), expected_value(a, b, metric))
            << a.size() << " x " << b.size() << ", sigma " << sigma << ", metric "
            << static_cast<int>(metric);
      }
}

TEST_F(gpu_lcs_device_api, values_returned_to_the_host) {
  const weft::gpu::stream own;
  std::mt19937_64 random(2);
  for (const cudaStream_t stream : {own.get(), cudaStream_t{nullptr}})
    for (const lcs_metric metric : metrics) {
      const std::string a = random_symbols(random, 5001, 20), b = random_symbols(random, 12345, 20);
      const device_text there_a(a, stream), there_b(b, stream);
      EXPECT_EQ(
          weft_test::device_value(metric, there_a.data(), a.size(), there_b.data(), b.size(), 20, stream),
          expected_value(a, b, metric));
      EXPECT_EQ(weft::gpu::lcs_length(there_b.data(), b.size(), there_a.data(), a.size(), 20, stream),
                expected_value(a, b, lcs_metric::lcs));
    }
}

TEST_F(gpu_lcs_device_api, empty_texts) {
  const weft::gpu::stream stream;
  for (const lcs_metric metric : metrics)
    for (const std::size_t m : {0, 1, 5000})
      for (const std::size_t n : {0, 7}) {
        if (m * n != 0) continue;
        const std::string a(m, '\1'), b(n, '\2');
        value_call call(a, b, 4, metric, stream.get());
        EXPECT_GT(call.bytes(), 0U);
        call.spoil_storage();
        call.enqueue();
        const std::uint64_t expected = metric == lcs_metric::lcs ? 0 : m + n;
        EXPECT_EQ(call.wait(), expected);
        const device_text there_a(a, stream.get()), there_b(b, stream.get());
        EXPECT_EQ(weft_test::device_value(metric, there_a.data(), m, there_b.data(), n, 4, stream.get()),
                  expected);
        const weft::edit_script path =
            weft::gpu::lcs(there_a.data(), m, there_b.data(), n, 4, {.metric = metric}, stream.get());
        EXPECT_EQ(path.runs, weft::lcs(a, b, with("bit-sliced", metric)).runs);
        EXPECT_EQ(path.deletions, m);
        EXPECT_EQ(path.insertions, n);
      }
}

TEST_F(gpu_lcs_device_api, storage_of_any_alignment_and_none_too_small) {
  const weft::gpu::stream stream;
  std::mt19937_64 random(3);
  const std::string a = random_symbols(random, 3000, 4), b = random_symbols(random, 2000, 4);
  value_call call(a, b, 4, lcs_metric::lcs, stream.get());
  EXPECT_EQ(call.enqueue(call.bytes() - 1), cudaErrorInvalidValue);
  EXPECT_EQ(call.enqueue(0), cudaErrorInvalidValue);
  call.spoil_storage();
  EXPECT_EQ(call.enqueue(call.bytes(), 1), cudaSuccess);
  EXPECT_EQ(call.wait(), expected_value(a, b, lcs_metric::lcs));
}

TEST_F(gpu_lcs_device_api, wrong_arguments_are_refused) {
  const device_text text("\1\2\3", nullptr);
  const device_buffer<std::uint64_t> result(1, nullptr);
  device_buffer<std::uint8_t> storage(1 << 16, nullptr);
  const auto enqueue = [&](const std::uint8_t* a, std::uint64_t m, int sigma, std::uint64_t* to) {
    std::size_t bytes = storage.bytes();
    return weft::gpu::lcs_length_async(storage.data(), bytes, a, m, text.data(), 3, sigma, to, nullptr);
  };
  EXPECT_EQ(enqueue(text.data(), 3, 4, result.data()), cudaSuccess);
  EXPECT_EQ(enqueue(text.data(), 3, 0, result.data()), cudaErrorInvalidValue);
  EXPECT_EQ(enqueue(text.data(), 3, 257, result.data()), cudaErrorInvalidValue);
  EXPECT_EQ(enqueue(text.data(), ~std::uint64_t{0}, 4, result.data()), cudaErrorInvalidValue);
  EXPECT_EQ(enqueue(nullptr, 3, 4, result.data()), cudaErrorInvalidValue);
  EXPECT_EQ(enqueue(text.data(), 3, 4, nullptr), cudaErrorInvalidValue);
  EXPECT_THROW((void)weft::gpu::lcs_length(text.data(), 3, text.data(), 3, 0, nullptr),
               std::invalid_argument);
  EXPECT_THROW((void)weft::gpu::lcs_length(nullptr, 3, text.data(), 3, 4, nullptr), std::invalid_argument);
  EXPECT_THROW((void)weft::gpu::lcs(text.data(), 3, text.data(), 3, 257, {}, nullptr), std::invalid_argument);
}

// Each persistent launch needs all multiprocessors of the GPU.
TEST_F(gpu_lcs_device_api, two_streams_at_once) {
  const weft::gpu::stream first, second;
  std::mt19937_64 random(4);
  const std::string a = random_symbols(random, 150001, 4), b = random_symbols(random, 140003, 4);
  const std::string c = random_symbols(random, 90000, 33), d = random_symbols(random, 120031, 33);
  value_call one(a, b, 4, lcs_metric::lcs, first.get()), two(c, d, 33, lcs_metric::edit, second.get());
  for (int round = 0; round < 10; ++round) {
    one.enqueue();
    two.enqueue();
  }
  EXPECT_EQ(one.wait(), expected_value(a, b, lcs_metric::lcs));
  EXPECT_EQ(two.wait(), expected_value(c, d, lcs_metric::edit));
}

TEST_F(gpu_lcs_device_api, two_threads_at_once) {
  std::vector<std::jthread> callers;
  for (int caller = 0; caller < 2; ++caller)
    callers.emplace_back([caller] {
      const weft::gpu::stream stream;
      std::mt19937_64 random(static_cast<unsigned>(caller));
      const std::size_t n =
          caller == 0 ? 200000 : 3000; // the first needs little shared memory, the second much
      const std::string a = random_symbols(random, n, 32), b = random_symbols(random, n, 32);
      const device_text there_a(a, stream.get()), there_b(b, stream.get());
      const std::uint64_t expected = expected_value(a, b, lcs_metric::lcs);
      for (int round = 0; round < (caller == 0 ? 20 : 400); ++round)
        ASSERT_EQ(weft::gpu::lcs_length(there_a.data(), n, there_b.data(), n, 32, stream.get()), expected);
    });
}

TEST_F(gpu_lcs_device_api, graph_replayed_for_other_texts) {
  const weft::gpu::stream stream;
  std::mt19937_64 random(5);
  const auto text = [&] { return random_symbols(random, 50000, 4); };
  std::string a = text(), b = text();
  value_call call(a, b, 4, lcs_metric::lcs, stream.get());
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal), "capture");
  call.enqueue();
  check(cudaStreamEndCapture(stream.get(), &graph), "capture");
  check(cudaGraphInstantiateWithFlags(&ready, graph, 0), "instantiate");
  call.spoil_storage();
  for (int replay = 0; replay < 3; ++replay) {
    check(cudaGraphLaunch(ready, stream.get()), "replay");
    EXPECT_EQ(call.wait(), expected_value(a, b, lcs_metric::lcs)) << replay;
    a = text(), b = replay == 0 ? text() : a;
    call.assign(a, b);
  }
  check(cudaGraphExecDestroy(ready), "destroy");
  check(cudaGraphDestroy(graph), "destroy");
}

TEST_F(gpu_lcs_device_api, canonical_paths) {
  const weft::gpu::stream stream;
  std::mt19937_64 random(6);
  for (const int sigma : alphabets)
    for (const lcs_metric metric : metrics) {
      const std::string a = random_symbols(random, 20000 + random() % 5000, sigma);
      std::string b = random_symbols(random, 15000, sigma) + a.substr(4000, 9000);
      const weft::edit_script expected = weft::lcs(a, b, with("bit-sliced", metric, 0));
      device_text there_a(std::string(a.size(), '\0'), stream.get());
      const device_text there_b(b, stream.get());
      there_a.assign(a, stream.get()); // enqueued; the test does not wait for the copy
      weft::task_monitor monitor;
      weft::run_info info;
      const weft::edit_script path =
          weft::gpu::lcs(there_a.data(), a.size(), there_b.data(), b.size(), sigma,
                         {.metric = metric, .run = {.monitor = &monitor, .info = &info}}, stream.get());
      ASSERT_EQ(path.runs, expected.runs) << "sigma " << sigma;
      EXPECT_EQ(path.matches, expected.matches);
      EXPECT_EQ(path.substitutions, expected.substitutions);
      EXPECT_GT(monitor.done(), 0U);
      EXPECT_EQ(monitor.done(), monitor.total());
      EXPECT_EQ(info.engine, "systolic");
      EXPECT_TRUE(info.on_gpu());
      EXPECT_EQ(info.work, a.size() * b.size());
      EXPECT_GT(info.peak_device_bytes, a.size() + b.size());
    }
}

TEST_F(gpu_lcs_device_api, paths_in_little_memory_and_cancelled_ones) {
  const weft::gpu::stream stream;
  std::mt19937_64 random(7);
  const std::string a = random_symbols(random, 100000, 4);
  const device_text there(a, stream.get());
  EXPECT_THROW((void)weft::gpu::lcs(there.data(), a.size(), there.data(), a.size(), 4,
                                    {.run = {.device_memory = 4096}}, stream.get()),
               weft::memory_error);
  weft::task_monitor monitor;
  monitor.cancel();
  EXPECT_THROW((void)weft::gpu::lcs(there.data(), a.size(), there.data(), a.size(), 4,
                                    {.run = {.monitor = &monitor}}, stream.get()),
               weft::cancelled_error);
  const auto call = [&](const weft::run_options& other) {
    (void)weft::gpu::lcs(there.data(), 3, there.data(), 3, 4, {.run = other}, stream.get());
  };
  EXPECT_THROW(call({.engine = "wavefront"}), weft::error);
  EXPECT_THROW(call({.device = {weft::device_kind::cpu, 0}}), std::invalid_argument);
}

TEST_F(gpu_lcs_device_api, all_pairs) {
  const weft::gpu::stream stream;
  std::mt19937_64 random(8);
  std::string text;
  std::vector<std::uint64_t> offsets = {0};
  for (int i = 0; i < 60; ++i) { // two sequences are long, and their pair is computed as a table of its own
    const bool is_long = i == 11 || i == 40;
    text += random_symbols(random, is_long ? 60000 + i : i % 7 == 0 ? 0 : random() % 2000, 20);
    offsets.push_back(text.size());
  }
  const device_text there(text + "\1\2\3", stream.get());
  device_buffer<std::uint64_t> there_offsets(offsets.size(), stream.get()), values(60 * 59 / 2, stream.get());
  const auto upload_offsets = [&] {
    check(cudaMemcpyAsync(there_offsets.data(), offsets.data(), there_offsets.bytes(), cudaMemcpyHostToDevice,
                          stream.get()),
          "copy offsets");
  };
  upload_offsets();
  const char* const d_data = reinterpret_cast<const char*>(there.data());
  const weft::gpu::sequences_view batch{d_data, there_offsets.data(), 60, text.size()};
  for (const lcs_metric metric : metrics) {
    weft::gpu::lcs_all_pairs(batch, 20, values.data(), {.metric = metric}, stream.get());
    std::vector<std::uint64_t> found(values.size());
    check(cudaMemcpy(found.data(), values.data(), values.bytes(), cudaMemcpyDeviceToHost), "read");
    EXPECT_EQ(found, weft::lcs_all_pairs({text, offsets}, with("bit-parallel", metric, 0)));
  }
  weft::gpu::lcs_all_pairs({d_data, there_offsets.data(), 1, offsets[1]}, 20, nullptr, {}, stream.get());
  weft::gpu::lcs_all_pairs({}, 20, nullptr, {}, stream.get());
  EXPECT_THROW(weft::gpu::lcs_all_pairs({d_data, there_offsets.data(), 60, text.size() + 3}, 20,
                                        values.data(), {}, stream.get()),
               std::invalid_argument);
  std::swap(offsets[3], offsets[30]);
  upload_offsets();
  EXPECT_THROW(weft::gpu::lcs_all_pairs(batch, 20, values.data(), {}, stream.get()), std::invalid_argument);
}

} // namespace
