#include <bench/program.hpp>

int main(int argc, char** argv) { return weft::bench::run(argc, argv); }
