// The Burrows-Wheeler transforms of many texts in one call, and that of a collection.
// prints: banana: annbaa 4
// prints: : 0
// prints: ana: ana 2
// prints: collection: nanbaa 5 4
#include <cstdio>
// example-begin
#include <weft/bwt/bwt_batch.hpp>
#include <weft/bwt/collection_bwt.hpp>

// Each text on its own, as the blocks of a file: on a GPU if there is one and they are large, else a thread
// each.
void print_transforms() {
  const std::string text = "bananaana";
  const std::vector<std::uint64_t> offsets = {0, 6, 6, 9};
  const weft::bwt_batch_text t = weft::bwt_batch(text, offsets);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const std::uint64_t size = offsets[i + 1] - offsets[i];
    std::printf("%s:%s%s %d\n", text.substr(offsets[i], size).c_str(), size > 0 ? " " : "",
                t.bytes.substr(offsets[i], size).c_str(), static_cast<int>(t.primary_indexes[i]));
  }
}

// All records together, as the reads of a sequencer.
void print_collection() {
  const weft::collection_bwt_text t = weft::collection_bwt("banana", std::vector<std::uint64_t>{0, 3, 6});
  std::printf("collection: %s %d %d\n", t.bytes.c_str(), static_cast<int>(t.starts[0]),
              static_cast<int>(t.starts[1]));
}
// example-end

int main() {
  print_transforms();
  print_collection();
}
