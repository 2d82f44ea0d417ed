#include <weft/io/byte_source.hpp> // a capability must not read files: the check has to object
inline int most_things = 0;        // and a name has to be one of the field
