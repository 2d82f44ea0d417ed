// Tests headers of .npy files, as NumPy writes them and in other forms.
#include <gtest/gtest.h>
#include <string>
#include <vector>
#include <weft/base/error.hpp>
#include <weft/io/npy.hpp>

namespace weft::test {

namespace {

using io::element_type;
using std::string;

// Returns a file of format 1.0 with the given dictionary.
string with_header(const string& dictionary, char version = 1) {
  string file = "\x93NUMPY";
  file += version;
  file += '\0';
  file += static_cast<char>(dictionary.size() & 255);
  file += static_cast<char>(dictionary.size() >> 8);
  if (version > 1) file += string(2, '\0');
  return file + dictionary;
}

io::npy_array read(const string& file, std::size_t step = 0) {
  return io::read_npy_header(*io::memory_bytes(file, "x.npy", step));
}

string fault(const string& file) {
  try {
    (void)read(file);
  } catch (const parse_error& failure) {
    EXPECT_EQ(failure.source(), "x.npy");
    return failure.what();
  }
  return "none";
}

TEST(npy, header_is_numpys_byte_for_byte) {
  const string dictionary = "{'descr': '<u4', 'fortran_order': False, 'shape': (3,), }";
  string expected = with_header(dictionary + string(118 - dictionary.size() - 1, ' ') + "\n");
  // the result of numpy.save for array([..], dtype=uint32)
  EXPECT_EQ(io::npy_header({element_type::u32, 3}), expected);
  EXPECT_EQ(expected.size(), 128U);
}

TEST(npy, every_type_comes_back) {
  for (const element_type type :
       {element_type::u8, element_type::u16, element_type::u32, element_type::u64, element_type::i8,
        element_type::i16, element_type::i32, element_type::i64, element_type::f32, element_type::f64})
    for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 40})
      for (const std::size_t step : {std::size_t{0}, std::size_t{1}}) {
        const string header = io::npy_header({type, count});
        EXPECT_EQ(header.size() % 64, 0U);
        const io::npy_array array = read(header + "items", step);
        EXPECT_EQ(array.type, type);
        EXPECT_EQ(array.count, count);
        EXPECT_EQ(io::parse_element_type(io::name_of(type)), type);
      }
  EXPECT_THROW((void)io::npy_header({element_type::i128, 1}), error);
  EXPECT_THROW((void)io::parse_element_type("u24"), error);
}

TEST(npy, other_spellings) {
  for (const char version : {'\1', '\2', '\3'})
    EXPECT_EQ(
        read(with_header("{ \"shape\" :(7 , ),'fortran_order':True , 'descr':\"<f8\"}\n", version)).count,
        7U);
  EXPECT_EQ(read(with_header("{'descr': '<i1', 'fortran_order': False, 'shape': (1,)}")).type,
            element_type::i8);
}

TEST(npy, what_it_does_not_read) {
  const auto dictionary = [](const string& type, const string& shape) {
    return with_header("{'descr': " + type + ", 'fortran_order': False, 'shape': " + shape + "}");
  };
  EXPECT_NE(fault(dictionary("'>u4'", "(3,)")).find("must be little-endian"), string::npos);
  EXPECT_NE(fault(dictionary("'<c16'", "(3,)")).find("not supported"), string::npos);
  EXPECT_NE(fault(dictionary("[('a', '<u4')]", "(3,)")).find("structured"), string::npos);
  for (const string shape :
       {"()", "(3, 4)", "(3)", "3", "(-1,)", "(99999999999999999999,)", "(4611686018427387904,)"})
    EXPECT_NE(fault(dictionary("'<u8'", shape)), "none") << shape;
  EXPECT_NE(fault(with_header("{'descr': '<u4', 'shape': (3,)}")).find("must contain"), string::npos);
  EXPECT_NE(fault(with_header("{'descr': '<u4', 'more': 1}")).find("unknown key 'more'"), string::npos);
  EXPECT_NE(fault(with_header("{'descr': '<u4', 'fortran_order': False, 'shape': (3,)} x")), "none");
  EXPECT_NE(fault(with_header("{}", 4)).find("unknown version"), string::npos);
  EXPECT_NE(fault("PK\3\4").find("not a .npy file"), string::npos);
}

TEST(npy, ends_early) {
  const string header = io::npy_header({element_type::u16, 5});
  for (std::size_t size = 0; size < header.size(); ++size)
    EXPECT_NE(fault(header.substr(0, size)), "none") << size;
}

} // namespace
} // namespace weft::test
