// A header with a function that has no comment: the check has to object.
#pragma once

namespace weft {

// Has one.
void documented();

void undocumented();

} // namespace weft
