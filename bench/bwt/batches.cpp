// The cases of `weft-bench bwt` for batches of texts and for collections of reads.
#include <algorithm>
#include <bench/bwt/gpu_batches.hpp>
#include <bench/bwt/texts.hpp>
#include <bench/gpu.hpp>
#include <bench/kept_input.hpp>
#include <divsufsort.h>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <random>
#include <weft/bwt/collection_bwt.hpp>
#include <weft/io/checksum.hpp>

namespace weft::bench {

namespace {

// The definition of a case: a text that is cut into pieces of the same size.
struct definition {
  batch_task asked;
  const char* text;  // name of a text of text_maker; of a collection: reads
  const char* piece; // size of a piece, in words
  std::uint64_t piece_size;
  const char* size_name;
  std::uint64_t size;
};

constexpr std::uint64_t million = 1'000'000;
constexpr definition definitions[] = {
    {batch_task::sentinel, "word-text", "900k", 900'000, "9M", 9 * million},
    {batch_task::sentinel, "word-text", "900k", 900'000, "100M", 100 * million},
    {batch_task::sentinel, "word-text", "900k", 900'000, "1000M", 1000 * million},
    {batch_task::sentinel, "random-dna", "900k", 900'000, "9M", 9 * million},
    {batch_task::sentinel, "random-dna", "900k", 900'000, "100M", 100 * million},
    {batch_task::sentinel, "random-dna", "900k", 900'000, "1000M", 1000 * million},
    {batch_task::sentinel, "genome-like", "900k", 900'000, "9M", 9 * million},
    {batch_task::sentinel, "genome-like", "900k", 900'000, "100M", 100 * million},
    {batch_task::sentinel, "genome-like", "900k", 900'000, "1000M", 1000 * million},
    {batch_task::sentinel, "word-text", "25M", 25 * million, "100M", 100 * million},
    {batch_task::sentinel, "word-text", "25M", 25 * million, "1000M", 1000 * million},
    {batch_task::sentinel, "random-dna", "25M", 25 * million, "100M", 100 * million},
    {batch_task::sentinel, "random-dna", "25M", 25 * million, "1000M", 1000 * million},
    {batch_task::sentinel, "genome-like", "25M", 25 * million, "100M", 100 * million},
    {batch_task::sentinel, "genome-like", "25M", 25 * million, "1000M", 1000 * million},
    {batch_task::rotation, "word-text", "900k", 900'000, "9M", 9 * million},
    {batch_task::rotation, "word-text", "900k", 900'000, "1000M", 1000 * million},
    {batch_task::rotation, "random-dna", "900k", 900'000, "9M", 9 * million},
    {batch_task::rotation, "random-dna", "900k", 900'000, "1000M", 1000 * million},
    {batch_task::rotation, "genome-like", "900k", 900'000, "9M", 9 * million},
    {batch_task::rotation, "genome-like", "900k", 900'000, "1000M", 1000 * million},
    {batch_task::collection, "reads", "100", 100, "1M", million},
    {batch_task::collection, "reads", "100", 100, "100M", 100 * million},
    {batch_task::collection, "reads", "100", 100, "1000M", 1000 * million},
};

constexpr const char* name_of(batch_task asked) {
  return asked == batch_task::sentinel   ? "batch"
         : asked == batch_task::rotation ? "batch-rotation"
                                         : "collection";
}

// Returns pieces of a genome-like text that has a tenth of their bases, end to end. They begin at random
// positions, and one base in 500 is drawn again.
std::string make_reads(std::uint64_t size, std::uint64_t read_size) {
  const std::string genome = text_maker(size / 10).make("genome-like");
  std::mt19937_64 random(1);
  std::string text;
  text.reserve(size);
  while (text.size() < size) text.append(genome, random() % (genome.size() - read_size), read_size);
  for (std::uint64_t i = random() % 1000; i < size; i += 1 + random() % 1000) text[i] = "ACGT"[random() % 4];
  return text;
}

// The data that the methods of a case share.
struct batch_data {
  definition of;
  std::shared_ptr<const std::string> text = {};
  std::vector<std::uint64_t> offsets = {};
  bwt_batch_text answer = {};
  std::optional<std::uint64_t> right_digest = {}; // of an answer that was inverted to the texts

  sequences_view made() {
    if (text == nullptr) {
      text = input_of<std::string>(fmt::format("text {} {}", of.text, of.size), [this] {
        return of.asked == batch_task::collection ? make_reads(of.size, of.piece_size)
                                                  : text_maker(of.size).make(of.text);
      });
      for (std::uint64_t at = 0; at < of.size; at += of.piece_size) offsets.push_back(at);
      offsets.push_back(of.size);
    }
    return {*text, offsets};
  }
  // Returns true if the answer is that of the texts, which its inverse tells. The answers of a case are equal
  // if they are right, so that only the first one is inverted.
  [[nodiscard]] bool is_right(const bwt_batch_text& given) {
    const std::uint64_t digest = digest_of(given);
    if (right_digest == digest) return true;
    const sequences_view texts = made();
    if (given.bytes.size() != texts.data.size() || given.primary_indexes.size() != texts.count())
      return false;
    if (!inverts_to(given, texts)) return false;
    right_digest = digest;
    return true;
  }

private:
  [[nodiscard]] bool inverts_to(const bwt_batch_text& given, const sequences_view& texts) const {
    if (of.asked == batch_task::collection) {
      const sequences back = inverse_collection_bwt({given.bytes, given.primary_indexes});
      for (std::uint64_t i = 0; i < texts.count(); ++i)
        if (back[i] != texts[i]) return false;
      return true;
    }
    for (std::uint64_t i = 0; i < texts.count(); ++i)
      if (inverse_bwt(bwt_text{given.bytes.substr(offsets[i], texts.size(i)), given.primary_indexes[i],
                               given.form}) != texts[i])
        return false;
    return true;
  }
};

method batch_method(const std::shared_ptr<batch_data>& data, const std::string& name, int own_threads,
                    const std::function<bwt_batch_text(const sequences_view&)>& run) {
  return {.name = name,
          .threads = own_threads,
          .prepare =
              [data] {
                (void)data->made();
                data->answer = {};
              },
          .run = [data, run] { data->answer = run(data->made()); },
          .digest = [data] { return digest_of(data->answer); },
          .is_right = [data] { return data->is_right(data->answer); }};
}

// Transforms the texts one by one with libdivsufsort.
bwt_batch_text divsufsort_batch(const sequences_view& texts) {
  bwt_batch_text made{std::string(texts.data.size(), '\0'), {}};
  for (std::uint64_t i = 0; i < texts.count(); ++i)
    made.primary_indexes.push_back(
        static_cast<std::uint64_t>(divbwt(reinterpret_cast<const sauchar_t*>(texts[i].data()),
                                          reinterpret_cast<sauchar_t*>(made.bytes.data() + texts.offsets[i]),
                                          nullptr, static_cast<saidx_t>(texts.size(i)))));
  return made;
}

// Transforms a collection by a sort of all its suffixes that compares them byte by byte.
bwt_batch_text sorted_suffixes(const sequences_view& reads) {
  struct suffix {
    std::string_view text;
    std::uint64_t read;
  };
  std::vector<suffix> suffixes;
  suffixes.reserve(reads.data.size());
  for (std::uint64_t i = 0; i < reads.count(); ++i)
    for (std::uint64_t at = 0; at < reads.size(i); ++at) suffixes.push_back({reads[i].substr(at), i});
  std::sort(suffixes.begin(), suffixes.end(), [](const suffix& a, const suffix& b) {
    const int order = a.text.compare(b.text);
    return order != 0 ? order < 0 : a.read < b.read;
  });
  bwt_batch_text made{{}, std::vector<std::uint64_t>(reads.count())};
  for (std::uint64_t i = 0; i < reads.count(); ++i) made.bytes += reads[i].back(); // the rows of the ends
  std::uint64_t row = reads.count();
  for (const suffix& each : suffixes) {
    if (each.text.size() == reads.size(each.read))
      made.primary_indexes[each.read] = row;
    else
      made.bytes += *(each.text.data() - 1);
    ++row;
  }
  return made;
}

// Calls the function of the library that the task names.
bwt_batch_text transformed_by_weft(batch_task asked, const sequences_view& texts,
                                   const bwt_options& options) {
  if (asked != batch_task::collection) return bwt_batch(texts, form_of(asked), options);
  collection_bwt_text made = collection_bwt(texts, options);
  return {std::move(made.bytes), std::move(made.starts)};
}

// Transforms the reads of a collection as one text, with libdivsufsort. That is not the transform of the
// collection, which libdivsufsort does not compute.
method transform_of_one_text(const std::shared_ptr<batch_data>& data) {
  method made =
      batch_method(data, "libdivsufsort, the reads as one text", 1, [](const sequences_view& reads) {
        const std::uint64_t offsets[] = {0, reads.data.size()};
        return divsufsort_batch({reads.data, offsets});
      });
  made.digest = {};
  made.is_right = [data] {
    const bwt_batch_text& answer = data->answer;
    return answer.primary_indexes.size() == 1 &&
           inverse_bwt(answer.bytes, answer.primary_indexes[0], bwt_form::sentinel) == data->made().data;
  };
  return made;
}

std::vector<method> batch_methods(const definition& of, int threads) {
  const auto data = std::make_shared<batch_data>(batch_data{of});
  const batch_task asked = of.asked;
  const std::string engine = "suffix-sort";
  const auto on = [asked, engine](device_choice device, int own_threads) {
    return [=](const sequences_view& texts) {
      return transformed_by_weft(asked, texts,
                                 {.run = {.engine = engine, .device = device, .threads = own_threads}});
    };
  };
  std::vector<method> methods = {
      batch_method(data, engine, 0, on({device_kind::cpu, 0}, threads)),
      batch_method(data, engine + ", one thread", 1, on({device_kind::cpu, 0}, 1))};
  if (asked != batch_task::rotation) {
    methods.push_back(asked == batch_task::sentinel
                          ? batch_method(data, "libdivsufsort, a call a text", 1, divsufsort_batch)
                          : batch_method(data, "std::sort of the suffixes", 1, sorted_suffixes));
    methods.back().yardstick = true;
  }
  if (asked == batch_task::collection) {
    methods.push_back(transform_of_one_text(data));
    methods.back().yardstick = true;
  }
  methods.push_back(batch_method(data, engine + ", from host memory", 0, on(first_gpu(), 0)));
  methods.back().on_gpu = true;
  methods.back().unavailable_reason = known_gpus().unavailable;
  for (method& each : batches_on_gpu(
           asked, [data] { return data->made(); },
           [data](const bwt_batch_text& answer) { return data->is_right(answer); }))
    methods.push_back(std::move(each));
  return methods;
}

} // namespace

std::uint64_t digest_of(const bwt_batch_text& transformed) {
  io::running_checksum sum;
  sum.add(transformed.bytes);
  sum.add({reinterpret_cast<const char*>(transformed.primary_indexes.data()),
           transformed.primary_indexes.size() * sizeof(std::uint64_t)});
  return sum.value();
}

std::vector<bench_case> batch_cases(const limits& asked) {
  std::vector<bench_case> made;
  for (const definition& each : definitions) {
    const double size = static_cast<double>(each.size);
    made.push_back(
        {fmt::format("{}-{}-of-{}/{}", name_of(each.asked), each.text, each.piece, each.size_name),
         fmt::format("{} bytes in pieces of {}, {}, seed 1", each.size, each.piece_size, each.text), size,
         2 * size, 24 * each.size, std::nullopt,
         [each, threads = asked.threads] { return batch_methods(each, threads); }});
    made.back().on_request = true;
    made.back().setup_seconds = seconds_to_make(each.size);
  }
  return made;
}

} // namespace weft::bench
