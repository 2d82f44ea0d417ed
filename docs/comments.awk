# What Doxygen reads of a header (docs/Doxyfile.in): its plain comments become Doxygen's.
#   the block at the top            is of the file
#   a block before declarations     of each of them, up to the next blank line or block
#   a comment behind a declaration  of that one
# Lines of a block that are indented or have columns, code and tables, stay as they are. Comparisons that
# follow from the members are left out.
function escaped(text) {
  gsub(/[\\@<>#&%"]/, "\\\\&", text)
  gsub(/\.\./, "\\.\\.", text) # at a line's end a period would end a list
  sub(/^\*/, "\\&#42;", text)     # nor does a block keep a star at a line's beginning
  return text
}
function put(text) { block = block (block == "" ? "/** " : "") text "\n" }
function add(text,    indented) {
  indented = text ~ /^  |[^ ]  +[^ ]/ || (verbatim && text ~ /^ *$/)
  if (indented != verbatim) put(indented ? "@verbatim" : "@endverbatim")
  verbatim = indented
  put(verbatim ? text : escaped(text))
}
function close_group() {
  if (grouped) print "///@}"
  grouped = 0
}
/^ *\/\// {
  close_group()
  if (NR == 1) put("@file")
  top = top || NR == 1
  sub(/^ *\/\/ ?/, "")
  add($0)
  next
}
block != "" {
  if (verbatim) put("@endverbatim")
  verbatim = 0
  type = /^ *(template <[^>]*> )?(class|struct|enum) /
  if (!top && !type && $0 != "") { # a type's members have comments of their own
    print "///@{\n"
    grouped = 1
  }
  printf "%s*/\n", block
  block = ""
  top = 0
}
/^ *friend .*operator/ { comparison = 1 }
comparison {
  if (/;/) comparison = 0
  next
}
/^$/ || /^ *(private|protected|public):/ || /^ *};$/ { close_group() }
match($0, /[;{,] +\/\/ /) {
  print substr($0, 1, RSTART) " ///< " escaped(substr($0, RSTART + RLENGTH))
  next
}
{ print }
