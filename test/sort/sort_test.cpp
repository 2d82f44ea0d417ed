#include <gtest/gtest.h>
#include <weft/sort/engines.hpp>

TEST(sort_engines, are_listed) { (void)weft::sort_engines(); }
