// Computes a longest common subsequence of two sequences and the edits that turn one into the other.
// prints: LCS length 4, edit distance 5
// prints: BDAB
// prints: 3D2=1I2=1I
#include <cstdio>
#include <string>
// example-begin
#include <weft/lcs/lcs.hpp>

void compare(const std::string& a, const std::string& b) {
  const weft::edit_script path = weft::lcs(a, b); // the path of an LCS
  const std::uint64_t distance = weft::edit_distance(a, b);
  std::printf("LCS length %d, edit distance %d\n", static_cast<int>(path.matches),
              static_cast<int>(distance));
  std::printf("%s\n", weft::common_subsequence(path, a).c_str());
  for (const weft::edit_run& run : path.runs)
    std::printf("%d%c", static_cast<int>(run.length), static_cast<char>(run.op));
  std::printf("\n");
}
// example-end

int main() { compare("ABCBDAB", "BDCABA"); }
