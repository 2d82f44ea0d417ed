#include <cli/program.hpp>

int main(int argc, char** argv) { return weft::cli::run(argc, argv); }
