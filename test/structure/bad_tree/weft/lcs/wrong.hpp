#include <weft/io/byte_source.hpp> // a capability must not read files: the check has to object
