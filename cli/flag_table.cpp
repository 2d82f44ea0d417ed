// The verbs and their flags: what the parser, the help, the man page and the completions are made of.
#include <cli/flags.hpp>

#include <array>

namespace weft::cli {

namespace {

constexpr std::array verb_table = {
    verb{"scan", "MOTIFS SEQUENCES...", "find every match of PROSITE motifs in sequences",
         "MOTIFS is a PROSITE flat file (prosite.dat), or a text file of one pattern a line (pattern, or "
         "name, tab, pattern); patterns given with -e take "
         "its place. SEQUENCES are FASTA or FASTQ files; - is standard input. gzip, bzip2, zstd and xz are "
         "recognised by their first bytes.\n\n"
         "By default the matches are those of ps_scan.pl 1.90: at each start the first alternative of greedy "
         "backtracking, and none that ends no later than "
         "the one before. Text is compared case-blind, positions count every residue, and symbols other than "
         "letters match x alone. Positions are 1-based and "
         "inclusive, but for bed.",
         0, -1},
    verb{"lcs", "A B", "longest common subsequence, indel or edit distance of two sequences",
         "A and B are FASTA or FASTQ files, whose records are joined (or chosen with --a-record and "
         "--b-record) and compared case-blind; with --raw or --by byte "
         "any files, byte by byte; with --by line text files, line by line.\n\n"
         "Without --format a record is printed: lengths, length of the LCS, identity (LCS / longer length), "
         "distances. With it, the path: of all optimal paths "
         "the leftmost, the same on every engine and machine. In ops and paf, = takes a symbol of both, D "
         "one of A, I one of B, X (with --metric edit) "
         "substitutes one.\n\n"
         "--plot FILE draws the path, A to the right and B upwards, over a track of the matches in windows "
         "along A, beside whatever is printed; FILE ends in .svg, .png or .html, and appears whole or not at "
         "all. The .html needs nothing else, shows finer detail, and opens where its address says "
         "(plot.html#x=1000-2000).\n\n"
         "An --engine that does not run on the device that WEFT_DEVICE names runs on one that it can use.",
         0, 2},
    verb{"sort", "[FILE...]", "sort lines of text, or arrays of numbers",
         "Lines are compared byte by byte, or as the flags say, and mean what they mean to GNU sort in the C "
         "locale; without FILE, and for -, standard input is read. Files larger than the memory limit go "
         "through temporary files.\n\n"
         "With --type, or if FILE is an .npy file, FILE is an array of numbers: raw and little-endian, or of "
         "the "
         "type that the .npy file states. Floats order -0 before +0, and NaN last. -r, --by-key (raw values "
         "have the type of the keys) and --argsort apply to arrays, the flags of keys, lines and temporary "
         "files to lines.\n\n"
         "On a GPU (--device gpu; auto: large inputs where there is one) numbers are sorted, and lines by "
         "their first eight bytes, or those of their keys, to the same bytes; what does not fit its memory, "
         "or --device-memory, in runs that are merged. -m and -c run on the CPU. A device that WEFT_DEVICE "
         "names gives way to them, and to an --engine that does not run there.",
         0, -1},
    verb{
        "bwt", "FILE", "Burrows-Wheeler transform of a file",
        "The output holds the form, the length, the primary index and a checksum, and then the transformed "
        "bytes; with --raw the bytes alone, and the primary index goes to standard output. A compressed FILE "
        "is decompressed first (see --no-decompress).",
        1, 1},
    verb{"unbwt", "FILE", "the file that weft bwt transformed",
         "The checksum of the text is verified before the output appears.", 1, 1},
    verb{"sa", "FILE", "suffix array of a file, as .npy",
         "32-bit numbers below 2 GiB of text, 64-bit numbers above.", 1, 1},
    verb{"index", "REFERENCE...", "index FASTA files for weft find",
         "An FM-index of all records. The index is checksummed, memory-mapped by weft find, and the same on "
         "every machine.",
         1, -1},
    verb{"find", "INDEX PATTERNS", "find every exact occurrence of patterns in an index",
         "PATTERNS is FASTA, FASTQ, or text of one pattern a line; patterns given with -e take its place. "
         "INDEX is a file, not standard input. In an index of DNA A, C, G and T match themselves in either "
         "case, and U is T; any other letter matches nothing, also itself. Positions are 1-based and "
         "inclusive, but for --bed.\n\n"
         "With --device gpu the index is copied to the GPU and searched there, to the same output.",
         1, 2},
    verb{"devices", "", "list processors and GPUs, and with --engines what can run on them",
         "Each capability lists its engines, and why one is not available here.", 0, 0},
    verb{
        "bench", "sort|bwt|lcs|scan|papers [MOTIFS SEQUENCES]", "repeat weft's measurements on this machine",
        "Seeded cases, from small to large, by every engine that runs here and by yardsticks (std::sort, "
        "libdivsufsort, Hyperscan where it is installed, ...), in turn. Every answer is checked: one that is "
        "wrong makes the exit code 1. Inputs and checks count in the budget as well; what one case does not "
        "need of its equal part goes to the others. A row has the median and the spread of its runs, its "
        "ratio to the quickest yardstick, and what it reaches of a ceiling that is measured before; what "
        "cannot run here, or within the budget, says why.\n\n"
        "papers: the tables and figures of the four papers that weft began with, their own numbers beside "
        "them.\n\n"
        "With --json one document, which bench/compare holds against another. For scan, MOTIFS and SEQUENCES "
        "are as those of weft scan; then ways are held against each other.",
        1, 3},
    verb{"help", "[VERB]", "explain weft or one of its verbs", "", 0, 1},
    verb{"man", "", "print the man page, as roff", "", 0, 0},
    verb{"completion", "bash|zsh|fish", "print the completions of a shell", "", 1, 1},
};

constexpr std::string_view work = "scan lcs sort bwt unbwt sa index find";
// Of these, the ones that have -t for --threads, and -v for --verbose.
constexpr std::string_view threads_letter = "scan lcs bwt unbwt sa index find bench";
constexpr std::string_view verbose_letter = "lcs sort bwt unbwt sa index find";

constexpr std::array flag_table = {
    flag{"pattern", 'e', "PATTERN", "", "",
         "a pattern, in place of the file MOTIFS; may be repeated; called USER001, USER002, ... as by "
         "ps_scan -p",
         "scan", "", true},
    flag{"alphabet", '\0', "NAME", "protein", "protein|dna|bytes",
         "what letters mean: amino acids, IUPAC nucleotide codes, or exact bytes", "scan", ""},
    flag{"strand", '\0', "WHICH", "", "both|+|-", "strands to search, with --alphabet dna (default: both)",
         "scan", ""},
    flag{"matches", '\0', "RULE", "ps-scan", "ps-scan|starts|ends|count",
         "what is a match: as ps_scan.pl reports, every start, every end, or only the count of each motif",
         "scan", ""},
    flag{"no-greedy", 'g', "", "", "", "try few repeats first (ps_scan -g)", "scan", ""},
    flag{"no-overlap", 'v', "", "", "",
         "the next match starts after the end of this one (ps_scan -v; in scan, -v is not --verbose); with "
         "--matches ps-scan",
         "scan", ""},
    flag{"included", 'i', "", "", "",
         "also matches that end no later than the one before (ps_scan -i); with --matches ps-scan", "scan",
         ""},
    flag{"max-x", 'x', "N", "", "",
         "X of the text that letters and sets may accept in a match; -1: any number (ps_scan -x; default: "
         "0); with --matches ps-scan",
         "scan", ""},
    flag{"skip-frequent", 's', "", "", "", "leave out motifs marked as frequent (ps_scan -s)", "scan", ""},
    flag{"fail-if-none", '\0', "", "", "", "exit with 1 if nothing matches", "scan", ""},
    flag{"format", '\0', "NAME", "tsv", "tsv|pff|scan|fasta|gff3|bed|jsonl|html",
         "output format; pff, scan and fasta are ps_scan.pl's, html is a page for the browser that needs no "
         "network",
         "scan", ""},
    flag{"format", '\0', "NAME", "", "lcs|ops|paf|jsonl",
         "print the path: the subsequence as FASTA, run-length operations, PAF with cg:Z:, or JSON", "lcs",
         ""},
    flag{"plot", '\0', "FILE", "", "",
         "draw the path and its identity along A: a picture (.svg, .png) or a page to zoom (.html)", "lcs",
         ""},
    flag{"length", '\0', "", "", "", "print one number: the LCS length, or the distance that --metric names",
         "lcs", ""},
    flag{"metric", '\0', "NAME", "lcs", "lcs|indel|edit",
         "what is optimal: most matches, fewest insertions and deletions, or fewest edits (Levenshtein)",
         "lcs", ""},
    flag{"by", '\0', "UNIT", "residue", "line|byte|residue", "what a symbol is", "lcs", ""},
    flag{"raw", '\0', "", "", "", "the files are bytes, not FASTA: the same as --by byte", "lcs", ""},
    flag{"a-record", '\0', "NAME", "", "", "the record of A to compare", "lcs", ""},
    flag{"b-record", '\0', "NAME", "", "", "the record of B to compare", "lcs", ""},
    flag{"all-pairs", '\0', "FILE", "", "",
         "instead of A and B: the lower triangle over all pairs of records of FILE, as TSV", "lcs", ""},
    flag{"json", '\0', "", "", "", "print the record as JSON", "lcs devices bench", ""},
    flag{"engines", '\0', "", "", "", "list the engines of each capability", "devices", ""},
    flag{"list", '\0', "", "", "", "name the cases, and run none", "bench", ""},
    flag{"only", '\0', "NAME", "", "", "only cases whose name holds NAME, or matches it if it has * or ?",
         "bench", ""},
    flag{"budget", '\0', "SECONDS", "60", "",
         "time for all cases, shared out among them; what does not fit is named", "bench", ""},
    flag{"runs", '\0', "N", "", "",
         "runs of each way after one that is not counted (default: what the budget allows, 25 at most)",
         "bench", ""},
    flag{"device", '\0', "NAME", "all", "all|cpu|gpu", "where to run; gpu without one is an error", "bench",
         ""},
    flag{"output", 'o', "FILE", "-", "", "write to FILE, which appears whole or not at all", "bench", ""},
    flag{"key", 'k', "POS[,POS]", "", "",
         "sort by a key: FIELD[.CHAR][bdfinr], from the first POS to the second or the line's end; may be "
         "repeated",
         "sort", "", true},
    flag{"field-separator", 't', "CHAR", "", "", "what separates fields, instead of blanks before them",
         "sort", ""},
    flag{"numeric-sort", 'n', "", "", "", "compare numbers: blanks, -, digits, a fraction", "sort", ""},
    flag{"reverse", 'r', "", "", "", "largest first", "sort", ""},
    flag{"unique", 'u', "", "", "", "only the first of equal lines", "sort", ""},
    flag{"stable", 's', "", "", "", "leave lines of equal keys in their order", "sort", ""},
    flag{"ignore-leading-blanks", 'b', "", "", "", "skip blanks before keys", "sort", ""},
    flag{"dictionary-order", 'd', "", "", "", "compare blanks, letters and digits only", "sort", ""},
    flag{"ignore-case", 'f', "", "", "", "lower-case letters compare as upper-case", "sort", ""},
    flag{"ignore-nonprinting", 'i', "", "", "", "compare printable characters only", "sort", ""},
    flag{"zero-terminated", 'z', "", "", "", "lines end in a zero byte instead of a newline", "sort", ""},
    flag{"check", 'c', "", "", "",
         "only tell whether the input is sorted: exit 1 and the first bad line if not", "sort", ""},
    flag{"check-quiet", 'C', "", "", "", "as -c, without a word", "sort", ""},
    flag{"merge", 'm', "", "", "", "merge files that are sorted already", "sort", ""},
    flag{"buffer-size", 'S', "SIZE", "", "",
         "memory for sorting: a number of KiB, or with b, k, m, g, t, or % of what there is", "sort", ""},
    flag{"temporary-directory", 'T', "DIR", "", "", "where temporary files go (default: $TMPDIR or /tmp)",
         "sort", ""},
    flag{"type", '\0', "TYPE", "", "u8|u16|u32|u64|i8|i16|i32|i64|i128|f32|f64",
         "FILE is an array of such numbers, little-endian", "sort", ""},
    flag{"by-key", '\0', "VALUES", "", "",
         "FILE holds keys: write the items of the array VALUES in the order of their keys", "sort", ""},
    flag{"argsort", '\0', "", "", "", "write where each item of the sorted array stood, as 64-bit numbers",
         "sort", ""},
    flag{"form", '\0', "NAME", "sentinel", "sentinel|rotation",
         "of the suffixes before an end mark (as divbwt), or of the rotations", "bwt unbwt", ""},
    flag{"raw", '\0', "", "", "",
         "write the transformed bytes alone, and the primary index to standard output", "bwt", ""},
    flag{"stats", '\0', "", "", "",
         "print symbols, runs and entropy; the transform itself is then written only with -o FILE", "bwt",
         ""},
    flag{"raw", '\0', "", "", "", "FILE is transformed bytes alone", "unbwt", ""},
    flag{"primary-index", '\0', "N", "", "", "what weft bwt --raw printed", "unbwt", ""},
    flag{"lcp", '\0', "FILE", "", "", "write the LCP array as well", "sa", ""},
    flag{"alphabet", '\0', "NAME", "auto", "auto|dna|protein|bytes",
         "what letters mean; auto: dna if nearly all letters are nucleotides or IUPAC codes of them; in dna "
         "U is T",
         "index", ""},
    flag{"sa-sample-rate", '\0', "N", "0", "",
         "keep every Nth position of the suffix array; 0: 4 below 256 M symbols, 8 from there on", "index",
         ""},
    flag{"pattern", 'e', "PATTERN", "", "", "a pattern, in place of PATTERNS; may be repeated", "find", "",
         true},
    flag{"count", '\0', "", "", "", "only count the occurrences of each pattern", "find", ""},
    flag{"bed", '\0', "", "", "", "write BED", "find", ""},
    flag{"both-strands", '\0', "", "", "",
         "find the reverse complements as well; a palindrome is reported on + and on -", "find", ""},
    flag{"max-hits", '\0', "N", "", "",
         "at most so many occurrences of each pattern; one that has more ends with a line: pattern * written "
         "all *",
         "find", ""},
    flag{"fail-if-none", '\0', "", "", "", "exit with 1 if nothing is found", "find", ""},
    flag{"no-decompress", '\0', "", "", "",
         "take the bytes of FILE as they are, also where they begin like compressed ones",
         "sort bwt unbwt sa", ""},
    flag{"output", 'o', "FILE", "-", "", "write to FILE, which appears whole or not at all", work, ""},
    flag{"device", '\0', "NAME", "auto", "", "auto, cpu, gpu or gpu:N; gpu without one is an error", work,
         "WEFT_DEVICE"},
    flag{"engine", '\0', "NAME", "auto", "", "force an engine (see weft devices --engines)", work, ""},
    flag{"threads", 't', "N", "0", "", "threads, 1024 at most; 0: all processors", threads_letter,
         "WEFT_THREADS"},
    flag{"threads", '\0', "N", "0", "", "threads, 1024 at most; 0: all processors", "sort", "WEFT_THREADS"},
    flag{"memory", '\0', "SIZE", "", "",
         "host memory to use at most for tables and chunks, such as 4G (default: 80 % of what is free)", work,
         ""},
    flag{"device-memory", '\0', "SIZE", "", "",
         "memory of the GPU to use at most, such as 4G (default: what is free)", work, ""},
    flag{"progress", '\0', "WHEN", "auto", "auto|always|never",
         "progress on standard error; auto: on a terminal, after two seconds", work, ""},
    flag{"verbose", '\0', "", "", "",
         "end with a line on standard error: time, throughput, engine, device, peak memory", "scan", ""},
    flag{"verbose", 'v', "", "", "",
         "end with a line on standard error: time, throughput, engine, device, peak memory", verbose_letter,
         ""},
    flag{"quiet", 'q', "", "", "", "no warnings and no progress", work, ""},
    flag{"help", 'h', "", "", "", "print this help", "*", ""},
};

} // namespace

std::span<const verb> verbs() { return verb_table; }
std::span<const flag> flags() { return flag_table; }

} // namespace weft::cli
