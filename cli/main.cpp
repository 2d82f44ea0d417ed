#include <cstdio>
#include <weft/base/version.hpp>
int main() { std::puts("weft " WEFT_VERSION); }
