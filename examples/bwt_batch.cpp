// Computes the Burrows-Wheeler transforms of many texts in one call, and the transform of a collection.
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
  weft::sequences texts;
  for (const char* text : {"banana", "", "ana"}) texts.add(text);
  const weft::sequences_view view = texts;
  const weft::bwt_batch_text t = weft::bwt_batch(view);
  for (std::uint64_t i = 0; i < view.count(); ++i) // the transform of a text is where the text was
    std::printf("%s:%s%s %d\n", std::string(view[i]).c_str(), view.size(i) > 0 ? " " : "",
                t.bytes.substr(view.offsets[i], view.size(i)).c_str(),
                static_cast<int>(t.primary_indexes[i]));
}

// All records together, as the reads of a sequencer.
void print_collection() {
  weft::sequences records;
  for (const char* record : {"ban", "ana"}) records.add(record);
  const weft::collection_bwt_text t = weft::collection_bwt(records);
  std::printf("collection: %s %d %d\n", t.bytes.c_str(), static_cast<int>(t.starts[0]),
              static_cast<int>(t.starts[1]));
}
// example-end

int main() {
  print_transforms();
  print_collection();
}
