// replay FOLDER: passes every file of the folder, and every prefix of each file, to the fuzz target that it
// is linked with. Fails if the folder has no files.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

int main(int argc, char** argv) {
  int files = 0;
  if (argc == 2)
    for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string data{std::istreambuf_iterator<char>(file), {}};
      for (std::size_t size = 0; size <= data.size(); ++size)
        (void)LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(data.data()), size);
      ++files;
    }
  std::printf("%d files\n", files);
  return files > 0 ? 0 : 1;
}
