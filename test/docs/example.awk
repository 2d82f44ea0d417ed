# Prints the example of a public header: the first indented block of the comment at the top of the header.
# With -v header=PATH, the path that the header is included by, prints a test of the example: it includes the
# header first, makes a comparison of each "value;  // == expected", and moves #include lines before the test.
BEGIN { indent = "^//   " }
!/^\/\// || (n > 0 && $0 !~ indent) { exit }
$0 ~ indent {
  if (n == 0) first = FNR
  sub(indent, "")
  lines[++n] = $0
}
END {
  if (n == 0) {
    print FILENAME ": the comment at its top has no example" > "/dev/stderr"
    exit 1
  }
  if (header == "") {
    for (i = 1; i <= n; ++i) print lines[i]
    exit
  }
  printf "#include <%s>\n#include <test/docs/header_example.hpp>\n", header
  for (i = 1; i <= n && lines[i] ~ /^#include /; ++i) print lines[i]
  gsub(/[^a-z]/, "_", header)
  printf "TEST(header_example, %s) {\n#line %d \"%s\"\n", header, first + i - 1, FILENAME
  for (; i <= n; ++i) {
    if (match(lines[i], /; *\/\/ == /))
      lines[i] = "weft_test::expect(" substr(lines[i], 1, RSTART - 1) ", " substr(lines[i], RSTART + RLENGTH) ");"
    print lines[i]
  }
  print "}"
}
