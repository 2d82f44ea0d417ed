#include <gtest/gtest.h>

TEST(bwt, stub) {}
